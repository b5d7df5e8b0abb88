// The tokens of the text, and of a target, as chips; the chosen one is marked in every panel.

import { make } from "../../drawing/elements.js";
import { tokensOf, truths } from "../../tensor/labels.js";
import { sameToken, stale } from "../store.js";

export function chips(root, state, dispatch, previous) {
  const rows = root.querySelectorAll("[data-along]");
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    for (const row of rows) listen(row, dispatch);
  }
  root.classList.toggle("is-stale", stale(state));
  if (state.table === null || state.trace === null) return;
  if (state.table === previous?.table && state.trace === previous?.trace && sameToken(state.token, previous?.token)) return;
  for (const row of rows) fill(row, state);
}

function listen(row, dispatch) {
  row.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-position]");
    if (chip) dispatch({ type: "token", token: { along: row.dataset.along, position: Number(chip.dataset.position) } });
  });
  row.addEventListener("keydown", (event) => move(row, event));
}

function fill(row, state) {
  const { along } = row.dataset;
  const tokens = tokensOf(state.trace, along);
  const chosen = state.token?.along === along ? state.token.position : null;
  const reachable = Math.min(chosen ?? 0, tokens.length - 1);
  const known = along === "text" ? truths(state.trace, state.table) : new Map();
  const focusedAt = row.contains(document.activeElement) ? document.activeElement.dataset.position : null;
  row.replaceChildren(
    ...tokens.map((token) =>
      chip(token, { chosen: token.position === chosen, reachable: token.position === reachable, hidden: along === "text" && token.text === state.mask, truth: known.get(token.position), table: state.table }),
    ),
  );
  if (focusedAt !== null) row.querySelector(`[data-position="${focusedAt}"]`)?.focus();
}

function chip({ position, id, label }, { chosen, reachable, hidden, truth, table: { labels, names } }) {
  const said = !hidden ? names[id] : truth === undefined ? "hidden, typed so" : `hidden, really ${names[truth]}`;
  return make(
    "button",
    {
      type: "button", class: hidden ? "chip is-hidden" : "chip", "data-position": position, title: `position ${position}, ${said === label ? "" : `${said}, `}id ${id}`,
      "aria-pressed": String(chosen), "aria-label": `position ${position}, ${said}, id ${id}`, tabindex: reachable ? "0" : "-1",
    },
    make("span", { class: "chip-glyph", text: label }),
    truth === undefined ? null : make("span", { class: "chip-truth", text: labels[truth] }),
    make("span", { class: "chip-position", text: position }),
  );
}

function move(row, event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const all = [...row.children];
  const to = all[all.indexOf(document.activeElement) + step];
  if (!step || !to) return;
  event.preventDefault();
  to.focus();
}
