// Plotly, loaded after the first picture has been drawn without it.

import { unpacked } from "../tensor/base64.js";

let loading = null;

/** The library, once its script has arrived. */
export function plotly() {
  loading ??= address().then(load);
  return loading;
}

function load(source) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.addEventListener("load", () => resolve(globalThis.Plotly));
    script.addEventListener("error", () => {
      loading = null; // the next drawing tries again
      script.remove();
      reject(new Error("Plotly's script did not load, so the cells stand without labels."));
    });
    document.head.append(script);
  });
}

/** Where the script is: at the server; or in a saved page itself, as gzip. */
async function address() {
  const packed = document.querySelector("[data-plotly-gzip]");
  if (packed === null) return document.querySelector("[data-plotly]").dataset.plotly;
  const stream = new Blob([unpacked(packed.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = await new Response(stream).arrayBuffer();
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}
