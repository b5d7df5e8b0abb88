// One tensor's heatmaps, the focused stage's or its gradient's: drawn at once on canvases, then by
// Plotly in the same places.

import { axisNames } from "../tensor/labels.js";
import { focused } from "../tensor/table.js";
import { cellInWords, indexOf, panelsOf, placeOf, valueAt } from "../tensor/tensors.js";
import { drawPanel } from "./canvas.js";
import { colouringOf } from "./colours.js";
import { make } from "./elements.js";
import { fill } from "./figure.js";
import { arrange, hit } from "./geometry.js";
import { plotly } from "./plotly.js";
import { remarksOf } from "./remarks.js";

const TALLEST = 640;
const SHARE_OF_WINDOW = 0.46;
const OPTIONS = { staticPlot: true, displayModeBar: false, responsive: false };
const PROJECTED_LEAST = 240;
const PROJECTED_WIDTH = 900;
const BELOW_PROJECTED = 76; // the remarks under the picture
const BELOW_ONE_OF_TWO = 108; // the same where it has half the width, so that both are as high
const PROJECTED_ZOOM = 1.6;
const DRAWN_FROM = ["trace", "table", "stage", "head", "token", "cell", "palette", "scale", "stretched", "projector"];

/** How a tensor is drawn, as far as a state does not say otherwise. */
export const USUAL = {
  head: null, // the one panel shown, null for all
  token: null, // the chosen {along, position}: of the text or of the target
  cell: null, // the chosen cell's index
  hover: null, // the cell under the pointer
  palette: "default",
  scale: "robust", // or "full": where the colours end
  stretched: false, // whether those of probabilities end at the largest instead of 1
  projector: false, // large type, one panel
};

const drawn = new WeakMap(); // root -> what is on it: {state, arrangement, shown}
const waiting = new WeakMap(); // root -> the state to draw once it can be seen

/** Draw the focused stage of a state that has a trace. The cell under the pointer has its number
 * beside it; one under the pointer in another heatmap is outlined. */
export function heatmap(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  if (previous === null || DRAWN_FROM.some((name) => state[name] !== previous[name])) draw(root, state);
  if (!drawn.has(root)) return;
  drawn.get(root).state = state;
  tooltip(root, state);
  outline(root, state);
}

