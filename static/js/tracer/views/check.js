// The focused stage's second computation: how far NumPy is from what is shown, on the scale of what is equal, and where.

import { make, onFollow } from "../../drawing/elements.js";
import { write, writeAt } from "../../page/address.js";
import { saved } from "../../page/saved.js";
import { settled } from "../../tensor/gradients.js";
import { short } from "../../tensor/numbers.js";
import { focused, isWeight } from "../../tensor/table.js";
import { placeInWords } from "../../tensor/tensors.js";

const SAID_FROM = ["checks", "trace", "table", "stage", "gradient", "gradients"];

export function check(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  // A link that was followed keeps the focus: it is not made anew when the chosen cell changes.
  if (SAID_FROM.some((name) => state[name] !== previous?.[name])) say(root, state);
  else if (write(state) !== write(previous)) link(root, state);
}

function listen(root, dispatch) {
  onFollow(root, "[data-where]", (there) => {
    dispatch({ type: "cell", cell: there.dataset.where.split(".").map(Number), differential: "ofGradient" in there.dataset });
    if (there.dataset.only) dispatch({ type: "head", head: Number(there.dataset.only), stepping: true });
  });
}

function say(root, state) {
  const { checks, gradient } = state;
  const found = checks?.checks.get(focused(state).key);
  const differentiated = gradient && found ? found.gradient : null;
  const said = [];
  if (isWeight(state)) said.length = 0; // training made it, so there is nothing to compute again
  else if (checks?.refusal) said.push(`Not checked: ${checks.refusal}`);
  else if (checks === null) said.push("Checking against NumPy …");
  else if (found?.end_to_end.index === null) said.push("There is nothing to check in an empty tensor.");
  else if (found) {
    const { end_to_end: chain, single_operation: alone } = found;
    said.push(`${verdict(agrees(found))}. From the ids on, the largest difference on the scale of its row is `, size(chain, state));
    said.push(`, where ${short(chain.tolerance)} is allowed; this operation alone, `, size(alone, state), `, where ${short(alone.tolerance)} is.`);
  }
  if (differentiated) said.push(` Gradient: ${verdict(differentiated.equal)}, largest difference `, size(differentiated, state, true), " of the largest gradient.");
  if (found && !saved) said.push(" ", make("a", { href: allChecks(state), text: "All checks" }));
  root.replaceChildren(...said);
  root.classList.toggle("is-wrong", Boolean(found) && !(agrees(found) && (differentiated?.equal ?? true)));
  link(root, state);
}

/** A difference as a link to its cell; there is no place to name where all are equal. */
function size({ scaled, index }, state, ofGradient = false) {
  if (!index || scaled === 0) return short(scaled);
  return make("a", { href: "?", "data-where": index.join("."), "data-of-gradient": ofGradient, title: `at ${placeInWords(focused(state), index, state)}`, text: short(scaled) });
}

function link(root, state) {
  for (const one of root.querySelectorAll("[data-where]")) {
    const cell = one.dataset.where.split(".").map(Number);
    const head = state.head !== null && cell.length === 3 ? cell[0] : null;
    if (head !== null) one.dataset.only = head; // of one head, it is to be the one that has the cell
    else delete one.dataset.only;
    one.href = writeAt({ ...state, head: head ?? state.head }, { stage: state.stage, cell, differential: "ofGradient" in one.dataset });
  }
}

/** The page of all checks, of just what was traced; of gradients where there are any. */
function allChecks({ model, trace: { asked }, trace, gradient, gradients }) {
  const query = new URLSearchParams({ text: asked.text, model });
  if (asked.target !== null) query.set("target", asked.target);
  if (asked.hidden.length) query.set("hidden", asked.hidden.join("."));
  if (gradient && settled({ trace, gradients }) && gradients.tensors !== null) query.set("gradient", "1");
  return `/checks?${query}`;
}

function agrees({ end_to_end: chain, single_operation: alone }) {
  return chain.equal && alone.equal;
}

function verdict(equal) {
  return equal ? "NumPy agrees" : "NumPy does not agree";
}
