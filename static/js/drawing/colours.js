// From a value to a colour, by the kind's own palettes and range.

import { sizeAt } from "../tensor/sizes.js";
import { unusual } from "../tensor/tensors.js";

const STEPS = 256;
const tables = new WeakMap();

/** 256 pixels (little-endian RGBA) along a palette's colours. */
function tableOf(colours) {
  if (!tables.has(colours)) tables.set(colours, interpolated(colours));
  return tables.get(colours);
}

/** How a tensor is coloured: {colours, mask, marks, tile, low, high, unusualAt}. `low` and `high` are
 * the values at the two ends of the scale, never of zero width; cells beyond them are clipped unless
 * the largest is asked for: of a probability by `stretched`, else by the `scale` "full". `unusualAt`
 * names the mark of a cell that is not finite. */
function colouring(kind, data, { palette, scale, stretched, vocabSize }) {
  const [low, high] = rangeOf(kind, data, { scale, stretched, vocabSize });
  return { colours: kind.palettes[palette], mask: kind.mask, marks: kind.marks, tile: kind.tile, low, high };
}

/** How a stage's tensor is coloured. */
export function colouringOf({ table, trace, palette, scale, stretched }, entry) {
  const { key, kind } = entry;
  const chosen = colouring(table.kinds[kind], trace.tensors.get(key).data, { palette, scale, stretched, vocabSize: table.labels.length });
  return { ...chosen, unusualAt: (value, flat) => unusual(value, flat, entry, trace) };
}

/** Whether a kind's colours run from 0 to 1 as long as they are not stretched. */
export function isUnit({ range }) {
  return range === "unit";
}

function rangeOf(kind, data, { scale, stretched, vocabSize }) {
  if (kind.range === "vocabulary") return [0, Math.max(1, vocabSize - 1)];
  if (isUnit(kind)) return [0, stretched ? sizeAt(data, 1) : 1];
  const limit = sizeAt(data, scale === "full" ? 1 : kind.limit_at);
  return kind.range === "symmetric" ? [-limit, limit] : [0, limit];
}

/** Paint a matrix into pixels of a row width `stride`, beginning at `offset`. Its cells are those of
 * a tensor from `start` on; without marks, whatever is not finite is masked. */
export function paint(pixels, offset, stride, matrix, { rows, columns, start = 0 }, { colours, mask, marks, unusualAt, low, high }) {
  const table = tableOf(colours);
  const grounds = groundsOf(marks ?? { masked: mask });
  const scale = (STEPS - 1) / (high - low);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let target = offset + row * stride;
    for (let column = 0; column < columns; column += 1, at += 1, target += 1) {
      const value = matrix[at];
      if (value - value === 0) {
        const step = (value - low) * scale + 0.5;
        pixels[target] = table[step < 0 ? 0 : step > STEPS - 1 ? STEPS - 1 : step | 0];
      } else {
        const { tint, line } = grounds[unusualAt ? unusualAt(value, start + at) : "masked"];
        pixels[target] = (row + column) % 3 ? tint : line;
      }
    }
  }
}

/** The marks as pixels: two colours for what is masked, else the ground alone, since a line of one
 * mark could be taken for another's where a cell is one pixel. */
function groundsOf(marks) {
  return Object.fromEntries(Object.entries(marks).map(([name, { tint, line }]) => [name, { tint: pixel(tint), line: pixel(name === "masked" ? line : tint) }]));
}

function interpolated(colours) {
  const anchors = colours.map(channels);
  const table = new Uint32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const place = (step / (STEPS - 1)) * (anchors.length - 1);
    const from = Math.min(Math.floor(place), anchors.length - 2);
    const mixed = anchors[from].map((c, i) => Math.round(c + (anchors[from + 1][i] - c) * (place - from)));
    table[step] = packed(mixed);
  }
  return table;
}

function channels(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function packed([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function pixel(hex) {
  return packed(channels(hex));
}
