// The tracer's page: one store, its views, its requests and its address.

import { here, read, write } from "../page/address.js";
import { answerFrom } from "../page/api.js";
import { carry, keep, only } from "../page/carry.js";
import { saved } from "../page/saved.js";
import { text } from "../page/text.js";
import { sameReading } from "../tensor/readings.js";
import { follow } from "./history.js";
import { keepChecked } from "./requests/checks.js";
import { keepExplained } from "./requests/explanations.js";
import { keepFlowing } from "./requests/flow.js";
import { keepDifferentiated } from "./requests/gradients.js";
import { keepMatrices } from "./requests/matrices.js";
import { keepTraced } from "./requests/traces.js";
import { createStore, initialState, viewed } from "./store.js";
import { arithmetic } from "./views/arithmetic.js";
import { asked } from "./views/asked.js";
import { away } from "./views/away.js";
import { bar } from "./views/bar.js";
import { check } from "./views/check.js";
import { chips } from "./views/chips.js";
import { figure } from "./views/figure.js";
import { flow } from "./views/flow.js";
import { gradient } from "./views/gradient.js";
import { hiding } from "./views/hiding.js";
import { inspector } from "./views/inspector.js";
import { link } from "./views/link.js";
import { next } from "./views/next.js";
import { outline } from "./views/outline.js";
import { picker } from "./views/picker.js";
import { search } from "./views/search.js";
import { stage } from "./views/stage.js";
import { target } from "./views/target.js";
import { tools } from "./views/tools.js";
import { trail } from "./views/trail.js";
import { twin } from "./views/twin.js";

const VIEWS = { text, target, bar, picker, chips, hiding, outline, stage, tools, figure, gradient, asked, check, flow, twin, away, inspector, trail, arithmetic, next, search, link };

const boot = JSON.parse(document.querySelector("[data-boot]").textContent);
const store = createStore(viewed(initialState(boot), read(here())));

// A model without a target or without hidden characters has no place for their views.
const views = Object.entries(VIEWS).flatMap(([name, view]) => {
  const root = document.querySelector(`[data-view="${name}"]`);
  return root === null ? [] : [(state, previous) => view(root, state, store.dispatch, previous)];
});
store.subscribe((state, previous) => views.forEach((view) => view(state, previous)));
views.forEach((view) => view(store.state, null));
if (!saved) takeAlong();
follow(store, document.querySelectorAll("[data-text], [data-target]"));
if (boot.carried) answerFrom(boot.carried);
keepDifferentiated(store);
keepChecked(store);
keepFlowing(store);
keepMatrices(store);
keepExplained(store);
keepTraced(store, boot);

/** The pages beside the tracer are told what is read here. */
function takeAlong() {
  const reading = () => only(new URLSearchParams(write(store.state)));
  keep(reading());
  carry(reading);
  store.subscribe((state, previous) => {
    if (!sameReading(state, previous)) keep(reading());
  });
}
