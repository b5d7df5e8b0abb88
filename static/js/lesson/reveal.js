// What a prediction has come to, in words, and the reveal.

import { make, makeMath } from "../drawing/elements.js";

/** The paragraphs of an answer. */
export function makeReveal(answer) {
  return [
    make("p", { class: `verdict${answer.right === false ? " is-wrong" : ""}`, "data-verdict": outcomeOf(answer), text: verdict(answer) }),
    answer.right === false ? make("p", { text: `You said ${answer.prediction}; it is ${answer.answer}. ${answer.difference}`.trim() }) : null,
    answer.misconception === null ? null : make("p", { class: "misconception" }, make("b", { class: "misconception-mark", text: "✗ A common mistake: " }), answer.misconception),
    make("p", { class: "reveal-text", text: answer.reveal }),
    answer.mathml === null ? null : make("p", { class: "stage-equation", tabindex: "0" }, makeMath(answer.mathml)),
    ...answer.notices.map((notice) => make("p", { class: "hint", text: notice })),
  ].filter((part) => part !== null);
}

function outcomeOf({ right }) {
  return right === null ? "shown" : right ? "right" : "wrong";
}

function verdict({ right, answer }) {
  if (right === false) return "✗ Not right";
  return right ? `✓ Right: ${answer}` : `The answer: ${answer}`;
}
