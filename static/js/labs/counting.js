// Parameters and FLOPs: a row a part, by formula and from the tensors.

import { make } from "../drawing/elements.js";
import { bars } from "./charts/bars.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, grouped } from "./words.js";

const MILLION = 1e6;
const BILLION = 1e9;
const TRILLION = 1e12;
const READABLE = 1e13;
const KIBI = 1024;

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
  drawRules(slot, counting);
  body(slot("references"), ["model", "by formula", "from the tensors", "in blocks", "unembedding V·d", "about"],
    [["as set here", counting], ...references.map((each) => [each.name, each.counting])]
      .map(([name, known]) => [name, known.by_formula, known.from_tensors, known.in_blocks, known.unembedding, known.from_tensors < MILLION ? "" : inShort(known.from_tensors)]));
}

/** The rules of thumb beside the counts, and what follows from them. */
function drawRules(slot, { rules, config, flops }) {
  const rule = ({ says, counted, error }) => [inFull(says), inFull(counted), percent(error)];
  body(slot("rules"), ["rule", "formula", "it says", "counted", "off by"], [
    ["parameters", "P ≈ 12 n d² + V d", ...rule(rules.parameters)],
    ["training, FLOPs", `C ≈ 6 N D at D = ${inFull(rules.tokens)}`, ...rule(rules.compute)],
  ]);
  body(slot("costs"), ["work", "formula", "FLOPs"], [
    ["inference, a token", "2 N: a multiply and an add for each parameter", inFull(rules.inference_per_token)],
    ["training, a token", "6 N: forward 2 N, backward twice that, for activations and for weights", inFull(rules.training_per_token)],
    ["training, all tokens", "6 N D", inFull(rules.compute.says)],
  ]);
  body(slot("doublings"), ["change", "N", "D", "6 N D", "N is", "6 N D is"],
    rules.doublings.map((each) => [each.name, inFull(each.parameters), inFull(each.tokens), inFull(each.compute), times(each.times_parameters), times(each.times_compute)]));
  bars(slot("attention"), {
    x: { label: "T, tokens that are read at once", values: rules.attention.map(({ length }) => lengthInShort(length)) },
    y: { label: "share of the work", write: percent }, ends: [0, 1],
    series: [{ name: "scores and mixing", values: rules.attention.map(({ share }) => share) }],
    alt: `The share of scores and mixing in a token’s work: ${rules.attention.map(({ length, share }) => `${percent(share)} at T ${grouped(length)}`).join(", ")}.`,
  });
  slot("attention-words").textContent = `At T = ${grouped(flops.context_length)} scores and mixing are ${percent(rules.attention_share)} of the work; from T = ${grouped(Math.round(rules.as_long_as))} on they are more than half of it, at width ${grouped(config.d_model)}.`;
  const { tying } = rules;
  slot("tying").textContent = `Tied, the model has ${grouped(tying.tied)} parameters; with a head of its own ${grouped(tying.untied)}: V d = ${grouped(tying.difference)} more, ${percent(tying.share)} of the larger model.`;
}

function lengthInShort(length) {
  return length < KIBI ? String(length) : length < KIBI * KIBI ? `${length / KIBI} Ki` : `${length / KIBI / KIBI} Mi`;
}

/** A whole number in all its digits, as long as it has no more than anyone reads. */
function inFull(value) {
  return value < READABLE ? grouped(value) : brief(value);
}

function percent(share) {
  return `${brief(100 * share)} %`;
}

function times(factor) {
  return `× ${brief(factor)}`;
}

/** A count as a picture has room for it. */
function inShort(value) {
  if (value < MILLION) return grouped(value);
  if (value < BILLION) return `${brief(value / MILLION)} M`;
  return value < TRILLION ? `${brief(value / BILLION)} B` : `${brief(value / TRILLION)} T`;
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
    {
      ask: "Llama 2 7B, width 4,096: how many tokens must be read at once until scores and mixing take as much work as all the matrices?",
      options: [
        { name: "same", words: "about 4,000" },
        { name: "more", words: "about 25,000" },
        { name: "most", words: "about a million" },
      ],
      settings: (query) => [query],
      answer: ([found]) => {
        const ratio = llama(found).rules.as_long_as / llama(found).config.d_model;
        return ratio < 2 ? "same" : ratio < 100 ? "more" : "most";
      },
      said: ([found]) => `At T = ${grouped(Math.round(llama(found).rules.as_long_as))}, about six times the width: a layer’s matrices cost 24 d² FLOPs a token, its scores and mixing 4 T d.`,
    },
    {
      ask: "A vocabulary of 256,000, as Gemma has, at width 4,096: how many millions of parameters does a head of its own add?",
      unit: "million",
      within: 10,
      settings: (query) => [having(query, { vocab_size: 256000, d_model: 4096 })],
      answer: ([found]) => found.counting.rules.tying.difference / MILLION,
      said: ([found]) => `V d = ${grouped(found.counting.rules.tying.difference)} more. Tied, the head costs nothing; Gemma ties at every size because its table is so large.`,
    },
  ],
});

function llama({ references }) {
  return references.find(({ name }) => name === "llama-2-7b").counting;
}
