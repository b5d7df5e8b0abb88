// The cells on the way to the chosen one; each leads back to itself.

import { writeAt } from "../address.js";
import { make, onFollow } from "../dom.js";
import { placeIn } from "../store.js";
import { cellSymbol, nameOf } from "../symbols.js";

const SHOWN_FROM = ["trail", "cell", "stage", "differential", "table", "trace"];

export function trail(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    onFollow(root, "[data-step]", (link) => {
      dispatch({ type: "back", step: Number(link.dataset.step) });
      document.querySelector("[data-cell]").focus({ preventScroll: true });
    });
  }
  root.hidden = state.trail.length === 0;
  if (SHOWN_FROM.every((name) => state[name] === previous?.[name])) return;
  if (root.hidden) {
    root.replaceChildren();
    return;
  }
  root.replaceChildren(
    make(
      "ol",
      { class: "trail-steps" },
      ...state.trail.map((step, i) => make("li", {}, make("a", {
        href: writeAt(state, { ...step, trail: state.trail.slice(0, i) }), "data-step": String(i), "aria-label": nameOf(state, step),
      }, ...cellSymbol(state.table, step)))),
      make("li", { "aria-current": "step" }, ...cellSymbol(state.table, placeIn(state))),
    ),
  );
}
