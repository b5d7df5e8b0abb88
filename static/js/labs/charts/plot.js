// A figure of a lab: a drawing as wide as its place, and the same numbers as a table.

import { make } from "../../drawing/elements.js";
import { written } from "../words.js";

const shown = new WeakMap(); // root -> what it shows

/** Show a figure in the element of `plot` in the templates. `drawing(width)` gives an element;
 * `alt` says in a sentence what it shows; `columns` are [{name, values}] for the table, of which
 * the first names the rows; `legend` are [{name, look}]. */
export function plot(root, figure) {
  const known = shown.has(root);
  shown.set(root, figure);
  if (!known) listen(root);
  draw(root);
  tabulate(root);
}

function listen(root) {
  let width = root.querySelector("[data-canvas]").clientWidth;
  new ResizeObserver(() => {
    const now = root.querySelector("[data-canvas]").clientWidth;
    if (now !== width) draw(root);
    width = now;
  }).observe(root);
  root.querySelector("details").addEventListener("toggle", () => tabulate(root));
}

function draw(root) {
  const { drawing, alt, legend = [] } = shown.get(root);
  const canvas = root.querySelector("[data-canvas]");
  if (!canvas.clientWidth) return;
  const drawn = drawing(canvas.clientWidth);
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", alt);
  canvas.replaceChildren(drawn);
  root.querySelector("[data-legend]").replaceChildren(...legend.map(({ name, look }) => make("li", { class: `legend-entry is-${look}` }, make("span", { class: "legend-mark", "aria-hidden": "true" }), make("span", { text: name }))));
}

/** The table is made when someone opens it. */
function tabulate(root) {
  const details = root.querySelector("details");
  if (details.open) table(details.querySelector("table"), shown.get(root).columns);
}

/** Fill a table: a row for each value of the first column, which names it. */
export function table(root, columns) {
  const head = make("thead", {}, make("tr", {}, ...columns.map(({ name }) => make("th", { scope: "col", text: name }))));
  const rows = columns[0].values.map((_, i) =>
    make("tr", {}, ...columns.map(({ values }, at) => make(at ? "td" : "th", { scope: at ? null : "row", text: written(values[i]) }))),
  );
  root.replaceChildren(head, make("tbody", {}, ...rows));
}
