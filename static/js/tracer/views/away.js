// Taking the view away: pictures with a caption, files in each format, and the code that asks.

import { paired, settled } from "../../tensor/gradients.js";
import { readFields } from "../../tensor/readings.js";
import { focused, isWeight } from "../../tensor/table.js";
import { picture } from "../picture.js";

const OF_WEIGHTS = ["json", "safetensors"]; // the API's formats of a weight
const FILLED_FROM = ["trace", "stage", "table", "gradient", "gradients"];

export function away(root, state, dispatch, previous) {
  if (state.table === null || state.trace === null) return;
  if (!root.dataset.ready) {
    root.dataset.ready = "true";
    listen(root);
  }
  if (FILLED_FROM.every((name) => state[name] === previous?.[name])) return;
  const { key } = focused(state);
  const both = paired(state) && settled(state);
  for (const part of root.querySelectorAll("[data-with]")) part.hidden = !both;
  const weight = isWeight(state);
  for (const link of root.querySelectorAll("[data-one]")) {
    const format = link.dataset.one;
    link.hidden = weight && !OF_WEIGHTS.includes(format);
    link.href = weight ? ofWeight(state, format) : address(state, format, key);
    link.download = `${key}.${format}`;
  }
  for (const link of root.querySelectorAll("[data-all]")) {
    link.href = address(state, link.dataset.all);
    link.download = `trace.${link.dataset.all}`;
  }
  root.querySelector("[data-curl]").textContent = `curl ${quoted(location.origin + (weight ? ofWeight(state, "json") : address(state, "json", key)))}`;
  root.querySelector("[data-python]").textContent = [
    weight ? "from model import load" : "from model import load, trace",
    "",
    `model = load(${JSON.stringify(`checkpoints/${state.model}`)})`,
    weight ? `model.weights[${JSON.stringify(key)}]` : `trace(${pythonArguments(state)}).${both ? "gradient" : "tensor"}(${JSON.stringify(key)})`,
  ].join("\n");
}

/** The request that gives what is shown: with gradients where there are any. */
function fields({ trace, gradient, gradients }) {
  const given = gradient && settled({ trace, gradients }) && gradients.tensors !== null;
  return { ...readFields(trace.told), ...(given ? { gradients: true } : {}) };
}

function address(state, format, stage) {
  const query = new URLSearchParams({ model: state.model });
  for (const [name, value] of Object.entries(fields(state))) {
    for (const one of [value].flat()) query.append(name, one);
  }
  query.set("format", format);
  if (stage) query.set("stages", stage);
  return `/api/v1/traces?${query}`;
}

function ofWeight({ model, stage }, format) {
  return `/api/v1/weights/${encodeURIComponent(stage)}?${new URLSearchParams({ model, format })}`;
}

function pythonArguments(state) {
  const { text, ...others } = fields(state);
  return ["model", JSON.stringify(text), ...Object.entries(others).map(([name, value]) => `${name}=${value === true ? "True" : JSON.stringify(value)}`)].join(", ");
}

/** A word for a POSIX shell. */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function listen(root) {
  root.addEventListener("click", async ({ target }) => {
    const said = root.querySelector("[data-said]");
    if (target.dataset.picture) {
      said.textContent = await outcome(() => picture("figure", target.dataset.picture), "");
    } else if (target.dataset.gradientPicture) {
      said.textContent = await outcome(() => picture("gradient", target.dataset.gradientPicture), "");
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

