// The gradient highway: how large the gradient is along the residual stream, with the residual
// connections and without them. A table, whose middle column is drawn.

import { make, makeSvg } from "../../drawing/elements.js";
import { stacksOf } from "../../drawing/rail.js";
import { scaleOf } from "../../drawing/scale.js";
import { write, writeAt } from "../../page/address.js";
import { settled } from "../../tensor/gradients.js";
import { short } from "../../tensor/numbers.js";
import { highwayShown } from "../store.js";

const SERIES = ["norm", "without_residuals"];
const DRAWN_FROM = ["flow", "table", "stage"];

export function flow(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  root.hidden = !state.gradient;
  root.open = state.highway;
  root.dataset.next = String(!state.highway);
  if (!highwayShown(state) || state.table === null) return;
  const refusal = refusalOf(state);
  root.querySelector("[data-refusal]").textContent = refusal?.message.replaceAll("`", "") ?? "";
  const places = refusal ? null : (state.flow?.places ?? null);
  root.querySelector("[data-flow]").hidden = places === null;
  root.querySelector("[data-flow]").classList.toggle("is-waiting", state.flow?.trace !== state.trace);
  if (places === null) return;
  if (DRAWN_FROM.some((name) => state[name] !== previous?.[name]) || !highwayShown(previous)) draw(root, places, state);
  else if (write(state) !== write(previous)) link(root, state);
}

/** Why there is nothing to show: there are no gradients, or their flow was refused. */
function refusalOf(state) {
  if (!settled(state)) return null;
  return state.gradients.refusal ?? (state.flow?.trace === state.trace ? state.flow.refusal : null);
}

function listen(root, dispatch) {
  root.querySelector("summary").addEventListener("click", (event) => {
    event.preventDefault(); // the state opens it
    dispatch({ type: "highway", highway: root.dataset.next === "true" });
  });
}

function address(state, stage) {
  return writeAt(state, { stage });
}

function link(root, state) {
  for (const one of root.querySelectorAll("[data-go]")) one.href = address(state, one.dataset.go);
}

function draw(root, places, state) {
  const stages = new Map(state.table.stages.map((stage) => [stage.key, stage]));
  const scale = scaleOf(places.flatMap((place) => SERIES.map((series) => place[series])));
  const stacks = stacksOf(state.table.stages);
  const runs = places.map(({ key }) => stacks.get(key));
  root.querySelector("[data-scale]").textContent = scale.logarithmic ? "logarithmic scale" : "linear scale, from 0";
  root.querySelector("[data-ticks]").replaceChildren(...scale.ticks.map((tick) => label(tick, scale)));
  root.querySelector("[data-rows]").replaceChildren(
    ...places.map((place, i) => {
      const { title } = stages.get(place.key);
      const neighbours = { before: runs[i - 1] === runs[i] ? places[i - 1] : null, after: runs[i + 1] === runs[i] ? places[i + 1] : null };
      const name = make("a", { href: address(state, place.key), "data-go": place.key, "aria-current": place.key === state.stage ? "true" : null, text: title });
      return make(
        "tr",
        { class: i && runs[i - 1] !== runs[i] ? "flow-stack" : null },
        make("th", { scope: "row", class: "flow-place" }, name),
        make("td", { class: "flow-strip" }, strip(place, neighbours, scale)),
        ...SERIES.map((series) => make("td", { class: "flow-number", text: short(place[series]) })),
      );
    }),
  );
  const starts = places.filter((_, i) => runs[i - 1] !== runs[i]);
  root.querySelector("[data-starts]").textContent = starts
    .map((place) => `At ${inSentence(stages.get(place.key).title)} the norm is ${short(place.norm)}; without the connections it would be ${short(place.without_residuals)}.`)
    .join(" ");
}

function inSentence(title) {
  return title[0].toLowerCase() + title.slice(1);
}

function label(tick, scale) {
  const result = make("span", { class: "flow-tick", text: short(tick) });
  result.style.setProperty("--at", String(scale.at(tick)));
  return result;
}

/** A row's piece of the lines: in from half way to the row before, out to half way to the next. */
function strip(place, { before, after }, scale) {
  const parts = scale.ticks.map((tick) => line(`M${x(scale.at(tick))} 0V100`, "flow-grid"));
  for (const series of SERIES.toReversed()) {
    const here = scale.at(place[series]);
    if (here === null) continue;
    for (const [other, edge] of [[before, 0], [after, 100]]) {
      const there = other === null ? null : scale.at(other[series]);
      if (there !== null) parts.push(line(`M${x((here + there) / 2)} ${edge}L${x(here)} 50`, `flow-line is-${series}`));
    }
    // A line without length and with round ends is a dot, which keeps round however wide the strip.
    parts.push(line(`M${x(here)} 50h0.001`, `flow-dot is-${series}`));
    if (series !== SERIES[0]) parts.push(line(`M${x(here)} 50h0.001`, "flow-hole"));
  }
  return makeSvg("svg", { class: "flow-drawing", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts);
}

function x(share) {
  return Number((100 * share).toFixed(3));
}

function line(d, name) {
  return makeSvg("path", { d, class: name, "vector-effect": "non-scaling-stroke" });
}
