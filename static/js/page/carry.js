// What was read in the tracer goes along to the pages beside it, and back: in the addresses of
// links, and for this tab in the browser's store, where an address has no room for it.

const KEPT = "tracer.reading";
const NAMES = ["text", "model", "target", "hidden"]; // as the tracer's address has them
const BESIDE = /^\/(lessons|exercises|labs|glossary|checks|api)(\/|$)/;
const WITH_A_TEXT_OF_ITS_OWN = /^\/(lessons\/.|exercises$)/;
const CARRIED = "carried"; // the text, where `text` is that of the page

/** From now on links to the pages beside the tracer carry what `read` gives: a query, or null. */
export function carry(read) {
  const dressed = (event) => {
    const link = event.target.closest?.("a[href]");
    const reading = link && read();
    if (reading) dress(link, reading);
  };
  for (const name of ["pointerover", "focusin"]) document.addEventListener(name, dressed);
}

/** Keep what is read for the pages that this tab comes to. */
export function keep(reading) {
  sessionStorage.setItem(KEPT, String(reading));
}

/** What was read, as a page beside the tracer knows it: a query, or null. */
export function carried() {
  const given = new URLSearchParams(location.search);
  const own = WITH_A_TEXT_OF_ITS_OWN.test(location.pathname);
  if (given.has(own ? CARRIED : "text")) {
    if (own) given.set("text", given.get(CARRIED));
    keep(only(given));
  }
  const kept = sessionStorage.getItem(KEPT);
  return kept ? new URLSearchParams(kept) : null;
}

/** The part of a query that says what is read. */
export function only(query) {
  return new URLSearchParams(NAMES.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
}

/** Have a link carry what is read, unless it says itself what is to be, or is about another model. */
export function dress(link, reading) {
  const to = new URL(link.href);
  if (to.origin !== location.origin || !(to.pathname === "/" || BESIDE.test(to.pathname))) return;
  const query = to.searchParams;
  if (to.pathname === "/" && location.pathname === "/") return; // a view of the tracer itself
  if (query.has("text") || (query.has("model") && query.get("model") !== reading.get("model"))) return;
  for (const [name, value] of reading) query.set(name === "text" && WITH_A_TEXT_OF_ITS_OWN.test(to.pathname) ? CARRIED : name, value);
  link.href = `${to.pathname}?${query}${to.hash}`;
}
