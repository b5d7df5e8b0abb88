// The button, and the key, that hides the chosen character from an encoder or shows it again.

import { onKeys } from "../../page/keys.js";
import { charactersOf } from "../../tensor/readings.js";

export function hiding(root, state, dispatch) {
  const button = root.querySelector("[data-hide]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    button.addEventListener("click", () => dispatch({ type: "hidden", position: Number(button.dataset.hide) }));
    onKeys({ h: () => button.click() });
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
