// An encoder-decoder's target: what the model writes, until the reader fixes it.

import { countOf } from "../../tensor/labels.js";
import { TARGET } from "../../tensor/readings.js";

export function target(root, state, dispatch) {
  const field = root.querySelector("[data-target]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, field, dispatch);
  }
  const shown = state.target ?? state.trace?.told.target ?? "";
  if (field.value !== shown) field.value = shown;
  const limit = Number(root.dataset.limit);
  const count = countOf(TARGET, shown, state);
  const counter = root.querySelector("[data-count]");
  counter.textContent = `${count} / ${limit}`;
  counter.classList.toggle("is-over", count > limit);
  field.classList.toggle("is-written", state.target === null);
  root.querySelector("[data-written]").hidden = state.target !== null;
  root.querySelector("[data-free]").hidden = state.target === null;
  const refused = state.refusal?.field === TARGET;
  field.setAttribute("aria-invalid", String(refused));
  const message = root.querySelector("[data-message]");
  const said = refused ? state.refusal.message : "";
  if (message.textContent !== said) message.textContent = said;
  message.classList.toggle("is-refusal", refused);
}

function listen(root, field, dispatch) {
  field.addEventListener("input", () => dispatch({ type: "target", target: field.value }));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // a target is one line
  });
  root.querySelector("[data-free]").addEventListener("click", () => {
    dispatch({ type: "target", target: null });
    field.focus(); // the button is gone
  });
}
