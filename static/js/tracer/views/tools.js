// How the figure is shown: heads, palette, where the colours end, and whether with its gradient.

import { isUnit } from "../../drawing/colours.js";
import { make } from "../../drawing/elements.js";
import { onlyPanel } from "../../drawing/heatmap.js";
import { onKeys } from "../../page/keys.js";
import { paired, settled } from "../../tensor/gradients.js";
import { focused, isWeight } from "../../tensor/table.js";
import { panelsOf } from "../../tensor/tensors.js";
import { withWeight } from "../../tensor/weights.js";

export function tools(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  const stage = focused(state);
  const shown = withWeight(state);
  if (shown === null) return;
  const { axes, matrices } = panelsOf(stage, shown.trace);
  if (state.stage !== previous?.stage || state.table !== previous?.table || shown.trace !== (previous && withWeight(previous)?.trace)) {
    heads(root, axes.panel, matrices.length);
  }
  const only = onlyPanel(state, axes, matrices.length);
  for (const button of root.querySelectorAll("[data-head]")) {
    button.setAttribute("aria-pressed", String(button.dataset.head === (only === null ? "" : String(only))));
  }
  for (const select of root.querySelectorAll("select")) select.value = state[select.name];
  const kind = state.table.kinds[stage.kind];
  const clips = !isUnit(kind) && kind.range !== "vocabulary";
  const stretch = root.querySelector("[data-stretch]");
  stretch.hidden = !isUnit(kind);
  stretch.setAttribute("aria-pressed", String(state.stretched));
  stretch.dataset.next = String(!state.stretched);
  root.querySelector("[data-clipping]").hidden = !clips && !paired(state);
  const gradient = root.querySelector("[data-gradient]");
  gradient.setAttribute("aria-pressed", String(state.gradient));
  gradient.dataset.next = String(!state.gradient);
  const said = root.querySelector("[data-no-gradient]");
  const why = whyNoGradient(state, stage);
  if (said.textContent !== why) said.textContent = why;
}

/** Why no gradient is shown, in the server's words where it refused one; "" where one is shown or
 * none is wanted. */
function whyNoGradient(state, { title }) {
  if (!state.gradient || paired(state)) return "";
  if (isWeight(state)) return "A weight’s gradient is shown a number at a time: choose a cell, then “where its gradient comes from”. The API has it whole.";
  if (!settled(state)) return "Asking for the gradients …";
  const { refusal } = state.gradients;
  if (refusal === null) return `${title} are whole numbers: no small change can be made to them, so they have no gradient.`;
  const how = refusal.field === "hidden" ? " Here: choose a character above and hide it." : "";
  return refusal.message.replaceAll("`", "") + how;
}

function listen(root, dispatch) {
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-head]");
    if (button) dispatch({ type: "head", head: button.dataset.head === "" ? null : Number(button.dataset.head) });
  });
  const gradient = root.querySelector("[data-gradient]");
  gradient.addEventListener("click", () => dispatch({ type: "gradient", gradient: gradient.dataset.next === "true" }));
  const stretch = root.querySelector("[data-stretch]");
  stretch.addEventListener("click", () => dispatch({ type: "stretched", stretched: stretch.dataset.next === "true" }));
  onKeys({ g: () => gradient.click() });
  root.addEventListener("change", ({ target }) => dispatch({ type: target.name, [target.name]: target.value }));
}

function heads(root, axis, count) {
  const bar = root.querySelector("[data-heads]");
  bar.hidden = axis === null;
  if (axis === null || bar.children.length === count + 1) return;
  const options = [["", "all heads", "all heads"], ...Array.from({ length: count }, (_, i) => [String(i), String(i + 1), `${axis} ${i + 1}`])];
  bar.replaceChildren(
    ...options.map(([value, text, name]) => make("button", { type: "button", class: "switch", "data-head": value, text, "aria-label": name })),
  );
}
