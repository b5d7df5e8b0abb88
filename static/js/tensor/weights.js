// A state in which a weight that is looked at stands among the trace's tensors, so that it is drawn
// and read as any of them.

import { isWeight } from "./table.js";

const traces = new WeakMap(); // tensor -> {trace, weighed}

/** The state as it is drawn: null while a weight's numbers have not come, or were refused. */
export function withWeight(state) {
  if (state.table === null || state.trace === null) return null;
  if (!isWeight(state)) return state;
  const tensor = state.matrices.get(state.stage)?.tensor;
  return tensor ? { ...state, trace: withTensor(state.trace, state.stage, tensor) } : null;
}

/** The same trace for the same question, so that views see what has not changed. */
export function withTensor(trace, key, tensor) {
  const known = traces.get(tensor);
  if (known?.trace === trace) return known.weighed;
  const weighed = { ...trace, tensors: new Map(trace.tensors).set(key, tensor) };
  traces.set(tensor, { trace, weighed });
  return weighed;
}
