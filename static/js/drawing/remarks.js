// What a picture alone does not say: nothing to see, all the same, hatching, clipping.

import { exact, short } from "../tensor/numbers.js";
import { extent } from "../tensor/tensors.js";
import { isUnit } from "./colours.js";

const FAINT = 0.25; // a largest number below this looks nearly as 0 does

/** The sentences for a stage's tensor. `activations` are the tensors whose gradients are drawn,
 * else undefined; the table has the stages, and how a kind is drawn. */
export function remarksOf(stage, { tensors, activations }, { low, high, mask, marks, unusualAt }, { stages, kinds }) {
  const kind = kinds[stage.kind];
  const { data } = tensors.get(stage.key);
  const { low: least, high: most, empty } = extent(data);
  const said = [];
  if (!data.length) said.push(`${stage.along.includes("hidden") ? "No character that is known is hidden" : "No character follows the only one"}, so this tensor is empty: its shape is 0.`);
  else if (empty) said.push("No cell has a finite value.");
  else if (least === most && data.length > 1) said.push(`All values equal ${exact(least)}.`);
  else said.push(`Values from ${short(least)} to ${short(most)}.`);
  const beyond = data.reduce((count, value) => count + (Number.isFinite(value) && (value < low || value > high)), 0);
  if (beyond) said.push(`The colours end at ${low < 0 ? `${short(low)} and ` : ""}${short(high)}; ${beyond} ${beyond === 1 ? "cell" : "cells"} beyond ${beyond === 1 ? "has" : "have"} a triangle.`);
  if (isUnit(kind) && high !== 1) said.push(`The colours run from 0 to ${short(high)}, the largest, not to 1.`);
  else if (isUnit(kind) && most < FAINT) said.push(`On the scale from 0 to 1 all is faint: the largest is ${short(most)}. Stretch the colours to see more.`);
  const names = countsOf(data, unusualAt);
  if (names.has("masked")) said.push(`Hatched cells are ${mask.word}: −∞.`);
  for (const [name, count] of names) {
    if (name !== "masked") said.push(`${count} ${count === 1 ? "cell is" : "cells are"} ${marks[name].word}, which no mask put there; each has a mark of its own.`);
  }
  if (activations && stages.at(-1).key !== stage.key && !stages.some(({ inputs }) => inputs.includes(stage.key))) {
    said.push("No stage reads this tensor, and the loss is computed without it: its gradient is 0 everywhere.");
  }
  if (activations && maskedCellsAreZero(data, activations.get(stage.key).data)) {
    said.push(`Where the activation is ${mask.word}, its gradient is exactly 0 and drawn so: nothing there reaches the loss.`);
  }
  return said.join(" ");
}

/** How many cells there are of each of the four that are not finite, where there are any. */
function countsOf(data, unusualAt) {
  const counts = new Map();
  for (let flat = 0; flat < data.length; flat += 1) {
    const name = unusualAt(data[flat], flat);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function maskedCellsAreZero(gradient, activation) {
  const masked = gradient.filter((_, i) => !Number.isFinite(activation[i]));
  return masked.length > 0 && masked.every((value) => value === 0);
}
