// The difference quotient of one weight beside its analytic gradient.

import { make } from "../drawing/elements.js";
import { lines } from "./charts/lines.js";
import { table } from "./charts/plot.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief } from "./words.js";

function draw(slot, answer, { move }) {
  const { chosen, curve } = answer;
  slot("found").textContent = `${answer.weight} at ${answer.index.join(", ")} is ${brief(answer.value)}; the loss of “${answer.text}” in ${answer.model} is ${brief(answer.loss)}. With ε = ${brief(chosen.epsilon)} the quotient is off by ${brief(chosen.float64.error)} in float64 and by ${brief(chosen.float32.error)} in float32${chosen.float64.relative === null ? "; the analytic gradient is 0, so there is no relative error" : `: relatively ${brief(chosen.float64.relative)} and ${brief(chosen.float32.relative)}`}.`;
  table(slot("rows"), [
    { name: "way", values: ["analytic, NumPy, float64", "analytic, torch, float32", "quotient, NumPy, float64", "quotient, torch, float32"] },
    { name: "loss at w + ε", values: [null, null, chosen.float64.above, chosen.float32.above] },
    { name: "loss at w − ε", values: [null, null, chosen.float64.below, chosen.float32.below] },
    { name: "d loss / d w", values: [answer.analytic, answer.by_torch, chosen.float64.gradient, chosen.float32.gradient] },
  ]);
  const errors = (precision) => curve.map((each) => each[precision].error);
  lines(slot("curve"), {
    x: { label: "power of ten of ε", values: curve.map(({ power }) => power) },
    y: { label: "error", logarithmic: true },
    series: [{ name: "float64", values: errors("float64") }, { name: "float32", values: errors("float32") }],
    at: { x: chosen.power, values: [chosen.float64.error, chosen.float32.error] },
    alt: `The error falls and rises again as ε shrinks; it is smallest at ten to the ${brief(answer.best_float64)} in float64 and to the ${brief(answer.best_float32)} in float32.`,
  });
  slot("best").textContent = `Here the error is smallest at ε = 10 to the power ${brief(answer.best_float64)} in float64 and to the power ${brief(answer.best_float32)} in float32.`;
  slot("names").replaceChildren(...answer.weights.flatMap((name) => [make("button", { type: "button", class: "link", text: name, "data-weight": name }), " "]));
  for (const button of slot("names").querySelectorAll("[data-weight]")) button.addEventListener("click", () => move("weight", button.dataset.weight));
}

const TINY = { epsilon: 1e-10 };

lab({
  draw,
  questions: [
    {
      ask: "ε is made ever smaller. Does the quotient come ever nearer to the gradient?",
      options: [
        { name: "nearer", words: "yes, always" },
        { name: "turns", words: "only to a point, then it gets worse" },
      ],
      settings: (query) => [having(query, TINY), query],
      answer: ([tiny]) => (tiny.chosen.float64.error > Math.min(...tiny.curve.map((each) => each.float64.error)) ? "turns" : "nearer"),
      said: ([tiny, before]) => `At ε = ${brief(tiny.chosen.epsilon)} float64 is off by ${brief(tiny.chosen.float64.error)}, at ${brief(before.chosen.epsilon)} by ${brief(before.chosen.float64.error)}: rounding takes over.`,
    },
    {
      ask: "The same check in float32, where numbers have 7 digits: is its best ε larger or smaller than in float64?",
      options: [
        { name: "larger", words: "larger" },
        { name: "smaller", words: "smaller" },
        { name: "same", words: "the same" },
      ],
      settings: (query) => [query],
      answer: ([found]) => (found.best_float32 > found.best_float64 ? "larger" : found.best_float32 < found.best_float64 ? "smaller" : "same"),
      said: ([found]) => `Ten to the ${brief(found.best_float32)} in float32, to the ${brief(found.best_float64)} in float64: the sooner rounding begins, the larger the step has to stay.`,
    },
  ],
});
