// Fill a kind's Plotly template with a tensor: a pure function.

import { indexAlong, labelsOf } from "../tensor/labels.js";
import { short } from "../tensor/numbers.js";
import { panelsOf } from "../tensor/tensors.js";
import { isUnit } from "./colours.js";
import { labelSize, labelStep } from "./geometry.js";
import { ground, unusualIn } from "./marks.js";

const AXES = [["x", "column"], ["y", "row"]];

/** {data, layout} for a stage. `shown` are the panels drawn; `ink` are the page's colours. */
export function fill({ stage, trace, table, arrangement, shown, ink, mark, token, colouring }) {
  const kind = table.kinds[stage.kind];
  const stretched = isUnit(kind) && colouring.high !== 1;
  const { template } = kind;
  const { axes, along, rows, columns, matrices } = panelsOf(stage, trace);
  const { low, high, colours } = colouring;
  const { width, height, narrow, across, cell, zoom } = arrangement;
  const bar = { ...template.coloraxis.colorbar, tickfont: { color: ink.soft, size: 11 * zoom }, tickcolor: ink.rule };
  const layout = {
    ...template.layout,
    width,
    height,
    margin: { l: 0, r: 0, t: 0, b: 0, pad: 0, autoexpand: false },
    font: { ...template.layout.font, color: ink.text, size: 12 * zoom },
    showlegend: false,
    coloraxis: { ...template.coloraxis, colorscale: scaleOf(colours), cmin: low, cmax: high, colorbar: { ...bar, ...placed(narrow, arrangement), ...(stretched ? endAtLargest(high) : {}) } },
    images: [],
    annotations: [],
    shapes: [],
  };
  const counts = { row: rows, column: columns };
  const chosen = { row: indexAlong(along.row, token, trace, table), column: indexAlong(along.column, token, trace, table) };
  const clipped = [];
  const data = shown.map((index, at) => {
    const number = at === 0 ? "" : String(at + 1);
    const box = arrangement.panels[at];
    const domains = {
      x: [box.x / width, (box.x + box.width) / width],
      y: [1 - (box.y + box.height) / height, 1 - box.y / height],
    };
    for (const [letter, role] of AXES) {
      const labelled = letter === "x" || at % across === 0;
      layout[`${letter}axis${number}`] = {
        ...template[`${letter}axis`],
        ...ticks(letter, labelsOf(along[role], trace, table), counts[role], letter === "x" ? cell.width : cell.height, ink, zoom),
        range: letter === "x" ? [-0.5, columns - 0.5] : [rows - 0.5, -0.5],
        autorange: false,
        domain: domains[letter],
        anchor: `${letter === "x" ? "y" : "x"}${number}`,
        showticklabels: labelled && axes[role] !== null,
      };
    }
    layout.annotations.push(...axisTitles(axes, box, { width, height, first: at % across === 0, ink, zoom }));
    if (axes.panel !== null) layout.annotations.push(panelTitle(axes.panel, index, box, { width, height, ink, zoom }));
    const names = unusualIn(matrices[index], { rows, columns, start: index * rows * columns }, colouring);
    if (stage.null_means !== null && names === null) {
      layout.images.push({
        ...template.masked, xref: `x${number}`, yref: `y${number}`, x: -0.5, y: -0.5, sizex: columns, sizey: rows,
      });
    }
    if (names !== null) {
      layout.images.push({
        ...template.unusual, xref: `x${number}`, yref: `y${number}`, x: -0.5, y: -0.5, sizex: columns, sizey: rows, source: ground(names, colouring),
      });
    }
    layout.shapes.push(...outlines({ rows, columns, number, index, mark, chosen, ink }));
    clipped.push(...beyond(matrices[index], columns, colouring, template, { xaxis: `x${number}`, yaxis: `y${number}` }));
    return { ...template.trace, xaxis: `x${number}`, yaxis: `y${number}`, z: rowsOf(matrices[index], rows, columns), hoverinfo: "skip", ...(cell.width >= 22 * zoom ? kind.template.written : {}) };
  });
  return { data: [...data, ...clipped], layout };
}

function scaleOf(colours) {
  return colours.map((colour, i) => [i / (colours.length - 1), colour]);
}

