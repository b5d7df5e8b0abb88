// The button, and the key, that hides the chosen character from an encoder or shows it again.

import { charactersOf } from "../readings.js";

const KEY = "h";

export function hiding(root, state, dispatch) {
  const button = root.querySelector("[data-hide]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    button.addEventListener("click", () => dispatch({ type: "hidden", position: Number(button.dataset.hide) }));
    addEventListener("keydown", (event) => {
      if (event.key !== KEY || event.target.matches("textarea, input, select") || event.metaKey || event.ctrlKey || event.altKey) return;
      if (!document.querySelector("dialog[open]")) button.click();
    });
  }
  const position = state.token?.position;
  const character = position === undefined ? undefined : charactersOf(state.text)[position];
  const hidden = state.hidden.includes(position);
  const typed = character === state.mask;
  button.dataset.hide = String(position);
  button.disabled = character === undefined || (typed && !hidden);
  button.textContent = hidden ? "show it again" : "hide this character";
  root.querySelector("[data-how]").textContent = how(character, typed, state.mask);
}

function how(character, typed, mask) {
  if (character === undefined) return `Choose a character to hide it, or type ${mask} in the text.`;
  return typed ? `This one is typed as ${mask}: type another character to show it.` : "";
}
