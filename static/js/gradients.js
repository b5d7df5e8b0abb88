// The gradients of the trace on the screen, asked for while they are wanted and only then.

import { fetchGradients } from "./api.js";
import { settled } from "./differentiated.js";

/** Ask for the gradients of each new trace. The trace is drawn without waiting for them, and stays
 * where they are refused. */
export function keepDifferentiated(store) {
  let running = null;

  const ask = async (trace) => {
    const controller = new AbortController();
    running = controller;
    let answer;
    try {
      answer = { tensors: await fetchGradients(store.state.model, requestOf(trace), controller.signal), refusal: null };
    } catch (error) {
      answer = { tensors: null, refusal: error };
    }
    if (running === controller) store.dispatch({ type: "gradients", gradients: { trace, ...answer } });
  };

  store.subscribe((state, previous) => {
    const turned = state.gradient !== previous.gradient;
    if (!turned && state.trace === previous.trace) return;
    running?.abort();
    running = null;
    const known = settled(state) && state.gradients.tensors !== null;
    if (state.gradient && state.trace !== null && !known) ask(state.trace);
  });
}

/** Exactly what was traced: a target that the model wrote is not written again. An empty one is, so
 * that the refusal names who wrote it. */
function requestOf({ asked, told }) {
  return told.target === "" ? asked : told;
}
