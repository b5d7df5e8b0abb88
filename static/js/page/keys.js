// The page's keys: pressed anywhere but in a field, and not while a dialog is open.

/** Do `acts[key]` whenever that key is pressed alone. */
export function onKeys(acts) {
  addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, input, select") || event.metaKey || event.ctrlKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  });
}
