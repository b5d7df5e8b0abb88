// The page's state, and the only ways it changes.

import { colouring } from "./colours.js";
import { charactersOf, movedBy, sameReading } from "./readings.js";

/** What is on the screen. `trace` is {asked, told, tensors}, which may be of an older request than
 * `text`, `target` and `hidden` make, while one is under way or after a refusal. */
export function initialState({ model, architecture, mask, text, stage, examples, target = null, hidden = [] }) {
  return {
    model, architecture, mask, text, stage, examples,
    target, // an encoder-decoder's, as the reader has fixed it; null while the model writes it
    hidden, // the positions that an encoder is to guess, beside those typed as its mask
    head: null, // the one panel shown, null for all
    token: null, // the chosen {along, position}: of the text or of the target
    cell: null, // the chosen cell's index
    hover: null, // the cell under the pointer
    palette: "default",
    scale: "robust", // or "full": where the colours end
    section: null, // the course section whose stages are picked out
    projector: false, // large type, one panel
    gradient: false, // whether gradients are shown beside the activations
    highway: false, // whether their way along the residual stream is opened
    table: null,
    trace: null,
    checks: null,
    gradients: null, // {trace, tensors, refusal}, one of the two last null; maybe an older trace's
    flow: null, // {trace, places, refusal}, the same
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
    case "text": {
      const hidden = movedBy(state.hidden, state.text, action.text);
      return { ...state, text: action.text, hidden, refusal: null, notice: "" };
    }
    case "example":
      return { ...state, text: action.text, target: null, hidden: [], refusal: null, notice: "" };
    case "target":
      return { ...state, target: action.target, refusal: null, notice: "" };
    case "hidden":
      return { ...state, hidden: toggled(state.hidden, action.position), refusal: null, notice: "" };
    case "view":
      return viewed(state, action.view);
    case "table":
      return withTable(state, action.table);
    case "waiting":
      return { ...state, waiting: true };
    case "trace":
      return { ...state, trace: action.trace, checks: null, refusal: null, waiting: false, hover: null };
    case "checks":
      return action.trace === state.trace ? { ...state, checks: action.checks } : state;
    case "gradients":
      return action.gradients.trace === state.trace ? { ...state, gradients: action.gradients } : state;
    case "flow":
      return action.flow.trace === state.trace ? { ...state, flow: action.flow } : state;
    case "refused":
      return { ...state, refusal: action.refusal, waiting: false };
    case "stage":
      return { ...state, stage: action.stage, cell: null, hover: null };
    case "head":
    case "palette":
    case "scale":
    case "projector":
    case "gradient":
    case "highway":
      return { ...state, [action.type]: action[action.type] };
    case "section":
      return { ...state, section: action.section === state.section ? null : action.section };
    case "token":
      return { ...state, token: sameToken(action.token, state.token) ? null : action.token };
    case "cell":
      return { ...state, cell: action.cell };
    case "hover":
      return { ...state, hover: action.hover };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}

/** The state at an address. What this model cannot do as the address asks is left out, and said. */
export function viewed(state, view) {
  const { model, architecture } = state;
  const wanted = { ...state, ...view, model, refusal: null };
  const notices = [];
  if (view.model && view.model !== model) notices.push(`There is no model “${view.model}” here; this is ${model}.`);
  const writes = architecture === "encoder-decoder";
  if (wanted.target !== null && !writes) notices.push(`${model} is ${architecture} and has no target; the one in the address is left out.`);
  const count = state.mask === null ? 0 : charactersOf(wanted.text).length;
  const hidden = wanted.hidden.filter((position) => position < count);
  if (hidden.length < wanted.hidden.length) {
    const missing = wanted.hidden.filter((position) => position >= count).join(", ");
    notices.push(state.mask === null ? `${model} is ${architecture} and guesses no hidden characters; none is hidden.` : `The text has no position ${missing} to hide.`);
  }
  return {
    ...wanted, hidden: [...new Set(hidden)].sort((a, b) => a - b), target: writes ? wanted.target : null,
    token: writes || wanted.token?.along === "text" ? wanted.token : null, notice: notices.join(" "),
  };
}

/** The table, and a stage of it; that another one was asked for is said. */
function withTable(state, table) {
  const stage = known(table, state.stage);
  const notice = stage === state.stage ? "" : `${state.model} has no stage “${state.stage}”; this is another one.`;
  return { ...state, table, stage, notice: [state.notice, notice].join(" ").trim() };
}

function toggled(positions, position) {
  if (positions.includes(position)) return positions.filter((other) => other !== position);
  return [...positions, position].sort((a, b) => a - b);
}

/** Whether two chosen tokens are the same one. */
export function sameToken(a, b) {
  return a?.along === b?.along && a?.position === b?.position;
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

/** Whether the pictures belong to another request than the one on the screen. */
export function stale(state) {
  const { trace, waiting, refusal } = state;
  return trace !== null && !sameReading(trace.asked, state) && (refusal !== null || !waiting);
}
