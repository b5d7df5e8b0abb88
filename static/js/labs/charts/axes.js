// Scales of a drawing and their axes, in SVG.

import { makeSvg } from "../../drawing/elements.js";
import { roundly } from "../words.js";

const ROUND = [1, 2, 5, 10];
const TICK = 5; // pixels
const LEAST = 1e-300;
const ADVANCE = 52; // pixels that a label needs along the axis
const RISE = 34;
const FONT = 11;
const LETTER = 8; // pixels that a letter of a tick needs at most: a wide minus in a wide font
const BESIDE = 2 * FONT; // the upright label, and a little air

export const MARGIN = { left: 58, right: 14, top: 10, bottom: 40 };

/** A linear scale that covers the numbers: {low, high, ticks, at}; `at` gives 0 to 1. */
export function linear(values, { zero = false, room = 5 } = {}) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  let low = Math.min(...known, ...(zero ? [0] : []));
  let high = Math.max(...known, ...(zero ? [0] : []));
  if (!known.length || low === high) [low, high] = around(known[0] ?? 0);
  const step = stepFor((high - low) / Math.max(1, room));
  low = Math.floor(low / step + 1e-9) * step;
  high = Math.ceil(high / step - 1e-9) * step;
  const count = Math.round((high - low) / step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => tidy(low + i * step, step));
  return { low, high, ticks, at: (value) => (value === null || !Number.isFinite(value) ? null : (value - low) / (high - low)) };
}

/** A linear scale that ends where the numbers do. */
export function spanning(low, high, room, whole = false) {
  const step = Math.max(whole ? 1 : 0, stepFor((high - low) / Math.max(1, room) || 1));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) ticks.push(tidy(i * step, step));
  return { low, high, ticks, at: (value) => (high === low ? 0.5 : (value - low) / (high - low)) };
}

/** A scale by powers of ten; what is not above 0 has no place on it. */
export function logarithmic(values, { room = 5 } = {}) {
  const known = values.filter((value) => value > LEAST && Number.isFinite(value));
  let [low, high] = known.length ? [Math.floor(Math.log10(Math.min(...known))), Math.ceil(Math.log10(Math.max(...known)))] : [-1, 1];
  if (low === high) [low, high] = [low - 1, high + 1];
  const step = Math.max(1, Math.ceil((high - low) / Math.max(1, room)));
  low = Math.floor(low / step) * step;
  high = Math.ceil(high / step) * step;
  const ticks = Array.from({ length: (high - low) / step + 1 }, (_, i) => 10 ** (low + i * step));
  return { low, high, ticks, at: (value) => (value > LEAST && Number.isFinite(value) ? (Math.log10(value) - low) / (high - low) : null) };
}

function around(value) {
  const half = Math.abs(value) || 1;
  return [value - half, value + half];
}

function stepFor(size) {
  const order = 10 ** Math.floor(Math.log10(size));
  return order * ROUND.find((round) => round * order >= size * (1 - 1e-9));
}

function tidy(value, step) {
  return Math.abs(value) < step / 1e6 ? 0 : Number(value.toPrecision(12));
}

/** A margin with room for the words of the left axis, and for half of the last of the bottom one. */
export function fitting(margin, { up, along = null, write = roundly }) {
  const widest = Math.max(...up.ticks.map((tick) => write(tick).length)) * LETTER;
  const last = along?.ticks.length ? roundly(along.ticks.at(-1)).length * LETTER : 0;
  return {
    ...margin,
    left: Math.max(margin.left, Math.ceil(widest + TICK + 2 + BESIDE)),
    right: Math.max(margin.right, Math.ceil(last / 2)),
  };
}

/** Where a drawing's inside is: {width, height, inner, x(share), y(share), across, up}. */
export function area(width, height, margin = MARGIN) {
  const inner = { width: Math.max(20, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  return {
    width, height, inner, margin,
    across: Math.max(2, Math.floor(inner.width / ADVANCE)),
    up: Math.max(2, Math.floor(inner.height / RISE)),
    x: (share) => round(margin.left + share * inner.width),
    y: (share) => round(margin.top + (1 - share) * inner.height),
  };
}

export function canvas({ width, height }, ...parts) {
  return makeSvg("svg", { class: "drawing", width, height, viewBox: `0 0 ${width} ${height}` }, ...parts);
}

/** The left axis: ticks with grid lines, and what they count. */
export function leftAxis(place, scale, label, write = roundly) {
  const parts = scale.ticks.flatMap((tick) => {
    const y = place.y(scale.at(tick));
    return [
      line(place.x(0), y, place.x(1), y, "drawing-grid"),
      text(place.x(0) - TICK - 2, y + FONT / 3, write(tick), "end"),
    ];
  });
  const middle = place.y(0.5);
  return [...parts, makeSvg("text", { class: "drawing-label", x: FONT, y: middle, transform: `rotate(-90 ${FONT} ${middle})`, "text-anchor": "middle", text: label })];
}

/** The bottom axis. */
export function bottomAxis(place, scale, label) {
  const y = place.y(0);
  return [
    line(place.x(0), y, place.x(1), y, "drawing-axis"),
    ...scale.ticks.flatMap((tick) => {
      const x = place.x(scale.at(tick));
      return [line(x, y, x, y + TICK, "drawing-axis"), text(x, y + TICK + FONT, roundly(tick), "middle")];
    }),
    bottomLabel(place, label),
  ];
}

export function bottomLabel(place, label) {
  return makeSvg("text", { class: "drawing-label", x: place.x(0.5), y: place.height - 6, "text-anchor": "middle", text: label });
}

export function line(x1, y1, x2, y2, name) {
  return makeSvg("path", { d: `M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`, class: name });
}

export function text(x, y, words, anchor, name = "drawing-tick") {
  return makeSvg("text", { class: name, x: round(x), y: round(y), "text-anchor": anchor, text: words });
}

export function round(value) {
  return Number(value.toFixed(2));
}
