// What the stage table says of a tensor: a stage's, or a weight's.

/** What the table says of a stage or a weight. */
export function entryOf({ stages, weights }, key) {
  return stages.find((entry) => entry.key === key) ?? weights.find((entry) => entry.key === key);
}

/** The entry of the tensor that is looked at. */
export function focused({ table, stage }) {
  return entryOf(table, stage);
}

/** Whether that is a weight. */
export function isWeight({ table, stage }) {
  return table.weights.some(({ key }) => key === stage);
}
