// On every page beside the tracer: its links lead back with what was read there.

import { carried, carry, dress } from "./carry.js";

const reading = carried();
if (reading !== null) {
  for (const link of document.querySelectorAll("a[href]")) dress(link, reading);
  carry(() => reading);
}
