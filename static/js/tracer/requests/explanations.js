// The arithmetic of the chosen cell, asked for while one is chosen.

import { fetchCell } from "../../page/api.js";
import { newest } from "../../page/newest.js";
import { questionOf, sameQuestion } from "../question.js";

const STEPPING_PAUSE = 60;
const ASKED_FROM = ["trace", "table", "stage", "cell", "differential", "whole", "matrices", "gradients"];

/** Explain each cell that is chosen; while one walks on, only where one rests. */
export function keepExplained(store) {
  let current = null;
  const explanations = newest({
    fetched: (question, signal) => fetchCell(store.state.model, question, signal),
    answered: (answer, question) => store.dispatch({ type: "explanation", explanation: { question, answer, refusal: null } }),
    refused: (refusal, question) => store.dispatch({ type: "explanation", explanation: { question, answer: null, refusal } }),
  });

  store.subscribe((state, previous, action) => {
    if (ASKED_FROM.every((name) => state[name] === previous[name])) return;
    const question = questionOf(state);
    if (sameQuestion(question, current)) return;
    current = question;
    if (question === null) explanations.drop();
    else explanations.ask(question, action.stepping ? STEPPING_PAUSE : 0);
  });
}
