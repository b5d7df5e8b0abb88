// That the page waits for an answer: said, and what is older dimmed, once that takes longer than one
// feels. Quick answers leave no trace of it.

import { make } from "../drawing/elements.js";

const FELT = 150; // milliseconds
const SAID = "Waiting for an answer. What is dimmed is still of the text or setting before.";

const open = new Set(); // the questions without an answer
let line = null;
let timer = 0;

/** Tell that a question, named by any object, waits for its answer, or does no longer. */
export function wait(question, waits) {
  if (waits) open.add(question);
  else open.delete(question);
  if (open.size === 0) {
    clearTimeout(timer);
    timer = 0;
    show(false);
  } else if (timer === 0) timer = setTimeout(show, FELT, true);
}

function show(late) {
  document.body.classList.toggle("is-late", late);
  document.querySelector("main")?.setAttribute("aria-busy", String(late));
  if (line === null && late) {
    line = make("p", { class: "waiting", role: "status" });
    document.body.append(line);
  }
  if (line !== null) line.textContent = late ? SAID : "";
}
