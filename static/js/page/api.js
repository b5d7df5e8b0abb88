// The HTTP API, as promises.

import { unpacked } from "../tensor/base64.js";
import { readFields } from "../tensor/readings.js";
import { decode } from "../tensor/safetensors.js";
import { held } from "./saved.js";

const BASE = "/api/v1";
const TRIES = 10;
const GRADIENT = "gradient."; // before the key of each gradient

let answers = null; // of a saved page, by address

/** What the server said of a request that it refused, in its own words. */
class Refusal extends Error {
  constructor({ code, message, field, details }) {
    super(message);
    Object.assign(this, { code, field, details });
  }
}

/** From now on, ask no server: take what a saved page holds. */
export function answerFrom(carried) {
  answers = carried;
}

export async function fetchTable(model) {
  return (await ask(`/stages?model=${encodeURIComponent(model)}`)).json();
}

/** A trace in the binary form: {asked, told, tensors}. */
export async function fetchTrace(model, asked, signal) {
  const response = await post("/traces", { model, ...readFields(asked), format: "safetensors" }, signal);
  return traceOf(asked, await response.arrayBuffer());
}

/** d loss / d stage for every stage but ids: Map of key -> tensor. */
export async function fetchGradients(model, told, signal) {
  const response = await post("/traces", { model, ...readFields(told), gradients: true, format: "safetensors" }, signal);
  const { tensors } = decode(await response.arrayBuffer());
  const named = [...tensors].filter(([name]) => name.startsWith(GRADIENT));
  return new Map(named.map(([name, tensor]) => [name.slice(GRADIENT.length), tensor]));
}

/** A weight's numbers, as a tensor. */
export async function fetchWeight(model, key) {
  const query = new URLSearchParams({ model, format: "safetensors" });
  const { tensors } = decode(await (await ask(`/weights/${encodeURIComponent(key)}?${query}`)).arrayBuffer());
  return tensors.get(key);
}

/** Where a number comes from. */
export async function fetchCell(model, question, signal) {
  return (await post("/cells", cellRequest(model, question), signal)).json();
}

/** The request for that. */
export function cellRequest(model, { trace, stage, cell, differential, whole, weight }) {
  return {
    model, ...readFields(trace.told), [weight ? "weight" : "stage"]: stage, index: cell,
    ...(differential ? { gradient: true } : {}), ...(whole ? { terms: null } : {}),
  };
}

/** The gradient's norm along the residual stream: [{key, norm, without_residuals}]. */
export async function fetchFlow(model, told, signal) {
  return (await (await post("/gradient-flow", { model, ...readFields(told) }, signal)).json()).flow;
}

/** A lab's numbers for a query string. */
export async function fetchLab(name, query, signal) {
  return (await ask(`/labs/${name}?${query}`, { signal })).json();
}

/** What a typed formula comes to. */
export async function fetchNumber(prediction, signal) {
  return (await (await ask(`/numbers?${new URLSearchParams({ prediction })}`, { signal })).json()).value;
}

/** The trace that the page itself carries, as base64 of the same form. */
export function carriedTrace(asked, base64) {
  return traceOf(asked, unpacked(base64).buffer);
}

function traceOf(asked, buffer) {
  const { metadata, tensors } = decode(buffer);
  return { asked, told: JSON.parse(metadata.trace), tensors };
}

/** The second implementation's verdict: {checks: Map of key -> check, sanity, tolerance}. */
export async function fetchChecks(model, told, gradients, signal) {
  const answer = await (await post("/checks", { model, ...readFields(told), ...(gradients ? { gradients } : {}) }, signal)).json();
  return { ...answer, checks: new Map(answer.checks.map((check) => [check.key, check])) };
}

/** A lesson's questions, worded for a text. */
export async function fetchLesson(name, text, signal) {
  return (await ask(`/lessons/${encodeURIComponent(name)}?text=${encodeURIComponent(text)}`, { signal })).json();
}

/** The answer to one of its steps, and what became of a prediction. */
export async function fetchAnswer(name, body, signal) {
  return (await post(`/lessons/${encodeURIComponent(name)}/answers`, body, signal)).json();
}

function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

async function ask(path, options, tries = TRIES) {
  if (answers !== null) {
    const answer = held(answers, path, options);
    if (answer.missing) throw new Refusal({ code: "not_held", message: answer.missing });
    return answer;
  }
  let response;
  try {
    response = await fetch(BASE + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ code: "unreachable", message: "The server does not answer. Is it still running?" });
  }
  if (response.ok) return response;
  const refusal = new Refusal(await refusalOf(response));
  if (refusal.code !== "busy" || tries <= 1) throw refusal;
  // A class that opens the page at once need not wait in step, so each waits a little otherwise.
  const seconds = Number(response.headers.get("Retry-After")) || 1;
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds * (0.75 + Math.random())));
  return ask(path, options, tries - 1);
}

async function refusalOf(response) {
  try {
    return (await response.json()).error;
  } catch {
    return { code: "http_error", message: `The server answered ${response.status}.` };
  }
}
