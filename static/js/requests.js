// What the server is asked for, and when: one trace at a time, the newest text wins.

import { carriedTrace, fetchChecks, fetchTable, fetchTrace } from "./api.js";

const TYPING_PAUSE = 30;
const CHECK_PAUSE = 250;

/** Show what the page carries, else ask for the table and the trace; ask again whenever the text
 * changes. */
export function keepTraced(store, carried) {
  let timer = 0;
  let running = null;

  const traceNow = async () => {
    running?.abort();
    const { model, text } = store.state;
    if (text === "") {
      store.dispatch({ type: "refused", refusal: { code: "empty", message: "Type at least one character; there is nothing to trace yet.", details: [] } });
      return;
    }
    const controller = new AbortController();
    running = controller;
    store.dispatch({ type: "waiting" });
    try {
      const trace = await fetchTrace(model, text, controller.signal);
      if (running !== controller) return;
      store.dispatch({ type: "trace", trace });
      checkLater(trace);
    } catch (error) {
      if (running === controller && error.name !== "AbortError") store.dispatch({ type: "refused", refusal: error });
    }
  };

  const checkLater = (trace) => {
    setTimeout(async () => {
      if (store.state.trace !== trace) return;
      try {
        const checks = await fetchChecks(store.state.model, trace.told.text);
        store.dispatch({ type: "checks", checks });
      } catch (error) {
        store.dispatch({ type: "checks", checks: { text: trace.told.text, refusal: error.message, checks: new Map(), sanity: [] } });
      }
    }, CHECK_PAUSE);
  };

  store.subscribe((state, previous) => {
    if (state.text === previous.text && state.model === previous.model) return;
    clearTimeout(timer);
    running?.abort();
    running = null;
    timer = setTimeout(traceNow, TYPING_PAUSE);
  });

  if (carried.trace && carried.text === store.state.text) {
    store.dispatch({ type: "table", table: carried.table });
    const trace = carriedTrace(carried.trace);
    store.dispatch({ type: "trace", trace });
    checkLater(trace);
    return;
  }
  fetchTable(store.state.model).then(
    (table) => store.dispatch({ type: "table", table }),
    (refusal) => store.dispatch({ type: "refused", refusal }),
  );
  traceNow();
}
