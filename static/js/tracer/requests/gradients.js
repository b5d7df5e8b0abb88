// The gradients of the trace on the screen, asked for while they are wanted and only then.

import { fetchGradients } from "../../page/api.js";
import { newest } from "../../page/newest.js";
import { settled } from "../../tensor/gradients.js";

/** Ask for the gradients of each new trace. The trace is drawn without waiting for them, and stays
 * where they are refused. */
export function keepDifferentiated(store) {
  const gradients = newest({
    fetched: (trace, signal) => fetchGradients(store.state.model, requestOf(trace), signal),
    answered: (tensors, trace) => store.dispatch({ type: "gradients", gradients: { trace, tensors, refusal: null } }),
    refused: (refusal, trace) => store.dispatch({ type: "gradients", gradients: { trace, tensors: null, refusal } }),
  });

  store.subscribe((state, previous) => {
    const turned = state.gradient !== previous.gradient;
    if (!turned && state.trace === previous.trace) return;
    gradients.drop();
    const known = settled(state) && state.gradients.tensors !== null;
    if (state.gradient && state.trace !== null && !known) gradients.ask(state.trace);
  });
}

/** Exactly what was traced: a target that the model wrote is not written again. An empty one is, so
 * that the refusal names who wrote it. */
function requestOf({ asked, told }) {
  return told.target === "" ? asked : told;
}
