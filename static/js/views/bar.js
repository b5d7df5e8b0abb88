// The masthead's switches: model, projector, help; and the page's keys for them.

import { write } from "../address.js";

export function bar(root, state, dispatch) {
  const help = document.querySelector("[data-help-dialog]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root, dispatch, help);
  }
  root.querySelector("[data-model]").value = state.model;
  root.querySelector("[data-projector]").setAttribute("aria-pressed", String(state.projector));
  root.querySelector("[data-projector]").dataset.next = String(!state.projector);
  root.querySelector("[data-model]").dataset.address = write(state);
  document.body.classList.toggle("is-projector", state.projector);
  for (const card of document.querySelectorAll("[data-card]")) card.hidden = card.dataset.card !== state.model;
}

function listen(root, dispatch, help) {
  const projector = root.querySelector("[data-projector]");
  const toggle = () => dispatch({ type: "projector", projector: projector.dataset.next === "true" });
  projector.addEventListener("click", toggle);
  root.querySelector("[data-help]").addEventListener("click", () => help.showModal());
  help.addEventListener("click", (event) => event.target === help && help.close());
  root.querySelector("[data-model]").addEventListener("change", ({ target }) => {
    const query = new URLSearchParams(target.dataset.address);
    query.set("model", target.value);
    location.search = query; // another model is another table: the page starts afresh
  });
  addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, input, select") || event.metaKey || event.ctrlKey || event.altKey || help.open) return;
    if (event.key === "?") help.showModal();
    else if (event.key === "p") toggle();
    else if (event.key === "/") document.querySelector("[data-text]").focus();
    else return;
    event.preventDefault();
  });
}
