// Making elements: text is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";

/** An element with properties (`class`, `data-…`, `aria-…` and others as attributes) and children. */
export function make(tag, properties = {}, ...children) {
  return furnish(document.createElement(tag), properties, children);
}

export function makeSvg(tag, properties = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), properties, children);
}

export function makeMathPart(tag, properties = {}, ...children) {
  return furnish(document.createElementNS(MATHML, tag), properties, children);
}

/** MathML from the stage table, parsed as XML: nothing in it can run. */
export function makeMath(mathml) {
  return document.importNode(new DOMParser().parseFromString(mathml, "application/xml").documentElement, true);
}

/** Act on a click on what matches, with the found element; not on one that is to open elsewhere. */
export function onFollow(root, selector, act) {
  root.addEventListener("click", (event) => {
    const found = event.target.closest(selector);
    if (!found || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    act(found);
  });
}

function furnish(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === false || value === undefined) continue;
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
