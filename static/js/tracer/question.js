// What is asked of the chosen cell.

import { gradientOf } from "../tensor/gradients.js";
import { isWeight } from "../tensor/table.js";
import { valueAt } from "../tensor/tensors.js";
import { withWeight } from "../tensor/weights.js";

/** What is to be explained, or null: no cell is chosen, or the tensor has no such cell. */
export function questionOf(state) {
  const shown = withWeight(state);
  if (shown === null || state.cell === null) return null;
  const { stage, cell, differential, whole, trace } = state;
  const weight = isWeight(state); // whose gradient is not here, and has its shape
  const tensor = differential && !weight ? gradientOf(state, stage) : shown.trace.tensors.get(stage);
  if (tensor === null || valueAt(tensor, cell) === undefined) return null;
  return { trace, stage, cell, differential, whole, weight };
}

/** Whether two questions are the same. */
export function sameQuestion(a, b) {
  return a === b || (a !== null && b !== null && ["trace", "stage", "differential", "whole"].every((name) => a[name] === b[name]) && String(a.cell) === String(b.cell));
}
