// What the focused stage is: shape, operation, equation, sections.

import { make, makeMath, onFollow } from "../../drawing/elements.js";
import { fit } from "../../drawing/equation.js";
import { writeAt } from "../../page/address.js";
import { onKeys } from "../../page/keys.js";
import { term } from "../../page/terms.js";
import { axisNames } from "../../tensor/labels.js";
import { focused, isWeight } from "../../tensor/table.js";
import { shapeInWords } from "../../tensor/tensors.js";

const TITLE_TEXT = 24;
const PRACTISED = { lab: "Labs", lesson: "Lessons", exercise: "Exercises", check: "Checks" };
const OPEN_PLACES = 2;

export function stage(root, state, dispatch, previous) {
  if (state.table === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  const entry = focused(state);
  if (entry.key !== previous?.stage || state.table !== previous?.table) describe(root, entry, state);
  if (state.trace !== null) shape(root, entry, state);
  document.title = `${entry.title} · “${state.text.slice(0, TITLE_TEXT)}” · Token Tracer`;
  links(root, state);
  for (const button of root.querySelectorAll("[data-section]")) {
    button.setAttribute("aria-pressed", String(button.dataset.section === state.section));
  }
}

function listen(root, dispatch) {
  const equation = root.querySelector("[data-equation]");
  new ResizeObserver(() => fit(equation)).observe(equation);
  document.fonts.ready.then(() => fit(equation)); // the maths font is wider than what stood in for it
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-section]");
    if (button) dispatch({ type: "section", section: button.dataset.section });
  });
  onFollow(root, "[data-go]", (link) => dispatch({ type: "stage", stage: link.dataset.go }));
  onKeys({
    "[": () => root.querySelector("[data-previous]").click(),
    "]": () => root.querySelector("[data-next]").click(),
  });
}

function describe(root, entry, { table }) {
  const part = (name) => root.querySelector(`[data-${name}]`);
  part("title").textContent = entry.title;
  const operation = `${entry.operation[0].toUpperCase()}${entry.operation.slice(1)}.`;
  part("operation").replaceChildren(isWeight({ table, stage: entry.key }) ? operation : term("operation", entry.operation, operation));
  part("equation").replaceChildren(makeMath(entry.mathml ?? entry.symbol_mathml));
  fit(part("equation"));
  part("symbols").replaceChildren(...symbols(entry, table));
  part("taught").hidden = !entry.sections.length;
  part("sections").replaceChildren(...entry.sections.map((one) => section(one, table)));
  part("practice").replaceChildren(...practice(entry.practice ?? []));
}

/** Where to try what the stage is about; more than a few places are folded. */
function practice(uses) {
  const lines = Object.entries(PRACTISED).map(([kind, name]) => [name, uses.filter((use) => use.kind === kind)]);
  const written = lines.filter(([, its]) => its.length).map(([name, its]) =>
    make("p", { class: "practice" }, make("span", { class: "practice-kind", text: name }), " ", make("span", { class: "practice-links" }, ...its.flatMap(({ title, address }) => [make("a", { href: address, text: title }), " "]))),
  );
  if (uses.length <= OPEN_PLACES) return written;
  return [make("details", { class: "practice-fold" }, make("summary", { text: `${uses.length} places to try it` }), ...written)];
}

/** The equation's symbols in a line: the result, its inputs, its weights. */
function symbols(entry, table) {
  const byKey = new Map(table.stages.map((stage) => [stage.key, stage]));
  const inputs = entry.inputs.map((key) => byKey.get(key));
  return [entry, ...inputs].map((stage) =>
    term("symbol", stage.symbol, makeMath(stage.symbol_mathml), ` ${stage.title.toLowerCase()}`),
  ).concat(entry.parameters.map((weight) =>
    make("span", { class: "symbol" }, term("symbol", weight.symbol, makeMath(weight.symbol_mathml), make("span", { class: "is-unseen", text: weight.symbol })), " ", make("a", { href: "?", "data-go": weight.key, "data-weight": weight.key, text: weight.key }), `, ${weight.symbolic_shape.join(" × ")}`),
  ));
}

function section({ label, url, figure }, table) {
  const count = table.stages.filter((stage) => stage.sections.some((one) => one.label === label)).length;
  const its = count === 1 ? "mark the one stage that it teaches" : `mark the ${count} stages that it teaches`;
  return make(
    "span",
    { class: "section" },
    term("section", label, label),
    " ",
    url && make("a", { class: "outward", href: url, rel: "noreferrer", text: "↗", "aria-label": `${label}, in the course`, title: "read it in the course" }),
    " ",
    figure && make("a", { href: figure, rel: "noreferrer", text: "figure", "aria-label": `${label}: its interactive figure, in the course` }),
    " ",
    make("button", { type: "button", class: "link", "data-section": label, text: its, "aria-label": `${label}: ${its}`, title: "in this model’s list of stages" }),
  );
}

function shape(root, entry, { trace }) {
  const { shape: sizes, data } = trace.tensors.get(entry.key) ?? entry; // a weight's is always the same
  root.querySelector("[data-shape]").textContent = shapeInWords(entry, sizes);
  const names = axisNames(entry, trace);
  const said = `${names.join(", ")} · ${data instanceof Int32Array ? "int32" : "float32"}`;
  const axes = root.querySelector("[data-axes]");
  if (axes.textContent === said) return; // links that may have the focus stay
  const words = names.map((name, i) => term("axis", entry.axes[i], name));
  axes.replaceChildren(...words.flatMap((word) => [word, ", "]).slice(0, -1), said.slice(names.join(", ").length));
}

function links(root, state) {
  const at = state.table.stages.findIndex((stage) => stage.key === state.stage);
  const neighbours = at < 0 ? {} : { previous: state.table.stages[at - 1], next: state.table.stages[at + 1] };
  for (const name of ["previous", "next"]) {
    const entry = neighbours[name];
    const link = root.querySelector(`[data-${name}]`);
    link.hidden = entry === undefined;
    if (!entry) continue;
    link.dataset.go = entry.key;
    link.href = writeAt(state, { stage: entry.key });
    link.querySelector("[data-name]").textContent = entry.title;
  }
  for (const link of root.querySelectorAll("[data-weight]")) link.href = writeAt(state, { stage: link.dataset.weight });
}
