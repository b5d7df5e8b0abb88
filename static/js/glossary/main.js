// The glossary's page: finding a word, and coming to one by a link.

import { onKeys } from "../page/keys.js";

const form = document.querySelector("[data-find]");
const field = form.querySelector("input");
const entries = [...document.querySelectorAll("[data-word]")].map((element) => ({ element, text: element.dataset.word.toLowerCase() }));
const parts = [...document.querySelectorAll("[data-part], [data-of]")];

/** Show the entries that have every word of the query; all of them where it has none. */
function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ element, text }) => {
    element.hidden = !words.every((word) => text.includes(word));
    return !element.hidden;
  });
  for (const part of parts) part.hidden = !part.querySelector("[data-word]:not([hidden])");
  form.querySelector("[data-found]").textContent = words.length ? `${found.length} of ${entries.length}` : "";
  document.querySelector("[data-nothing]").hidden = found.length > 0;
}

/** Write the query into the address, where it is kept over Back, Forward and sharing. */
function keep(query) {
  const address = new URL(location.href);
  if (query.trim()) address.searchParams.set("find", query);
  else address.searchParams.delete("find");
  address.hash = "";
  history.replaceState(null, "", address);
}

/** A link may lead to an entry that the query hides: the query gives way. */
function arrive() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  if (target.closest("[hidden]")) {
    field.value = "";
    find("");
  }
  target.scrollIntoView();
}

/** An equation that is wider than its place scrolls, by keyboard too. */
function reach() {
  for (const equation of document.querySelectorAll("[data-equation]")) {
    equation.removeAttribute("tabindex");
    if (equation.scrollWidth > equation.clientWidth) equation.tabIndex = 0;
  }
}

field.addEventListener("input", () => {
  find(field.value);
  keep(field.value);
});
field.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  field.value = "";
  field.dispatchEvent(new Event("input"));
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const first = entries.find(({ element }) => !element.hidden && element.id);
  first?.element.focus();
});
addEventListener("hashchange", arrive);
addEventListener("resize", reach);
onKeys({ "/": () => field.focus() });
field.value = new URLSearchParams(location.search).get("find") ?? "";
find(field.value);
reach();
document.fonts.ready.then(reach);
arrive();
