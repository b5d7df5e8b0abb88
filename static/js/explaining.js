// The arithmetic of the chosen cell, asked for while one is chosen.

import { fetchCell } from "./api.js";
import { isWeight } from "./store.js";
import { gradientOf } from "./differentiated.js";
import { valueAt } from "./tensors.js";
import { weighed } from "./weighed.js";

const STEPPING_PAUSE = 60;
const ASKED_FROM = ["trace", "table", "stage", "cell", "differential", "whole", "matrices", "gradients"];

/** What is to be explained, or null: no cell is chosen, or the tensor has no such cell. */
export function questionOf(state) {
  const shown = weighed(state);
  if (shown === null || state.cell === null) return null;
  const { stage, cell, differential, whole, trace } = state;
  const tensor = differential ? gradientOf(state, stage) : shown.trace.tensors.get(stage);
  if (tensor === null || valueAt(tensor, cell) === undefined) return null;
  return { trace, stage, cell, differential, whole, weight: isWeight(state) };
}

/** Whether two questions are the same. */
export function sameQuestion(a, b) {
  return a === b || (a !== null && b !== null && ["trace", "stage", "differential", "whole"].every((name) => a[name] === b[name]) && String(a.cell) === String(b.cell));
}

/** Explain each cell that is chosen; while one walks on, the newest question wins. */
export function keepExplained(store) {
  let current = null;
  let running = null;
  let timer = 0;

  const ask = async (question) => {
    const controller = new AbortController();
    running = controller;
    let answer = null;
    let refusal = null;
    try {
      answer = await fetchCell(store.state.model, question, controller.signal);
    } catch (error) {
      refusal = error;
    }
    if (running === controller) store.dispatch({ type: "explanation", explanation: { question, answer, refusal } });
  };

  store.subscribe((state, previous, action) => {
    if (ASKED_FROM.every((name) => state[name] === previous[name])) return;
    const question = questionOf(state);
    if (sameQuestion(question, current)) return;
    current = question;
    clearTimeout(timer);
    running?.abort();
    running = null;
    if (question === null) return;
    timer = setTimeout(() => ask(question), action.stepping ? STEPPING_PAUSE : 0);
  });
}
