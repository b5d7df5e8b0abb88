// The masthead's switches: models, projector, help; and the page's keys for them.

import { onKeys } from "../../page/keys.js";

export function bar(root, state, dispatch) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch);
  }
  root.querySelector("[data-projector]").setAttribute("aria-pressed", String(state.projector));
  root.querySelector("[data-projector]").dataset.next = String(!state.projector);
  document.body.classList.toggle("is-projector", state.projector);
}

function to(selector) {
  return () => document.querySelector(selector).focus();
}

function listen(root, dispatch) {
  const projector = root.querySelector("[data-projector]");
  const toggle = () => dispatch({ type: "projector", projector: projector.dataset.next === "true" });
  projector.addEventListener("click", toggle);
  const keys = { p: toggle, "/": to("[data-text]"), f: to('[data-view="figure"] [data-plot]') };
  for (const button of root.querySelectorAll("[data-opens]")) {
    const dialog = document.querySelector(`[data-dialog="${button.dataset.opens}"]`);
    keys[button.dataset.key] = () => dialog.showModal();
    button.addEventListener("click", keys[button.dataset.key]);
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  onKeys(keys);
}
