// The list of models: each a link to the same view of another model, as far as that can have it.

import { write } from "../../page/address.js";
import { charactersOf } from "../../tensor/readings.js";

export function picker(root, state, dispatch, previous) {
  if (previous !== null && write(state) === write(previous)) return;
  for (const link of root.querySelectorAll("[data-choice]")) {
    link.href = write(asReadBy(JSON.parse(link.dataset.reads), { ...state, model: link.dataset.choice, weights: "", trail: [] }));
  }
}

/** The state without what a model has no use for: another kind's texts, targets, hidden characters.
 * Without a text, the model's own opening text is shown. */
function asReadBy({ architecture, vocabulary }, state) {
  if (architecture === state.architecture) return state;
  const pair = architecture === "encoder-decoder" || state.architecture === "encoder-decoder";
  const readable = !pair && charactersOf(state.text).every((character) => vocabulary.includes(character));
  const kept = readable ? {} : { text: null, token: null, cell: null, stage: null, head: null };
  return { ...state, target: null, hidden: [], ...kept };
}
