// The second computation of each trace, with that of its gradients where they are shown.

import { fetchChecks } from "../../page/api.js";
import { newest } from "../../page/newest.js";
import { settled } from "../../tensor/gradients.js";

const CHECK_PAUSE = 250;

/** Have every trace checked once it has stood for a moment. */
export function keepChecked(store) {
  let asked = { trace: null, gradients: false };
  const show = (checks) => store.dispatch({ type: "checks", checks });
  const checks = newest({
    fetched: ({ trace, gradients }, signal) => fetchChecks(store.state.model, trace.told, gradients, signal),
    answered: show,
    refused: (refusal) => show({ refusal: refusal.message, checks: new Map(), sanity: [] }),
  });

  store.subscribe((state, previous) => {
    const { trace, gradient, gradients } = state;
    if (trace !== previous.trace) checks.drop();
    if (trace === null || (gradient && !settled(state))) return; // both together are one check
    const wanted = gradient && gradients.tensors !== null;
    if (asked.trace === trace && (asked.gradients || !wanted)) return;
    asked = { trace, gradients: wanted };
    checks.ask(asked, CHECK_PAUSE);
  });
}
