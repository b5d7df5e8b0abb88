// Numbers and characters as text.

const MINUS_INFINITY = "−∞";

/** The shortest decimal that reads back as the same float32. */
export function exact(value) {
  if (!Number.isFinite(value)) return value < 0 ? MINUS_INFINITY : String(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

/** Three significant digits, for labels. */
export function short(value) {
  if (value === null || !Number.isFinite(value)) return value < 0 ? MINUS_INFINITY : "not finite";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace("-", "−") : String(Number(value.toPrecision(3))).replace("-", "−");
}
