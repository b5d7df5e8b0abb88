// A lesson's address: the text, the step and the teacher's view, in the query.

const REST = 1000;
const PUSHED = new Set(["step", "teacher", "example"]);

/** What the address says: only what it names. */
export function read(search) {
  const query = new URLSearchParams(search);
  const view = { teacher: query.has("teacher") && query.get("teacher") !== "0" };
  if (query.has("text")) view.text = query.get("text");
  if (/^[1-9]\d?$/.test(query.get("step") ?? "")) view.step = Number(query.get("step"));
  return view;
}

/** The address of a view; the first step and the usual text are not written. */
export function write({ text, opening, step, teacher }) {
  const query = new URLSearchParams();
  if (text !== opening) query.set("text", text);
  if (step > 1) query.set("step", step);
  if (teacher) query.set("teacher", "1");
  return `?${query}`;
}

/** Keep the address in step with the store: what the reader chooses makes a new entry, and so does
 * the first letter typed after a rest. */
export function follow(store) {
  let typedAt = 0;
  store.subscribe((state, _, action) => {
    const address = write(state);
    if (action.type === "view" || address === (location.search || "?")) return;
    const typing = action.type === "text";
    const push = typing ? Date.now() - typedAt > REST : PUSHED.has(action.type);
    history[push ? "pushState" : "replaceState"](null, "", address);
    if (typing) typedAt = Date.now();
  });
  addEventListener("popstate", () => store.dispatch({ type: "view", view: read(location.search) }));
}
