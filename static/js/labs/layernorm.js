// LayerNorm: the bars of each step, RMSNorm beside, the effect of ε, and batch norm's axis.

import { make, makeMath } from "../drawing/elements.js";
import { bars } from "./charts/bars.js";
import { colourBar, grid } from "./charts/grid.js";
import { lines } from "./charts/lines.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief } from "./words.js";

const STILL = 1e-3; // a difference smaller than a pixel of a bar

function draw(slot, answer, { boot }) {
  const features = answer.x.map((_, i) => i);
  const steps = answer.layer_norm.filter((step) => !step.shared);
  const chart = (name, values, label) => bars(slot(name), {
    x: { label: "feature", values: features }, y: { label }, series: [{ name: label, values }],
    alt: `${values.length} bars, from ${brief(Math.min(...values))} to ${brief(Math.max(...values))}.`,
  });
  chart("given", answer.x, "x");
  for (const [i, step] of steps.entries()) chart(`step-${i}`, step.values, ["x − μ", "x̂", "γ x̂", "γ x̂ + β"][i]);
  slot("step-1").querySelector("[data-words]").textContent = ` ${variance(answer)}`;
  chart("rms", answer.rms_norm.at(-1).values, "y");
  facts(slot("facts"), answer.layer_norm, boot);
  facts(slot("rms-facts"), answer.rms_norm, boot);
  lines(slot("epsilon"), {
    x: { label: "input times 10 to the power of", whole: true, values: answer.scales.map(({ scale }) => Math.log10(scale)).reverse() },
    y: { label: "size that comes out", zero: true },
    series: [
      { name: "standard deviation after LayerNorm", values: answer.scales.map((effect) => effect.layer_norm_deviation).reverse() },
      { name: "root mean square after RMSNorm", values: answer.scales.map((effect) => effect.rms_norm_root_mean_square).reverse() },
    ],
    alt: "How large LayerNorm’s and RMSNorm’s results are, for ever smaller inputs: 1 until the input is about as small as the root of ε, then less.",
  });
  contrast(slot, answer.contrast, boot.signed);
  slot("still").textContent = `Scale and shift change LayerNorm’s bars, before γ and β, by at most ${brief(answer.scale_difference)}.`;
  slot("moved").textContent = `What scale and shift of token 0 change in the other three tokens: with layer norm at most ${brief(answer.contrast.others_moved_over_features)}, with batch norm ${brief(answer.contrast.others_moved_over_tokens)}.`;
}

/** The variance that the division by σ leaves: 1, unless there is none or ε is not small beside it. */
function variance({ x, scales }) {
  const deviation = scales.find(({ scale }) => scale === 1).layer_norm_deviation;
  if (deviation === null) return "variance too small to be computed";
  return `variance ${brief(deviation ** 2)}${x.length === 1 ? ": a single feature is its own mean" : ""}`;
}

function facts(root, steps, { equations }) {
  root.replaceChildren(...steps.map((step) => make("div", { class: "step-row" },
    make("dt", {}, makeMath(equations[step.equation])),
    make("dd", { text: step.values.length > 8 ? `${step.values.length} numbers` : step.values.map(brief).join(", ") }))));
}

function contrast(slot, { tokens, over_features, over_tokens }, { colours, mask }) {
  for (const [name, matrix] of [["tokens", tokens], ["over-features", over_features], ["over-tokens", over_tokens]]) {
    const limit = Math.max(...matrix.flat().map(Math.abs)) || 1;
    grid(slot(name), {
      matrix, low: -limit, high: limit, colours, mask, cell: 26,
      x: { label: "feature" }, y: { names: matrix.map((_, i) => `token ${i}`) },
      alt: `Heatmap of four tokens with ${matrix[0].length} features, from ${brief(Math.min(...matrix.flat()))} to ${brief(Math.max(...matrix.flat()))}.`,
      columns: [{ name: "feature", values: matrix[0].map((_, i) => i) }, ...matrix.map((values, i) => ({ name: `token ${i}`, values }))],
    });
    colourBar(slot(name).querySelector("[data-legend]"), colours, -limit, limit);
  }
}

lab({
  draw,
  questions: [
    {
      ask: "All eight features are multiplied by 10. What becomes of the bars of x̂, after the division by σ?",
      options: [
        { name: "larger", words: "ten times as high" },
        { name: "same", words: "they stay as they are" },
        { name: "smaller", words: "a tenth as high" },
      ],
      settings: (query) => [having(query, { scale: 10 })],
      answer: ([tenfold]) => (tenfold.scale_difference < STILL ? "same" : "larger"),
      said: ([tenfold]) => `The bars of x̂ move by ${brief(tenfold.scale_difference)} at most: mean and standard deviation grow tenfold too, and the division takes the factor out. So a vector’s overall size cannot carry information through LayerNorm.`,
    },
    {
      ask: "LayerNorm of [1, 1, 1, 5], with γ = 1 and β = 0: what does the last feature become?",
      within: 0.01,
      settings: (query) => [having(query, { x: [1, 1, 1, 5] })],
      answer: ([found]) => found.layer_norm.at(-1).values.at(-1),
      said: ([found]) => `It becomes ${brief(found.layer_norm.at(-1).values.at(-1))}: the mean is ${brief(found.layer_norm[0].values[0])}, the variance ${brief(found.layer_norm[2].values[0])}.`,
    },
  ],
});
