// Sinusoidal positions: the table, six clock hands, the shift as a rotation, products by the gap.

import { make, makeSvg } from "../drawing/elements.js";
import { colourBar, grid } from "./charts/grid.js";
import { lines } from "./charts/lines.js";
import { table } from "./charts/plot.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, grouped, written } from "./words.js";

const HANDS = 6;
const SAME = 1e-9;
const FACE = 96; // pixels
const RADIUS = 42;
const DEGREES = 180 / Math.PI;

function draw(slot, answer, { boot, move }) {
  const second = answer.position + answer.shift;
  secondSlider(slot("second"), answer, move);
  const features = answer.encoded[0].map((_, i) => i);
  const { colours, mask } = boot.signed;
  grid(slot("table"), {
    matrix: answer.table, low: -1, high: 1, colours, mask,
    x: { label: "feature" }, y: { label: "position" },
    marks: [{ row: answer.position, look: "first" }, { row: second, look: "second" }],
    alt: `Heatmap of positions 0 to ${answer.table.length - 1} by ${answer.d_model} features, from −1 to 1: fast waves at the left, slow ones at the right.`,
    columns: [{ name: "feature", values: features }, { name: `position ${answer.position}`, values: answer.encoded[0] }, { name: `position ${second}`, values: answer.encoded[1] }],
  });
  colourBar(slot("table").querySelector("[data-legend]"), colours, -1, 1);
  const shown = chosen(answer.pairs);
  slot("clocks").replaceChildren(...shown.map(clock));
  slot("clock-words").textContent = `From position ${grouped(answer.position)} to ${grouped(second)}, ${grouped(answer.shift)} further on; whole turns are left out of the degrees.`;
  matrices(slot("matrices"), shown);
  slot("fit-words").textContent = `One matrix for each pair serves every position: over positions 0 to ${grouped(answer.fit.n_positions - 1)} the rotation misses by at most ${brief(answer.rotation_error)}. Least squares, which knows no formula, finds the same matrices in float32 to within ${brief(answer.fit.largest_distance)} and misses by at most ${brief(answer.fit.largest_error)}.`;
  const gaps = answer.products.by_gap.map((_, gap) => gap);
  lines(slot("products"), {
    x: { label: "gap between two positions", whole: true, values: gaps }, y: { label: "dot product" },
    series: [{ name: "dot product", values: answer.products.by_gap }],
    at: answer.shift < gaps.length ? { x: answer.shift, values: [answer.products.by_gap[answer.shift]] } : null,
    alt: `The dot product of two positions by their gap: ${brief(answer.products.by_gap[0])} at gap 0, falling and waving from there.`,
  });
  slot("product-words").textContent = `At equal gaps the product differs by at most ${brief(answer.products.largest_variation)} wherever in the table the two positions stand.`;
  costs(slot, answer);
}

/** The second position: it moves the gap. */
function secondSlider(root, { position, shift }, move) {
  const range = root.querySelector("[data-range]");
  const number = root.querySelector("[data-number]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    for (const input of [range, number]) {
      input.addEventListener("input", () => {
        if (Number.isFinite(input.valueAsNumber)) move("shift", input.valueAsNumber - Number(input.min));
      });
    }
  }
  const reach = Number(root.dataset.reach);
  for (const input of [range, number]) {
    input.min = String(position);
    input.max = String(position + reach);
    if (document.activeElement !== input || input.valueAsNumber !== position + shift) input.value = String(position + shift);
  }
}

/** Six pairs from the fastest to the slowest, evenly spaced; all where there are no more. */
function chosen(pairs) {
  if (pairs.length <= HANDS) return pairs;
  return Array.from({ length: HANDS }, (_, i) => pairs[Math.round((i * (pairs.length - 1)) / (HANDS - 1))]);
}

