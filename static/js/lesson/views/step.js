// One step: its place, its sentence, its question, and the answer once it has been asked for.

import { make, makeMath, onFollow } from "../../drawing/elements.js";
import { fit } from "../../drawing/equation.js";
import { write as tracerAddress } from "../../page/address.js";
import { onKeys } from "../../page/keys.js";
import { write } from "../address.js";
import { makeForm, readForm, setOpen } from "../question.js";
import { makeReveal } from "../reveal.js";
import { current, outdated } from "../store.js";

const on = new WeakMap(); // root -> what is on it: {state, question}

/** `predict` has a prediction judged. */
export function stepView(predict, limit) {
  return (root, state, dispatch, previous) => {
    if (!root.dataset.ready) {
      root.dataset.ready = "true";
      listen(root, dispatch, predict, limit);
    }
    document.body.classList.toggle("is-teacher", state.teacher);
    on.set(root, { state, question: current(state) });
    const { question } = on.get(root);
    if (question === null) return;
    root.hidden = false;
    root.classList.toggle("is-stale", outdated(state) && state.refusal !== null);
    const changed = question !== (previous && current(previous));
    const table = state.tables[question.model];
    // A form that is there keeps what is typed; only one that lists tensors waits for the table.
    const drawn = `${question.key} ${question.picks.includes("stage") && table !== undefined}`;
    if (changed) describe(root, state);
    if (changed || root.dataset.formed !== drawn) form(root, table, limit, drawn);
    place(root, table);
    answered(root, state, previous, changed);
    turn(root, state);
    if (previous !== null && previous.lesson !== null && state.step !== previous.step) part(root, "title").focus();
  };
}

function listen(root, dispatch, predict, limit) {
  const equation = part(root, "equation");
  new ResizeObserver(() => fit(equation)).observe(equation);
  const ask = (shown) => {
    const { question } = on.get(root);
    const { prediction, picks } = readForm(part(root, "form").firstElementChild, question);
    if (picks.length === null) {
      dispatch({ type: "failed", key: question.key, refusal: { message: `Choose a length first, from 1 to ${limit}.` } });
      root.querySelector("[name=length]").focus();
      return;
    }
    predict(question, shown ? null : prediction, picks);
  };
  const again = () => dispatch({ type: "again", key: on.get(root).question.key });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    const { prediction } = readForm(event.target, on.get(root).question);
    if (prediction === null) {
      dispatch({ type: "failed", key: on.get(root).question.key, refusal: { message: "Predict first, or choose “show me”." } });
      return;
    }
    ask(false);
  });
  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-show]")) ask(true);
    if (event.target.closest("[data-again]")) {
      again();
      root.querySelector("[name]")?.focus();
    }
  });
  onFollow(root, "[data-go]", (link) => dispatch({ type: "step", step: Number(link.dataset.go) }));
  const go = (name) => () => {
    if (!part(root, name).hidden) part(root, name).click();
  };
  onKeys({
    "[": go("previous"), "]": go("next"),
    t: () => dispatch({ type: "teacher", teacher: !on.get(root).state.teacher }),
    r: () => {
      const { state, question } = on.get(root);
      if (!state.teacher || question.refusal !== null) return;
      if (state.answers[question.key]) again();
      else ask(false);
    },
  });
  // A presenter's remote control turns pages; a reader's own keys scroll.
  addEventListener("keydown", (event) => {
    const turned = { PageUp: "previous", PageDown: "next" }[event.key];
    if (!turned || !on.get(root).state.teacher) return;
    event.preventDefault();
    go(turned)();
  });
  document.querySelector("[data-teacher]").addEventListener("click", () => dispatch({ type: "teacher", teacher: !on.get(root).state.teacher }));
}

function describe(root, { lesson }) {
  const { number, title, say, ask, refusal } = on.get(root).question;
  part(root, "count").textContent = `Step ${number} of ${lesson.questions.length}`;
  part(root, "title").textContent = title;
  part(root, "say").textContent = refusal ?? say;
  part(root, "ask").textContent = ask;
  document.title = `${number}. ${title} · ${lesson.title} · Token Tracer`;
}

function form(root, table, limit, drawn) {
  root.dataset.formed = drawn;
  const { refusal } = on.get(root).question;
  part(root, "form").replaceChildren(...(refusal === null ? [makeForm(on.get(root).question, { table, limit })] : []));
}

/** Where in the model it is: a title, what is done there, and its equation. Not before the reader
 * has picked that. */
function place(root, table) {
  const { question, state } = on.get(root);
  const { model, stage, picks, kind } = question;
  const answer = state.answers[question.key];
  const key = picks.includes("stage") ? answer?.stage : stage;
  const entry = table?.stages.find((one) => one.key === key);
  part(root, "place").hidden = !entry;
  // What a choice asks for is often what the equation says.
  part(root, "equation").hidden = kind === "choice" && !answer;
  const named = `${model} ${entry?.key}`;
  if (!entry || root.dataset.placed === named) return;
  root.dataset.placed = named;
  part(root, "stage").textContent = entry.title;
  part(root, "model").textContent = model;
  part(root, "operation").textContent = `${entry.operation[0].toUpperCase()}${entry.operation.slice(1)}.`;
  part(root, "equation").replaceChildren(makeMath(entry.mathml));
  fit(part(root, "equation"));
}

function answered(root, state, previous, changed) {
  const { key } = on.get(root).question;
  const answer = state.answers[key];
  const failure = root.querySelector("[data-failure]");
  if (failure !== null) failure.textContent = state.failures[key] ?? "";
  part(root, "teacher-hint").hidden = !state.teacher || Boolean(answer) || on.get(root).question.refusal !== null;
  if (!changed && answer === previous?.answers[key]) return;
  const asked = part(root, "form").firstElementChild;
  if (asked !== null) setOpen(asked, !answer);
  const box = part(root, "reveal");
  box.replaceChildren(...(answer ? makeReveal(answer) : []));
  if (!answer) return;
  const links = [make("button", { type: "button", class: "link", "data-again": true, text: on.get(root).question.picks.length ? "Another one" : "Ask me again" })];
  if (answer.stage !== null) links.push(make("a", { href: inTracer(on.get(root).question, answer), text: "Open this in the tracer" }));
  links.push(...on.get(root).question.see.map(({ name, address }) => make("a", { href: address, text: `See ${name}` })));
  box.append(make("p", { class: "reveal-links" }, ...links));
  box.focus();
}

/** The tracer, at what the answer is about. */
function inTracer({ model, head, gradient, stage }, { reading, mark, stage: shown }) {
  return `/${tracerAddress({ ...reading, model, stage: shown, head: shown === stage ? head : null, cell: mark, gradient })}`;
}

function turn(root, state) {
  for (const [name, step] of [["previous", state.step - 1], ["next", state.step + 1]]) {
    const link = part(root, name);
    const question = state.lesson.questions[step - 1];
    link.hidden = question === undefined;
    if (!question) continue;
    link.dataset.go = step;
    link.href = write({ ...state, step });
    link.querySelector("[data-name]").textContent = question.title;
  }
  part(root, "end").hidden = state.step < state.lesson.questions.length;
  const button = document.querySelector("[data-teacher]");
  button.setAttribute("aria-pressed", String(state.teacher));
}

function part(root, name) {
  return root.querySelector(`[data-${name}]`);
}
