// Whose characters an axis counts: their glyphs along it, its name, and where a token stands on it.

import { charactersOf, sameReading } from "./readings.js";

const TEXTS = { text: "source", target: "target" };

/** The tokens of the text or of the target. */
export function tokensOf({ told }, along) {
  return along === "target" ? told.target_tokens : told.tokens;
}

/** How many tokens a field's text has. A trace of just what is asked has them; until there is one, a
 * character counts as a token, and CR LF as one. */
export function countOf(along, text, state) {
  const { trace } = state;
  if (trace === null || !sameReading(trace.asked, state)) return charactersOf(text).length;
  return tokensOf(trace, along).length - (along === "target" ? 1 : 0); // a line end begins each target
}

/** The glyph of each index along an axis whose indices are characters, else null. */
export function labelsOf(along, trace, table) {
  if (along === "vocabulary") return table.labels;
  if (along === "hidden") return [...truths(trace, table).values()].map((id) => table.labels[id]);
  return along === null ? null : tokensOf(trace, along).map((token) => token.label);
}

/** Position -> id of each character that was hidden from the model and that the page knows: not
 * of those typed as the mask. */
export function truths({ told }, table) {
  const characters = charactersOf(told.text);
  const known = told.hidden.filter((position) => characters[position] !== told.tokens[position].text);
  return new Map(known.map((position) => [position, table.vocabulary.indexOf(characters[position])]));
}

/** The axes' names. Where there are two texts, an axis of their characters is named after its text:
 * rows and columns of attention then say who looks at whom. */
export function axisNames({ axes, along }, { told }) {
  return axes.map((axis, i) => (told.target === null ? axis : (TEXTS[along[i]] ?? axis)));
}

/** The index of a token along an axis, or null where it is not on it. */
export function indexAlong(along, token, trace, table) {
  if (token === null || along === token.along) return token && token.position;
  if (along !== "hidden") return null;
  const index = [...truths(trace, table).keys()].indexOf(token.position);
  return index < 0 ? null : index;
}
