// A search of the stages and the weights, by name, key, symbol, section or group.

import { make, makeMath } from "../../drawing/elements.js";

const MOST = 40; // options at a time: more than one reads

export function search(root, state, dispatch) {
  if (state.table === null || root.dataset.model === state.table.model) return;
  const first = root.dataset.model === undefined;
  root.dataset.model = state.table.model;
  listed.set(root, entriesOf(state.table));
  if (first) listen(root, dispatch);
}

const listed = new WeakMap(); // root -> its entries

/** Everything that can be opened, with the words by which it is found. */
function entriesOf({ stages, weights }) {
  return [...stages, ...weights].map((entry) => ({
    entry,
    words: plain([entry.title, entry.key, entry.symbol, entry.group ?? "weight", ...(entry.sections ?? []).map(({ label }) => label)].join(" ")),
  }));
}

/** As one types it: of LaTeX only letters, digits and what stands between them. */
function plain(words) {
  return words.replace(/\\(text|mathrm|operatorname|hat|bar|top)\b|[\\{}^_$()]/g, "").toLowerCase();
}

/** The entries that have every word of what was typed; those whose title begins so stand first. */
function found(entries, typed) {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const matching = entries.filter((one) => words.every((word) => one.words.includes(word)));
  const begins = ({ entry }) => words.length > 0 && plain(entry.title).includes(words.join(" "));
  return [...matching.filter(begins), ...matching.filter((one) => !begins(one))].map(({ entry }) => entry);
}

function listen(root, dispatch) {
  const field = root.querySelector("[data-find]");
  const list = root.querySelector("[data-options]");
  const options = () => [...list.children];
  const choose = (chosen) => {
    for (const option of options()) option.setAttribute("aria-selected", String(option === chosen));
    if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
    else field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  };
  const fill = () => {
    const all = found(listed.get(root), field.value);
    list.replaceChildren(...all.slice(0, MOST).map(option));
    root.querySelector("[data-said]").textContent = counted(all.length);
    choose(list.firstElementChild);
  };
  const open = (chosen) => {
    if (!chosen) return;
    root.close();
    dispatch({ type: "stage", stage: chosen.dataset.key });
    document.querySelector("[data-title]").focus({ preventScroll: true });
  };
  field.addEventListener("input", fill);
  field.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.findIndex((one) => one.getAttribute("aria-selected") === "true");
    const to = { ArrowDown: Math.min(at + 1, all.length - 1), ArrowUp: Math.max(at - 1, 0) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(all[to]);
  });
  root.querySelector("form[data-search]").addEventListener("submit", (event) => {
    event.preventDefault();
    open(options().find((one) => one.getAttribute("aria-selected") === "true"));
  });
  list.addEventListener("click", ({ target }) => open(target.closest("[role=option]")));
  root.addEventListener("close", () => {
    field.value = "";
    fill();
  });
  fill();
}

function option(entry, i) {
  return make(
    "li",
    { class: "found", role: "option", id: `found-${i}`, "data-key": entry.key, "aria-selected": "false" },
    make("span", { class: "found-title", text: entry.title }),
    makeMath(entry.symbol_mathml),
    make("span", { class: "hint", text: entry.symbolic_shape.join(" × ") }),
  );
}

function counted(count) {
  if (count === 0) return "Nothing here has all of these words.";
  return `${count} ${count === 1 ? "tensor" : "tensors"}${count > MOST ? `, the first ${MOST} listed` : ""}`;
}
