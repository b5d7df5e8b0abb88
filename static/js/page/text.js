// The text field with its counter, its messages and the prepared texts.

import { make } from "../drawing/elements.js";
import { countOf } from "../tensor/labels.js";
import { TARGET } from "../tensor/readings.js";

export function text(root, state, dispatch) {
  const field = root.querySelector("[data-text]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    field.addEventListener("input", () => dispatch({ type: "text", text: field.value }));
    root.querySelector("[data-examples]").append(...state.examples.map((example) => button(example, dispatch)));
  }
  if (field.value !== state.text) field.value = state.text;
  field.rows = Math.min(4, state.text.split("\n").length);
  const count = countOf("text", state.text, state);
  const limit = Number(root.dataset.limit);
  const counter = root.querySelector("[data-count]");
  counter.textContent = `${count} / ${limit}`;
  counter.classList.toggle("is-over", count > limit);
  const refusal = state.refusal?.field === TARGET ? null : state.refusal; // that one stands at the target
  field.setAttribute("aria-invalid", String(refusal !== null));
  const message = root.querySelector("[data-message]");
  const said = refusal?.message ?? [state.notice, ...(state.trace?.told.notices ?? [])].join(" ").trim();
  if (message.textContent !== said) message.textContent = said;
  message.classList.toggle("is-refusal", refusal !== null);
}

function button({ name, text: example }, dispatch) {
  const result = make("button", { type: "button", class: "example", text: name });
  result.addEventListener("click", () => dispatch({ type: "example", text: example }));
  return result;
}
