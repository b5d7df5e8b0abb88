// What a lesson asks the server: its questions for a text, answers, and the tensors to draw.

import { fetchAnswer, fetchGradients, fetchLesson, fetchTable, fetchTrace } from "../page/api.js";
import { newest } from "../page/newest.js";
import { current, outdated } from "./store.js";

const TYPING_PAUSE = 200;
const KEPT_TRACES = 8;
const EMPTY = { message: "Type at least one character; the questions are about your text." };

/** Have the questions worded for the text in the field, whenever it changes. */
export function keepWorded(store) {
  const wordings = newest({
    fetched: async ({ name, text }, signal) => {
      if (text === "") throw EMPTY;
      return fetchLesson(name, text, signal);
    },
    answered: (lesson, { text }) => store.dispatch({ type: "lesson", lesson: { ...lesson, asked: text } }),
    refused: (refusal) => store.dispatch({ type: "refused", refusal }),
    felt: true,
  });
  store.subscribe((state, previous) => {
    if (state.text !== previous.text) wordings.ask(state, TYPING_PAUSE);
  });
  wordings.ask(store.state);
}

/** Have predictions judged, those of each question by themselves, as long as the text stands. Gives
 * `predict(question, prediction, picks)`: a prediction of null only asks for the answer, and `picks`
 * are what the reader chose. */
export function keepJudged(store) {
  const answers = new Map(); // by the key of the question
  const judged = (key) => newest({
    fetched: ({ name, body }, signal) => fetchAnswer(name, body, signal),
    answered: (answer) => store.dispatch({ type: "answered", key, answer }),
    refused: (refusal) => store.dispatch({ type: "failed", key, refusal }),
    felt: true,
  });
  store.subscribe((state, previous) => {
    if (state.text !== previous.text) for (const one of answers.values()) one.drop();
  });
  return ({ number, key }, prediction, picks) => {
    const { name, text } = store.state;
    if (!answers.has(key)) answers.set(key, judged(key));
    answers.get(key).ask({ name, body: { text, step: number, prediction, ...picks } });
  };
}

/** Have the table of every model that a step is about. */
export function keepTables(store) {
  const asked = new Set();
  const need = (state) => {
    const question = current(state);
    if (question === null || asked.has(question.model) || question.refusal !== null) return;
    asked.add(question.model);
    fetchTable(question.model).then(
      (table) => store.dispatch({ type: "table", table }),
      (refusal) => store.dispatch({ type: "refused", refusal }),
    );
  };
  store.subscribe(need);
  need(store.state);
}

/** Have the tensor to draw: that of the answer, else the one to look at before. */
export function keepPictured(store) {
  const traces = new Map(); // by request, the newest last
  let wanted = null;
  const pictures = newest({
    fetched: (picture) => tensors(picture), // never aborted: what has come is kept for another step
    answered: (found, picture) => store.dispatch({ type: "picture", picture: { of: JSON.stringify(picture), ...picture, ...found } }),
    refused: (refusal) => store.dispatch({ type: "refused", refusal }),
    felt: true,
  });
  const need = (state) => {
    const picture = pictured(state);
    const of = JSON.stringify(picture);
    if (of === wanted) return;
    wanted = of;
    if (picture !== null) {
      pictures.ask(picture);
      return;
    }
    pictures.drop();
    store.dispatch({ type: "picture", picture: null });
  };

  const tensors = async ({ model, reading, gradient }) => {
    const trace = await once(JSON.stringify([model, reading]), () => fetchTrace(model, reading));
    const found = gradient ? await once(JSON.stringify([model, reading, "d"]), () => fetchGradients(model, trace.told)) : null;
    return { trace, gradients: found && { trace, tensors: found, refusal: null } };
  };

  const once = (key, ask) => {
    if (!traces.has(key)) {
      traces.set(key, ask());
      traces.get(key).catch(() => traces.delete(key));
      if (traces.size > KEPT_TRACES) traces.delete(traces.keys().next().value);
    }
    return traces.get(key);
  };

  store.subscribe(need);
  need(store.state);
}

/** What is to be drawn, or null. */
function pictured(state) {
  const question = current(state);
  if (question === null || question.refusal !== null || outdated(state) || !state.tables[question.model]) return null;
  const { model, head } = question;
  const answer = state.answers[question.key];
  if (answer) {
    return answer.stage === null ? null : { model, stage: answer.stage, reading: answer.reading, head: answer.stage === question.stage ? head : null, mark: answer.mark, gradient: question.gradient, answered: true };
  }
  return question.before === null ? null : { model, stage: question.before, reading: question.reading, head, mark: null, gradient: false, answered: false };
}
