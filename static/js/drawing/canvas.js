// A stage on a canvas: one pixel a cell, heads side by side. For thumbnails and first sight.

import { panelsOf } from "../tensor/tensors.js";
import { paint } from "./colours.js";

const GAP = 2;

/** Draw all panels of a stage in one row. */
export function drawThumbnail(canvas, stage, trace, colouring) {
  const { rows, columns, matrices } = panelsOf(stage, trace);
  const width = matrices.length * columns + (matrices.length - 1) * GAP;
  const places = matrices.map((_, i) => i * (columns + GAP));
  draw(canvas, { width, height: rows, rows, columns, matrices, places, colouring, first: 0 });
}

/** Draw one panel alone. */
export function drawPanel(canvas, stage, trace, colouring, index) {
  const { rows, columns, matrices } = panelsOf(stage, trace);
  draw(canvas, { width: columns, height: rows, rows, columns, matrices: [matrices[index]], places: [0], colouring, first: index });
}

function draw(canvas, { width, height, rows, columns, matrices, places, colouring, first }) {
  canvas.width = Math.max(1, width);
  canvas.height = Math.max(1, height);
  if (!width || !height) return;
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (const [i, matrix] of matrices.entries()) {
    paint(pixels, places[i], width, matrix, { rows, columns, start: (first + i) * rows * columns }, colouring);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}
