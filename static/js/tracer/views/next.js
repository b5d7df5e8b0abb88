// What the model puts after a position, or of an encoder at it: the ten likeliest characters as
// bars, the true one marked.

import { make } from "../../drawing/elements.js";
import { tokensOf, truths } from "../../tensor/labels.js";
import { short } from "../../tensor/numbers.js";
import { sameToken, stale } from "../store.js";

const SHOWN = 10;

export function next(root, state, dispatch, previous) {
  root.classList.toggle("is-stale", stale(state));
  if (state.table === null || state.trace === null) return;
  if (state.trace === previous?.trace && state.table === previous?.table && sameToken(state.token, previous?.token)) return;
  const stage = state.table.stages.find(({ kind, along }) => kind === "probability" && along.at(-1) === "vocabulary");
  const question = state.mask === null ? following(state, stage.along[0]) : hidden(state);
  root.querySelector("[data-after]").textContent = question.words;
  root.querySelector("[data-bars]").replaceChildren(
    ...(question.position === null ? [] : likeliest(state, stage, question).map(bar)),
  );
}

/** What follows the chosen position of the text that is continued; else its last one. */
function following({ token, trace }, along) {
  const tokens = tokensOf(trace, along);
  const chosen = token?.along === along ? token.position : Infinity;
  const position = Math.min(chosen, tokens.length - 1);
  const where = along === "text" ? "position" : `${along} position`;
  return { position, words: `After “${tokens[position].label}” at ${where} ${position}`, truth: tokens[position + 1]?.id, mark: "this is the character that follows" };
}

/** What stands at the chosen hidden position; else at the first. */
function hidden({ token, trace, table, mask }) {
  const asked = trace.told.next.map(({ position }) => position);
  if (!asked.length) return { position: null, words: `Nothing is hidden. Choose a character above and hide it, or type ${mask} in the text: here stand the guesses for it.` };
  const position = asked.includes(token?.position) ? token.position : asked[0];
  const truth = truths(trace, table).get(position);
  return { position, words: `At position ${position}, ${truth === undefined ? `typed as ${mask}` : `hidden “${table.labels[truth]}”`}`, truth, mark: "this is the hidden character" };
}

function bar({ label, name, probability, mark }) {
  return make(
    "li",
    { class: mark ? "bar is-following" : "bar", title: [name === label ? null : name, mark].filter(Boolean).join(": ") || null },
    make("span", { class: "bar-glyph", text: label }),
    meter(probability),
    make("span", { class: "bar-number", text: short(probability) }),
  );
}

function meter(probability) {
  const fill = make("span", { class: "bar-fill" });
  fill.style.setProperty("--share", String(probability));
  return make("span", { class: "bar-track", "aria-hidden": "true" }, fill);
}

function likeliest({ table, trace }, { key }, { position, truth, mark }) {
  const { shape, data } = trace.tensors.get(key);
  const row = data.subarray(position * shape[1], (position + 1) * shape[1]);
  return Array.from(row, (probability, id) => ({ label: table.labels[id], name: table.names[id], probability, mark: id === truth ? mark : null }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, SHOWN);
}
