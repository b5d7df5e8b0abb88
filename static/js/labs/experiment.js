// The measured comparisons: every run, their means, and how far they scatter.

import { dots } from "./charts/dots.js";
import { lab } from "./lab.js";
import { having } from "./question.js";
import { brief } from "./words.js";

const FOUR_DIGITS = 4;

function draw(slot, answer) {
  const { positions: compared, difference, course, norm_placement: placement } = answer;
  const ours = compared.groups.map((group) => ({ ...group, name: group.varied.position, beside: course[group.varied.position] }));
  shown(slot("compared"), ours, "the course’s single run");
  const counted = difference.runs === 1 ? "With one seed" : `Over ${difference.runs} seeds`;
  slot("difference").textContent = `${counted}, learned positions end ${loss(difference.mean)} above sinusoidal ones${difference.spread === null ? "; one run has no spread" : `, with a standard deviation of ${loss(difference.spread)} from seed to seed`}. The sinusoidal run is the better one in ${difference.sinusoidal_better} of ${difference.runs}.`;
  slot("course").textContent = `The course’s single run says ${course.learned} learned and ${course.sinusoidal} sinusoidal, ${course.difference} apart. Its recipe is its own, so the levels need not agree; its direction is ours, its size is not.`;
  shown(slot("placement"), placement.groups.map((group) => ({ ...group, name: placed(group.varied) })), null);
  recipe(slot("compared-recipe"), compared);
  recipe(slot("placement-recipe"), placement);
  slot("compared-command").textContent = compared.command;
  slot("placement-command").textContent = placement.command;
  slot("placement-words").textContent = diverged(placement.groups);
  slot("placement-verdict").textContent = answer.placed.map(verdict).join(" ");
}

function shown(root, groups, beside) {
  dots(root, {
    groups: groups.map((group) => ({ ...group, values: group.losses })), beside, label: "validation loss, nats a character",
    alt: groups.map(({ name, mean, spread }) => `${name}: ${mean === null ? "all runs diverged" : loss(mean)}${spread === null ? "" : `, give or take ${loss(spread)}`}`).join("; "),
    columns: [
      { name: "group", values: groups.map(({ name }) => name) },
      { name: "runs", values: groups.map(({ losses }) => losses.length) },
      { name: "mean loss", values: groups.map(({ mean }) => mean) },
      { name: "standard deviation", values: groups.map(({ spread }) => spread) },
      { name: "diverged", values: groups.map(({ diverged: count }) => count) },
      { name: "largest gradient norm", values: groups.map((group) => group.largest_gradient_norm) },
    ],
  });
}

function placed({ wiring, n_blocks: blocks, warmup }) {
  return `${blocks} blocks, ${warmup ? `warm-up ${warmup}` : "no warm-up"}, ${wiring.replace("ln", "LN")}`;
}

/** Which placement ends lower in one setting, and whether by more than the seeds scatter. */
function verdict({ n_blocks: blocks, warmup, post_minus_pre: difference, larger_spread: spread }) {
  const setting = `${blocks} blocks, ${warmup ? `warm-up ${warmup}` : "no warm-up"}:`;
  if (difference === null) return `${setting} one of the two diverged.`;
  const sure = spread === null ? "one seed, so there is no spread to hold it against" : `${Math.abs(difference) > spread ? "more" : "no more"} than the seeds scatter (${loss(spread)})`;
  return `${setting} ${difference < 0 ? "post-LN" : "pre-LN"} ends lower by ${loss(Math.abs(difference))}, ${sure}.`;
}

function recipe(root, { steps, batch_size: batch, clip, learning_rate: rate, config, groups, frequency_loss: level }) {
  root.textContent = `${groups[0].seeds.length === 1 ? "One run" : `${groups[0].seeds.length} runs`} of ${steps} steps in each group, d ${config.d_model}, context ${config.context_length}, learning rate up to ${brief(rate)}; the same batches for each seed. Held fixed in every run: ${batch} windows a batch, gradients clipped to norm ${brief(clip)}, the width, the learning rate and all else of the recipe; none was tuned for one of the two. Knowing only how frequent each character is gives a loss of ${loss(level)}.`;
}

function diverged(groups) {
  const runs = groups.reduce((sum, { losses }) => sum + losses.length, 0);
  const lost = groups.reduce((sum, group) => sum + group.diverged, 0);
  return lost ? `${lost} of ${runs} runs diverged.` : `At this size none of the ${runs} runs diverged; look at the deepest stack without warm-up.`;
}

function loss(value) {
  return value.toFixed(FOUR_DIGITS).replace("-", "−");
}

function deepest(answer, wiring) {
  const all = answer.norm_placement.groups;
  const most = Math.max(...all.map(({ varied }) => varied.n_blocks));
  return all.find(({ varied }) => varied.n_blocks === most && varied.warmup === 0 && varied.wiring === wiring);
}

lab({
  draw,
  questions: [
    {
      ask: "With one seed, sinusoidal positions come out better. In how many of five seeds will they?",
      unit: "of 5",
      within: 0,
      settings: (query) => [having(query, { seeds: 5 })],
      answer: ([found]) => found.difference.sinusoidal_better,
      said: ([{ difference, course }]) => `In ${difference.sinusoidal_better} of ${difference.runs}, by ${loss(difference.min)} to ${loss(difference.max)}: the direction holds at this scale. But no seed comes near the single run’s ${course.difference}.`,
    },
    {
      ask: "The deepest stack, no warm-up: which placement of the norm ends with the lower loss on average?",
      options: [
        { name: "post-ln", words: "post-LN, as in 2017" },
        { name: "pre-ln", words: "pre-LN, as today" },
      ],
      settings: (query) => [having(query, { seeds: 5 })],
      answer: ([found]) => (deepest(found, "post-ln").mean < deepest(found, "pre-ln").mean ? "post-ln" : "pre-ln"),
      said: ([found]) => `At ${deepest(found, "pre-ln").varied.n_blocks} blocks post-LN ends at ${loss(deepest(found, "post-ln").mean)} (standard deviation ${loss(deepest(found, "post-ln").spread)}), pre-LN at ${loss(deepest(found, "pre-ln").mean)} (${loss(deepest(found, "pre-ln").spread)}).`,
    },
  ],
});
