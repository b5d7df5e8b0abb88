// Parameters and FLOPs: a row a part, by formula and from the tensors.

import { make } from "../drawing/elements.js";
import { bars } from "./charts/bars.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, grouped } from "./words.js";

const MILLION = 1e6;

function draw(slot, { counting, references }) {
  const { items, block, flops } = counting;
  slot("total").textContent = `${grouped(counting.from_tensors)} parameters`;
  slot("agree").textContent = counting.by_formula === counting.from_tensors
    ? "Formulas and tensors give the same number."
    : `The formulas give ${grouped(counting.by_formula)}: they differ.`;
  body(slot("items"), ["part", "formula", "each", "times", "by formula", "from the tensors"], [
    ...items.map((item) => [item.name, item.formula, item.each, item.times, item.by_formula, item.from_tensors]),
    ["all", "", "", "", counting.by_formula, counting.from_tensors],
  ]);
  bars(slot("shares"), {
    x: { label: "part", values: items.map(({ name }) => name) }, y: { label: "", write: inShort }, height: 230,
    series: [{ name: "parameters", values: items.map((item) => item.from_tensors) }],
    alt: `Parameters by part: ${items.map((item) => `${item.name} ${grouped(item.from_tensors)}`).join(", ")}.`,
  });
  slot("block").textContent = `One block has ${grouped(block.parameters)} parameters, ${grouped(block.matrices)} of them in its matrices; the rule of thumb 12 d² says ${grouped(block.twelve_d_squared)}. The feed-forward network has ${brief(100 * block.feed_forward_share)} % of the block.`;
  body(slot("flops"), ["work", "formula", "FLOPs"], [
    ["forward, a token", `2 P, P = ${grouped(flops.matrix_parameters)} in matrices`, flops.forward_per_token],
    ["training, a token", "6 P: backward takes twice what forward does", flops.training_per_token],
    ["scores and mixing, a token and layer", `4 T d at T = ${grouped(flops.context_length)}, beside 2 P`, flops.attention_per_token_and_layer],
    ["the same, all layers", `${grouped(flops.attention_layers)} times`, flops.attention_per_token],
  ]);
  body(slot("references"), ["model", "by formula", "from the tensors", "in blocks", "unembedding V·d", "about"],
    [["as set here", counting], ...references.map((each) => [each.name, each.counting])]
      .map(([name, known]) => [name, known.by_formula, known.from_tensors, known.in_blocks, known.unembedding, known.from_tensors < MILLION ? "" : inShort(known.from_tensors)]));
}

/** A count as a picture has room for it. */
function inShort(value) {
  return value < MILLION ? grouped(value) : `${brief(value / MILLION)} M`;
}

function body(root, names, rows) {
  root.replaceChildren(
    make("thead", {}, make("tr", {}, ...names.map((name, i) => make("th", { scope: "col", class: typeof rows[0][i] === "string" ? "is-word" : null, text: name })))),
    make("tbody", {}, ...rows.map(([name, ...cells]) => make("tr", { class: name === "all" ? "is-total" : null },
      make("th", { scope: "row", text: name }), ...cells.map((cell) => (typeof cell === "number" ? make("td", { text: grouped(cell) }) : make("td", { class: "is-word", text: cell })))))),
  );
}

const SAME = 1e-9;

lab({
  draw,
  questions: [
    {
      ask: "The width and the feed-forward width are both doubled. By which factor does a block grow, about?",
      within: 0.25,
      settings: (query) => [having(query, { d_model: 128, d_ff: 512 }), query],
      answer: ([, before]) => before.counting.block.growth,
      said: ([after, before]) => `A block grows ${brief(before.counting.block.growth)} times, from ${grouped(before.counting.block.parameters)} to ${grouped(after.counting.block.parameters)}: its matrices have d² and d h numbers, only biases and norms have d.`,
    },
    {
      ask: "The model gets eight heads in place of four, at the same width. What happens to its parameters?",
      options: [
        { name: "same", words: "nothing" },
        { name: "double", words: "attention’s double" },
        { name: "half", words: "attention’s halve" },
      ],
      settings: (query) => [having(query, { n_heads: 8 }), query],
      answer: ([after, before]) => {
        const ratio = after.counting.from_tensors / before.counting.from_tensors;
        return Math.abs(ratio - 1) < SAME ? "same" : ratio > 1 ? "double" : "half";
      },
      said: ([after, before]) => `It has ${grouped(before.counting.from_tensors)} with four heads and ${grouped(after.counting.from_tensors)} with eight: heads only divide the same d × d matrices into slices.`,
    },
  ],
});
