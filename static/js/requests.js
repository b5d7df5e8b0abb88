// What the server is asked for, and when: one trace at a time, the newest request wins.

import { carriedTrace, fetchTable, fetchTrace } from "./api.js";
import { requested, sameReading } from "./readings.js";

const TYPING_PAUSE = 30;

/** Show what the page carries, else ask for the table and the trace; ask again whenever what is to
 * be read changes. */
export function keepTraced(store, carried) {
  let timer = 0;
  let running = null;

  const traceNow = async () => {
    running?.abort();
    const { model } = store.state;
    const asked = requested(store.state);
    if (asked.text === "") {
      store.dispatch({ type: "refused", refusal: { code: "empty", message: "Type at least one character; there is nothing to trace yet.", details: [] } });
      return;
    }
    const controller = new AbortController();
    running = controller;
    store.dispatch({ type: "waiting" });
    try {
      const trace = await fetchTrace(model, asked, controller.signal);
      if (running === controller) store.dispatch({ type: "trace", trace });
    } catch (error) {
      if (running === controller && error.name !== "AbortError") store.dispatch({ type: "refused", refusal: error });
    }
  };

  store.subscribe((state, previous) => {
    if (sameReading(state, previous)) return;
    clearTimeout(timer);
    running?.abort();
    running = null;
    timer = setTimeout(traceNow, TYPING_PAUSE);
  });

  const opening = { text: carried.text, target: null, hidden: [] };
  if (carried.trace && sameReading(opening, store.state)) {
    store.dispatch({ type: "table", table: carried.table });
    store.dispatch({ type: "trace", trace: carriedTrace(opening, carried.trace) });
    return;
  }
  fetchTable(store.state.model).then(
    (table) => store.dispatch({ type: "table", table }),
    (refusal) => store.dispatch({ type: "refused", refusal }),
  );
  traceNow();
}
