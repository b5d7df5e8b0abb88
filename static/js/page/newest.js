// The newest answer wins: whoever asks again no longer wants the answer before, however late it comes.

import { wait } from "./waiting.js";

/** {ask, drop} for questions of which only the newest counts. `fetched(question, signal)` promises
 * an answer; what is done with it is `answered(answer, question)`, else `refused(refusal, question)`.
 * `ask(question, pause)` asks at once, or when nothing else was asked for `pause` milliseconds;
 * `drop()` asks nothing more. Both abort what is under way, and neither its answer nor its refusal
 * is heard of again, not even from a `fetched` that does not heed its signal. `felt` questions are
 * those whose answer the reader waits for; the others go on in the background. */
export function newest({ fetched, answered, refused, felt = false }) {
  let current = null; // the controller of the question whose answer is wanted
  let timer = 0;

  const self = {};

  const leave = () => {
    clearTimeout(timer);
    current?.abort();
    current = null;
  };

  const drop = () => {
    leave();
    if (felt) wait(self, false);
  };

  const start = async (question, mine) => {
    if (felt) wait(self, true);
    const act = await fetched(question, mine.signal).then(
      (answer) => () => answered(answer, question),
      (refusal) => () => refused(refusal, question),
    );
    if (current !== mine) return;
    if (felt) wait(self, false);
    act();
  };

  const ask = (question, pause = 0) => {
    leave();
    const mine = new AbortController();
    current = mine;
    if (pause) timer = setTimeout(start, pause, question, mine);
    else start(question, mine);
  };

  return { ask, drop };
}
