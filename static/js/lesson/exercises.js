// The exercises: every question on one page, each judged by itself.

import { make } from "../drawing/elements.js";
import { text } from "../page/text.js";
import { follow, read } from "./address.js";
import { keepProgress, WORDS } from "./progress.js";
import { makeForm, readForm, setOpen } from "./question.js";
import { keepJudged, keepWorded } from "./requests.js";
import { makeReveal } from "./reveal.js";
import { createStore, initialState } from "./store.js";

const boot = JSON.parse(document.querySelector("[data-boot]").textContent);
const store = createStore(initialState(boot));
store.dispatch({ type: "view", view: { ...(boot.carried === null ? {} : { text: boot.carried }), ...read(location.search) } });
const predict = keepJudged(store);
const list = document.querySelector('[data-view="exercises"]');
const field = document.querySelector('[data-view="text"]');

function show(state, previous) {
  text(field, state, store.dispatch);
  if (state.lesson === null) return;
  if (state.lesson !== previous?.lesson) {
    for (const question of state.lesson.questions) word(question);
  }
  for (const question of state.lesson.questions) judge(question, state, previous);
}

function article(key) {
  return list.querySelector(`[data-exercise="${CSS.escape(key)}"]`);
}

/** The question as it is worded for this text; a form that is there keeps what is typed. */
function word(question) {
  const root = article(question.key);
  root.querySelector("[data-say]").textContent = question.refusal ?? question.say;
  root.querySelector("[data-ask]").textContent = question.ask;
  const place = root.querySelector("[data-form]");
  if (question.refusal !== null) place.replaceChildren();
  else if (!place.firstElementChild) place.append(makeForm(question, { table: null, limit: boot.limit }));
}

function judge(question, state, previous) {
  const { key } = question;
  const root = article(key);
  const answer = state.answers[key];
  const form = root.querySelector("form");
  root.querySelector("[data-outcome]").textContent = WORDS[state.progress[key]] ?? "";
  if (form !== null) root.querySelector("[data-failure]").textContent = state.failures[key] ?? "";
  if (answer === previous?.answers[key] && state.lesson === previous?.lesson) return;
  if (form !== null) setOpen(form, !answer);
  const box = root.querySelector("[data-reveal]");
  box.replaceChildren(...(answer ? makeReveal(answer) : []));
  if (!answer) return;
  const links = question.see.map(({ name, address }) => make("a", { href: address, text: `See ${name}` }));
  box.append(make("p", { class: "reveal-links" }, make("button", { type: "button", class: "link", "data-again": true, text: "Ask me again" }), ...links));
  box.focus();
}

function questionOf(element) {
  const { exercise } = element.closest("[data-exercise]").dataset;
  return store.state.lesson.questions.find(({ key }) => key === exercise);
}

list.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = questionOf(event.target);
  const { prediction } = readForm(event.target, question);
  if (prediction !== null) predict(question, prediction, {});
  else store.dispatch({ type: "failed", key: question.key, refusal: { message: "Answer first, or choose “show me”." } });
});
list.addEventListener("click", (event) => {
  if (event.target.closest("[data-show]")) predict(questionOf(event.target), null, {});
  if (event.target.closest("[data-again]")) {
    const question = questionOf(event.target);
    store.dispatch({ type: "again", key: question.key });
    article(question.key).querySelector("[name]").focus();
  }
});

store.subscribe(show);
keepProgress(store);
show(store.state, null);
follow(store);
keepWorded(store);
