// One row of attention, masked before the softmax and after it.

import { make } from "../drawing/elements.js";
import { bars } from "./charts/bars.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, written } from "./words.js";

const FELT = 1e-9; // a change of a weight that is more than rounding

function draw(slot, answer) {
  const { before, after, leak, scores, position } = answer;
  const places = scores.map((_, i) => i);
  const hidden = (i) => i > position;
  rows(slot("rows"), places, hidden, [
    ["score", scores],
    ["masked before: score", before.masked.map((score) => (score === null ? "−∞" : score))],
    ["its exponential", before.exponentials],
    ["over their sum: weight", before.weights],
    ["masked after: softmax of all scores", after.softmax],
    ["later ones set to 0: weight", after.weights],
    ["divided by their sum again", after.renormalized],
  ]);
  bars(slot("row"), {
    x: { label: "position", values: places }, y: { label: "weight" }, ends: [0, 1], hidden,
    series: [{ name: "masked before the softmax", values: before.weights }, { name: "masked after it", values: after.weights }],
    alt: `Weights of positions 0 to ${scores.length - 1}; those after ${position} are hidden. Masked before, they sum to ${brief(before.total)}; masked after, to ${brief(after.total)}.`,
  });
  slot("sums").textContent = `Masked before the softmax, the row sums to ${brief(before.total)}. Masked after it, to ${brief(after.total)}: the later positions took the rest before they were removed.`;
  slot("leak").textContent = `Let every later score grow by ${brief(leak.change)}. A weight that may be seen then changes by at most ${brief(leak.before)} if the mask comes first, and by ${brief(leak.after)} if it comes last: the future shows.`;
  slot("repair").textContent = leak.renormalized === null
    ? "Dividing by the sum again cannot repair this row: nothing is left to divide by."
    : `Dividing by the sum again repairs the row here, to within ${brief(leak.renormalized)}; where a later score takes everything, nothing is left to divide by.`;
}

function rows(root, places, hidden, given) {
  const cell = (value, i) => make("td", { class: hidden(i) ? "is-hidden-position" : null, text: written(value) });
  root.replaceChildren(
    make("thead", {}, make("tr", {}, make("th", { scope: "col", text: "position" }), ...places.map((i) => make("th", { scope: "col", text: hidden(i) ? `${i} (hidden)` : String(i) })))),
    make("tbody", {}, ...given.map(([name, values]) => make("tr", {}, make("th", { scope: "row", text: name }), ...values.map(cell)))),
  );
}

const THREE = { scores: [1, 2, 3], position: 1 };

lab({
  draw,
  questions: [
    {
      ask: "Scores 1, 2 and 3; the query at position 1 may not see the third. Masked first: what weight does the score 2 get?",
      within: 0.02,
      settings: (query) => [having(query, THREE)],
      answer: ([found]) => found.before.weights[1],
      said: ([{ before }]) => `It gets ${brief(before.exponentials[1])} of ${brief(before.exponentials_sum)}, which is ${brief(before.weights[1])}. The hidden score has no part in it.`,
    },
    {
      ask: "Now the mask comes after the softmax, and the hidden score grows from 3 to 4. What do the two visible weights do?",
      options: [
        { name: "nothing", words: "stay as they are" },
        { name: "less", words: "shrink" },
        { name: "more", words: "grow" },
      ],
      settings: (query) => [having(query, { ...THREE, scores: [1, 2, 4] }), having(query, THREE)],
      answer: ([grown, before]) => {
        const change = grown.after.weights[1] - before.after.weights[1];
        return Math.abs(change) < FELT ? "nothing" : change < 0 ? "less" : "more";
      },
      said: ([grown, before]) => `The weight of the score 2 goes from ${brief(before.after.weights[1])} to ${brief(grown.after.weights[1])}: it was computed with a score that must not be known. Masked first, it stays ${brief(grown.before.weights[1])}.`,
    },
  ],
});
