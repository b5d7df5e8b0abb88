// The marks of what is not finite and so has no colour.

/** The names of a matrix's cells that are not finite, by row: [[name or null]]; null where all are
 * finite or masked. */
export function unusualIn(matrix, { rows, columns, start }, { unusualAt }) {
  const bare = (value, at) => value - value !== 0 && unusualAt(value, start + at) !== "masked";
  if (!matrix.some(bare)) return null;
  const nameAt = (at) => unusualAt(matrix[at], start + at);
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => nameAt(row * columns + column)));
}

/** An image that is clear but for those cells. */
export function ground(names, { marks, tile }) {
  const patterns = Object.entries(marks).map(([name, { tint, line, path }]) => `<pattern id="${name}" width="${tile}" height="${tile}" patternUnits="userSpaceOnUse"><rect width="${tile}" height="${tile}" fill="${tint}"/><path d="${path}" stroke="${line}" stroke-width="1.4"/></pattern>`);
  const cells = names.flatMap((row, y) => row.map((name, x) => (name !== null ? `<rect x="${x * tile}" y="${y * tile}" width="${tile}" height="${tile}" fill="url(#${name})"/>` : "")));
  const [width, height] = [names[0].length * tile, names.length * tile];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${patterns.join("")}${cells.join("")}</svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}
