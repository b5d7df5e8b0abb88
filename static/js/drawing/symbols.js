// Symbols and names that the table does not have whole: a gradient's, a cell's.

import { entryOf } from "../tensor/table.js";
import { placeInBrackets, placeInWords } from "../tensor/tensors.js";
import { makeMath, makeMathPart } from "./elements.js";

/** ∂ℓ̄/∂X for a stage X; ℓ̄ is the mean of the last stage, the loss. */
export function gradientSymbol({ stages }, { symbol_mathml: symbol }) {
  const loss = makeMathPart("mover", { accent: "true" }, ...makeMath(stages.at(-1).symbol_mathml).childNodes, makeMathPart("mo", { stretchy: "false", text: "¯" }));
  const math = makeMath(symbol);
  const partial = (...of) => makeMathPart("mrow", {}, makeMathPart("mi", { mathvariant: "normal", text: "∂" }), ...of);
  math.replaceChildren(makeMathPart("mrow", {}, partial(loss), makeMathPart("mo", { text: "/" }), partial(...math.childNodes)));
  return math;
}

/** A cell as a symbol and its place: p[4, 1], A[head 3, 6, 4]. */
export function cellSymbol(table, { stage, cell, differential }) {
  const entry = entryOf(table, stage);
  return [differential ? gradientSymbol(table, entry) : makeMath(entry.symbol_mathml), cell === null ? "" : `[${placeInBrackets(entry, cell)}]`];
}

/** The same in words. */
export function nameOf(state, { stage, cell, differential }) {
  const entry = entryOf(state.table, stage);
  return [entry.title, differential && "its gradient", placeInWords(entry, cell, state)].filter(Boolean).join(", ");
}
