// What can be moved: sliders with a number beside, lists of them, choices, switches and words.

import { make } from "../drawing/elements.js";
import { bounds, ladder } from "./query.js";
import { brief, written } from "./words.js";

/** Bind the page's controls to the store, both ways. */
export function controlsView(root, controls, store) {
  const bound = controls.map((control) => {
    const element = root.querySelector(`[data-control="${control.name}"]`);
    const move = (value) => store.dispatch({ type: "move", name: control.name, value });
    return BINDERS[control.kind](element, control, move, () => store.state.query);
  });
  const show = (state) => bound.forEach((update) => update(state.query));
  store.subscribe((state, previous) => {
    if (state.query !== previous.query) show(state);
  });
  root.querySelector("[data-reset]").addEventListener("click", () => {
    store.dispatch({ type: "set", query: new Map(controls.map(({ name, start }) => [name, start])) });
  });
  show(store.state);
}

const BINDERS = { slider: bindSlider, list: bindList, choice: bindChoice, switch: bindSwitch, text: bindText };

function bindSlider(element, control, move, current) {
  const update = bindNumber(element.querySelector("[data-range]"), element.querySelector("[data-number]"), control, move, current);
  if ([control.below, control.above, control.multiple_of].every((other) => other === null)) return update;
  const ends = element.querySelector("[data-ends]");
  return (query) => {
    update(query);
    const { low, high } = bounds(control, query);
    ends.textContent = `${written(low)} to ${written(high)}`;
  };
}

/** A range and a number field for one value; returns what shows a query. */
function bindNumber(range, number, control, move, current, valueOf = (query) => query.get(control.name)) {
  range.addEventListener("input", () => move(atRange(range, control, current())));
  number.addEventListener("input", () => {
    if (number.value !== "" && Number.isFinite(number.valueAsNumber)) move(number.valueAsNumber);
  });
  return (query) => {
    const value = valueOf(query);
    const limits = bounds(control, query);
    if (control.stops.length) {
      const stops = ladder(control, query);
      setAll(range, { min: 0, max: stops.length - 1, step: 1 });
      range.value = String(nearest(stops, value));
    } else {
      setAll(range, { min: limits.low, max: limits.high, step: limits.step });
      range.value = String(value);
    }
    setAll(number, { min: limits.low, max: limits.high });
    range.setAttribute("aria-valuetext", brief(value));
    if (document.activeElement !== number || number.valueAsNumber !== value) number.value = String(value);
  };
}

function setAll(input, properties) {
  for (const [name, value] of Object.entries(properties)) if (input[name] !== String(value)) input[name] = String(value);
}

function atRange(range, control, query) {
  return control.stops.length ? ladder(control, query)[range.valueAsNumber] : range.valueAsNumber;
}

function nearest(stops, value) {
  let best = 0;
  for (const [i, stop] of stops.entries()) if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i;
  return best;
}

function bindList(element, control, move, current) {
  const rows = element.querySelector("[data-items]");
  const count = element.querySelector("[data-length]");
  const shown = element.querySelector("[data-counted]");
  let updates = [];
  count.addEventListener("input", () => move(resized(current().get(control.name), count.valueAsNumber, control.start)));
  return (query) => {
    const values = query.get(control.name);
    count.value = String(values.length);
    shown.textContent = String(values.length);
    while (updates.length > values.length) {
      rows.lastElementChild.remove();
      updates.pop();
    }
    while (updates.length < values.length) updates = [...updates, addItem(rows, updates.length, control, move, current)];
    for (const update of updates) update(query);
  };
}

function addItem(rows, index, control, move, current) {
  const name = `${control.label}, number ${index}`;
  const range = make("input", { type: "range", class: "knob-range", "aria-label": name, "data-range": true });
  const number = make("input", { type: "number", class: "knob-number", step: "any", "aria-label": `${name}, typed`, "data-number": true });
  rows.append(make("li", { class: "knob-item" }, make("span", { class: "knob-index", text: String(index), "aria-hidden": "true" }), range, number));
  const put = (value) => move(current().get(control.name).with(index, value));
  return bindNumber(range, number, control, put, current, (query) => query.get(control.name)[index]);
}

function resized(values, length, start) {
  return Array.from({ length }, (_, i) => values[i] ?? start[i % start.length]);
}

function bindChoice(element, control, move) {
  const select = element.querySelector("select");
  select.addEventListener("change", () => move(select.value));
  return (query) => {
    select.value = query.get(control.name);
  };
}

function bindSwitch(element, control, move) {
  const box = element.querySelector("input");
  box.addEventListener("change", () => move(box.checked));
  return (query) => {
    box.checked = query.get(control.name);
  };
}

function bindText(element, control, move) {
  const field = element.querySelector("input");
  field.addEventListener("input", () => move(field.value));
  return (query) => {
    if (field.value !== query.get(control.name)) field.value = query.get(control.name);
  };
}
