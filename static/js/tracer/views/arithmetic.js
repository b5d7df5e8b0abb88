// Where the chosen number comes from: its equation with its own operands, term by term, each operand
// a link to where it stands.

import { make, makeMath, onFollow } from "../../drawing/elements.js";
import { fit } from "../../drawing/equation.js";
import { cellSymbol, nameOf } from "../../drawing/symbols.js";
import { writeAt } from "../../page/address.js";
import { saved } from "../../page/saved.js";
import { exact, short } from "../../tensor/numbers.js";
import { entryOf } from "../../tensor/table.js";
import { asCurl, asNumpy, asText } from "../arithmetic.js";
import { questionOf, sameQuestion } from "../question.js";
import { placeIn } from "../store.js";
import { operandMap, placeOfFactor, tensorsOf } from "./operands.js";

const SHOWN_FROM = ["explanation", "trace", "table", "stage", "cell", "differential", "whole", "matrices", "gradients", "palette", "scale", "stretched"];

export function arithmetic(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  if (previous && SHOWN_FROM.every((name) => state[name] === previous[name])) return;
  const question = questionOf(state);
  const { explanation } = state;
  const answered = explanation !== null && sameQuestion(explanation.question, question);
  root.hidden = question === null;
  document.body.classList.toggle("is-asked", question !== null);
  root.classList.toggle("is-waiting", question !== null && !answered);
  if (question === null) root.replaceChildren();
  if (!answered) return;
  if (explanation.refusal !== null) {
    root.replaceChildren(make("p", { class: "hint", role: "status", text: explanation.refusal.message.replaceAll("`", "") }));
    return;
  }
  // The cell that has the focus is built anew; the one in its place gets it.
  const at = [...root.querySelectorAll("a, button")].indexOf(document.activeElement);
  root.replaceChildren(...parts(state, explanation));
  fit(root.querySelector("[data-sum-equation]"));
  if (at >= 0) root.querySelectorAll("a, button")[at]?.focus({ preventScroll: true });
}

function listen(root, dispatch) {
  onFollow(root, "[data-walk]", (link) => {
    dispatch({ type: "walk", to: JSON.parse(link.dataset.walk) });
    document.querySelector("[data-cell]").focus({ preventScroll: true });
  });
  root.addEventListener("click", async (event) => {
    if (event.target.closest("[data-whole]")) dispatch({ type: "whole", whole: event.target.dataset.whole === "true" });
    const copy = event.target.closest("[data-copied]");
    if (!copy) return;
    const said = root.querySelector("[data-said]");
    try {
      await navigator.clipboard.writeText(copy.dataset.copied);
      said.textContent = `Copied. ${copy.dataset.counted}`.trim();
    } catch (error) {
      said.textContent = `That did not work: ${error.message}`;
    }
  });
}

function parts(state, { question, answer }) {
  const { terms, steps, note } = answer;
  return [
    make("p", { class: "result", "data-result": "" }, make("b", { text: written(answer.total, answer.total_word) }), ` is ${answer.joined}.`),
    meanings(answer),
    make("div", { class: "sum-equation", role: "group", "aria-label": "Equation", "data-sum-equation": "" }, makeMath(answer.mathml)),
    make("dl", { class: "sums" },
      ...steps.flatMap(({ label, value, word }) => row(named(state, label), written(value, word))),
      ...row("shown", written(answer.value, answer.word)),
      ...(answer.difference === null ? [] : row("difference", `${short(answer.difference)}: ${answer.equal ? "equal" : "not equal"}`))),
    make("ol", { class: "terms", "aria-label": "Terms" }, ...terms.map((one) => term(state, one))),
    folding(state, answer),
    note === null ? null : make("p", { class: "hint", text: note }),
    copies(state.model, question, answer),
    operands(state, answer),
  ].filter((part) => part !== null);
}

/** What the symbols of the words stand for. */
function meanings({ symbols }) {
  if (!symbols.length) return null;
  return make("p", { class: "hint", "data-meanings": "", text: `${symbols.map(({ symbol, title }) => `${symbol}: ${title}`).join("; ")}.` });
}

/** A step's label; what a stage passes back is called by its key. */
function named({ table }, label) {
  const entry = entryOf(table, label);
  return entry === undefined ? label : `passed back by ${entry.title}`;
}

function row(name, value, kind = null) {
  return [make("dt", { class: kind, text: name }), make("dd", { class: kind, text: value })];
}

/** A number, or the word for one that is not finite. */
function written(value, word) {
  return value === null ? word : exact(value);
}

function term(state, { label, factors, value, word }) {
  return make(
    "li",
    { class: "summand" },
    make("span", { class: "summand-label", text: label }),
    make("span", { class: "summand-value", text: written(value, word) }),
    factors.length ? make("span", { class: "summand-factors" }, ...factors.flatMap((one, i) => [i ? " × " : "", factor(state, one)])) : null,
  );
}

/** A number of the term and where it stands, which is where the link leads. */
function factor(state, one) {
  const to = placeOfFactor(one);
  return make(
    "a",
    { class: "factor", href: writeAt(state, { ...to, trail: [...state.trail, placeIn(state)] }), "data-walk": JSON.stringify(to), "aria-label": `${nameOf(state, to)}: ${written(one.value, one.word)}` },
    ...cellSymbol(state.table, to), ` ${written(one.value, one.word)}`,
  );
}

function folding({ whole }, { folded, terms }) {
  if (!folded && !whole) return null;
  const text = whole ? "list the largest only" : `list all ${terms.length - 1 + folded} terms`;
  return make("button", { type: "button", class: "link", "data-whole": String(!whole), text });
}

function copies(model, question, answer) {
  const kinds = { text: asText(answer), NumPy: asNumpy(answer), ...(saved ? {} : { curl: asCurl(model, question) }) };
  const counted = answer.counted === null ? "" : `In it, ${answer.counted}.`;
  return make(
    "p",
    { class: "copies" }, "Copy as ",
    ...Object.entries(kinds).flatMap(([name, text], i) => [i ? " · " : "", make("button", { type: "button", class: "link", "data-copied": text, "data-counted": counted, text: name })]),
    " ", make("span", { "data-said": "", role: "status" }),
  );
}

function operands(state, answer) {
  const found = tensorsOf(answer);
  if (!found.length) return null;
  return make("div", { class: "operands" }, make("h3", { class: "operands-title", text: "Where the operands stand" }), ...found.map((one) => operandMap(state, one)));
}
