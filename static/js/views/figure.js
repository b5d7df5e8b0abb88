// The focused stage's heatmaps: drawn at once on canvases, then by Plotly in the same places.

import { drawPanel } from "../canvas.js";
import { make } from "../dom.js";
import { fill } from "../figure.js";
import { arrange, hit } from "../geometry.js";
import { exact, short } from "../numbers.js";
import { plotly } from "../plotly.js";
import { focused, stale } from "../store.js";
import { cellInWords, extent, indexOf, panelsOf, placeOf, valueAt } from "../tensors.js";

const TALLEST = 640;
const SHARE_OF_WINDOW = 0.46;
const OPTIONS = { staticPlot: true, displayModeBar: false, responsive: false };
const DRAWN_FROM = ["trace", "table", "stage", "head", "token", "cell"];

const drawn = new WeakMap(); // root -> what is on it: {state, arrangement, shown}

export function figure(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  root.classList.toggle("is-stale", stale(state));
  part(root, "stale").textContent = stale(state) ? `This is still “${state.trace.told.text}”, the last text that could be read.` : "";
  if (state.table === null || state.trace === null) return;
  if (previous === null || DRAWN_FROM.some((name) => state[name] !== previous[name])) draw(root, state);
  tooltip(root, state);
}

function listen(root, dispatch) {
  const plot = part(root, "plot");
  const under = (event) => {
    const box = plot.getBoundingClientRect();
    const on = drawn.get(root);
    const place = on && hit(on.arrangement, event.clientX - box.left, event.clientY - box.top);
    return place && indexOf(focused(on.state), { ...place, panel: on.shown[place.panel] });
  };
  plot.addEventListener("pointermove", (event) => {
    const index = under(event);
    const was = drawn.get(root)?.state.hover ?? null;
    if (String(index) !== String(was)) dispatch({ type: "hover", hover: index });
    follow(root, event);
  });
  plot.addEventListener("pointerleave", () => dispatch({ type: "hover", hover: null }));
  plot.addEventListener("click", (event) => dispatch({ type: "cell", cell: under(event) }));
  part(root, "heads").addEventListener("click", (event) => {
    const button = event.target.closest("[data-head]");
    if (button) dispatch({ type: "head", head: button.dataset.head === "" ? null : Number(button.dataset.head) });
  });
  const again = () => drawn.has(root) && draw(root, drawn.get(root).state);
  new ResizeObserver(again).observe(part(root, "frame"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

function draw(root, state) {
  const stage = focused(state);
  const tensor = state.trace.tensors.get(stage.key);
  const { axes, rows, columns, matrices } = panelsOf(stage, tensor);
  const only = axes.panel !== null && state.head !== null && state.head < matrices.length ? state.head : null;
  const shown = only === null ? matrices.map((_, i) => i) : [only];
  const arrangement = arrange({
    width: part(root, "frame").clientWidth,
    height: Math.min(TALLEST, innerHeight * SHARE_OF_WINDOW),
    rows, columns, count: shown.length, titled: axes.panel !== null,
    square: axes.row !== null && tokenAxis(axes.row) && tokenAxis(axes.column),
  });
  drawn.set(root, { state, arrangement, shown });
  headButtons(root, axes.panel, matrices.length, only);
  remarks(root, stage, tensor, state.table);
  const plot = part(root, "plot");
  plot.hidden = !tensor.data.length;
  plot.style.width = `${arrangement.width}px`;
  plot.style.height = `${arrangement.height}px`;
  plot.setAttribute("aria-label", `Heatmap: ${stage.title}, ${stage.axes.join(" × ")} ${tensor.shape.join(" × ")}`);
  if (!tensor.data.length) return;
  if (!globalThis.Plotly) atOnce(root, state, stage, tensor);
  withPlotly(root);
}

function tokenAxis(axis) {
  return axis === "position" || axis === "source";
}

/** The cells alone, on canvases, until Plotly's script has come. */
function atOnce(root, { table }, stage, tensor) {
  const { arrangement, shown } = drawn.get(root);
  part(root, "sketch").replaceChildren(
    ...shown.map((index, at) => {
      const canvas = make("canvas", { class: "sketch-panel" });
      const { x, y, width, height } = arrangement.panels[at];
      canvas.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
      drawPanel(canvas, stage, tensor, table.kinds[stage.kind], table.labels.length, index);
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
    const { state, arrangement, shown } = drawn.get(root);
    const stage = focused(state);
    const tensor = state.trace.tensors.get(stage.key);
    if (tensor.data.length) {
      const { data, layout } = fill({
        stage, tensor, trace: state.trace, table: state.table, arrangement, ink: inkOf(root), shown,
        mark: state.cell && valueAt(tensor, state.cell) !== undefined ? placeOf(state.cell) : null, token: state.token,
      });
      await library.react(part(root, "canvas"), data, layout, OPTIONS);
      part(root, "sketch").replaceChildren();
      root.dataset.drawn = `${stage.key} ${state.trace.told.text}`;
    }
  } catch (error) {
    part(root, "remark").textContent = error.message;
  } finally {
    delete root.dataset.busy;
  }
  if (drawn.get(root) !== on) withPlotly(root);
}

function inkOf(root) {
  const style = getComputedStyle(root);
  const ink = (name) => style.getPropertyValue(`--${name}`).trim();
  return { text: ink("ink"), soft: ink("ink-soft"), faint: ink("ink-soft"), rule: ink("rule"), accent: ink("mark") };
}

function headButtons(root, axis, count, only) {
  const bar = part(root, "heads");
  bar.hidden = axis === null;
  if (axis === null) return;
  const options = [["", "all heads", "all heads"], ...Array.from({ length: count }, (_, i) => [String(i), String(i + 1), `${axis} ${i + 1}`])];
  const chosen = only === null ? "" : String(only);
  bar.replaceChildren(
    ...options.map(([value, text, name]) =>
      make("button", { type: "button", class: "switch", "data-head": value, text, "aria-label": name, "aria-pressed": String(value === chosen) }),
    ),
  );
}

/** What the picture alone does not say: nothing to see, all the same, what the hatching is. */
function remarks(root, stage, tensor, table) {
  const { low, high, empty } = extent(tensor.data);
  const said = [];
  if (!tensor.data.length) said.push("No character follows the only one, so this tensor is empty: its shape is 0.");
  else if (empty) said.push("No cell has a finite value.");
  else if (low === high && table.kinds[stage.kind].range !== "unit" && tensor.data.length > 1) said.push(`All values equal ${exact(low)}.`);
  else said.push(`From ${short(low)} to ${short(high)}.`);
  if (stage.null_means !== null && tensor.data.some((value) => !Number.isFinite(value))) said.push("Hatched cells are masked: −∞.");
  part(root, "remark").textContent = said.join(" ");
}

function tooltip(root, state) {
  const tip = part(root, "tip");
  tip.hidden = state.hover === null;
  if (state.hover === null) return;
  const words = cellInWords(state, state.hover);
  tip.replaceChildren(...[words.value, words.place, words.title].map((line, i) => make("span", { class: i ? "tip-line" : "tip-value", text: line })));
  drawn.get(root).state = state;
}

function follow(root, event) {
  const tip = part(root, "tip");
  const frame = part(root, "frame").getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  const flip = x + tip.offsetWidth + 24 > frame.width;
  tip.style.transform = `translate(${Math.max(0, flip ? x - tip.offsetWidth - 12 : x + 16)}px, ${y + 18}px)`;
}

function part(root, name) {
  return root.querySelector(`[data-${name}]`);
}
