// Where the inspector stands below the picture: the chosen number under it, and the way down.

import { gradientOf } from "../differentiated.js";
import { questionOf } from "../explaining.js";
import { exact } from "../numbers.js";
import { focused } from "../store.js";
import { cellInWords, valueAt } from "../tensors.js";
import { weighed } from "../weighed.js";

export function asked(root, state) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    root.querySelector("[data-ask]").addEventListener("click", () => {
      const cell = document.querySelector("[data-cell]");
      cell.scrollIntoView({ block: "start" });
      cell.focus({ preventScroll: true });
    });
  }
  root.hidden = questionOf(state) === null;
  if (root.hidden) return;
  const { value, place } = cellInWords(focused(state), state.cell, weighed(state));
  const shown = state.differential ? `gradient ${exact(valueAt(gradientOf(state, state.stage), state.cell))}` : value;
  root.querySelector("[data-value]").textContent = `${shown} at ${place}:`;
}
