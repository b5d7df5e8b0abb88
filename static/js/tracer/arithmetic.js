// The arithmetic of a cell as text, and as the request that answers it.

import { cellRequest } from "../page/api.js";

/** Lines that say what the page says. */
export function asText(answer) {
  const name = `${answer.gradient ? "d loss / d " : ""}${answer.stage ?? answer.weight}[${answer.index.join(", ")}]`;
  const terms = answer.terms.map(({ label, factors, value, word }) => {
    const made = factors.map((factor) => `${factor.gradient ? "d loss / d " : ""}${factor.stage ?? factor.weight}[${factor.index.join(", ")}] = ${number(factor.value, factor.word)}`);
    return `  ${label}: ${number(value, word)}${made.length ? `  (${made.join(", ")})` : ""}`;
  });
  const symbols = answer.symbols.map(({ symbol, title }) => `  ${symbol}: ${title}`);
  return [
    `${name} = ${number(answer.value, answer.word)}`, ...(answer.counted === null ? [] : [`  (${answer.counted})`]), `  ${answer.equation}`,
    `${answer.name} = ${number(answer.total, answer.total_word)} is ${answer.joined}`, ...symbols,
    ...answer.steps.map(({ label, value, word }) => `  ${label}: ${number(value, word)}`), ...terms,
    ...(answer.note === null ? [] : [answer.note]),
  ].join("\n");
}

/** The line of NumPy, and where its number stands. */
export function asNumpy({ code, name, counted }) {
  return `${code}  # ${name}${counted === null ? "" : `; ${counted}`}`;
}

/** The call of the API, for a POSIX shell. */
export function asCurl(model, question) {
  const body = JSON.stringify(cellRequest(model, question)).replaceAll("'", "'\\''");
  return `curl ${location.origin}/api/v1/cells -H 'Content-Type: application/json' -d '${body}'`;
}

function number(value, word) {
  return value === null ? word : String(value);
}
