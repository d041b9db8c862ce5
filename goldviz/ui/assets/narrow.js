// Runs in every page. On a narrow screen figures lie under one another and settings in a sheet below them: a button opens
// and closes it, and who presses Train is taken to the figures. Who goes by keyboard may skip all settings.

const NARROW = "(max-width: 640px)";
const OPEN = "goldviz-sheet-open";

const sheetButton = () => document.querySelector(".goldviz-sheet");

function openSheet(open) {
  document.documentElement.classList.toggle(OPEN, open);
  const button = sheetButton();
  if (!button) return;
  button.setAttribute("aria-expanded", String(open));
  button.textContent = open ? "Close" : "Settings";
}

const isOpen = () => document.documentElement.classList.contains(OPEN);

function toFigures() {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const place = document.querySelector(".st-key-timeline") ?? document.querySelector(".st-key-first-look");
  place?.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
}

const toQuestions = () => document.querySelector('.st-key-strip [role="radio"][aria-checked="true"]')?.focus();

function pressed({ target }) {
  if (!target.closest) return;
  if (target.closest(".goldviz-skip")) {
    openSheet(false);
    return toQuestions();
  }
  if (target.closest(".goldviz-sheet")) return openSheet(!isOpen());
  const trains = target.closest('[class*="st-key-train-"] button, [class*="st-key-beside-"] button');
  const outside = !target.closest(".st-key-knobs") && target.closest(".stMain, header, a");
  if (isOpen() && (trains || outside)) openSheet(false);
  if (trains && window.matchMedia(NARROW).matches) toFigures();
}

if (globalThis.document) {
  document.addEventListener("click", pressed);
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen()) return;
    openSheet(false);
    sheetButton()?.focus();
  });
}
