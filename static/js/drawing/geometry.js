// Where each panel of the focused stage stands, in CSS pixels: one answer for the drawing, for
// the pointer and for the first sight on a canvas.

const TALLEST_CELL = 30;
const SHORTEST_CELL = 5;
const SHORTEST_PROJECTED_CELL = 2; // on a wall the whole panel must be seen at once
const WIDEST_SQUARE_CELL = 44; // times the zoom
const ROW_OF_NUMBERS = 44;
const NARROW = 560;
const CLEARLY = 1.15; // times as large
const LABEL_ADVANCE = { x: 7, y: 10 }; // pixels that the smallest label needs
const NUMBER_ADVANCE = { x: 24, y: 12 };
const SMALLEST_LABEL = 9;
const LARGEST_LABEL = 12;

/** Arrange panels of rows × columns cells in `width` × about `height` pixels.
 * Returns {width, height, narrow, across, panels: [{x, y, width, height}], cell}; where it is
 * narrow the colour bar stands below, else at the right. */
export function arrange({ width, ...others }) {
  const right = arranged({ width, narrow: false, ...others });
  if (width >= NARROW) return right;
  const below = arranged({ width, narrow: true, ...others });
  return right.size > CLEARLY * below.size ? right : below;
}

function arranged({ width, height, narrow, rows, columns, count, square, titled, zoom = 1 }) {
  const margin = {
    left: 46 * zoom, right: narrow ? 10 : 76 * zoom, top: 40 * zoom, bottom: ((narrow ? 54 : 8) + (titled ? 22 : 0)) * zoom,
  };
  const gap = { x: 14, y: 60 * zoom };
  const choices = [1, 2, 4, 8].filter((across) => across <= Math.max(1, count) && across <= (narrow ? 2 : 8));
  const layouts = choices.map((across) => {
    const down = Math.ceil(count / across);
    const room = (width - margin.left - margin.right - gap.x * (across - 1)) / across;
    const rise = (height - margin.top - margin.bottom - gap.y * (down - 1)) / down;
    return { across, down, ...cells({ room, rise, rows, columns, square, zoom }) };
  });
  // Side by side, heads can be compared; so that wins unless it makes the cells clearly smaller.
  const best = layouts.reduce((a, b) => (b.size * CLEARLY >= a.size ? b : a));
  const panel = { width: best.cellWidth * columns, height: best.cellHeight * rows };
  const panels = Array.from({ length: count }, (_, i) => ({
    x: margin.left + (i % best.across) * (panel.width + gap.x),
    y: margin.top + Math.floor(i / best.across) * (panel.height + gap.y),
    ...panel,
  }));
  return {
    narrow,
    zoom,
    size: best.size,
    across: best.across,
    panels,
    width: margin.left + best.across * panel.width + (best.across - 1) * gap.x + margin.right,
    height: margin.top + best.down * panel.height + (best.down - 1) * gap.y + margin.bottom,
    cell: { width: best.cellWidth, height: best.cellHeight },
  };
}

/** Every how many cells a label fits along "x" or "y". */
export function labelStep(letter, cell, numeric, zoom) {
  const advance = zoom * (numeric ? NUMBER_ADVANCE : LABEL_ADVANCE)[letter];
  return [1, 2, 4, 8, 16, 32, 64, 128].find((step) => step * cell >= advance) ?? 256;
}

/** The size of a label, in pixels, that such cells have room for. */
export function labelSize(letter, cell, numeric, zoom) {
  const room = cell * labelStep(letter, cell, numeric, zoom) * (letter === "x" && !numeric ? 1.3 : 0.9);
  return Math.max(SMALLEST_LABEL * zoom, Math.min(LARGEST_LABEL * zoom, numeric ? 11 * zoom : room));
}

/** The panel and cell under a point, or null. */
export function hit(arrangement, x, y) {
  for (const [panel, box] of arrangement.panels.entries()) {
    const [dx, dy] = [x - box.x, y - box.y];
    if (dx >= 0 && dy >= 0 && dx < box.width && dy < box.height) {
      return { panel, row: Math.floor(dy / arrangement.cell.height), column: Math.floor(dx / arrangement.cell.width) };
    }
  }
  return null;
}

function cells({ room, rise, rows, columns, square, zoom }) {
  const shortest = zoom > 1 ? SHORTEST_PROJECTED_CELL : SHORTEST_CELL;
  if (square) {
    const side = Math.min(room / columns, Math.max(rise / rows, shortest), WIDEST_SQUARE_CELL * zoom);
    return { cellWidth: side, cellHeight: side, size: side };
  }
  const cellWidth = Math.min(room / columns, (rows === 1 ? 64 : WIDEST_SQUARE_CELL) * zoom);
  const cellHeight = rows === 1 ? ROW_OF_NUMBERS * zoom : Math.min(TALLEST_CELL * zoom, Math.max(shortest, rise / rows));
  return { cellWidth, cellHeight, size: Math.min(cellWidth, 3) * 100 + cellHeight };
}
