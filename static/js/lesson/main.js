// A lesson's page: one store, its views, its requests and its address.

import { text } from "../page/text.js";
import { follow, read } from "./address.js";
import { keepProgress } from "./progress.js";
import { keepJudged, keepPictured, keepTables, keepWorded } from "./requests.js";
import { createStore, initialState } from "./store.js";
import { figure } from "./views/figure.js";
import { stepView } from "./views/step.js";
import { steps } from "./views/steps.js";

const boot = JSON.parse(document.querySelector("[data-boot]").textContent);
const store = createStore(initialState(boot));
store.dispatch({ type: "view", view: { ...(boot.carried === null ? {} : { text: boot.carried }), ...read(location.search) } });

const VIEWS = { text, steps, step: stepView(keepJudged(store), boot.limit), figure };
const views = Object.entries(VIEWS).map(([name, view]) => {
  const root = document.querySelector(`[data-view="${name}"]`);
  return (state, previous) => view(root, state, store.dispatch, previous);
});
store.subscribe((state, previous) => views.forEach((view) => view(state, previous)));
keepProgress(store);
views.forEach((view) => view(store.state, null));
follow(store);
keepWorded(store);
keepTables(store);
keepPictured(store);
