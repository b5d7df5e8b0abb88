// The welcome is for the first visits: closed once, it stays away. This is no module, as those run
// after the first drawing, and whoever closed the welcome would see it go each time.

{
  const KEY = "token-tracer.welcomed";
  const leave = () => document.documentElement.classList.add("is-welcomed");

  // A browser that lets nothing be stored throws: it shows the welcome at each visit.
  const stored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null;
    }
  };

  if (stored((storage) => storage.getItem(KEY)) !== null) leave();
  addEventListener("click", (event) => {
    if (!event.target.closest("[data-farewell]")) return;
    stored((storage) => storage.setItem(KEY, "1"));
    leave();
    document.querySelector("[data-text]").focus();
  });
}
