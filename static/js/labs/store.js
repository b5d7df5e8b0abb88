// What a lab's page knows: what it is set to, what the API answered, or why it refused.

import { moved } from "./query.js";

/** A store for a lab: {state, dispatch, subscribe}. The state is {query, answer, of, refusal}; `of`
 * is the query that the answer is for. */
export function createStore(controls, query) {
  const views = [];
  const store = {
    state: { query, answer: null, of: null, refusal: null },
    dispatch(action) {
      const previous = store.state;
      store.state = reduced(controls, previous, action);
      for (const view of views) view(store.state, previous);
    },
    subscribe(view) {
      views.push(view);
    },
  };
  return store;
}

function reduced(controls, state, action) {
  switch (action.type) {
    case "move":
      return { ...state, query: moved(controls, state.query, action.name, action.value) };
    case "set":
      return { ...state, query: action.query };
    case "answer":
      return { ...state, answer: action.answer, of: action.of, refusal: null };
    default:
      return { ...state, refusal: action.refusal };
  }
}
