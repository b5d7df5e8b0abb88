// The cells on the way to the chosen one; each leads back to itself.

import { make, onFollow } from "../../drawing/elements.js";
import { cellSymbol, nameOf } from "../../drawing/symbols.js";
import { writeAt } from "../../page/address.js";
import { valueAt } from "../../tensor/tensors.js";
import { questionOf } from "../question.js";
import { placeIn } from "../store.js";

const SHOWN_FROM = ["trail", "cell", "stage", "differential", "table", "trace", "matrices", "gradients"];

export function trail(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    onFollow(root, "[data-step]", (link) => {
      dispatch({ type: "back", step: Number(link.dataset.step) });
      document.querySelector("[data-cell]").focus({ preventScroll: true });
    });
  }
  root.hidden = state.trail.length === 0 || questionOf(state) === null;
  if (SHOWN_FROM.every((name) => state[name] === previous?.[name])) return;
  if (root.hidden) {
    root.replaceChildren();
    return;
  }
  root.replaceChildren(
    make(
      "ol",
      { class: "trail-steps" },
      ...state.trail.map((step, i) => make("li", {}, stepBack(state, step, i))),
      make("li", { "aria-current": "step" }, ...cellSymbol(state.table, placeIn(state))),
    ),
  );
}

/** A step as a link; of a text that has become shorter it may be no cell any more. */
function stepBack(state, step, i) {
  const symbol = cellSymbol(state.table, step);
  const tensor = state.trace.tensors.get(step.stage);
  if (tensor && valueAt(tensor, step.cell) === undefined) return make("span", { class: "hint", title: "the text has no such cell any more" }, ...symbol);
  return make("a", { href: writeAt(state, { ...step, trail: state.trail.slice(0, i) }), "data-step": String(i), "aria-label": nameOf(state, step) }, ...symbol);
}
