// The model as one picture that is also the navigation: the residual stream is a line that each
// sub-layer leaves and rejoins; every stage has a thumbnail of its tensor.

import { drawThumbnail } from "../../drawing/canvas.js";
import { colouringOf } from "../../drawing/colours.js";
import { make, onFollow } from "../../drawing/elements.js";
import { rails } from "../../drawing/rail.js";
import { writeAt } from "../../page/address.js";
import { stale } from "../store.js";

const LINKED_FROM = ["stage", "table", "trace", "target", "hidden", "section", "token", "head", "palette", "scale", "stretched", "projector", "gradient", "highway"];
const DRAWN_FROM = ["trace", "table", "palette", "scale", "stretched"];

export function outline(root, state, dispatch, previous) {
  if (state.table === null) return;
  if (root.dataset.model !== state.table.model) build(root, state, dispatch);
  if (state.explanation !== previous?.explanation || state.cell !== previous?.cell) lightUp(root, state);
  if (LINKED_FROM.some((name) => state[name] !== previous?.[name])) mark(root, state);
  if (state.trace !== null && DRAWN_FROM.some((name) => state[name] !== previous?.[name])) draw(root, state);
  root.classList.toggle("is-stale", stale(state));
}

function build(root, state, dispatch) {
  root.dataset.model = state.table.model;
  const { stages } = state.table;
  const groups = [];
  const lines = rails(stages);
  for (const [i, stage] of stages.entries()) {
    if (stage.group !== stages[i - 1]?.group) groups.push({ name: stage.group, rows: [] });
    groups.at(-1).rows.push(row(stage, lines[i]));
  }
  root.replaceChildren(
    ...groups.map(({ name, rows }) =>
      make("section", { class: "outline-group", "aria-label": name }, make("h3", { class: "outline-title", text: name }), make("ol", { class: "outline-list" }, ...rows)),
    ),
  );
  onFollow(root, "[data-stage]", (link) => dispatch({ type: "stage", stage: link.dataset.stage }));
  root.addEventListener("keydown", (event) => move(root, event));
}

function row(stage, line) {
  return make(
    "li",
    {},
    make(
      "a",
      { class: "outline-row", href: "?", "data-stage": stage.key },
      line,
      make("span", { class: "outline-name", text: shortTitle(stage) }),
      make("span", { class: "outline-shape", text: stage.symbolic_shape.join(" × ") }),
      make("canvas", { class: "thumbnail", "aria-hidden": "true" }),
    ),
  );
}

/** The title without the words that it shares with its group, whose name stands above it. */
function shortTitle({ title, group }) {
  const [words, shared] = [title.split(" "), group.split(" ")];
  const same = words.findIndex((word, i) => word !== shared[i]);
  const rest = words.slice(Math.max(0, same)).join(" ").replace(/^· /, "");
  return rest[0].toUpperCase() + rest.slice(1);
}

function mark(root, state) {
  for (const link of root.querySelectorAll("[data-stage]")) {
    const here = link.dataset.stage === state.stage;
    if (here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.href = writeAt(state, { stage: link.dataset.stage });
    const taught = state.section !== null && teaches(state.table, link.dataset.stage, state.section);
    link.classList.toggle("is-taught", taught);
    link.classList.toggle("is-aside", state.section !== null && !taught);
    if (here && state.stage !== root.dataset.revealed) reveal(root, link);
  }
}

/** The stages whose cells the chosen number is made from. */
function lightUp(root, { explanation, cell }) {
  const terms = cell === null ? [] : (explanation?.answer?.terms ?? []);
  const used = new Set(terms.flatMap(({ factors }) => factors.map(({ stage }) => stage)));
  for (const link of root.querySelectorAll("[data-stage]")) link.classList.toggle("is-operand", used.has(link.dataset.stage));
}

function teaches(table, key, label) {
  return table.stages.find((stage) => stage.key === key).sections.some((section) => section.label === label);
}

function reveal(root, link) {
  root.dataset.revealed = link.dataset.stage;
  if (root.scrollHeight <= root.clientHeight) return;
  const [outer, inner] = [root.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) root.scrollTop += inner.top - outer.top - outer.height / 3;
}

function draw(root, state) {
  const { table, trace } = state;
  for (const stage of table.stages) {
    const link = root.querySelector(`[data-stage="${CSS.escape(stage.key)}"]`);
    drawThumbnail(link.querySelector("canvas"), stage, trace, colouringOf(state, stage));
    link.querySelector(".outline-shape").textContent = `${stage.symbolic_shape.join(" × ")} = ${trace.tensors.get(stage.key).shape.join(" × ")}`;
  }
}

function move(root, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...root.querySelectorAll("[data-stage]")];
  const to = links[links.indexOf(document.activeElement) + step];
  if (!step || !to) return;
  event.preventDefault();
  to.focus();
  to.click();
}