function clock(pair) {
  const turn = pair.turn % (2 * Math.PI);
  const words = `pair ${pair.pair}: a turn each ${brief(pair.wavelength)} positions`;
  const face = makeSvg("svg", { class: "clock", viewBox: `${-FACE / 2} ${-FACE / 2} ${FACE} ${FACE}`, width: FACE, height: FACE, role: "img", "aria-label": `Clock of ${words}; it turns by ${brief(turn * DEGREES)} degrees.` },
    makeSvg("circle", { class: "clock-face", r: RADIUS }),
    makeSvg("path", { class: "clock-turn", d: arc(pair.angle, turn, RADIUS * 0.55) }),
    hand(pair.angle, "first"),
    hand(pair.shifted_angle, "second"));
  return make("li", { class: "clock-place" }, face,
    make("span", { class: "clock-name", text: `pair ${pair.pair}` }),
    make("span", { class: "clock-fact", text: `round in ${brief(pair.wavelength)}` }),
    make("span", { class: "clock-fact", "data-turn": String(pair.turn), text: `turned ${brief(turn * DEGREES)}°` }));
}

/** A hand that stands at (sine, cosine): clockwise from twelve, as on a clock. */
function hand(angle, look) {
  const [x, y] = point(angle, RADIUS - 3);
  return makeSvg("path", { class: `clock-hand is-${look}`, d: `M0 0L${x} ${y}` });
}

function arc(from, turn, radius) {
  const [x, y] = point(from, radius);
  const [endX, endY] = point(from + turn, radius);
  return `M${x} ${y}A${radius} ${radius} 0 ${turn > Math.PI ? 1 : 0} 1 ${endX} ${endY}`;
}

function point(angle, radius) {
  return [(Math.sin(angle) * radius).toFixed(2), (-Math.cos(angle) * radius).toFixed(2)];
}

function matrices(root, pairs) {
  const matrix = ([top, bottom]) => `[${top.map(brief).join(", ")}]  [${bottom.map(brief).join(", ")}]`;
  table(root, [
    { name: "pair", values: pairs.map(({ pair }) => String(pair)) },
    { name: "turn, radians", values: pairs.map(({ turn }) => written(turn)) },
    { name: "rotation [cos, sin] [−sin, cos]", values: pairs.map(({ rotation }) => matrix(rotation)) },
    { name: "found by least squares", values: pairs.map(({ fitted }) => matrix(fitted)) },
  ]);
}

function costs(slot, { costs: found, d_model, table: rows }) {
  slot("learned-cost").textContent = `${grouped(found.learned_from_tensors)} (a ${rows.length} × ${d_model} table)`;
  slot("sinusoidal-cost").textContent = grouped(found.sinusoidal_from_tensors);
  for (const place of document.querySelectorAll("[data-context]")) place.textContent = grouped(rows.length);
}

/** How far the hands really turned, one number a pair, from 0 to a full turn. */
function turned(answer) {
  return answer.pairs.map((pair) => pair.turn);
}

lab({
  draw,
  questions: [
    {
      ask: "The hands turn from position 3 to 40. Will they turn by the same angles from 103 to 140?",
      options: [
        { name: "same", words: "yes, every hand" },
        { name: "slow", words: "only the slow ones" },
        { name: "none", words: "no, each differs" },
      ],
      settings: (query) => [having(query, { position: 103, shift: 37 }), having(query, { position: 3, shift: 37 })],
      answer: (answers) => {
        const [far, near] = answers.map(turned);
        const same = far.filter((turn, i) => Math.abs(turn - near[i]) < SAME).length;
        return same === far.length ? "same" : same ? "slow" : "none";
      },
      said: ([far]) => `Every hand turns by its own speed times the gap, wherever it begins: pair 0 by ${brief(far.pairs[0].turn)} radians both times. The page now shows 103 and 140.`,
    },
    {
      ask: "A vector is 512 wide, as in the 2017 paper. After how many positions has the hand of pair 64 gone round once?",
      unit: "positions later",
      within: 1.5,
      settings: (query) => [having(query, { d_model: 512 })],
      answer: ([found]) => found.pairs[64].wavelength,
      said: ([found]) => `It takes ${brief(found.pairs[64].wavelength)} positions; pair 0 takes ${brief(found.pairs[0].wavelength)}, the last one ${grouped(Math.round(found.pairs.at(-1).wavelength))}.`,
    },
  ],
});
