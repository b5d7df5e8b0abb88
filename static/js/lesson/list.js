// The list of lessons: how far each one has been taken.

import { kept } from "./progress.js";

for (const line of document.querySelectorAll("[data-lesson]")) {
  const outcomes = Object.values(kept(line.dataset.lesson));
  const right = outcomes.filter((outcome) => outcome === "right").length;
  if (outcomes.length) line.textContent = `${outcomes.length} of ${line.dataset.count} steps done, ${right} predicted right`;
}
