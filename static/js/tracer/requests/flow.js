// The gradient along the residual stream, asked for while its table is open.

import { fetchFlow } from "../../page/api.js";
import { newest } from "../../page/newest.js";
import { settled } from "../../tensor/gradients.js";
import { highwayShown } from "../store.js";

const FLOW_PAUSE = 250;

/** Ask for the flow of each trace that has gradients, once it has stood for a moment. */
export function keepFlowing(store) {
  let asked = null;
  const flow = newest({
    fetched: (trace, signal) => fetchFlow(store.state.model, trace.told, signal),
    answered: (places, trace) => store.dispatch({ type: "flow", flow: { trace, places, refusal: null } }),
    refused: (refusal, trace) => store.dispatch({ type: "flow", flow: { trace, places: null, refusal } }),
  });

  store.subscribe((state, previous) => {
    const { trace, gradients } = state;
    if (trace !== previous.trace) flow.drop();
    if (!highwayShown(state) || !settled(state) || gradients.tensors === null) return;
    const failed = state.flow?.trace === trace && state.flow.refusal !== null;
    if (asked === trace && !(failed && !highwayShown(previous))) return;
    asked = trace;
    flow.ask(trace, FLOW_PAUSE);
  });
}
