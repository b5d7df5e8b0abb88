// The tracer's address as the page lives: what makes an entry of the browser's history, and what
// only changes the one that is there.

import { here, read, shown, write } from "../page/address.js";
import { saved } from "../page/saved.js";

const REST = 1000;
const PUSHED = new Set(["example", "hidden", "stage", "head", "token", "cell", "walk", "back", "section", "palette", "scale", "stretched", "projector", "gradient", "highway"]);
const TYPED = new Set(["text", "target"]);

/** Keep the address in step with the store. Typing replaces the entry; a new one begins when the
 * text rested for a second, on Enter or on leaving the field. Back and Forward restore. */
export function follow(store, fields) {
  let rested = true;
  let timer = 0;
  const rest = () => {
    rested = true;
  };
  for (const field of fields) {
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") rest();
    });
    field.addEventListener("blur", rest);
  }
  store.subscribe((state, _, action) => {
    const address = write(state);
    if (action.type === "view" || address === shown()) return;
    const typing = TYPED.has(action.type);
    const push = typing ? rested : PUSHED.has(action.type) && !action.stepping;
    history[push ? "pushState" : "replaceState"](null, "", address);
    if (typing) {
      rested = false;
      clearTimeout(timer);
      timer = setTimeout(rest, REST);
    }
  });
  addEventListener("popstate", () => {
    rested = true;
    if (saved && here() === "") return; // a place in the page, not a view
    store.dispatch({ type: "view", view: read(here()) });
  });
}
