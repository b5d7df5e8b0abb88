// The tracer's state, and the only ways it changes.

import { USUAL } from "../drawing/heatmap.js";
import { storeOf } from "../page/store.js";
import { charactersOf, movedBy, sameReading } from "../tensor/readings.js";
import { entryOf } from "../tensor/table.js";

/** What is on the screen. `trace` is {asked, told, tensors}, which may be of an older request than
 * `text`, `target` and `hidden` make, while one is under way or after a refusal. */
export function initialState({ model, architecture, weights, mask, text, stage, examples, target = null, hidden = [] }) {
  return {
    model, architecture, mask, text, examples,
    weights, // the SHA-256 of what is served
    stage, // the key of the tensor that is looked at: a stage's, or a weight's name
    target, // an encoder-decoder's, as the reader has fixed it; null while the model writes it
    hidden, // the positions that an encoder is to guess, beside those typed as its mask
    ...USUAL,
    differential: false, // whether what is asked of it is its gradient
    trail: [], // the cells on the way to this one: {stage, cell, differential}
    whole: false, // whether all terms of a long sum are listed
    explanation: null, // {question, answer, refusal}: the arithmetic of a cell, one of the two last null
    matrices: new Map(), // the weights that were looked at: key -> {tensor, refusal}
    section: null, // the course section whose stages are picked out
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

export function createStore(state) {
  return storeOf(state, reduce);
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
      return { ...state, checks: action.checks };
    case "gradients":
      return { ...state, gradients: action.gradients };
    case "flow":
      return { ...state, flow: action.flow };
    case "refused":
      return { ...state, refusal: action.refusal, waiting: false };
    case "stage":
      return { ...state, ...NO_CELL, stage: action.stage };
    case "head":
    case "palette":
    case "scale":
    case "stretched":
    case "projector":
    case "gradient":
    case "highway":
      return { ...state, [action.type]: action[action.type] };
    case "section":
      return { ...state, section: action.section === state.section ? null : action.section };
    case "token":
      return { ...state, token: sameToken(action.token, state.token) ? null : action.token };
    case "cell":
      return { ...state, ...NO_CELL, hover: state.hover, cell: action.cell, differential: action.differential ?? false };
    case "differentiate":
      return { ...state, ...NO_CELL, trail: state.trail, hover: state.hover, cell: state.cell, differential: action.differential };
    case "walk":
      return { ...state, ...at(state, action.to), trail: [...state.trail, placeIn(state)], gradient: state.gradient || action.to.differential };
    case "back":
      return { ...state, ...at(state, state.trail[action.step]), trail: state.trail.slice(0, action.step) };
    case "whole":
      return { ...state, whole: action.whole };
    case "explanation":
      return { ...state, explanation: action.explanation };
    case "matrix":
      return { ...state, matrices: new Map(state.matrices).set(action.key, action.matrix) };
    case "hover":
      return { ...state, hover: action.hover };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}

const NO_CELL = { cell: null, differential: false, trail: [], whole: false, hover: null };

/** A cell to go to; where one panel alone is shown, it is the one that has the cell. */
function at({ head }, { stage, cell, differential }) {
  return { ...NO_CELL, stage, cell, differential, head: head !== null && cell.length === 3 ? cell[0] : head };
}

/** The chosen cell, as a step of a trail. */
export function placeIn({ stage, cell, differential }) {
  return { stage, cell, differential };
}

/** The state at an address. What this model cannot do as the address asks is left out, and said. */
export function viewed(state, view) {
  const { model, architecture } = state;
  const wanted = { ...state, ...view, model, refusal: null };
  const notices = [];
  if (view.model && view.model !== model) notices.push(`There is no model “${view.model}” here; this is ${model}.`);
  if (view.made && !state.weights.startsWith(view.made)) notices.push(`This address was made with other weights of ${model} (${view.made}…, not ${state.weights.slice(0, view.made.length)}…), so its numbers may differ from those that were meant.`);
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
  const trail = state.trail.filter((step) => entryOf(table, step.stage) !== undefined);
  const lost = state.trail.length - trail.length;
  const strange = lost ? `The way that the address names has ${lost === 1 ? "a step" : `${lost} steps`} that ${state.model} has not; left out.` : "";
  const notice = stage === state.stage ? strange : `${state.model} has no stage “${state.stage}”; this is another one.`;
  const weights = table.weights.map((weight) => ({ ...weight, ...NO_OPERATION }));
  return { ...state, table: { ...table, weights }, stage, trail, notice: [state.notice, notice].join(" ").trim() };
}

/** What a stage has and a weight has not: nothing computes it. */
const NO_OPERATION = { operation: "trained: no operation makes it, and it is the same for every text", inputs: [], parameters: [], sections: [], null_means: null };

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
  return entryOf(table, key) !== undefined ? key : (probability ?? table.stages[0]).key;
}

/** Whether the pictures belong to another request than the one on the screen. */
export function stale(state) {
  const { trace, waiting, refusal } = state;
  return trace !== null && !sameReading(trace.asked, state) && (refusal !== null || !waiting);
}

/** Whether the gradient highway is on the screen. */
export function highwayShown({ gradient, highway, projector }) {
  return gradient && highway && !projector;
}