/** The marks on finite cells that the colours do not reach; none where there is none. */
function beyond(matrix, columns, { low, high }, template, axes) {
  const [x, y, symbol] = [[], [], []];
  for (const [i, value] of matrix.entries()) {
    if ((value < low || value > high) && Number.isFinite(value)) {
      x.push(i % columns);
      y.push(Math.floor(i / columns));
      symbol.push(template.beyond[value < low ? "low" : "high"]);
    }
  }
  return x.length ? [{ ...template.clipped, marker: { ...template.clipped.marker, symbol }, ...axes, x, y }] : [];
}

/** Labels at whole positions, as many as fit; never category text, which merges equal labels. */
function ticks(letter, labels, count, cellSize, ink, zoom) {
  // Every second letter would spell a text that is not there: then positions are numbered instead.
  const numeric = labels === null || labelStep(letter, cellSize, false, zoom) > 1;
  const step = labelStep(letter, cellSize, numeric, zoom);
  const tickvals = Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
  const ticktext = tickvals.map((i) => (numeric ? String(i) : plotlyText(labels[i] ?? "")));
  const tickfont = { color: ink.soft, size: labelSize(letter, cellSize, numeric, zoom) };
  return { tickmode: "array", tickvals, ticktext, tickangle: 0, tickfont };
}

/** Plotly reads a small markup in its texts; this makes a text come out as it is. */
export function plotlyText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function rowsOf(matrix, rows, columns) {
  return Array.from({ length: rows }, (_, row) => matrix.subarray(row * columns, (row + 1) * columns));
}

function placed(narrow, { panels, width, height, across }) {
  const last = panels[Math.min(across, panels.length) - 1];
  if (narrow) {
    const right = last.x + last.width;
    return { orientation: "h", x: panels[0].x / width, xanchor: "left", xpad: 0, y: 0, yanchor: "bottom", ypad: 4, lenmode: "pixels", len: Math.max(120, right - panels[0].x), thickness: 8 };
  }
  const bottom = panels.at(-1).y + panels.at(-1).height;
  return {
    x: (last.x + last.width + 14) / width, xanchor: "left", xpad: 0, y: 1 - panels[0].y / height, yanchor: "top", ypad: 0,
    lenmode: "pixels", len: Math.min(320, bottom - panels[0].y),
  };
}

/** The bar of colours that are stretched says so: a reader who knows it from 0 to 1 must see it. */
function endAtLargest(high) {
  const tickvals = [0, high / 2, high];
  return { tickmode: "array", tickvals, ticktext: ["0", short(high / 2), `${short(high)}<br>largest`] };
}

function axisTitles(axes, box, { width, height, first, ink, zoom }) {
  const base = { showarrow: false, xref: "paper", yref: "paper", font: { size: 11 * zoom, color: ink.soft } };
  const titles = [{
    ...base, text: axes.column, x: box.x / width, xanchor: "left", y: 1 - (box.y - 19 * zoom) / height, yanchor: "bottom",
  }];
  if (first && axes.row !== null) {
    titles.push({ ...base, text: axes.row, textangle: -90, x: (box.x - 26 * zoom) / width, xanchor: "right", y: 1 - box.y / height, yanchor: "top" });
  }
  return titles;
}

function panelTitle(axis, index, box, { width, height, ink, zoom }) {
  return {
    text: `${axis} ${index + 1}`, showarrow: false, xref: "paper", yref: "paper", x: (box.x + box.width / 2) / width, xanchor: "center",
    y: 1 - (box.y + box.height + 4) / height, yanchor: "top", font: { size: 12 * zoom, color: ink.text },
  };
}

/** The chosen token's row and column, and the chosen cell. */
function outlines({ rows, columns, number, index, mark, chosen: { row, column }, ink }) {
  const shapes = [];
  const outline = (x0, x1, y0, y1, width) => shapes.push({
    type: "rect", xref: `x${number}`, yref: `y${number}`, x0, x1, y0, y1, line: { color: ink.accent, width }, layer: "above",
  });
  if (row !== null && row < rows) outline(-0.5, columns - 0.5, row - 0.5, row + 0.5, 1);
  if (column !== null && column < columns) outline(column - 0.5, column + 0.5, -0.5, rows - 0.5, 1);
  if (mark !== null && mark.panel === index) outline(mark.column - 0.5, mark.column + 0.5, mark.row - 0.5, mark.row + 0.5, 2.5);
  return shapes;
}
