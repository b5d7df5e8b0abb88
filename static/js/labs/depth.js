// Fresh stacks: one block, attention alone, the stream's size, and a tiny pass.

import { lines } from "./charts/lines.js";
import { table } from "./charts/plot.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief } from "./words.js";

function draw(slot, answer) {
  const { fresh, averaging, linearity, drift, tiny, seed, scale } = answer;
  slot("fresh-words").textContent = `Seed ${seed}; 64 features, 16 positions of size ${brief(scale)}, drawn at random. A fresh ${fresh.map((block) => `${block.wiring} block changes them by ${brief(100 * block.change)} % of their length`).join("; a fresh ")}.`;
  table(slot("fresh"), [
    { name: "block", values: fresh.map(({ wiring }) => wiring) },
    { name: "change, of the length", values: fresh.map(({ change }) => change) },
    { name: "cosine of before and after", values: fresh.map(({ cosine }) => cosine) },
    { name: "size after", values: fresh.map(({ size }) => size) },
  ]);
  const x = { label: "blocks passed", whole: true, values: drift.pre_ln.map((_, i) => i) };
  lines(slot("averaging"), {
    x, y: { label: "spread of the positions", logarithmic: true },
    series: [{ name: "attention alone", values: averaging.attention_alone }, { name: "attention, added back", values: averaging.attention_added }, { name: "whole blocks", values: averaging.whole_blocks }],
    alt: `The spread after ${answer.depth} blocks: ${brief(averaging.attention_alone.at(-1))} with attention alone, ${brief(averaging.attention_added.at(-1))} where it is added back, ${brief(averaging.whole_blocks.at(-1))} with whole blocks.`,
  });
  slot("linear").textContent = `What it still lacks is a bend. With its weights held, attention is linear: on a sum of two inputs it gives the sum of its outputs, but for ${brief(100 * linearity.attention)} %, which is rounding. The feed-forward network misses that by ${brief(100 * linearity.feed_forward)} %: it can switch a feature on only where two others are large.`;
  lines(slot("drift"), {
    x, y: { label: "size", zero: true },
    series: [{ name: "no norms", values: drift.no_norms }, { name: "pre-LN", values: drift.pre_ln }, { name: "post-LN", values: drift.post_ln }],
    alt: `The size after ${answer.depth} blocks: ${brief(drift.no_norms.at(-1))} without norms, ${brief(drift.pre_ln.at(-1))} pre-LN, ${brief(drift.post_ln.at(-1))} post-LN.`,
  });
  slot("sane").textContent = `Its sanity checks: the rows of the attention weights sum to 1 within ${brief(tiny.row_sums_off)}; the largest weight above the diagonal is ${brief(tiny.above_diagonal)}; another last token changes the output at earlier positions by ${brief(tiny.earlier_moved)} and its own by ${brief(tiny.last_moved)}.`;
  table(slot("shapes"), [
    { name: "tensor", values: tiny.shapes.map(({ title }) => title) },
    { name: "shape", values: tiny.shapes.map(({ shape }) => `(${shape.join(", ")})`) },
  ]);
}

lab({
  draw,
  questions: [
    {
      ask: "Twelve layers of attention alone, nothing added back, no feed-forward network. What becomes of 16 different positions?",
      options: [
        { name: "alike", words: "they become alike" },
        { name: "apart", words: "they stay as different as they were" },
      ],
      settings: (query) => [having(query, { depth: 12 })],
      answer: ([{ averaging: { attention_alone: spread } }]) => (spread.at(-1) < spread[0] / 100 ? "alike" : "apart"),
      said: ([{ averaging }]) => `Their spread falls from ${brief(averaging.attention_alone[0])} to ${brief(averaging.attention_alone.at(-1))}: averages of averages. Added back, it is still ${brief(averaging.attention_added.at(-1))}.`,
    },
    {
      ask: "The stream that enters is ten times as large. Which fresh block is then nearer to the identity than before?",
      options: [
        { name: "pre", words: "pre-LN" },
        { name: "post", words: "post-LN" },
        { name: "both", words: "both" },
      ],
      settings: (query) => [having(query, { scale: 10 }), query],
      answer: ([large, before]) => {
        const [pre, post] = large.fresh.map((block, i) => block.change < before.fresh[i].change);
        return pre && post ? "both" : pre ? "pre" : "post";
      },
      said: ([large]) => large.fresh.map((block) => `${block.wiring} now changes it by ${brief(100 * block.change)} % of its length`).join("; ") + ".",
    },
  ],
});
