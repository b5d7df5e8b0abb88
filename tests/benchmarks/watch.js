// What the benchmark reads off a page, on the page's own clock in milliseconds since the start of
// its navigation. Runs in every page before its own scripts.

/** When `condition(records)` first holds after a change: {drawn}, and {shown}, the frame after. */
function until(condition) {
  return new Promise((resolve) => {
    const observer = new MutationObserver((records) => {
      if (!condition(records)) return;
      observer.disconnect();
      const drawn = performance.now();
      requestAnimationFrame(() => setTimeout(() => resolve({ drawn, shown: performance.now() })));
    });
    observer.observe(document, { subtree: true, childList: true, attributeFilter: ["width", "data-drawn"] });
  });
}

/** A canvas that matches, with every pixel painted. */
function untilPainted(selector) {
  return until(() => {
    const canvas = document.querySelector(selector);
    if (canvas === null) return false;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.every((value, i) => i % 4 < 3 || value > 0);
  });
}

/** The focused stage drawn by Plotly, for the stage and the text asked for. */
function untilFigure({ stage = "", text = "" } = {}) {
  return until(() => {
    const drawn = document.querySelector('[data-view="figure"]')?.dataset.drawn;
    return drawn !== undefined && drawn.startsWith(stage) && drawn.endsWith(text);
  });
}

/** Every thumbnail drawn once more. */
function untilThumbnails() {
  const thumbnails = new Set(document.querySelectorAll("[data-stage] canvas"));
  return until((records) => {
    for (const { target } of records) thumbnails.delete(target);
    return thumbnails.size === 0;
  });
}

/** The next key pressed in the text: when it was, when the thumbnails and the figure followed. */
async function keystroke(text) {
  const typed = new Promise((resolve) => {
    addEventListener("input", (event) => resolve(event.timeStamp), { capture: true, once: true });
  });
  const [start, thumbnails, figure] = await Promise.all([typed, untilThumbnails(), untilFigure({ text })]);
  return { drawn: thumbnails.drawn - start, shown: thumbnails.shown - start, figure: figure.drawn - start };
}

/** Go to a stage by its link: the milliseconds until Plotly has drawn it. */
async function goTo(stage) {
  const start = performance.now();
  const figure = untilFigure({ stage: `${stage} ` });
  document.querySelector(`[data-stage="${stage}"]`).click();
  return (await figure).drawn - start;
}

/** Change the text to each of these in turn, each drawn by Plotly before the next. */
async function change(texts) {
  const field = document.querySelector("[data-text]");
  for (const text of texts) {
    const figure = untilFigure({ text: ` ${text}` });
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await figure;
  }
}

globalThis.benchmark = {
  heatmap: untilPainted("[data-sketch] canvas, canvas[data-bare]"), figure: untilFigure(), keystroke, goTo, change,
};
