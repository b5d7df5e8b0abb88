// The focused stage's gradient beside its activation, cell for cell.

import { heatmap } from "../../drawing/heatmap.js";
import { gradientSymbol } from "../../drawing/symbols.js";
import { ofGradients, paired, settled } from "../../tensor/gradients.js";
import { focused } from "../../tensor/table.js";
import { stale } from "../store.js";

export function gradient(root, state, dispatch, previous) {
  root.hidden = !paired(state);
  if (root.hidden) return;
  const before = previous && paired(previous) ? previous : null;
  if (!root.dataset.made) {
    root.dataset.made = "true";
    root.append(root.querySelector("template").content.cloneNode(true));
  }
  root.classList.toggle("is-stale", stale(state));
  root.classList.toggle("is-waiting", !settled(state));
  if (state.stage !== before?.stage) root.querySelector("[data-symbol]").replaceChildren(gradientSymbol(state.table, focused(state)));
  heatmap(root, ofGradients(state), asksGradient(dispatch), before && ofGradients(before));
}

/** A cell that is chosen here is asked for its gradient. */
function asksGradient(dispatch) {
  return (action) => dispatch(action.type === "cell" ? { ...action, differential: true } : action);
}
