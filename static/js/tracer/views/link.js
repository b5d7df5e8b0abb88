// The link of what is on the screen, copied by a button and by its key.

import { onKeys } from "../../page/keys.js";

const PAUSE = 4000; // long enough to read what became of it

export function link(root) {
  if (root.dataset.ready) return;
  root.dataset.ready = "true";
  const button = root.querySelector("[data-copy-link]");
  const said = root.querySelector("[data-said]");
  let timer = 0;
  button.addEventListener("click", async () => {
    said.textContent = await copied(location.href);
    clearTimeout(timer);
    timer = setTimeout(() => said.replaceChildren(), PAUSE);
  });
  onKeys({ c: () => button.click() });
}

async function copied(address) {
  try {
    await navigator.clipboard.writeText(address);
    return "Link copied.";
  } catch {
    return "The browser does not let a page copy here; copy the address from its address bar.";
  }
}
