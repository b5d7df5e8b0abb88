// An equation in the room that it has.

const SMALLEST = 12; // pixels

/** A long equation is written smaller, so that it can be read without scrolling; one that would be
 * too small scrolls, by keyboard too. */
export function fit(equation) {
  fitted(equation);
  // The first equation is measured before its font has come.
  if (document.fonts.status === "loading") document.fonts.ready.then(() => fitted(equation));
}

function fitted(equation) {
  equation.style.fontSize = "";
  const size = Number.parseFloat(getComputedStyle(equation).fontSize);
  const share = equation.clientWidth / equation.scrollWidth;
  if (share < 1) equation.style.fontSize = `${Math.max(SMALLEST, Math.floor(size * share))}px`;
  equation.removeAttribute("tabindex");
  if (equation.scrollWidth > equation.clientWidth) equation.tabIndex = 0;
}
