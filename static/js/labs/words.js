// Numbers in words: as a picture or a sentence has room for them, and as a table has.

const THOUSAND = 1000;
const LARGE = 1e6;
const SMALL = 1e-6;
const MOST_WHOLE = 1e15; // beyond, doubles skip whole numbers

/** Three digits. */
export function brief(value) {
  return inDigits(value, 3);
}

/** A round number, of an axis, whole. */
export function roundly(value) {
  return inDigits(value, 6);
}

function inDigits(value, digits) {
  if (value === null || !Number.isFinite(value)) return "—";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= LARGE || (size > 0 && size < SMALL)) return signed(rounded.toExponential());
  return size >= THOUSAND ? grouped(rounded) : signed(String(rounded));
}

/** A number in six digits, a whole one in all; words as they are. */
export function written(value) {
  if (value === null || value === undefined) return "—";
  if (typeof value !== "number") return value;
  return Number.isInteger(value) && Math.abs(value) < MOST_WHOLE ? grouped(value) : signed(String(Number(value.toPrecision(6))));
}

/** A whole number in groups of three. */
export function grouped(value) {
  return signed(value.toLocaleString("en-GB"));
}

function signed(text) {
  return text.replace("e+", "e").replaceAll("-", "−");
}
