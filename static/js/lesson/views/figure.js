// The step's tensor, drawn as the tracer draws it.

import { heatmap, USUAL } from "../../drawing/heatmap.js";
import { ofGradients } from "../../tensor/gradients.js";
import { axisNames } from "../../tensor/labels.js";

const seen = new WeakMap(); // root -> the state that the heatmap saw last

export function figure(root, state, dispatch) {
  const { picture } = state;
  root.hidden = picture === null;
  if (picture === null) {
    seen.delete(root);
    return;
  }
  const drawn = asDrawn(state);
  const previous = seen.get(root) ?? null;
  seen.set(root, drawn);
  if (root.dataset.of !== picture.of) head(root, drawn, picture);
  root.dataset.of = picture.of;
  heatmap(root, drawn, dispatch, previous);
}

/** The state that the heatmap draws. */
function asDrawn({ picture, tables, hover, cell }) {
  const { model, stage, trace, gradients, head } = picture;
  const state = { ...USUAL, table: tables[model], stage, trace, gradients, head, cell, hover };
  return gradients === null ? state : ofGradients(state);
}

function head(root, { table, trace, stage }, { mark, answered }) {
  const entry = table.stages.find(({ key }) => key === stage);
  const { shape } = trace.tensors.get(stage);
  root.querySelector("[data-heading]").textContent = entry.title;
  root.querySelector("[data-meanwhile]").hidden = answered;
  root.querySelector("[data-shape]").textContent = `${entry.symbolic_shape.join(" × ")} = ${shape.join(" × ")}`;
  root.querySelector("[data-axes]").textContent = axisNames(entry, trace).join(", ");
  root.querySelector("[data-marked]").textContent = mark === null ? "" : "The cell in question is outlined.";
}
