// The tensors that a number is made from, each with its operands lit.

import { drawPanel } from "../../drawing/canvas.js";
import { colouringOf } from "../../drawing/colours.js";
import { make, makeMath, makeSvg } from "../../drawing/elements.js";
import { gradientSymbol } from "../../drawing/symbols.js";
import { writeAt } from "../../page/address.js";
import { gradientOf, ofGradients } from "../../tensor/gradients.js";
import { entryOf } from "../../tensor/table.js";
import { panelsOf, placeOf } from "../../tensor/tensors.js";
import { withTensor } from "../../tensor/weights.js";
import { placeIn } from "../store.js";

/** Where an operand stands, as a place to go to. */
export function placeOfFactor({ stage, weight, gradient, index }) {
  return { stage: stage ?? weight, cell: index, differential: gradient };
}

/** The operands by their tensor: [{stage, differential, cells}], in the order they are met. */
export function tensorsOf({ terms }) {
  const found = new Map();
  for (const factor of terms.flatMap((term) => term.factors)) {
    const { stage, cell, differential } = placeOfFactor(factor);
    const name = `${stage} ${differential}`;
    if (!found.has(name)) found.set(name, { stage, differential, cells: [] });
    found.get(name).cells.push(cell);
  }
  return [...found.values()];
}

/** A small picture of a tensor with its operands outlined; a link to the first of them. */
export function operandMap(state, { stage, differential, cells }) {
  const entry = entryOf(state.table, stage);
  const to = { stage, cell: cells[0], differential };
  const symbol = differential ? gradientSymbol(state.table, entry) : makeMath(entry.symbol_mathml);
  const name = make("span", { class: "operand-name" }, symbol, ` ${entry.title}`);
  const href = writeAt(state, { ...to, trail: [...state.trail, placeIn(state)] });
  return make("a", { class: "operand", href, "data-walk": JSON.stringify(to) }, name, drawn(state, entry, differential, cells));
}

/** The panel of the first operand, and each operand in it; null while its numbers are not here. */
function drawn(state, entry, differential, cells) {
  const shown = seen(state, entry, differential);
  if (shown === null) return null;
  const { panel } = placeOf(cells[0]);
  const { rows, columns } = panelsOf(entry, shown.trace);
  const canvas = make("canvas", { class: "operand-cells", "aria-hidden": "true" });
  const kind = differential ? "signed" : entry.kind;
  drawPanel(canvas, entry, shown.trace, colouringOf(shown, { ...entry, kind }), panel);
  const lights = makeSvg("svg", { class: "operand-lights", viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const place of cells.map(placeOf)) {
    if (place.panel === panel) lights.append(makeSvg("rect", { x: String(place.column), y: String(place.row), width: "1", height: "1" }));
  }
  return make("span", { class: "operand-map" }, canvas, lights);
}

function seen(state, { key }, differential) {
  if (differential) return gradientOf(state, key) ? ofGradients(state) : null;
  if (state.trace.tensors.has(key)) return state;
  const tensor = state.matrices.get(key)?.tensor;
  return tensor ? { ...state, trace: withTensor(state.trace, key, tensor) } : null;
}
