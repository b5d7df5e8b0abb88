// The focused tensor once more, as a table of its numbers, and its gradient while that is shown:
// for screen readers, for copying, and to read what a colour hides. Made only while it is open.

import { make } from "../../drawing/elements.js";
import { ofGradients, paired, settled } from "../../tensor/gradients.js";
import { labelsOf } from "../../tensor/labels.js";
import { focused } from "../../tensor/table.js";
import { indexOf, panelsOf, placeOf, shapeInWords, valueAt, valueInWords } from "../../tensor/tensors.js";
import { withWeight } from "../../tensor/weights.js";
import { stale } from "../store.js";

const MANY = 4096; // cells, which take long enough to lay out to be felt while typing
const PAUSE = 150;
const SPAN = { rows: 66, columns: 66 }; // so many at most, a shipped alphabet whole: more take seconds to lay out

const shown = new WeakMap(); // root -> {state, made: what its tables are made from, timer}

export function twin(root, given, dispatch) {
  const state = withWeight(given);
  root.hidden = state === null; // a weight that has not come
  if (state === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  root.classList.toggle("is-stale", stale(state));
  shown.set(root, { made: [], timer: 0, ...shown.get(root), state });
  if (!root.open) return;
  const on = shown.get(root);
  clearTimeout(on.timer);
  const many = state.trace.tensors.get(focused(state).key).data.length > MANY;
  if (!many || same(on.made, madeFrom(state))) show(root);
  else on.timer = setTimeout(() => root.open && show(root), PAUSE);
}

function listen(root, dispatch) {
  root.addEventListener("toggle", () => {
    if (root.open) show(root);
    else clear(root);
  });
  root.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-panel]");
    if (button) dispatch({ type: "head", head: Number(button.dataset.panel) });
    const number = target.closest("td");
    if (number === null) return;
    const { state } = shown.get(root);
    const [top, left] = windowOf(state);
    const place = { panel: panelShown(state), row: top + number.parentElement.sectionRowIndex, column: left + number.cellIndex - 1 };
    dispatch({ type: "cell", cell: indexOf(focused(state), place), differential: number.closest("[data-differential]") !== null });
  });
}

function clear(root) {
  shown.get(root).made = [];
  root.querySelector("[data-tables]").replaceChildren();
}

function show(root) {
  const { state, made } = shown.get(root);
  const from = madeFrom(state);
  if (!same(made, from)) {
    shown.get(root).made = from;
    panels(root, state);
    root.querySelector("[data-tables]").replaceChildren(...sidesOf(state).map((side, i) => box(side, panelShown(state), i > 0)));
  }
  mark(root, state);
}

/** The states of which there is a table: as it is, and with gradients in place of tensors. */
function sidesOf(state) {
  return paired(state) ? [state, ofGradients(state)] : [state];
}

function madeFrom(state) {
  return [panelShown(state), String(windowOf(state)), ...sidesOf(state).flatMap((side) => [side.trace, focused(side)])];
}

/** The first row and column of the part that is made; the chosen cell is in it. */
function windowOf(state) {
  const { rows, columns } = panelsOf(focused(state), state.trace);
  const { row = 0, column = 0 } = cellShown(state) ? placeOf(state.cell) : {};
  const begin = (at, count, span) => (count > span ? Math.min(Math.floor(at / span) * span, count - span) : 0);
  return [begin(row, rows, SPAN.rows), begin(column, columns, SPAN.columns)];
}

