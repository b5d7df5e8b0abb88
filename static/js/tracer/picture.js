// The current figure as a PNG or SVG file, on white, with a caption that says what it is.

import { plotlyText } from "../drawing/figure.js";
import { filled, shownState } from "../drawing/heatmap.js";
import { plotly } from "../drawing/plotly.js";
import { readInWords } from "../tensor/readings.js";
import { focused } from "../tensor/table.js";

const ON_WHITE = { text: "#1d1b19", soft: "#57524b", rule: "#dfdad2", accent: "#d9480f" };
const CAPTION = 58;

/** Save one of the figures on the screen: `view` is the name of its view. */
export async function picture(view, format) {
  const root = document.querySelector(`[data-view="${view}"]`);
  const { data, layout } = captioned(filled(root, ON_WHITE), captionOf(root));
  const library = await plotly();
  const url = await library.toImage({ data, layout }, { format, width: layout.width, height: layout.height, scale: format === "png" ? 2 : 1 });
  const link = document.createElement("a");
  link.href = url;
  link.download = `${root.dataset.drawn.split(" ")[0]}${view === "figure" ? "" : `.${view}`}.${format}`;
  link.click();
}

/** The lines above the picture, from what the page says. */
function captionOf(root) {
  const state = shownState(root);
  const shape = document.querySelector("[data-shape]").textContent;
  return [focused(state).title, `${readInWords(state.trace.told).replaceAll("\n", "↵")} · ${shape} · ${state.model} · Token Tracer`];
}

function captioned({ data, layout }, [title, line]) {
  const height = layout.height + CAPTION;
  const share = layout.height / height;
  const moved = { ...layout, height, paper_bgcolor: "#ffffff", width: Math.max(layout.width, 420) };
  for (const name of Object.keys(moved)) {
    if (!/^[xy]axis\d*$/.test(name)) continue;
    const scale = name[0] === "y" ? share : layout.width / moved.width;
    moved[name] = { ...moved[name], domain: moved[name].domain.map((end) => end * scale) };
  }
  const across = layout.width / moved.width;
  moved.annotations = layout.annotations.map((note) => ({ ...note, x: note.x * across, y: note.y * share }));
  const bar = layout.coloraxis.colorbar;
  moved.coloraxis = { ...layout.coloraxis, colorbar: { ...bar, x: bar.x * across, y: bar.y * share } };
  const note = { showarrow: false, xref: "paper", yref: "paper", x: 0.01, xanchor: "left", y: 1, yanchor: "top" };
  moved.annotations.push(
    { ...note, text: plotlyText(title), yshift: -8, font: { size: 16, color: ON_WHITE.text } },
    { ...note, text: plotlyText(line), yshift: -32, font: { size: 12, color: ON_WHITE.soft } },
  );
  return { data, layout: moved };
}
