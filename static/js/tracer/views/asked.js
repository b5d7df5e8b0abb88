// Where the inspector stands below the picture: the chosen number under it, and the way down.

import { gradientOf } from "../../tensor/gradients.js";
import { exact } from "../../tensor/numbers.js";
import { focused } from "../../tensor/table.js";
import { cellInWords, valueAt } from "../../tensor/tensors.js";
import { withWeight } from "../../tensor/weights.js";
import { questionOf } from "../question.js";

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
  const { value, place } = cellInWords(focused(state), state.cell, withWeight(state));
  const gradient = gradientOf(state, state.stage);
  const number = gradient === null ? "" : ` ${exact(valueAt(gradient, state.cell))}`; // a weight's is not here
  const shown = state.differential ? `gradient${number}` : value;
  root.querySelector("[data-value]").textContent = `${shown}${place && ` at ${place}`}:`;
}
