// What comes after a position: the ten likeliest characters as bars.

import { make } from "../dom.js";
import { short } from "../numbers.js";
import { stale } from "../store.js";

const SHOWN = 10;

export function next(root, state, dispatch, previous) {
  root.classList.toggle("is-stale", stale(state));
  if (state.table === null || state.trace === null) return;
  if (state.trace === previous?.trace && state.token === previous?.token && state.table === previous?.table) return;
  const { tokens } = state.trace.told;
  const position = Math.min(state.token ?? tokens.length - 1, tokens.length - 1);
  const ranked = likeliest(state, position);
  root.querySelector("[data-after]").textContent = `After “${tokens[position].label}” at position ${position}`;
  root.querySelector("[data-bars]").replaceChildren(
    ...ranked.map(({ label, probability, follows }) =>
      make(
        "li",
        { class: follows ? "bar is-following" : "bar", title: follows ? "this is the character that follows" : null },
        make("span", { class: "bar-glyph", text: label }),
        meter(probability),
        make("span", { class: "bar-number", text: short(probability) }),
      ),
    ),
  );
}

function meter(probability) {
  const fill = make("span", { class: "bar-fill" });
  fill.style.setProperty("--share", String(probability));
  return make("span", { class: "bar-track", "aria-hidden": "true" }, fill);
}

function likeliest({ table, trace }, position) {
  const stage = table.stages.find(({ kind, axes }) => kind === "probability" && axes.at(-1) === "vocab");
  const { shape, data } = trace.tensors.get(stage.key);
  const row = data.subarray(position * shape[1], (position + 1) * shape[1]);
  const following = trace.told.tokens[position + 1]?.id;
  return Array.from(row, (probability, id) => ({ label: table.labels[id], probability, follows: id === following }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, SHOWN);
}
