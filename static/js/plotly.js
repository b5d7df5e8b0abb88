// Plotly, loaded after the first picture has been drawn without it.

let loading = null;

/** The library, once its script has arrived. */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.querySelector("[data-plotly]").dataset.plotly;
    script.addEventListener("load", () => resolve(globalThis.Plotly));
    script.addEventListener("error", () => {
      loading = null; // the next drawing tries again
      script.remove();
      reject(new Error("Plotly's script did not load, so the cells stand without labels."));
    });
    document.head.append(script);
  });
  return loading;
}
