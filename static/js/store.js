// The page's state, and the only ways it changes.

import { colouring } from "./colours.js";

/** What is on the screen. `trace` is {told, tensors} of `trace.told.text`, which may be older than
 * `text` while a request is under way or after a refusal. */
export function initialState({ model, text, stage, examples }) {
  return {
    model, text, stage, examples,
    head: null, // the one panel shown, null for all
    token: null, // the chosen position
    cell: null, // the chosen cell's index
    hover: null, // the cell under the pointer
    palette: "default",
    scale: "robust", // or "full": where the colours end
    section: null, // the course section whose stages are picked out
    projector: false, // large type, one panel
    table: null,
    trace: null,
    checks: null,
    refusal: null,
    waiting: false,
    notice: "", // what the page did not do as the address asked
  };
}

/** A store of one state; subscribers get (state, previous). */
export function createStore(state) {
  const subscribers = new Set();
  return {
    get state() {
      return state;
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
    },
    dispatch(action) {
      const previous = state;
      state = reduce(state, action);
      if (state !== previous) for (const subscriber of subscribers) subscriber(state, previous, action);
    },
  };
}

function reduce(state, action) {
  switch (action.type) {
    case "text":
      return { ...state, text: action.text, refusal: null, notice: "" };
    case "view":
      return { ...state, ...action.view, model: state.model, refusal: null };
    case "table":
      return { ...state, table: action.table, stage: known(action.table, state.stage) };
    case "waiting":
      return { ...state, waiting: true };
    case "trace":
      return { ...state, trace: action.trace, checks: null, refusal: null, waiting: false, hover: null };
    case "checks":
      return action.checks.text === state.trace?.told.text ? { ...state, checks: action.checks } : state;
    case "refused":
      return { ...state, refusal: action.refusal, waiting: false };
    case "stage":
      return { ...state, stage: action.stage, cell: null, hover: null };
    case "head":
    case "palette":
    case "scale":
    case "projector":
      return { ...state, [action.type]: action[action.type] };
    case "section":
      return { ...state, section: action.section === state.section ? null : action.section };
    case "token":
      return { ...state, token: action.token === state.token ? null : action.token };
    case "cell":
      return { ...state, cell: action.cell };
    case "hover":
      return { ...state, hover: action.hover };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}

function known(table, key) {
  const probability = table.stages.find((stage) => stage.kind === "probability");
  return table.stages.some((stage) => stage.key === key) ? key : (probability ?? table.stages[0]).key;
}

/** The focused stage's entry in the table. */
export function focused({ table, stage }) {
  return table.stages.find((entry) => entry.key === stage);
}

/** How a stage's tensor is coloured. */
export function colouringOf({ table, trace, palette, scale }, { key, kind }) {
  return colouring(table.kinds[kind], trace.tensors.get(key).data, { palette, scale, vocabSize: table.labels.length });
}

/** Whether the pictures belong to another text than the one typed. */
export function stale({ trace, text, waiting, refusal }) {
  return trace !== null && trace.told.text !== text.replace(/\r\n?/g, "\n") && (refusal !== null || !waiting);
}
