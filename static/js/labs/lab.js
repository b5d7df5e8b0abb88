// A lab's page: what is moved goes into the address and to the API, and its answer is drawn.

import { fetchLab } from "../page/api.js";
import { newest } from "../page/newest.js";
import { controlsView } from "./controls.js";
import { asked, read, write } from "./query.js";
import { questionView } from "./question.js";
import { createStore } from "./store.js";

const PAUSE = 40; // milliseconds: a slider that is dragged asks once it rests that long

/** Start a lab's page. `draw(slot, answer, context)` fills the figures: `slot(name)` is the element
 * of that name, `context` has the query, the boot data and `move(name, value)`. `questions` are
 * asked before one looks. */
export function lab({ draw, questions }) {
  const root = document.querySelector("[data-lab]");
  const boot = JSON.parse(document.querySelector("[data-boot]").textContent);
  const { controls } = boot;
  const store = createStore(controls, read(controls, location.search));
  const { dispatch } = store;
  const fetched = (query, signal) => fetchLab(root.dataset.lab, asked(controls, query), signal);
  const slot = (name) => root.querySelector(`[data-slot="${name}"]`);

  keepAddress(store, controls);
  controlsView(root.querySelector("[data-knobs]"), controls, store);
  questionView(root.querySelector("[data-questions]"), questions, {
    fetched,
    starting: () => read(controls, ""),
    look: (query) => {
      history.pushState(null, "", `?${write(controls, query)}`);
      dispatch({ type: "set", query });
    },
  });
  store.subscribe((state, previous) => {
    if (state.answer !== previous.answer) {
      root.querySelector("[data-figures]").classList.remove("is-blank");
      draw(slot, state.answer, { query: state.of, boot, move: (name, value) => dispatch({ type: "move", name, value }) });
      root.dataset.shown = asked(controls, state.of);
    }
    root.querySelector("[data-figures]").classList.toggle("is-stale", state.refusal !== null);
    root.querySelector("[data-message]").textContent = state.refusal === null ? "" : inWords(state);
  });
  keepAsked(store, fetched);
}

function inWords({ refusal, answer }) {
  return answer === null ? refusal.message : `${refusal.message} What is drawn is still the setting before.`;
}

/** Ask whenever something was moved. */
function keepAsked(store, fetched) {
  const answers = newest({
    fetched,
    answered: (answer, of) => store.dispatch({ type: "answer", answer, of }),
    refused: (refusal) => store.dispatch({ type: "refused", refusal }),
    felt: true,
  });
  store.subscribe((state, previous) => {
    if (state.query !== previous.query) answers.ask(state.query, PAUSE);
  });
  answers.ask(store.state.query);
}

function keepAddress(store, controls) {
  store.subscribe((state, previous) => {
    if (state.query === previous.query) return;
    const search = write(controls, state.query);
    history.replaceState(null, "", search === "" ? location.pathname : `?${search}`);
  });
  addEventListener("popstate", () => store.dispatch({ type: "set", query: read(controls, location.search) }));
}
