// Predict before you look: questions whose answers are read off what the API says.

import { make } from "../drawing/elements.js";
import { fetchNumber } from "../page/api.js";
import { newest } from "../page/newest.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const PLAIN = /^[-+\d.,e]+$/i; // meant as one number
const GROUPED = /^[+-]?[1-9]\d{0,2}(,\d{3})+$/; // a whole number in groups of three
const FIRST = "a wrong guess teaches more than none.";

/** A question is {ask, options or unit and within or relative, settings(query), answer(answers), said(answers),
 * look}: `settings` gives the queries to ask the API for, `answer` the right option's name or the
 * number, `said` what is then told; `look` is the index of the setting that the page goes to. */
export function questionView(root, questions, { fetched, starting, look }) {
  root.replaceChildren(...questions.map((question, number) => form(question, number, { fetched, starting, look })));
}

function form(question, number, { fetched, starting, look }) {
  const legend = make("legend", { class: "question-words", text: question.ask });
  const said = make("p", { class: "question-said", role: "status", "data-said": true });
  const button = make("button", { class: "switch", text: "Check" });
  const fields = question.options ? choices(question.options, number) : [numberField(question, number)];
  const result = make("form", { class: "question", novalidate: true, "data-question": String(number) },
    make("fieldset", { class: "question-fields" }, legend, make("div", { class: "question-row" }, ...fields, button)), said);
  const tell = (words, verdict) => {
    said.textContent = words;
    said.dataset.verdict = verdict;
  };
  const verdicts = newest({
    fetched: ({ given, formula, settings }, signal) =>
      Promise.all([formula ? fetchNumber(formula, signal) : given, ...settings.map((setting) => fetched(setting, signal))]),
    answered: ([given, ...answers], { settings }) => {
      const right = verdict(question, given, question.answer(answers));
      tell(`${right ? "Right." : "Not so."} ${question.said(answers)}`, right ? "right" : "wrong");
      look(settings[question.look ?? 0]);
    },
    refused: (refusal) => tell(`This could not be checked: ${refusal.message}`, "none"),
    felt: true,
  });
  result.addEventListener("submit", (event) => {
    event.preventDefault();
    const { given, formula, lacks } = answerOf(result, question);
    if (!lacks) {
      verdicts.ask({ given, formula, settings: question.settings(starting()) });
      return;
    }
    verdicts.drop();
    tell(lacks, "none");
  });
  return result;
}

function choices(options, number) {
  return options.map(({ name, words }) => make("label", { class: "question-choice" }, make("input", { type: "radio", name: `answer-${number}`, value: name }), make("span", { text: words })));
}

function numberField({ unit }, number) {
  return make("label", { class: "question-choice" }, make("span", { text: "your guess" }),
    make("input", { class: "knob-number", autocomplete: "off", name: `answer-${number}`, "data-guess": true }), unit ? make("span", { text: unit }) : null,
    make("span", { class: "question-hint", text: "or a formula, as in 2/3 or 3*2^10; a point for decimals" }));
}

/** {given}: the chosen option's name, or the number that was typed; {formula}: one that is to be
 * computed; or {lacks}: what is missing. */
function answerOf(root, { options }) {
  if (!options) return numberIn(root.querySelector("[data-guess]").value);
  const chosen = root.querySelector("input:checked");
  return chosen ? { given: chosen.value } : { lacks: `Choose one first: ${FIRST}` };
}

/** {given}, {formula} or {lacks} of a typed number. A point is the decimal sign; commas stand only between
 * groups of three digits of a whole number, so that 1,5 and 1,500 are never taken for one another. */
export function numberIn(typed) {
  const text = typed.trim().replaceAll("−", "-");
  if (text === "") return { lacks: `Type a number first: ${FIRST}` };
  const plain = GROUPED.test(text) ? text.replaceAll(",", "") : text;
  if (NUMBER.test(plain) && Number.isFinite(Number(plain))) return { given: Number(plain) };
  if (!PLAIN.test(plain)) return { formula: text };
  if (text.includes(",")) return { lacks: "A point is the decimal sign here, as in 0.5; commas stand only between groups of three digits of a whole number, as in 1,000." };
  return { lacks: "This is no number; one is written as in 0.5, −2 or 1e−5." };
}

function verdict({ options, within = 0, relative = 0 }, given, right) {
  return options ? given === right : Math.abs(given - right) <= Math.max(within, relative * Math.abs(right));
}

/** A setting with some values moved. */
export function having(query, values) {
  return new Map([...query, ...Object.entries(values)]);
}
