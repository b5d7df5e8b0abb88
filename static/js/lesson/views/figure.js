// The step's tensor, drawn as the tracer draws it.

import { differentiated } from "../../differentiated.js";
import { axisNames } from "../../labels.js";
import { initialState as usual } from "../../store.js";
import { heatmap } from "../../views/heatmap.js";

const seen = new WeakMap(); // root -> the state that the heatmap saw last

export function figure(root, state, dispatch) {
  const { picture } = state;
  root.hidden = picture === null;
  if (picture === null) {
    seen.delete(root);
    return;
  }
  const drawn = asTraced(state);
  const previous = seen.get(root) ?? null;
  seen.set(root, drawn);
  if (root.dataset.of !== picture.of) head(root, drawn, picture);
  root.dataset.of = picture.of;
  heatmap(root, drawn, dispatch, previous);
}

/** The state that the tracer would have. */
function asTraced({ picture, tables, hover, cell }) {
  const { model, stage, trace, gradients, head, reading } = picture;
  const view = usual({ ...reading, model, stage, weights: "", architecture: null, mask: null, examples: [] });
  const state = { ...view, table: tables[model], trace, gradients, head, cell, hover };
  return gradients === null ? state : differentiated(state);
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
