// What a lab is set to, as the page's address has it and as the API is asked.

/** The values that an address gives, else those that the page starts with: Map of name -> value. */
export function read(controls, search) {
  const given = new URLSearchParams(search);
  return new Map(controls.map((control) => [control.name, given.has(control.name) ? parsed(control, given.getAll(control.name)) : control.start]));
}

/** The address's query: what differs from the page's start. */
export function write(controls, query) {
  return encoded(controls.filter(({ name, start }) => String(query.get(name)) !== String(start)), query);
}

/** The API's query: everything, and what else is given. */
export function asked(controls, query) {
  return encoded(controls, query);
}

function encoded(controls, query) {
  const result = new URLSearchParams();
  for (const { name } of controls) for (const value of [query.get(name)].flat()) result.append(name, String(value));
  return result.toString();
}

function parsed(control, texts) {
  const text = texts.at(-1);
  if (control.kind === "list") return texts.map((each) => finite(each, 0));
  if (control.kind === "slider") return finite(text, control.start);
  return control.kind === "switch" ? text === "true" : text;
}

function finite(text, otherwise) {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? otherwise : value;
}

/** The ends and the step of a number, as far as the others let it go: {low, high, step}. */
export function bounds(control, query) {
  let { low, high, step } = control;
  const factor = control.multiple_of === null ? null : query.get(control.multiple_of);
  if (factor > 0) [low, high, step] = [Math.ceil(low / factor) * factor, Math.floor(high / factor) * factor, factor];
  if (control.below !== null) high = Math.min(high, ceiling(query.get(control.below), step));
  if (control.above !== null) low = Math.max(low, query.get(control.above) + step);
  return { low, high, step };
}

/** The stops of a slider that goes up in ratios, as far as the others let it: each brought to the
 * nearest number that they allow. */
export function ladder(control, query) {
  if (control.multiple_of === null) return control.stops;
  const { low, high, step } = bounds(control, query);
  return [...new Set(control.stops.map((stop) => Math.min(high, Math.max(low, Math.round(stop / step) * step))))];
}

function ceiling(other, step) {
  return Array.isArray(other) ? other.length - 1 : other - step;
}

/** The query with one value moved, and those that hang on it brought back into their bounds. */
export function moved(controls, query, name, value) {
  const result = new Map(query).set(name, value);
  for (const control of controls) {
    const held = [control.below, control.above, control.multiple_of].includes(name);
    if (!held || control.name === name) continue;
    const { low, high, step } = bounds(control, result);
    const nearest = control.multiple_of === null ? result.get(control.name) : Math.round(result.get(control.name) / step) * step;
    result.set(control.name, Math.min(high, Math.max(low, nearest)));
  }
  return result;
}
