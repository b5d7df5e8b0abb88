// ReLU, GELU in two forms and SiLU, and their slopes.

import { make, makeMath } from "../drawing/elements.js";
import { lines } from "./charts/lines.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief, written } from "./words.js";

function draw(slot, answer, { boot }) {
  const x = { label: "x", values: answer.x };
  const drawn = (name, label, all, one) => lines(slot(name), {
    x, y: { label }, series: answer.curves.map((curve) => ({ name: curve.name, values: curve[all] })),
    at: { x: answer.at, values: answer.curves.map((curve) => curve[one]) },
    alt: `Four curves from x = ${brief(answer.x[0])} to ${brief(answer.x.at(-1))}. At x = ${brief(answer.at)}: ${answer.curves.map((curve) => `${curve.name} ${brief(curve[one])}`).join(", ")}.`,
  });
  drawn("values", "y", "values", "value");
  drawn("slopes", "dy/dx", "slopes", "slope");
  slot("at").textContent = `At x = ${written(answer.at)}`;
  slot("rows").replaceChildren(
    make("thead", {}, make("tr", {}, ...["curve", "y", "slope", "equation"].map((name, i) => make("th", { scope: "col", class: i === 3 ? "is-word" : null, text: name })))),
    make("tbody", {}, ...answer.curves.map((curve) => make("tr", {},
      make("th", { scope: "row", text: curve.name }),
      make("td", { "data-value": String(curve.value), text: written(curve.value) }),
      make("td", { text: written(curve.slope) }),
      make("td", { class: "is-word" }, makeMath(boot.equations[curve.equation]))))),
  );
}

function named(answer, name) {
  return answer.curves.find((curve) => curve.name === name);
}

lab({
  draw,
  questions: [
    {
      ask: "GELU is x times the probability that a standard normal number is below x. What is GELU(−1)?",
      within: 0.01,
      settings: (query) => [having(query, { at: -1 })],
      answer: ([found]) => named(found, "GELU").value,
      said: ([found]) => `GELU(−1) is ${brief(named(found, "GELU").value)}, where ReLU gives ${brief(named(found, "ReLU").value)}: a small negative number passes a little.`,
    },
    {
      ask: "At x = −0.5, which of the two lets a gradient through?",
      options: [
        { name: "ReLU", words: "ReLU" },
        { name: "GELU", words: "GELU" },
        { name: "both", words: "both" },
        { name: "none", words: "neither" },
      ],
      settings: (query) => [having(query, { at: -0.5 })],
      answer: ([found]) => {
        const through = ["ReLU", "GELU"].filter((name) => named(found, name).slope !== 0);
        return through.length === 2 ? "both" : (through[0] ?? "none");
      },
      said: ([found]) => `The slope of ReLU is ${brief(named(found, "ReLU").slope)} there, that of GELU ${brief(named(found, "GELU").slope)}: a hidden unit that ReLU has switched off learns nothing from this token.`,
    },
  ],
});
