// What a lesson asks the server: its questions for a text, answers, and the tensors to draw.

import { fetchAnswer, fetchGradients, fetchLesson, fetchTable, fetchTrace } from "../api.js";
import { current, outdated } from "./store.js";

const TYPING_PAUSE = 200;
const KEPT_TRACES = 8;

/** Have the questions worded for the text in the field, whenever it changes. */
export function keepWorded(store) {
  let timer = 0;
  let running = null;
  const word = async () => {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    const { name, text } = store.state;
    if (text === "") {
      store.dispatch({ type: "refused", refusal: { message: "Type at least one character; the questions are about your text." } });
      return;
    }
    try {
      const lesson = await fetchLesson(name, text, controller.signal);
      if (running === controller) store.dispatch({ type: "lesson", lesson: { ...lesson, asked: text } });
    } catch (error) {
      if (running === controller && error.name !== "AbortError") store.dispatch({ type: "refused", refusal: error });
    }
  };
  store.subscribe((state, previous) => {
    if (state.text === previous.text) return;
    clearTimeout(timer);
    running?.abort();
    running = null;
    timer = setTimeout(word, TYPING_PAUSE);
  });
  word();
}

/** Have a prediction judged; null only asks for the answer. `picks` are what the reader chose. */
export async function predict(store, { number, key }, prediction, picks) {
  const { name, text } = store.state;
  try {
    const answer = await fetchAnswer(name, { text, step: number, prediction, ...picks });
    store.dispatch({ type: "answered", key, text, answer });
  } catch (refusal) {
    store.dispatch({ type: "failed", key, refusal });
  }
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
  const need = async (state) => {
    const picture = pictured(state);
    const of = JSON.stringify(picture);
    if (of === wanted) return;
    wanted = of;
    if (picture === null) {
      store.dispatch({ type: "picture", picture: null });
      return;
    }
    try {
      const found = await tensors(picture);
      if (wanted === of) store.dispatch({ type: "picture", picture: { of, ...picture, ...found } });
    } catch (refusal) {
      if (wanted === of) store.dispatch({ type: "refused", refusal });
    }
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
