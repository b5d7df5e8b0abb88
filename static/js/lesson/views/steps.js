// The list of steps, each with what became of it.

import { make, onFollow } from "../../drawing/elements.js";
import { write } from "../address.js";
import { WORDS } from "../progress.js";

export function steps(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    onFollow(root, "[data-step]", (link) => dispatch({ type: "step", step: Number(link.dataset.step) }));
  }
  if (state.lesson === null) return;
  if (root.dataset.count !== String(state.lesson.questions.length)) build(root, state);
  for (const question of state.lesson.questions) {
    const link = root.querySelector(`[data-step="${question.number}"]`);
    link.href = write({ ...state, step: question.number });
    if (question.number === state.step) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
    link.querySelector("[data-outcome]").textContent = state.teacher ? "" : (WORDS[state.progress[question.key]] ?? "");
  }
  if (state.step !== previous?.step && root.scrollWidth > root.clientWidth) {
    root.querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
  }
  root.parentElement.querySelector("[data-score]").textContent = state.teacher ? "" : score(state);
}

function build(root, { lesson }) {
  root.dataset.count = lesson.questions.length;
  root.replaceChildren(
    ...lesson.questions.map(({ number, title }) =>
      make(
        "li",
        {},
        make(
          "a",
          { class: "lesson-link", href: "?", "data-step": number },
          make("span", { class: "lesson-number", text: number }),
          make("span", { text: title }),
          make("span", { class: "lesson-outcome", "data-outcome": true }),
        ),
      ),
    ),
  );
}

function score({ lesson, progress }) {
  const right = lesson.questions.filter(({ key }) => progress[key] === "right").length;
  return `${right} of ${lesson.questions.length} predicted right`;
}