function listen(root, dispatch) {
  const plot = part(root, "plot");
  const under = (event) => {
    const box = plot.getBoundingClientRect();
    const on = drawn.get(root);
    if (!on || !box.width) return null;
    // A page that is scaled by CSS shows the picture larger than it is laid out.
    const [across, down] = [plot.offsetWidth / box.width, plot.offsetHeight / box.height];
    const place = hit(on.arrangement, (event.clientX - box.left) * across, (event.clientY - box.top) * down);
    return place && indexOf(focused(on.state), { ...place, panel: on.shown[place.panel] });
  };
  plot.addEventListener("pointermove", (event) => {
    root.dataset.pointed = "true";
    const index = under(event);
    const was = drawn.get(root)?.state.hover ?? null;
    if (String(index) !== String(was)) dispatch({ type: "hover", hover: index });
    follow(root, event);
  });
  plot.addEventListener("pointerleave", () => {
    delete root.dataset.pointed;
    dispatch({ type: "hover", hover: null });
  });
  plot.addEventListener("click", (event) => dispatch({ type: "cell", cell: under(event) }));
  plot.addEventListener("keydown", (event) => {
    const on = drawn.get(root);
    const cell = on && moved(on, event);
    if (cell === undefined || cell === false) return;
    event.preventDefault();
    dispatch({ type: "cell", cell, stepping: true });
  });
  const again = () => {
    const state = drawn.get(root)?.state ?? waiting.get(root);
    if (state) draw(root, state);
  };
  new ResizeObserver(again).observe(part(root, "frame"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

const STEPS = {
  ArrowLeft: { column: -1 }, ArrowRight: { column: 1 }, ArrowUp: { row: -1 }, ArrowDown: { row: 1 },
  PageUp: { panel: -1 }, PageDown: { panel: 1 }, Home: {}, End: {},
};

/** The cell that a key leads to: null to let go, false where the tensor ends, undefined for
 * other keys. With Ctrl, Home and End lead to the ends of the panel, else of the row. */
function moved({ state }, { key, ctrlKey, metaKey, altKey }) {
  if (key === "Escape") return null;
  const step = STEPS[key];
  if (!step || metaKey || altKey) return undefined;
  const stage = focused(state);
  const tensor = state.trace.tensors.get(stage.key);
  const known = state.cell !== null && valueAt(tensor, state.cell) !== undefined;
  const place = known ? placeOf(state.cell) : { panel: state.head ?? 0, row: 0, column: 0 };
  const { rows, columns } = panelsOf(stage, state.trace);
  if (key === "Home" || key === "End") {
    place.column = key === "Home" ? 0 : columns - 1;
    if (ctrlKey) place.row = key === "Home" ? 0 : rows - 1;
  } else if (ctrlKey) return undefined;
  else if (known) for (const [axis, by] of Object.entries(step)) place[axis] += by;
  const index = indexOf(stage, place);
  return valueAt(tensor, index) === undefined ? false : index;
}

function draw(root, state) {
  // In a hidden panel there is no width to fill; the observer draws when it is shown.
  if (!part(root, "frame").clientWidth) {
    drawn.delete(root);
    waiting.set(root, state);
    return;
  }
  const stage = focused(state);
  const tensor = state.trace.tensors.get(stage.key);
  const { axes, along, rows, columns, matrices } = panelsOf(stage, state.trace);
  part(root, "remark").textContent = remarksOf(stage, state.trace, colouringOf(state, stage), state.table);
  const only = onlyPanel(state, axes, matrices.length);
  const shown = only === null ? matrices.map((_, i) => i) : [only];
  const arrangement = arrange({
    width: part(root, "frame").clientWidth,
    height: state.projector ? roomBelow(root) : Math.min(TALLEST, innerHeight * SHARE_OF_WINDOW),
    zoom: state.projector && innerWidth >= PROJECTED_WIDTH ? PROJECTED_ZOOM : 1,
    rows, columns, count: shown.length, titled: axes.panel !== null,
    square: ofText(along.row) && ofText(along.column),
  });
  drawn.set(root, { state, arrangement, shown });
  const plot = part(root, "plot");
  plot.hidden = !tensor.data.length;
  plot.style.width = `${arrangement.width}px`;
  plot.style.height = `${arrangement.height}px`;
  plot.setAttribute("aria-label", `Heatmap: ${stage.title}, ${axisNames(stage, state.trace).join(" × ")} ${tensor.shape.join(" × ")}`);
  if (!tensor.data.length) return;
  if (!globalThis.Plotly) atOnce(root, state, stage);
  withPlotly(root);
}

/** What the window leaves for the picture. */
function roomBelow(root) {
  const bottom = Math.min(innerHeight, root.closest('[data-view="stage"]').getBoundingClientRect().bottom);
  const below = root.clientWidth < root.parentElement.clientWidth ? BELOW_ONE_OF_TWO : BELOW_PROJECTED;
  return Math.max(PROJECTED_LEAST, bottom - part(root, "frame").getBoundingClientRect().top - below);
}

/** Which one panel is shown, or null for all. */
export function onlyPanel({ head, projector, cell }, axes, count) {
  if (axes.panel === null || count < 2) return null;
  if (head !== null && head < count) return head;
  return projector ? panelWith(cell, count) : null;
}

/** The panel that has the chosen cell, or the first one. */
function panelWith(cell, count) {
  return cell?.length === 3 && cell[0] < count ? cell[0] : 0;
}

/** The drawn figure as Plotly's data and layout; other `ink` for another paper. */
export function filled(root, ink = inkOf(root)) {
  const { state, arrangement, shown } = drawn.get(root);
  const stage = focused(state);
  const tensor = state.trace.tensors.get(stage.key);
  return fill({
    stage, trace: state.trace, table: state.table, arrangement, ink, shown, colouring: colouringOf(state, stage),
    mark: state.cell && valueAt(tensor, state.cell) !== undefined ? placeOf(state.cell) : null, token: state.token,
  });
}

/** What is drawn: the state of the picture on the screen. */
export function shownState(root) {
  return drawn.get(root).state;
}

function ofText(along) {
  return along === "text" || along === "target";
}

/** The cells alone, on canvases, until Plotly's script has come. */
function atOnce(root, state, stage) {
  const { arrangement, shown } = drawn.get(root);
  part(root, "sketch").replaceChildren(
    ...shown.map((index, at) => {
      const canvas = make("canvas", { class: "sketch-panel" });
      const { x, y, width, height } = arrangement.panels[at];
      canvas.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
      drawPanel(canvas, stage, state.trace, colouringOf(state, stage), index);
      return canvas;
    }),
  );
}

/** Draw what is wanted by then; while one drawing runs, only the newest next one is kept. */
async function withPlotly(root) {
  const on = drawn.get(root);
  if (root.dataset.busy) return;
  root.dataset.busy = "true";
  try {
    const library = await plotly();
    if (!drawn.has(root)) return;
    const { state } = drawn.get(root);
    if (state.trace.tensors.get(state.stage).data.length) {
      const { data, layout } = filled(root);
      const canvas = part(root, "canvas");
      // Plotly keeps a colour bar where it stood before when it is laid down or stood up.
      const { orientation = "v" } = layout.coloraxis.colorbar;
      if (root.dataset.bar !== orientation) library.purge(canvas);
      root.dataset.bar = orientation;
      await library.react(canvas, data, layout, OPTIONS);
      part(root, "sketch").replaceChildren();
      root.dataset.drawn = `${state.stage} ${state.trace.told.text}`;
    }
  } catch (error) {
    part(root, "remark").textContent += ` ${error.message}`;
  } finally {
    delete root.dataset.busy;
  }
  if (drawn.has(root) && drawn.get(root) !== on) withPlotly(root);
}

function inkOf(root) {
  const style = getComputedStyle(root);
  const ink = (name) => style.getPropertyValue(`--${name}`).trim();
  return { text: ink("ink"), soft: ink("ink-soft"), rule: ink("rule"), accent: ink("mark") };
}

function tooltip(root, state) {
  const tip = part(root, "tip");
  tip.hidden = state.hover === null || !root.dataset.pointed;
  if (tip.hidden) return;
  const words = cellInWords(focused(state), state.hover, state);
  tip.replaceChildren(...[words.value, words.place, words.title].map((line, i) => make("span", { class: i ? "tip-line" : "tip-value", text: line })));
}

/** The cell that is pointed at elsewhere. */
function outline(root, state) {
  const { arrangement, shown } = drawn.get(root);
  const box = part(root, "twin");
  const place = state.hover === null || root.dataset.pointed ? null : placeOf(state.hover);
  const panel = place === null ? undefined : arrangement.panels[shown.indexOf(place.panel)];
  box.hidden = panel === undefined;
  if (box.hidden) return;
  const { width, height } = arrangement.cell;
  box.style.cssText = `left:${panel.x + place.column * width}px;top:${panel.y + place.row * height}px;width:${width}px;height:${height}px`;
}

function follow(root, event) {
  const tip = part(root, "tip");
  const frame = part(root, "frame");
  const box = frame.getBoundingClientRect();
  const [x, y] = [(event.clientX - box.left) * frame.offsetWidth / box.width, (event.clientY - box.top) * frame.offsetHeight / box.height];
  const flip = x + tip.offsetWidth + 24 > frame.offsetWidth;
  tip.style.transform = `translate(${Math.max(0, flip ? x - tip.offsetWidth - 12 : x + 16)}px, ${y + 18}px)`;
}

function part(root, name) {
  return root.querySelector(`[data-${name}]`);
}
