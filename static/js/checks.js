// The second computation of each trace, with that of its gradients where they are shown.

import { fetchChecks } from "./api.js";

const CHECK_PAUSE = 250;

/** Have every trace checked once it has stood for a moment. */
export function keepChecked(store) {
  let asked = { trace: null, gradients: false };
  let timer = 0;

  const check = async (mine) => {
    const { model, trace } = store.state;
    let checks;
    try {
      checks = await fetchChecks(model, trace.told, mine.gradients);
    } catch (error) {
      checks = { refusal: error.message, checks: new Map(), sanity: [] };
    }
    if (asked === mine) store.dispatch({ type: "checks", trace: mine.trace, checks });
  };

  store.subscribe(({ trace, gradient, gradients }) => {
    const settled = gradients?.trace === trace;
    if (trace === null || (gradient && !settled)) return; // both together are one check
    const wanted = gradient && gradients.tensors !== null;
    if (asked.trace === trace && (asked.gradients || !wanted)) return;
    const mine = { trace, gradients: wanted };
    asked = mine;
    clearTimeout(timer);
    timer = setTimeout(() => store.state.trace === trace && check(mine), CHECK_PAUSE);
  });
}
