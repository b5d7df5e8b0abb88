// Single measurements as dots on one line for each group, with their mean and spread.

import { makeSvg } from "../../drawing/elements.js";
import { area, bottomAxis, canvas, line, linear, text } from "./axes.js";
import { plot } from "./plot.js";

const ROW = 44;
const UNDER = 12; // the dots stand so far under the middle of their row, below its name
const SPREAD = 5; // half the height of its ends
const MEAN = 9;

/** Draw groups [{name, values, mean, spread, beside}]; `beside` is another's number, or null. */
export function dots(root, { groups, label, alt, columns, beside }) {
  const legend = [{ name: "one run", look: "dot" }, { name: "mean, and one standard deviation to each side", look: "middle" }];
  if (beside) legend.push({ name: beside, look: "ring" });
  plot(root, { drawing: (width) => drawing(width, groups, label), alt, columns, legend });
}

function drawing(width, groups, label) {
  const place = area(width, groups.length * ROW + 46, { left: 14, right: 20, top: 4, bottom: 42 });
  const all = groups.flatMap(({ values, mean, spread, beside = null }) => [...values, beside, ...(spread === null ? [] : [mean - spread, mean + spread])]).filter((value) => value !== null);
  const along = linear(all, { room: place.across });
  const x = (value) => place.x(along.at(value));
  return canvas(
    place,
    ...along.ticks.map((tick) => line(x(tick), place.y(0), x(tick), place.y(1), "drawing-grid")),
    ...bottomAxis(place, along, label),
    ...groups.flatMap((group, i) => row(group, x, place, 4 + (i + 0.5) * ROW + UNDER)),
  );
}

function row({ name, values, mean, spread, beside = null }, x, place, y) {
  const parts = [text(place.margin.left, y - MEAN - 5, name, "start", "drawing-name")];
  if (mean !== null) {
    parts.push(line(x(mean), y - MEAN, x(mean), y + MEAN, "dots-mean"));
    if (spread !== null) {
      const [from, to] = [x(mean - spread), x(mean + spread)];
      parts.push(line(from, y, to, y, "dots-spread"), line(from, y - SPREAD, from, y + SPREAD, "dots-spread"), line(to, y - SPREAD, to, y + SPREAD, "dots-spread"));
    }
  }
  for (const value of values) if (value !== null) parts.push(makeSvg("circle", { class: "dots-run", cx: x(value), cy: y, r: 4 }));
  if (beside !== null) parts.push(makeSvg("circle", { class: "dots-beside", cx: x(beside), cy: y, r: 6 }));
  return parts;
}
