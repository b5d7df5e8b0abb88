// The gradient along the residual stream, asked for while its table is open.

import { fetchFlow } from "./api.js";
import { settled } from "./differentiated.js";

const FLOW_PAUSE = 250;

/** Whether the gradient highway is on the screen. */
export function highwayShown({ gradient, highway, projector }) {
  return gradient && highway && !projector;
}

/** Ask for the flow of each trace that has gradients, once it has stood for a moment. */
export function keepFlowing(store) {
  let asked = null;
  let timer = 0;

  const ask = async (trace) => {
    let answer;
    try {
      answer = { places: await fetchFlow(store.state.model, trace.told), refusal: null };
    } catch (error) {
      answer = { places: null, refusal: error };
    }
    if (asked === trace) store.dispatch({ type: "flow", flow: { trace, ...answer } });
  };

  store.subscribe((state, previous) => {
    if (!highwayShown(state) || !settled(state) || state.gradients.tensors === null) return;
    const failed = state.flow?.trace === state.trace && state.flow.refusal !== null;
    if (asked === state.trace && !(failed && !highwayShown(previous))) return;
    asked = state.trace;
    clearTimeout(timer);
    timer = setTimeout(() => asked === store.state.trace && ask(asked), FLOW_PAUSE);
  });
}
