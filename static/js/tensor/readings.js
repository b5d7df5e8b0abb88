// What the server is asked to read: the text, an encoder-decoder's target, an encoder's hidden
// characters.

export const TARGET = "target"; // the field that a refusal names

/** The request of a state; `target` is null while the model writes it. */
export function requested({ text, target, hidden }) {
  return { text, target, hidden };
}

/** Whether two states or requests ask for the same trace. */
export function sameReading(a, b) {
  return a.text === b.text && a.target === b.target && String(a.hidden) === String(b.hidden);
}

/** The fields of a request for exactly what a trace was made of; what there is none of is left out. */
export function readFields({ text, target, hidden }) {
  return { text, ...(target === null ? {} : { target }), ...(hidden.length ? { hidden } : {}) };
}

/** What was read, in words: “Nw s” → “Now is”; a hidden character is shown as the model saw it. */
export function readInWords({ tokens, target }) {
  const seen = tokens.map((token) => token.text).join("");
  return target === null ? `“${seen}”` : `“${seen}” → “${target}”`;
}

/** The characters as the server counts them: CR LF and CR are newlines, and one is a code point. */
export function charactersOf(text) {
  return Array.from(text.replace(/\r\n?/g, "\n"));
}

/** Where hidden characters are after an edit: each keeps its character; those replaced are shown. */
export function movedBy(hidden, before, after) {
  const [old, now] = [charactersOf(before), charactersOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return hidden
    .filter((position) => position < start || position >= old.length - end)
    .map((position) => (position < start ? position : position + now.length - old.length));
}
