// A question as a form, and what is typed into it.

import { make } from "../drawing/elements.js";

const HINTS = {
  shape: ({ symbols }) => `sizes or symbols with × between them, such as 4 × 19 or h × N; the symbols: ${symbols.join(", ")}`,
  number: ({ within, symbols }) => `a number, such as 0.25 or 1024, or a formula, such as 3*2^10; a point is the decimal sign${symbols.length === 0 ? "" : `; symbols: ${symbols.join(", ")}`}${within === null ? "" : `; right within ${within}`}`,
  cell: () => "counted from 0",
};

/** The form of a question. `table` gives the tensors to pick from, where one is to be picked. */
export function makeForm(question, { table, limit }) {
  const fields = [...question.picks.map((name) => pick(name, question, table, limit)), ...asked(question)];
  const message = make("p", { class: "question-message", "data-failure": true, role: "status" });
  const buttons = make(
    "p",
    { class: "question-buttons" },
    make("button", { type: "submit", class: "button", text: "Reveal" }),
    make("button", { type: "button", class: "link", "data-show": true, text: "show me" }),
  );
  return make("form", { class: "question", "data-question": question.key, novalidate: true, autocomplete: "off" }, ...fields, buttons, message);
}

/** {prediction, picks} as typed; `prediction` is null where nothing is. */
export function readForm(form, question) {
  const data = new FormData(form);
  const picks = {};
  if (question.picks.includes("length")) picks.length = Number(data.get("length")) || null;
  if (question.picks.includes("stage")) picks.stage = data.get("stage") || null;
  const parts = data.getAll("prediction").map((part) => part.trim());
  return { prediction: parts.length && parts.every(Boolean) ? parts.join(", ") : null, picks };
}

/** Whether something can still be typed into it. */
export function setOpen(form, open) {
  for (const field of form.elements) field.disabled = !open;
  form.querySelector(".question-buttons").hidden = !open;
}

function asked(question) {
  const { key, kind, axes, options, ask } = question;
  if (kind === "choice") {
    const radio = (option, i) =>
      make("label", { class: "question-option" }, make("input", { type: "radio", name: "prediction", value: option.key, id: `${key}-${i}` }), ` ${option.text}`);
    return [make("fieldset", { class: "question-options" }, make("legend", { class: "is-unseen", text: ask }), ...options.map(radio))];
  }
  const hint = `${key}-hint`;
  const names = (kind === "cell" ? axes : [kind]).map((name) => `Your ${name}`);
  const field = (name, i) =>
    make(
      "p",
      { class: "question-field" },
      make("label", { for: `${key}-${i}`, text: name }),
      make("input", { id: `${key}-${i}`, name: "prediction", class: "question-input", maxlength: 100, spellcheck: "false", autocapitalize: "off", "aria-describedby": hint }),
    );
  return [...names.map(field), make("p", { class: "hint", id: hint, text: HINTS[kind](question) })];
}

function pick(name, { key, stage }, table, limit) {
  const id = `${key}-${name}`;
  const field =
    name === "length"
      ? make("input", { id, name, class: "question-input", type: "number", min: 1, max: limit, step: 1 })
      : make("select", { id, name }, ...tensors(table, stage));
  return make("p", { class: "question-field" }, make("label", { for: id, text: name === "length" ? `Length, 1 to ${limit}` : "Tensor" }), field);
}

/** Every tensor of the model, under the part that it stands in. */
function tensors(table, first) {
  const stages = table?.stages ?? [];
  const groups = [...new Set(stages.map((stage) => stage.group))];
  const own = (group) => stages.filter((stage) => stage.group === group).map((stage) => make("option", { value: stage.key, text: stage.title, selected: stage.key === first }));
  return groups.map((group) => make("optgroup", { label: group }, ...own(group)));
}
