// A page's state and who is told of its changes.

/** A store of one state, which only `reduce` changes; subscribers get (state, previous, action). */
export function storeOf(state, reduce) {
  const subscribers = new Set();
  return {
    get state() {
      return state;
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
    },
    dispatch(action) {
      const previous = state;
      state = reduce(state, action);
      if (state !== previous) for (const subscriber of subscribers) subscriber(state, previous, action);
    },
  };
}
