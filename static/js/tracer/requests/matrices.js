// The numbers of weights: asked for when one is looked at, or takes part in the arithmetic of a cell.

import { fetchWeight } from "../../page/api.js";
import { isWeight } from "../../tensor/table.js";

/** Ask once for each weight that the screen shows. None makes another one needless, so all that
 * were asked for are kept, in whatever order they come. */
export function keepMatrices(store) {
  const asked = new Set();

  const ask = async (key) => {
    let matrix;
    try {
      matrix = { tensor: await fetchWeight(store.state.model, key), refusal: null };
    } catch (refusal) {
      matrix = { tensor: null, refusal };
      asked.delete(key); // another look may succeed
    }
    store.dispatch({ type: "matrix", key, matrix });
  };

  const look = (state, previous) => {
    if (state.table === null || (previous && state.stage === previous.stage && state.table === previous.table && state.explanation === previous.explanation)) return;
    const terms = state.explanation?.answer?.terms ?? [];
    const used = terms.flatMap(({ factors }) => factors.map(({ weight }) => weight)).filter(Boolean);
    for (const key of new Set(isWeight(state) ? [state.stage, ...used] : used)) {
      if (asked.has(key)) continue;
      asked.add(key);
      ask(key);
    }
  };

  store.subscribe(look);
  look(store.state, null);
}
