// Taking the view away: pictures with a caption, files in each format, and the code that asks.

import { picture } from "../picture.js";
import { readFields } from "../readings.js";
import { focused } from "../store.js";

export function away(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root);
  }
  if (state.trace === previous?.trace && state.stage === previous?.stage && state.table === previous?.table) return;
  const { key } = focused(state);
  for (const link of root.querySelectorAll("[data-one]")) {
    link.href = address(state, link.dataset.one, key);
    link.download = `${key}.${link.dataset.one}`;
  }
  for (const link of root.querySelectorAll("[data-all]")) {
    link.href = address(state, link.dataset.all);
    link.download = `trace.${link.dataset.all}`;
  }
  root.querySelector("[data-curl]").textContent = `curl ${quoted(location.origin + address(state, "json", key))}`;
  root.querySelector("[data-python]").textContent = [
    "from model import load, trace",
    "",
    `model = load(${JSON.stringify(`checkpoints/${state.model}`)})`,
    `trace(${pythonArguments(state.trace.told)}).tensor(${JSON.stringify(key)})`,
  ].join("\n");
}

function address({ model, trace }, format, stage) {
  const query = new URLSearchParams({ model });
  for (const [name, value] of Object.entries(readFields(trace.told))) {
    for (const one of [value].flat()) query.append(name, one);
  }
  query.set("format", format);
  if (stage) query.set("stages", stage);
  return `/api/v1/traces?${query}`;
}

function pythonArguments(told) {
  const { text, ...others } = readFields(told);
  return ["model", JSON.stringify(text), ...Object.entries(others).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(", ");
}

/** A word for a POSIX shell. */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function listen(root) {
  root.addEventListener("click", async ({ target }) => {
    const said = root.querySelector("[data-said]");
    if (target.dataset.picture) {
      said.textContent = await outcome(() => picture(target.dataset.picture), "");
    } else if (target.dataset.copy) {
      const code = root.querySelector(`[data-${target.dataset.copy}]`).textContent;
      said.textContent = await outcome(() => navigator.clipboard.writeText(code), "Copied.");
    }
  });
}

async function outcome(work, done) {
  try {
    await work();
    return done;
  } catch (error) {
    return `That did not work: ${error.message}`;
  }
}

