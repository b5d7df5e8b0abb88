// Numbers and characters as text.

const INFINITE = { "-1": "−∞", 1: "+∞" };

/** The shortest decimal that reads back as the same float32. */
export function exact(value) {
  if (!Number.isFinite(value)) return INFINITE[Math.sign(value)] ?? "NaN";
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

/** Three significant digits, for labels. */
export function short(value) {
  if (value === null) return "not finite";
  if (!Number.isFinite(value)) return exact(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace("-", "−") : String(Number(value.toPrecision(3))).replace("-", "−");
}
