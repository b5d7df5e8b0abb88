// The focused stage's tensor: its activation, as the model computed it.

import { makeMath } from "../../drawing/elements.js";
import { heatmap } from "../../drawing/heatmap.js";
import { paired } from "../../tensor/gradients.js";
import { readInWords } from "../../tensor/readings.js";
import { focused } from "../../tensor/table.js";
import { withWeight } from "../../tensor/weights.js";
import { stale } from "../store.js";

export function figure(root, state, dispatch, previous) {
  root.classList.toggle("is-stale", stale(state));
  root.querySelector("[data-stale]").textContent = stale(state) ? `This is still ${readInWords(state.trace.told)}, the last that could be read.` : "";
  if (state.table === null || state.trace === null) return;
  const shown = withWeight(state);
  root.querySelector("[data-frame]").hidden = shown === null;
  if (shown === null) root.querySelector("[data-remark]").textContent = state.matrices.get(state.stage)?.refusal?.message ?? "Fetching the weight …";
  root.querySelector("[data-heading]").hidden = !paired(state);
  const { key, symbol_mathml: symbol } = focused(state);
  if (root.dataset.named !== key) {
    root.dataset.named = key;
    root.querySelector("[data-symbol]").replaceChildren(makeMath(symbol));
  }
  if (shown !== null) heatmap(root, shown, dispatch, previous && withWeight(previous));
}
