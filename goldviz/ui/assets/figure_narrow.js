// On a narrow screen figures and settings lie under one another: who presses Train is taken to the figures.

const NARROW = "(max-width: 640px)";

if (globalThis.document && !window.goldvizNarrow) {
  window.goldvizNarrow = true;
  document.addEventListener("click", ({ target }) => {
    const pressed = target.closest?.('[class*="st-key-train-"] button, [class*="st-key-beside-"] button');
    if (!pressed || !window.matchMedia(NARROW).matches) return;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const place = document.querySelector(".st-key-timeline") ?? document.querySelector(".st-key-first-look");
    place?.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  });
}
