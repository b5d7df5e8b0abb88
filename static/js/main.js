// The page: one store, its views, its requests and its address.

import { follow, read } from "./address.js";
import { keepTraced } from "./requests.js";
import { createStore, initialState } from "./store.js";
import { away } from "./views/away.js";
import { bar } from "./views/bar.js";
import { chips } from "./views/chips.js";
import { figure } from "./views/figure.js";
import { inspector } from "./views/inspector.js";
import { next } from "./views/next.js";
import { outline } from "./views/outline.js";
import { stage } from "./views/stage.js";
import { text } from "./views/text.js";
import { tools } from "./views/tools.js";

const VIEWS = { text, bar, chips, outline, stage, tools, figure, away, inspector, next };

const boot = JSON.parse(document.querySelector("[data-boot]").textContent);
const asked = read(location.search);
const unknown = asked.model && asked.model !== boot.model; // the server knows its models
const notice = unknown ? `There is no model “${asked.model}” here; this is ${boot.model}.` : "";
const store = createStore({ ...initialState(boot), ...asked, model: boot.model, notice });

const views = Object.entries(VIEWS).map(([name, view]) => {
  const root = document.querySelector(`[data-view="${name}"]`);
  return (state, previous) => view(root, state, store.dispatch, previous);
});
store.subscribe((state, previous) => views.forEach((view) => view(state, previous)));
views.forEach((view) => view(store.state, null));
follow(store, document.querySelector("[data-text]"));
keepTraced(store, boot);
