// A state as it is drawn with each tensor replaced by its gradient.

const tables = new WeakMap();
const traces = new WeakMap();

/** Whether the gradients, or their refusal, are those of the trace on the screen. */
export function settled({ trace, gradients }) {
  return gradients !== null && gradients.trace === trace;
}

/** Whether the focused stage's gradient is shown beside it: as long as newer ones are on their
 * way, those of the trace before. */
export function paired({ gradient, gradients, stage, table }) {
  return gradient && table !== null && Boolean(gradients?.tensors?.has(stage));
}

/** The gradient of a stage in the trace on the screen, or null. */
export function gradientOf(state, stage) {
  return (settled(state) && state.gradients.tensors?.get(stage)) || null;
}

/** The state in which every tensor is d loss / d tensor: signed, whatever the stage is, and nowhere
 * masked. Its trace is the one whose gradients these are. */
export function ofGradients(state) {
  return { ...state, table: kept(tables, state.table, signed), trace: kept(traces, state.gradients, replaced) };
}

function signed(table) {
  const stages = table.stages.map((stage) => ({ ...stage, title: `${stage.title}: gradient of the mean loss`, kind: "signed", null_means: null }));
  return { ...table, stages };
}

function replaced({ trace, tensors }) {
  return { ...trace, tensors, activations: trace.tensors };
}

/** The same answer for the same question, so that views see what has not changed. */
function kept(answers, question, answer) {
  if (!answers.has(question)) answers.set(question, answer(question));
  return answers.get(question);
}
