// Where positive numbers stand on a line.

const ORDER = 10;
const ROUND = [1, 2, 5, 10];

/** A scale for numbers ≥ 0: {logarithmic, ticks, at}. It is logarithmic where those above 0 differ
 * by more than a factor of ten, else it begins at 0. `at` gives 0 to 1, or null where a number has
 * no place on it. */
export function scaleOf(values) {
  const shown = values.filter((value) => value > 0 && Number.isFinite(value));
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  return shown.length && most > ORDER * least ? logarithmic(least, most) : linear(shown.length ? most : 1);
}

function logarithmic(least, most) {
  const low = Math.floor(Math.log10(least));
  const high = Math.ceil(Math.log10(most));
  return {
    logarithmic: true,
    ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    at: (value) => (value > 0 && Number.isFinite(value) ? (Math.log10(value) - low) / (high - low) : null),
  };
}

function linear(most) {
  const order = 10 ** Math.floor(Math.log10(most));
  const end = order * ROUND.find((step) => step * order >= most);
  return { logarithmic: false, ticks: [0, end / 2, end], at: (value) => (Number.isFinite(value) ? value / end : null) };
}