function same(a, b) {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

/** The chosen head, else that of the chosen cell, else the first. */
function panelShown(state) {
  const stage = focused(state);
  const { axes, matrices } = panelsOf(stage, state.trace);
  if (axes.panel === null) return 0;
  if (state.head !== null && state.head < matrices.length) return state.head;
  return cellShown(state) ? placeOf(state.cell).panel : 0;
}

/** Whether the chosen cell is one of this tensor. */
function cellShown(state) {
  return state.cell !== null && valueAt(state.trace.tensors.get(focused(state).key), state.cell) !== undefined;
}

function panels(root, state) {
  const { axes, matrices } = panelsOf(focused(state), state.trace);
  const bar = root.querySelector("[data-panels]");
  bar.hidden = axes.panel === null;
  if (bar.hidden || bar.querySelectorAll("button").length === matrices.length) return; // a pressed one keeps the focus
  bar.replaceChildren(
    make("span", { class: "hint", text: axes.panel }),
    ...matrices.map((_, i) => make("button", { type: "button", class: "switch", "data-panel": i, text: String(i + 1), "aria-label": `${axes.panel} ${i + 1} in the table` })),
  );
}

/** One tensor's table in a box of its own, which scrolls, by keyboard too. */
function box(state, panel, isGradient) {
  const stage = focused(state);
  const { shape } = state.trace.tensors.get(stage.key);
  if (shape.includes(0)) return make("p", { class: "hint", text: `There is no number in ${stage.title}: its shape is ${shape.join(" × ")}.` });
  return make("div", { class: "tabled-box", "data-differential": isGradient, tabindex: "0", role: "region", "aria-label": `Table: ${stage.title}` }, tableOf(state, stage, panel, shape));
}

/** What of a large tensor is not in its table, and the way to all of it. */
function restInWords({ rows, columns }, [top, left], [bottom, right]) {
  if (bottom - top === rows && right - left === columns) return "";
  return ` · rows ${top} to ${bottom - 1} of ${rows}, columns ${left} to ${right - 1} of ${columns}: choose a cell of the picture to see those around it; CSV, under “Take it away”, has all`;
}

function tableOf(state, stage, panel, shape) {
  const { table, trace } = state;
  const { axes, along, rows, columns, matrices } = panelsOf(stage, trace);
  const [down, across] = [along.row, along.column].map((one) => labelsOf(one, trace, table));
  const which = axes.panel === null ? "" : `, ${axes.panel} ${panel + 1}`;
  const corner = [axes.row && `${axes.row} ↓`, `${axes.column} →`].filter(Boolean).join(" ");
  const body = make("tbody");
  const [top, left] = windowOf(state);
  const [bottom, right] = [Math.min(rows, top + SPAN.rows), Math.min(columns, left + SPAN.columns)];
  for (let row = top; row < bottom; row += 1) {
    const line = make("tr", {}, axes.row === null ? make("th", { scope: "row", text: "value" }) : heading("row", row, down));
    for (let column = left; column < right; column += 1) {
      const value = matrices[panel][row * columns + column];
      const cell = document.createElement("td");
      cell.textContent = valueInWords(value, (panel * rows + row) * columns + column, stage, { table, trace });
      line.append(cell);
    }
    body.append(line);
  }
  return make(
    "table",
    { class: "tabled-numbers" },
    make("caption", {}, make("span", { text: `${stage.title}${which} · ${shapeInWords(stage, shape)}${restInWords({ rows, columns }, [top, left], [bottom, right])}` })),
    make("thead", {}, make("tr", {}, make("th", { scope: "col", text: corner }), ...Array.from({ length: right - left }, (_, i) => heading("col", left + i, across)))),
    body,
  );
}

function heading(scope, index, labels) {
  return make("th", { scope }, `${index} `, labels && make("b", { text: labels[index] }));
}

/** The chosen cell in each table, and the head that is shown. */
function mark(root, state) {
  for (const button of root.querySelectorAll("[data-panel]")) button.setAttribute("aria-pressed", String(Number(button.dataset.panel) === panelShown(state)));
  for (const marked of root.querySelectorAll("td[aria-current]")) marked.removeAttribute("aria-current");
  const { panel, row, column } = cellShown(state) ? placeOf(state.cell) : {};
  root.classList.toggle("is-waiting", paired(state) && !settled(state));
  if (panel !== panelShown(state)) return;
  const [top, left] = windowOf(shown.get(root).state);
  for (const around of root.querySelectorAll(".tabled-box")) {
    const cell = around.querySelector("tbody").rows[row - top]?.cells[column - left + 1];
    cell?.setAttribute("aria-current", "true");
    if (cell) reveal(around, cell);
  }
}

/** Scroll the box, never the page, until the cell is out from behind the headings. */
function reveal(around, cell) {
  const [corner, outer, inner] = [around.querySelector("th"), around, cell].map((one) => one.getBoundingClientRect());
  const [left, top] = [outer.left + corner.width, outer.top + corner.height];
  const [right, bottom] = [outer.left + around.clientWidth, outer.top + around.clientHeight];
  around.scrollBy({
    left: Math.min(0, inner.left - left) + Math.max(0, inner.right - right),
    top: Math.min(0, inner.top - top) + Math.max(0, inner.bottom - bottom),
  });
}
