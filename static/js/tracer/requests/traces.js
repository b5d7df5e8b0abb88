// The trace of what is to be read, asked for whenever that changes.

import { carriedTrace, fetchTable, fetchTrace } from "../../page/api.js";
import { newest } from "../../page/newest.js";
import { requested, sameReading } from "../../tensor/readings.js";

const TYPING_PAUSE = 30;
const EMPTY = { code: "empty", message: "Type at least one character; there is nothing to trace yet.", details: [] };

/** Show what the page carries, else ask for the table and the trace; ask again whenever what is to
 * be read changes. */
export function keepTraced(store, carried) {
  const traces = newest({
    fetched: async (asked, signal) => {
      if (asked.text === "") throw EMPTY;
      store.dispatch({ type: "waiting" });
      return fetchTrace(store.state.model, asked, signal);
    },
    answered: (trace) => store.dispatch({ type: "trace", trace }),
    refused: (refusal) => store.dispatch({ type: "refused", refusal }),
    felt: true,
  });

  store.subscribe((state, previous) => {
    if (!sameReading(state, previous)) traces.ask(requested(state), TYPING_PAUSE);
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
  traces.ask(requested(store.state));
}
