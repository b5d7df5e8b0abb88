// What a lab's page knows: what it is set to, what the API answered, or why it refused.

import { storeOf } from "../page/store.js";
import { moved } from "./query.js";

/** A store for a lab. The state is {query, answer, of, refusal}; `of` is the query that the answer
 * is for. */
export function createStore(controls, query) {
  return storeOf({ query, answer: null, of: null, refusal: null }, (state, action) => reduce(controls, state, action));
}

function reduce(controls, state, action) {
  switch (action.type) {
    case "move":
      return { ...state, query: moved(controls, state.query, action.name, action.value) };
    case "set":
      return { ...state, query: action.query };
    case "answer":
      return { ...state, answer: action.answer, of: action.of, refusal: null };
    case "refused":
      return { ...state, refusal: action.refusal };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}
