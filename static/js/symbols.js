// Symbols that the table does not have whole: a gradient's.

import { makeMath, makeMathPart } from "./dom.js";

/** ∂ℓ̄/∂X for a stage X; ℓ̄ is the mean of the last stage, the loss. */
export function gradientSymbol({ stages }, { symbol_mathml: symbol }) {
  const loss = makeMathPart("mover", { accent: "true" }, ...makeMath(stages.at(-1).symbol_mathml).childNodes, makeMathPart("mo", { stretchy: "false", text: "¯" }));
  const math = makeMath(symbol);
  const partial = (...of) => makeMathPart("mrow", {}, makeMathPart("mi", { mathvariant: "normal", text: "∂" }), ...of);
  math.replaceChildren(makeMathPart("mrow", {}, partial(loss), makeMathPart("mo", { text: "/" }), partial(...math.childNodes)));
  return math;
}
