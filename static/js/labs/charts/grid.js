// A heatmap: one pixel a cell on a canvas, drawn large, with axes around.

import { paint } from "../../drawing/colours.js";
import { make } from "../../drawing/elements.js";
import { brief } from "../words.js";
import { area, bottomLabel, canvas, line, text } from "./axes.js";
import { plot } from "./plot.js";

const EDGE = { left: 58, right: 14, top: 8, bottom: 40 };
const LABEL = { x: 40, y: 14 }; // pixels that a number needs
const STEPS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const OUTSIDE = 2; // pixels from a marked row to its outline
const WRITTEN = 34; // cells so wide and
const WRITTEN_HEIGHT = 18; // so high have their numbers written in

/** Draw `matrix`, a list of rows, coloured from `low` to `high`; `marks` are [{row, look}], rows
 * that are outlined. `columns` are for the table. */
export function grid(root, { matrix, low, high, colours, mask, x, y, marks = [], alt, columns, cell }) {
  const given = { matrix, low, high, colours, mask, x, y, marks, cell };
  plot(root, { drawing: (width) => drawing(width, given), alt, columns });
}

function drawing(width, { matrix, low, high, colours, mask, x, y, marks, cell }) {
  const [rows, across] = [matrix.length, matrix[0].length];
  const height = EDGE.top + EDGE.bottom + Math.max(rows * (cell ?? 1), Math.min(rows * (cell ?? 16), 300));
  const place = area(width, height, EDGE);
  const size = { x: place.inner.width / across, y: place.inner.height / rows };
  const cells = make("canvas", { class: "grid-cells", width: across, height: rows });
  const image = new ImageData(across, rows);
  paint(new Uint32Array(image.data.buffer), 0, across, matrix.flat(), { rows, columns: across }, { colours, mask, low, high });
  cells.getContext("2d").putImageData(image, 0, 0);
  cells.style.cssText = `left:${EDGE.left}px;top:${EDGE.top}px;width:${place.inner.width}px;height:${place.inner.height}px`;
  const over = canvas(
    place,
    ...ticks(across, size.x, LABEL.x).map((i) => text(place.x(0) + (i + 0.5) * size.x, place.y(0) + 14, String(i), "middle")),
    ...ticks(rows, size.y, LABEL.y).map((i) => text(place.x(0) - 6, EDGE.top + (i + 0.5) * size.y + 4, y.names?.[i] ?? String(i), "end")),
    bottomLabel(place, x.label),
    y.names ? null : text(12, place.y(0.5), y.label, "middle", "drawing-label is-upright"),
    ...marks.filter(({ row }) => row < rows).flatMap(({ row, look }) => outline(place, size, row, look)),
    ...(size.x >= WRITTEN && size.y >= WRITTEN_HEIGHT ? matrix.flatMap((values, i) => values.map((value, j) => number(place, size, i, j, value, (value - low) / (high - low)))) : []),
  );
  over.setAttribute("class", "drawing is-over");
  const result = make("div", { class: "grid" }, cells, over);
  result.style.height = `${height}px`;
  return result;
}

/** A row between two lines, on a casing that keeps them apart from the cells. */
function outline(place, size, row, look) {
  return ["grid-casing", `curve is-${look}`].flatMap((name) => [0, 1].map((edge) => {
    const y = EDGE.top + (row + edge) * size.y + (edge ? OUTSIDE : -OUTSIDE);
    return line(place.x(0), y, place.x(1), y, name);
  }));
}

function number(place, size, row, column, value, share) {
  const strong = share < 0.2 || share > 0.8;
  return text(place.x(0) + (column + 0.5) * size.x, EDGE.top + (row + 0.5) * size.y + 4, brief(value), "middle", strong ? "grid-number is-on-dark" : "grid-number");
}

function ticks(count, size, needed) {
  const every = STEPS.find((step) => step * size >= needed) ?? count;
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}

/** A strip of the colours with its ends, into a legend element. */
export function colourBar(root, colours, low, high) {
  const strip = make("span", { class: "grid-strip", "aria-hidden": "true" });
  strip.style.background = `linear-gradient(to right, ${colours.join(",")})`;
  root.replaceChildren(make("li", { class: "legend-entry" }, make("span", { text: brief(low) }), strip, make("span", { text: brief(high) })));
}
