// What a learner has done, kept in their own browser and nowhere else.

const PREFIX = "token-tracer.lesson.";
export const WORDS = { right: "✓ right", wrong: "✗ not right", shown: "seen" };

/** Outcomes by question; empty where the browser keeps nothing. */
export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + name) ?? "{}");
    return Object.fromEntries(Object.entries(found).filter(([, outcome]) => Object.hasOwn(WORDS, outcome)));
  } catch {
    return {}; // not ours, or storage is forbidden here
  }
}

/** Keep the outcomes from now on. */
export function keepProgress(store) {
  store.dispatch({ type: "progress", progress: kept(store.state.name) });
  store.subscribe((state, previous) => {
    if (state.progress === previous.progress) return;
    try {
      localStorage.setItem(PREFIX + state.name, JSON.stringify(state.progress));
    } catch {
      // forbidden or full: then the marks last as long as the page
    }
  });
}
