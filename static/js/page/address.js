// The address of the tracer's page: everything on its screen, in the query.

import { saved } from "./saved.js";

const [PART, BEGINNING] = saved ? ["hash", "#?"] : ["search", "?"];
const FIXED = saved ? ["text", "target", "hidden", "model", "made"] : []; // not the reader's to change
const NAMES = ["text", "target", "hidden", "model", "made", "stage", "head", "token", "cell", "of", "trail", "section", "palette", "scale", "stretched", "projector", "gradient", "highway"];
const FLAGS = ["stretched", "projector", "gradient", "highway"]; // 1, or not written
const USUAL = { palette: ["default", "alternative", "grey"], scale: ["robust", "full"] }; // the first is not written
const LONGEST_TRAIL = 40;
const MADE = 12; // digits of the weights' hash that an address carries
const STEP = /^([\w.]+)\*(\d+(?:\.\d+)*)(\*gradient)?$/; // of characters that a query has as they are
const TOKEN = /^(?:(target)\.)?(\d{1,6})$/; // of the text, where nothing else is said

/** The part of the browser's address that changes with the view. */
export function shown() {
  return location[PART];
}

/** What `read` reads of it; "" where it is no view's. */
export function here() {
  return shown().startsWith(BEGINNING) ? shown().slice(BEGINNING.length) : "";
}

/** What the address says: only what it names. */
export function read(search) {
  const query = new URLSearchParams(search);
  const view = {
    target: query.get("target"), hidden: wholes(query.get("hidden")) ?? [], head: null, token: null,
    cell: wholes(query.get("cell")), differential: query.get("of") === "gradient", trail: stepsOf(query.get("trail")), whole: false,
    made: /^[0-9a-f]{4,64}$/.test(query.get("made")) ? query.get("made") : null, section: query.get("section"),
  };
  for (const name of FLAGS) view[name] = query.has(name) && query.get(name) !== "0";
  for (const [name, values] of Object.entries(USUAL)) view[name] = values.includes(query.get(name)) ? query.get(name) : values[0];
  for (const name of ["text", "model", "stage"]) if (query.has(name)) view[name] = query.get(name);
  if (isWhole(query.get("head"))) view.head = Number(query.get("head"));
  const token = TOKEN.exec(query.get("token") ?? "");
  if (token) view.token = { along: token[1] ?? "text", position: Number(token[2]) };
  for (const name of FIXED) delete view[name];
  return view;
}

/** The address of a view; what is left out of it is as usual. */
export function write({ hidden = [], token = null, cell = null, trail = [], weights = "", ...others }) {
  const query = new URLSearchParams();
  const values = {
    ...others,
    hidden: hidden.join(".") || null,
    token: token && (token.along === "text" ? "" : `${token.along}.`) + token.position,
    cell: cell?.join("."),
    of: cell !== null && others.differential ? "gradient" : null,
    trail: trail.slice(-LONGEST_TRAIL).map(inAddress).join("-") || null,
    made: weights.slice(0, MADE) || null,
    ...Object.fromEntries(FLAGS.map((name) => [name, others[name] ? "1" : null])),
  };
  for (const name of NAMES) {
    const value = values[name] ?? null;
    if (!FIXED.includes(name) && value !== null && value !== USUAL[name]?.[0]) query.set(name, value);
  }
  return `${BEGINNING}${query}`;
}

/** The address of another tensor of the same view, or of a cell there. */
export function writeAt(state, { stage, cell = null, differential = false, trail = [] }) {
  return write({ ...state, stage, cell, differential, trail, gradient: state.gradient || differential });
}

function inAddress({ stage, cell, differential }) {
  return `${stage}*${cell.join(".")}${differential ? "*gradient" : ""}`;
}

/** The steps of a trail that an address names; none where it names no trail. */
function stepsOf(text) {
  const found = (text ?? "").split("-").map((step) => STEP.exec(step));
  return found.every(Boolean) ? found.map(([, stage, cell, of]) => ({ stage, cell: cell.split(".").map(Number), differential: of !== undefined })) : [];
}

/** "3.0.5" as numbers; null where it is anything else. */
function wholes(text) {
  const parts = text?.split(".");
  return parts?.every(isWhole) ? parts.map(Number) : null;
}

function isWhole(text) {
  return text !== null && /^\d{1,6}$/.test(text);
}
