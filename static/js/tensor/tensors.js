// A tensor as the matrices that are drawn, and what a cell of it is called.

import { axisNames, labelsOf } from "./labels.js";
import { exact } from "./numbers.js";

const FROM_ONE = "head"; // the axis that people count from 1
const ONLY = "one"; // the axis of what has one number

/** A stage's tensor as panels of rows and columns: three axes make one panel for each index of the
 * first; a vector is one row. `axes` has the names and `along` says whose characters are counted,
 * null where there is none. */
export function panelsOf(stage, trace) {
  const tensor = trace.tensors.get(stage.key);
  const names = [null, null, ...axisNames(stage, trace)].slice(-3);
  const along = [null, null, ...stage.along].slice(-3);
  const [count, rows, columns] = [1, 1, ...tensor.shape].slice(-3);
  const size = rows * columns;
  return {
    axes: { panel: names[0], row: names[1], column: names[2] },
    along: { panel: along[0], row: along[1], column: along[2] },
    rows,
    columns,
    matrices: Array.from({ length: count }, (_, i) => tensor.data.subarray(i * size, (i + 1) * size)),
  };
}

/** A drawn place as the tensor's index. */
export function indexOf(stage, { panel, row, column }) {
  return [panel, row, column].slice(3 - stage.axes.length);
}

/** The tensor's index as a drawn place. */
export function placeOf(index) {
  const [panel, row, column] = [0, 0, ...index].slice(-3);
  return { panel, row, column };
}

/** The value at an index, or undefined when the index is not in the tensor. */
export function valueAt(tensor, index) {
  if (index.length !== tensor.shape.length) return undefined;
  let flat = 0;
  for (const [axis, i] of index.entries()) {
    if (!Number.isInteger(i) || i < 0 || i >= tensor.shape[axis]) return undefined;
    flat = flat * tensor.shape[axis] + i;
  }
  return tensor.data[flat];
}

/** What a cell is that is not finite: "masked", "minus_inf", "plus_inf" or "nan"; null for others.
 * `flat` is its place among all cells. */
export function unusual(value, flat, entry, { told }) {
  if (value - value === 0) return null;
  if (Number.isNaN(value)) return "nan";
  if (value > 0) return "plus_inf";
  const bare = (entry.null_means ?? null) === null || told.nonfinite?.[entry.key]?.minus_inf.includes(flat);
  return bare ? "minus_inf" : "masked";
}

/** A cell's number, or the word for what it is. */
export function valueInWords(value, flat, entry, { table, trace }) {
  const name = unusual(value, flat, entry, trace);
  return name === null ? exact(value) : table.kinds[entry.kind].marks[name].word;
}

/** A cell of a tensor in words: {title, place, value}. */
export function cellInWords(entry, index, state) {
  const tensor = state.trace.tensors.get(entry.key);
  const flat = index.reduce((at, i, axis) => at * tensor.shape[axis] + i, 0);
  return { title: entry.title, place: placeInWords(entry, index, state), value: valueInWords(valueAt(tensor, index), flat, entry, state) };
}

/** Where a cell stands: "head 2 · position 4 e"; "" for the only number of its kind. */
export function placeInWords(entry, index, { trace, table }) {
  const names = axisNames(entry, trace);
  const told = names.map((axis, i) => indexInWords(axis, index[i], labelsOf(entry.along[i], trace, table)));
  return told.filter((_, i) => names[i] !== ONLY).join(" · ");
}

/** A cell's indices as a name has them: a head is counted from 1 and says so, as everywhere on the
 * page: "head 3, 6, 4". */
export function placeInBrackets({ axes }, index) {
  return index.map((i, at) => (axes[at] === FROM_ONE ? `${axes[at]} ${i + 1}` : String(i))).join(", ");
}

/** Where those differ from the index of the API and the address, which count all from 0: "head 3 is
 * index 2"; "" where they do not. */
export function countedOtherwise({ axes }, index) {
  return index.map((i, at) => (axes[at] === FROM_ONE ? `${axes[at]} ${i + 1} is index ${i}` : "")).filter(Boolean).join(", ");
}

/** A shape in symbols and in numbers: "N × d = 19 × 64". */
export function shapeInWords({ symbolic_shape: symbols }, sizes) {
  const [written, counted] = [symbols.join(" × "), sizes.join(" × ")];
  return written === counted ? (counted === "1" ? "one number" : counted) : `${written} = ${counted}`;
}

/** One index along an axis: "head 2", "position 4 e", "d_model 17". */
function indexInWords(axis, index, labels) {
  if (axis === FROM_ONE) return `${axis} ${index + 1}`;
  return labels ? `${axis} ${index} ${labels[index]}` : `${axis} ${index}`;
}

/** The smallest and largest finite number, and whether there is none. */
export function extent(data) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of data) {
    if (Number.isFinite(value)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { low, high, empty: low > high };
}
