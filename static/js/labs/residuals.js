// A gradient through a deep stack, with and without skips.

import { bars } from "./charts/bars.js";
import { lines } from "./charts/lines.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, grouped } from "./words.js";

function draw(slot, answer) {
  const { depths, paths, measured, factor } = answer;
  const bottom = depths.at(-1);
  const x = { label: "layers passed, from the top", whole: true, values: depths.map(({ depth }) => depth) };
  const y = { label: "size of the gradient", logarithmic: true };
  const pair = (without, with_) => [{ name: "without skips", values: without.map(Math.abs) }, { name: "with skips", values: with_.map(Math.abs) }];
  lines(slot("formula"), {
    x, y, series: pair(depths.map((each) => each.without_skips), depths.map((each) => each.with_skips)),
    alt: `After ${bottom.depth} layers of slope ${brief(factor)}: ${brief(bottom.without_skips)} without skips, ${brief(bottom.with_skips)} with them.`,
  });
  lines(slot("measured"), {
    x, y, series: pair(measured.without_skips, measured.with_skips),
    alt: `Measured after ${bottom.depth} random layers: ${brief(measured.without_skips.at(-1))} without skips, ${brief(measured.with_skips.at(-1))} with them.`,
  });
  bars(slot("paths"), {
    x: { label: "layers that a path goes through", values: paths.map(({ layers }) => layers) }, y: { label: "what they bring" },
    series: [{ name: "what they bring together", values: paths.map(({ contribution }) => contribution) }],
    alt: `What the paths through 0 to ${bottom.depth} layers bring; the one through none brings ${brief(paths[0].contribution)}.`,
  });
  slot("formula-words").textContent = `After ${bottom.depth} layers of slope ${brief(factor)} there is ${brief(bottom.without_skips)} left without skips, f multiplied with itself; with them ${brief(bottom.with_skips)}, the same with 1 + f.`;
  slot("path-words").textContent = `Multiplied out, the product of the (1 + f) is a sum over all ${grouped(paths.reduce((sum, each) => sum + each.paths, 0))} paths: at each layer a gradient goes through it or past it. The single path past all of them brings ${brief(paths[0].contribution)}, whatever f is.`;
  slot("measured-words").textContent = `${bottom.depth} random linear layers, ${measured.width} wide, each of which scales a random direction by |f| on average. The gradient’s length at the bottom: ${brief(measured.without_skips.at(-1))} without skips, ${brief(measured.with_skips.at(-1))} with them. With skips, branch and stream seldom point the same way, so a layer lengthens it by about the root of 1 + f², not by 1 + f.`;
}

const TWELVE = { depth: 12, factor: 0.5 };
const left = (found, name) => found.depths.at(-1)[name];

lab({
  draw,
  questions: [
    {
      ask: "Twelve layers halve the gradient each, and nothing is added back. What is left of 1 at the bottom?",
      relative: 0.05,
      settings: (query) => [having(query, TWELVE)],
      answer: ([found]) => left(found, "without_skips"),
      said: ([found]) => `There is ${brief(left(found, "without_skips"))} left, one part in ${grouped(Math.round(1 / left(found, "without_skips")))}.`,
    },
    {
      ask: "With skips, and layers whose slope is 0: what reaches the bottom of twelve layers?",
      options: [
        { name: "none", words: "nothing" },
        { name: "all", words: "the whole gradient" },
        { name: "more", words: "more than came in" },
      ],
      settings: (query) => [having(query, { depth: 12, factor: 0 })],
      answer: ([found]) => (left(found, "with_skips") === 1 ? "all" : left(found, "with_skips") < 1 ? "none" : "more"),
      said: ([found]) => `${brief(left(found, "with_skips"))} arrives: the identity passes the gradient on untouched even where a layer passes nothing. Without skips it is ${brief(left(found, "without_skips"))}.`,
    },
  ],
});
