// A page saved as a file: it asks no server, it holds one text, and its address is in the fragment,
// as browsers let a file change nothing else.

import { unpacked } from "../tensor/base64.js";

export const saved = document.querySelector("[data-saved]") !== null;

const NO_GRADIENTS = "This saved page holds no gradients; save it with gradients to have them here.";
const NOT_HELD = "This saved page asks no server and does not hold this; start Token Tracer for it.";

/** What the page holds of the answer to a request, or {missing: why in a sentence}. */
export function held(answers, path, { body } = {}) {
  const [address] = path.split("?");
  if (!Object.hasOwn(answers, address)) return { missing: NOT_HELD };
  const differentiated = Object.hasOwn(answers, "/gradient-flow");
  if (body && JSON.parse(body).gradients && !differentiated) return { missing: NO_GRADIENTS };
  const answer = address === "/cells" ? answers[address][nameOf(JSON.parse(body))] : answers[address];
  if (answer === undefined) return { missing: cellsHeld(Object.keys(answers[address]).length) };
  return { json: async () => answer, arrayBuffer: async () => unpacked(answer).buffer };
}

/** A cell as its explanation is called; one whose sum is wanted whole, or a gradient's, has none. */
function nameOf({ stage, weight, index, gradient, terms }) {
  return gradient || terms === null ? null : `${stage ?? weight}*${index.join(".")}`;
}

function cellsHeld(count) {
  return `This saved page explains ${count} numbers: those on the way from the likeliest next characters back to their characters, by the largest terms. Start Token Tracer to ask for any other.`;
}
