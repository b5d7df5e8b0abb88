// Bars, one or two for each label.

import { makeSvg } from "../../drawing/elements.js";
import { fit } from "../../drawing/equation.js";
import { brief } from "../words.js";
import { area, bottomLabel, canvas, fitting, leftAxis, line, linear, text } from "./axes.js";
import { plot } from "./plot.js";

const HEIGHT = 190;
const LOOKS = ["first", "second"];
const NUMBERED = 34; // a bar so wide has its number written over it
const TALL = 16; // pixels that such a number needs
const LABELLED = 22;
const STRIPE = 8;
const LEFT = 58;
const LETTER = 6; // pixels, about
const TILTED = 64; // room for words that do not fit side by side

/** Draw series [{name, values}] as bars over `x` {label, values}, up `y` {label, write}; `ends` fixes the scale. Where
 * `hidden(i)` is true, the place is hatched. */
export function bars(root, { x, y, series, ends = [], alt, hidden = () => false, height = HEIGHT }) {
  const columns = [{ name: x.label, values: x.values }, ...series];
  const legend = series.length > 1 ? series.map(({ name }, i) => ({ name, look: `${LOOKS[i]} is-bar` })) : [];
  plot(root, { drawing: (width) => drawing(width, { x, y, series, ends, hidden, height }), alt, columns, legend });
}

function drawing(width, { x, y, series, ends, hidden, height }) {
  const tilted = x.values.some((label) => typeof label === "string" && label.length * LETTER > (width - LEFT) / x.values.length);
  const tall = tilted ? height + TILTED : height;
  const margin = { left: LEFT, right: 8, top: TALL, bottom: 40 + (tilted ? TILTED : 0) };
  const up = linear([...ends, ...series.flatMap(({ values }) => values)], { zero: true, room: area(width, tall, margin).up });
  const place = area(width, tall, fitting(margin, { up, write: y.write }));
  const slot = place.inner.width / x.values.length;
  const wide = Math.min(56, (slot * 0.78) / series.length);
  const every = Math.max(1, Math.ceil(LABELLED / slot));
  const left = (i, s) => place.x(0) + slot * (i + 0.5) + wide * (s - series.length / 2);
  return canvas(
    place,
    ...leftAxis(place, up, y.label, y.write),
    ...x.values.flatMap((_, i) => (hidden(i) ? hatching(place, place.x(0) + slot * i, slot) : [])),
    ...series.flatMap(({ values }, s) => values.flatMap((value, i) => bar(place, up, left(i, s), wide, value, LOOKS[s], y.write ?? brief))),
    line(place.x(0), place.y(up.at(0)), place.x(1), place.y(up.at(0)), "drawing-axis"),
    ...x.values.map((label, i) => (i % every ? null : name(place.x(0) + slot * (i + 0.5), place.y(0) + 14, String(label), tilted))),
    bottomLabel(place, x.label),
  );
}

function name(x, y, words, tilted) {
  const result = text(x, y, words, tilted ? "end" : "middle");
  if (tilted) result.setAttribute("transform", `rotate(-40 ${x} ${y})`);
  return result;
}

function bar(place, up, x, width, value, look, write) {
  if (value === null) return [];
  const [from, to] = [place.y(up.at(0)), place.y(up.at(value))];
  const top = Math.min(from, to);
  const box = makeSvg("rect", { class: `bar-box is-${look}`, x: x + 1, y: top, width: Math.max(1, width - 2), height: Math.max(0.5, Math.abs(to - from)) });
  const number = width < NUMBERED ? null : text(x + width / 2, value < 0 ? to + 12 : to - 4, write(value), "middle", "bar-written");
  return [box, number].filter((part) => part !== null);
}

function hatching(place, x, width) {
  const { top } = place.margin;
  const { height } = place.inner;
  const stripes = [];
  for (let at = -height; at < width; at += STRIPE) {
    const [from, to] = [Math.max(0, at), Math.min(width, at + height)];
    stripes.push(line(x + from, top + height - (from - at), x + to, top + height - (to - at), "drawing-hatching"));
  }
  return stripes;
}
