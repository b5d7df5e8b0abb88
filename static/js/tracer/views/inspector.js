// The cell under the pointer or the chosen one, and where the focused stage stands among others.

import { make, makeMath, onFollow } from "../../drawing/elements.js";
import { gradientSymbol } from "../../drawing/symbols.js";
import { write, writeAt } from "../../page/address.js";
import { paired, settled } from "../../tensor/gradients.js";
import { exact } from "../../tensor/numbers.js";
import { entryOf, focused, isWeight } from "../../tensor/table.js";
import { cellInWords, countedOtherwise, valueAt } from "../../tensor/tensors.js";
import { withWeight } from "../../tensor/weights.js";
import { stale } from "../store.js";

const CELL_FROM = ["cell", "hover", "stage", "trace", "table", "gradient", "gradients", "matrices", "differential"];

export function inspector(root, state, dispatch, previous) {
  if (state.table === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    root.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-differentiate]");
      if (button) dispatch({ type: "differentiate", differential: button.dataset.differentiate === "true" });
    });
    onFollow(root, "[data-go]", (link) => dispatch({ type: "stage", stage: link.dataset.go }));
  }
  root.classList.toggle("is-stale", stale(state));
  if (CELL_FROM.some((name) => state[name] !== previous?.[name])) cell(root, state);
  if (previous && state.table === previous.table && write(state) === write(previous)) return;
  const entry = focused(state);
  const { stages } = state.table;
  const weight = isWeight(state);
  const users = weight ? stages.filter(({ key }) => entry.used_by.includes(key)) : stages.filter(({ inputs }) => inputs.includes(entry.key));
  list(root.querySelector("[data-parents]"), stages.filter(({ key }) => entry.inputs.includes(key)), state, weight ? "nothing: training made it" : "nothing: it is the input");
  list(root.querySelector("[data-children]"), users, state, "nothing: it is an end");
}

function cell(root, state) {
  const index = state.hover ?? state.cell;
  const shown = withWeight(state);
  const known = shown !== null && index !== null && valueAt(shown.trace.tensors.get(state.stage), index) !== undefined;
  const box = root.querySelector("[data-cell]");
  if (!known) {
    box.replaceChildren(make("p", { class: "hint", text: missing(shown, state) ?? "Point at a cell to read its number; click it, or go there with the arrow keys, to see where the number comes from." }));
    return;
  }
  const entry = focused(state);
  const words = cellInWords(entry, index, shown);
  const counted = countedOtherwise(entry, index);
  const parts = [
    make("p", { class: "cell-value", text: words.value }),
    make("p", { class: "cell-place" }, makeMath(entry.symbol_mathml), words.place && ` at ${words.place}`),
    counted && make("p", { class: "cell-place", text: `For the API, ${counted}.` }),
    asksGradient(state, index),
    ...(paired(state) && settled(state) ? gradientOf(state, entry, index) : []),
  ];
  box.replaceChildren(...parts.filter(Boolean));
}

/** The way to the gradient of a weight's chosen cell, which no picture beside it leads to. */
function asksGradient(state, index) {
  if (!state.gradient || state.cell === null || !isWeight(state) || String(index) !== String(state.cell)) return null;
  const text = state.differential ? "back to the weight itself" : "where its gradient comes from";
  return make("button", { type: "button", class: "link", "data-differentiate": String(!state.differential), text });
}

/** That the tensor has no such cell, where it is known; else null. */
function missing(shown, { cell, stage, table }) {
  if (shown === null || cell === null) return null;
  const { title } = entryOf(table, stage);
  return `${title} has no cell [${cell.join(", ")}] here: its shape is ${shown.trace.tensors.get(stage).shape.join(" × ")}. Choose another one.`;
}

function gradientOf({ table, gradients, stage }, entry, index) {
  return [
    make("p", { class: "cell-gradient", text: exact(valueAt(gradients.tensors.get(stage), index)) }),
    make("p", { class: "cell-place" }, gradientSymbol(table, entry), ", its gradient"),
  ];
}

function list(root, entries, state, none) {
  if (!entries.length) {
    root.replaceChildren(make("li", { class: "hint", text: none }));
    return;
  }
  root.replaceChildren(
    ...entries.map((entry) =>
      make("li", {}, make("a", { href: writeAt(state, { stage: entry.key }), "data-go": entry.key }, makeMath(entry.symbol_mathml), ` ${entry.title}`)),
    ),
  );
}
