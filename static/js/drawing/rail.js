// The line beside the outline's rows: the residual stream, the sub-layers that leave and rejoin it,
// and what one stack hands to another.

import { makeSvg } from "./elements.js";

export const ROW = 40;
const WIDTH = 34;
const MIDDLE = ROW / 2;
const STREAM = 8;
const BRANCH = 24;
const MEMORY = 31;

/** One drawing a stage. */
export function rails(stages) {
  const starts = stages.map((stage, i) => startsStack(stage, stages[i - 1]));
  const tracks = stages.map((stage, i) => trackOf(stage, given(stage) && !starts[i]));
  const memories = memoriesOf(stages, starts);
  return stages.map((stage, i) => rail({
    track: tracks[i], before: starts[i] ? null : tracks[i - 1], after: starts[i + 1] ? null : (tracks[i + 1] ?? null),
    parts: memories.flatMap((memory) => memoryParts(memory, i)),
  }));
}

/** Key -> which stack a stage is of, counted from 0: each has a residual stream of its own. */
export function stacksOf(stages) {
  let stack = -1;
  return new Map(stages.map((stage, i) => {
    if (startsStack(stage, stages[i - 1])) stack += 1;
    return [stage.key, stack];
  }));
}

function startsStack(stage, before) {
  return given(stage) && stage.group !== before?.group;
}

function given({ inputs, branch }) {
  return inputs.length === 0 && branch === null;
}

/** Where a stage stands: on the stream (null), on a sub-layer's branch, or beside both, where
 * something is given that no stage before it made. */
function trackOf({ branch }, beside) {
  return { branch: beside ? "given" : branch, adds: branch !== null };
}

/** Ends of a stack that later stages read: {from, readers}. */
function memoriesOf(stages, starts) {
  const ends = stages.flatMap((_, i) => (starts[i + 1] ? [i] : []));
  return ends.map((from) => ({ from, readers: stages.flatMap(({ inputs }, i) => (inputs.includes(stages[from].key) ? [i] : [])) }))
    .filter(({ readers }) => readers.length);
}

function memoryParts({ from, readers }, i) {
  const last = readers.at(-1);
  const parts = [];
  const line = (d) => parts.push(makeSvg("path", { d, class: "rail-memory" }));
  if (i === from) line(`M${STREAM} ${MIDDLE}C${BRANCH} ${MIDDLE} ${MEMORY} ${MIDDLE + 4} ${MEMORY} ${ROW}`);
  if (i > from && i < last) line(`M${MEMORY} 0V${ROW}`);
  if (readers.includes(i)) line(`M${MEMORY} 0C${MEMORY} ${MIDDLE - 6} ${MEMORY - 2} ${MIDDLE} ${BRANCH} ${MIDDLE}`);
  return parts;
}

function rail({ track, before, after, parts }) {
  const drawn = [...parts];
  const line = (d, more = {}) => drawn.push(makeSvg("path", { d, ...more }));
  line(`M${STREAM} ${before ? 0 : MIDDLE}V${after ? ROW : MIDDLE}`, { class: "rail-stream" });
  const away = track.branch !== null;
  if (away) {
    const leaves = before?.branch !== track.branch;
    const rejoins = after?.branch !== track.branch;
    if (!leaves) line(`M${BRANCH} 0V${MIDDLE}`);
    else if (track.adds) line(`M${STREAM} 0C${STREAM} ${MIDDLE} ${BRANCH} 4 ${BRANCH} ${MIDDLE}`);
    line(rejoins ? `M${BRANCH} ${MIDDLE}C${BRANCH} ${ROW - 4} ${STREAM} ${MIDDLE} ${STREAM} ${ROW}` : `M${BRANCH} ${MIDDLE}V${ROW}`);
  }
  const joins = !away && before?.branch !== null && before?.adds === true;
  const x = away ? BRANCH : STREAM;
  drawn.push(makeSvg("circle", { cx: x, cy: MIDDLE, r: joins ? 6 : 3.5, class: joins ? "rail-join" : "rail-dot" }));
  if (joins) line(`M${x - 3} ${MIDDLE}h6M${x} ${MIDDLE - 3}v6`, { class: "rail-plus" });
  return makeSvg("svg", { class: "rail", width: WIDTH, height: ROW, viewBox: `0 0 ${WIDTH} ${ROW}`, "aria-hidden": "true" }, ...drawn);
}
