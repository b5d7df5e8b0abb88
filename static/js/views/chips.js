// The text's tokens as chips; the chosen one is marked in every panel.

import { make } from "../dom.js";
import { stale } from "../store.js";

export function chips(root, state, dispatch, previous) {
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    root.addEventListener("click", (event) => {
      const chip = event.target.closest("[data-position]");
      if (chip) dispatch({ type: "token", token: Number(chip.dataset.position) });
    });
    root.addEventListener("keydown", (event) => move(root, event));
  }
  root.classList.toggle("is-stale", stale(state));
  if (state.trace === null || (state.trace === previous?.trace && state.token === previous?.token)) return;
  const reachable = Math.min(state.token ?? 0, state.trace.told.tokens.length - 1);
  const focusedAt = root.contains(document.activeElement) ? document.activeElement.dataset.position : null;
  root.replaceChildren(
    ...state.trace.told.tokens.map(({ position, id, label }) =>
      make(
        "button",
        {
          type: "button", class: "chip", "data-position": position, title: `position ${position}, id ${id}`,
          "aria-pressed": String(position === state.token), "aria-label": `position ${position}, ${name(label)}, id ${id}`,
          tabindex: position === reachable ? "0" : "-1",
        },
        make("span", { class: "chip-glyph", text: label }),
        make("span", { class: "chip-position", text: position }),
      ),
    ),
  );
  if (focusedAt !== null) root.querySelector(`[data-position="${focusedAt}"]`)?.focus();
}

function name(label) {
  return { "␣": "space", "↵": "newline" }[label] ?? label;
}

function move(root, event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const all = [...root.children];
  const to = all[all.indexOf(document.activeElement) + step];
  if (!step || !to) return;
  event.preventDefault();
  to.focus();
}
