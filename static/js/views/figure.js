// The focused stage's tensor: its activation, as the model computed it.

import { paired } from "../differentiated.js";
import { makeMath } from "../dom.js";
import { readInWords } from "../readings.js";
import { focused, stale } from "../store.js";
import { weighed } from "../weighed.js";
import { heatmap } from "./heatmap.js";

export function figure(root, state, dispatch, previous) {
  root.classList.toggle("is-stale", stale(state));
  root.querySelector("[data-stale]").textContent = stale(state) ? `This is still ${readInWords(state.trace.told)}, the last that could be read.` : "";
  if (state.table === null || state.trace === null) return;
  const shown = weighed(state);
  root.querySelector("[data-frame]").hidden = shown === null;
  if (shown === null) root.querySelector("[data-remark]").textContent = state.matrices.get(state.stage)?.refusal?.message ?? "Fetching the weight …";
  root.querySelector("[data-heading]").hidden = !paired(state);
  const { key, symbol_mathml: symbol } = focused(state);
  if (root.dataset.named !== key) {
    root.dataset.named = key;
    root.querySelector("[data-symbol]").replaceChildren(makeMath(symbol));
  }
  if (shown !== null) heatmap(root, shown, dispatch, previous && weighed(previous));
}
