// The page's address: everything on the screen, in the query.

import { saved } from "./saved.js";

const [PART, BEGINNING] = saved ? ["hash", "#?"] : ["search", "?"];
const FIXED = saved ? ["text", "target", "hidden", "model", "made"] : []; // not the reader's to change
const REST = 1000;
const NAMES = ["text", "target", "hidden", "model", "made", "stage", "head", "token", "cell", "of", "trail", "section", "palette", "scale", "projector", "gradient", "highway"];
const FLAGS = ["projector", "gradient", "highway"]; // 1, or not written
const USUAL = { palette: ["default", "alternative", "grey"], scale: ["robust", "full"] }; // the first is not written
const PUSHED = new Set(["example", "hidden", "stage", "head", "token", "cell", "walk", "back", "section", "palette", "scale", "projector", "gradient", "highway"]);
const TYPED = new Set(["text", "target"]);
const LONGEST_TRAIL = 40;
const MADE = 12; // digits of the weights' hash that an address carries
const STEP = /^([\w.]+)\*(\d+(?:\.\d+)*)(\*gradient)?$/; // of characters that a query has as they are
const TOKEN = /^(?:(target)\.)?(\d{1,6})$/; // of the text, where nothing else is said

/** The part of the browser's address that `read` reads. */
export function here() {
  return location[PART].startsWith(BEGINNING) ? location[PART].slice(BEGINNING.length) : "";
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

/** The address of a view. */
export function write(state) {
  const query = new URLSearchParams();
  const values = {
    ...state,
    hidden: state.hidden.length ? state.hidden.join(".") : null,
    token: state.token && (state.token.along === "text" ? "" : `${state.token.along}.`) + state.token.position,
    cell: state.cell?.join(".") ?? null,
    of: state.cell !== null && state.differential ? "gradient" : null,
    trail: state.trail.length ? state.trail.slice(-LONGEST_TRAIL).map(inAddress).join("-") : null,
    made: state.weights.slice(0, MADE) || null,
    ...Object.fromEntries(FLAGS.map((name) => [name, state[name] ? "1" : null])),
  };
  for (const name of NAMES) {
    if (!FIXED.includes(name) && values[name] !== null && values[name] !== USUAL[name]?.[0]) query.set(name, values[name]);
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

/** Keep the address in step with the store. Typing replaces the entry; a new one begins when the
 * text rested for a second, on Enter or on leaving the field. Back and Forward restore. */
export function follow(store, fields) {
  let rested = true;
  let timer = 0;
  const rest = () => {
    rested = true;
  };
  for (const field of fields) {
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") rest();
    });
    field.addEventListener("blur", rest);
  }
  store.subscribe((state, _, action) => {
    const address = write(state);
    if (action.type === "view" || address === location[PART]) return;
    const typing = TYPED.has(action.type);
    const push = typing ? rested : PUSHED.has(action.type) && !action.stepping;
    history[push ? "pushState" : "replaceState"](null, "", address);
    if (typing) {
      rested = false;
      clearTimeout(timer);
      timer = setTimeout(rest, REST);
    }
  });
  addEventListener("popstate", () => {
    rested = true;
    if (saved && !location.hash.startsWith(BEGINNING)) return; // a place in the page, not a view
    store.dispatch({ type: "view", view: read(here()) });
  });
}

/** "3.0.5" as numbers; null where it is anything else. */
function wholes(text) {
  const parts = text?.split(".");
  return parts?.every(isWhole) ? parts.map(Number) : null;
}

function isWhole(text) {
  return text !== null && /^\d{1,6}$/.test(text);
}
