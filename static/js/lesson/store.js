// A lesson's state, and the only ways it changes. Answers belong to one text.

import { storeOf } from "../page/store.js";

/** What is on the screen of a lesson, or of the exercises. */
export function initialState({ name, text, examples }) {
  return {
    name, text, examples,
    opening: text, // the text where the address names none
    step: 1,
    teacher: false, // large type, and answers that a key reveals
    lesson: null, // as the server worded it, maybe for an older text
    answers: {}, // by the key of the question
    failures: {}, // why a prediction could not be judged, by the same
    progress: {}, // right, wrong or shown, by the same; kept in the browser
    tables: {}, // by model
    picture: null, // {of, stage, trace, gradients}: what is drawn
    hover: null,
    cell: null,
    refusal: null, // of the text
    notice: "",
    trace: null, // none of the text itself
  };
}

export function createStore(state) {
  return storeOf(state, reduce);
}

function reduce(state, action) {
  switch (action.type) {
    case "text":
    case "example":
      return { ...state, text: action.text, answers: {}, failures: {}, refusal: null };
    case "view": {
      const text = action.view.text ?? state.opening;
      const answers = text === state.text && !action.view.teacher && !state.teacher ? state.answers : {};
      return onStep({ ...state, text, answers, teacher: action.view.teacher, refusal: null }, action.view.step ?? 1);
    }
    case "lesson":
      return onStep({ ...state, lesson: action.lesson, refusal: null }, state.step);
    case "refused":
      return { ...state, refusal: action.refusal };
    case "table":
      return { ...state, tables: { ...state.tables, [action.table.model]: action.table } };
    case "step":
      return onStep(state.teacher ? { ...state, answers: {} } : state, action.step);
    case "teacher":
      return { ...state, teacher: action.teacher, answers: {}, failures: {} };
    case "answered":
      return answered(state, action);
    case "failed":
      return { ...state, failures: { ...state.failures, [action.key]: action.refusal.message } };
    case "again":
      return { ...state, answers: without(state.answers, action.key), failures: without(state.failures, action.key) };
    case "picture":
      return { ...state, picture: action.picture, hover: null, cell: action.picture?.mark ?? null };
    case "hover":
      return { ...state, hover: action.hover };
    case "cell":
      return { ...state, cell: action.cell };
    case "progress":
      return { ...state, progress: action.progress };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}

function onStep(state, step) {
  const last = state.lesson === null ? step : state.lesson.questions.length;
  return { ...state, step: Math.min(step, last) };
}

/** A teacher's reveals are no progress of the learner whose browser it is. */
function answered(state, { key, answer }) {
  const outcome = answer.right === null ? "shown" : answer.right ? "right" : "wrong";
  return {
    ...state,
    answers: { ...state.answers, [key]: answer },
    failures: without(state.failures, key),
    progress: state.teacher ? state.progress : { ...state.progress, [key]: outcome },
  };
}

function without(entries, key) {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));
}

/** The question of the step on the screen; null until the lesson is there. */
export function current({ lesson, step }) {
  return lesson === null ? null : lesson.questions[step - 1];
}

/** Whether the questions are of another text than the one in the field. */
export function outdated({ lesson, text }) {
  return lesson !== null && lesson.asked !== text;
}
