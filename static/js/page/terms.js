// Words that the glossary explains.

import { make } from "../drawing/elements.js";
import { saved } from "./saved.js";

/** A word of the stage table as a link to its entry; a saved page, which has no glossary beside it,
 * gets the word alone. An entry's anchor is made the same way in app/server/practice.py. */
export function term(kind, name, ...children) {
  const ofAnyBlock = name.replace(/\^\{\((?:\\text\{\w\})?\d+\)\}/g, "^{(n)}");
  const anchor = `${kind}-${ofAnyBlock.replace(/[^\w.]+/g, "-").replace(/^-|-$/g, "")}`;
  return saved ? make("span", {}, ...children) : make("a", { class: "explained", href: `/glossary#${anchor}`, title: "what this is: the glossary" }, ...children);
}
