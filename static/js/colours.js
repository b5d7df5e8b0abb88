// From a value to a colour, by the kind's own table.

import { extent } from "./tensors.js";

const STEPS = 256;
const tables = new WeakMap();

/** 256 pixels (little-endian RGBA) along the kind's colours. */
export function tableOf(kind) {
  if (!tables.has(kind)) tables.set(kind, interpolated(kind.colours));
  return tables.get(kind);
}

/** The values at the two ends of the kind's scale; never of zero width. */
export function rangeOf(kind, data, vocabSize) {
  if (kind.range === "unit") return [0, 1];
  if (kind.range === "vocabulary") return [0, Math.max(1, vocabSize - 1)];
  const { low, high, empty } = extent(data);
  const largest = empty ? 1 : Math.max(Math.abs(low), Math.abs(high)) || 1;
  return kind.range === "symmetric" ? [-largest, largest] : [0, largest];
}

/** Paint a matrix into pixels of a row width `stride`, beginning at `offset`. */
export function paint(pixels, offset, stride, matrix, { rows, columns }, kind, [low, high]) {
  const table = tableOf(kind);
  const tint = pixel(kind.mask.tint);
  const line = pixel(kind.mask.line);
  const scale = (STEPS - 1) / (high - low);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let target = offset + row * stride;
    for (let column = 0; column < columns; column += 1, at += 1, target += 1) {
      const value = matrix[at];
      if (value - value === 0) {
        const step = (value - low) * scale + 0.5;
        pixels[target] = table[step < 0 ? 0 : step > STEPS - 1 ? STEPS - 1 : step | 0];
      } else {
        pixels[target] = (row + column) % 3 ? tint : line;
      }
    }
  }
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
