// Curves over one axis.

import { makeSvg } from "../../drawing/elements.js";
import { area, bottomAxis, canvas, fitting, leftAxis, line, linear, logarithmic, MARGIN, round, spanning } from "./axes.js";
import { plot } from "./plot.js";

const HEIGHT = 260;
const DOTTED = 60; // so many points are few enough to be marked each

export const LOOKS = ["first", "second", "third", "fourth"];

/** Draw series [{name, values}] over `x` {label, values, whole}, from one `y` {label, logarithmic}. A
 * number that `y` has no place for interrupts its line. `at` {x, values} marks one x. */
export function lines(root, { x, y, series, at = null, alt, height = HEIGHT }) {
  const columns = [{ name: x.label, values: x.values }, ...series];
  const legend = series.length > 1 ? series.map(({ name }, i) => ({ name, look: LOOKS[i] })) : [];
  plot(root, { drawing: (width) => drawing(width, { x, y, series, at, height }), alt, columns, legend });
}

function drawing(width, { x, y, series, at, height }) {
  const room = area(width, height);
  const all = series.flatMap(({ values }) => values);
  const up = y.logarithmic ? logarithmic(all, { room: room.up }) : linear(all, { zero: y.zero, room: room.up });
  const along = spanning(x.values[0], x.values.at(-1), room.across, x.whole);
  const place = area(width, height, fitting(MARGIN, { up, along }));
  const inside = at !== null && at.x >= along.low && at.x <= along.high;
  return canvas(
    place,
    ...leftAxis(place, up, y.label),
    ...bottomAxis(place, along, x.label),
    inside ? line(place.x(along.at(at.x)), place.y(0), place.x(along.at(at.x)), place.y(1), "drawing-at") : null,
    ...series.flatMap(({ values }, i) => curve(place, along, up, x.values, values, LOOKS[i])),
    ...(inside ? series.map((_, i) => dot(place, along.at(at.x), up.at(at.values[i]), LOOKS[i])) : []),
  );
}

function curve(place, along, up, xs, ys, look) {
  let path = "";
  let pen = "M";
  const dots = [];
  for (const [i, value] of ys.entries()) {
    const share = up.at(value);
    if (share === null) {
      pen = "M";
      continue;
    }
    path += `${pen}${place.x(along.at(xs[i]))} ${place.y(share)}`;
    pen = "L";
    if (ys.length <= DOTTED) dots.push(dot(place, along.at(xs[i]), share, look, 2));
  }
  return [makeSvg("path", { d: path, class: `curve is-${look}` }), ...dots];
}

function dot(place, x, y, look, radius = 4) {
  return y === null ? null : makeSvg("circle", { cx: round(place.x(x)), cy: round(place.y(y)), r: radius, class: `point is-${look}` });
}
