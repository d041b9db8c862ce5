// Draws the first figures of a page before Streamlit has started, at the places where they will stand, and takes the view
// away as soon as the page shows its own in the same frame, or anything else: what the page has to say is never covered.

import { roomAtFirst } from "./figure_height.js";
import { pictured } from "./figure_laid.js";

const LETTERS_MS = 150;
// So long after the page has its heading, its figures are expected.
const PATIENCE_MS = 5000;
const GESTURES = ["pointerdown", "keydown", "wheel", "touchstart"];
const FIGURES = ".st-key-first-look .goldviz-figure";
const NEWS = ".goldviz-apart, [role=dialog], [data-testid=stAlert], [data-testid=stException]";

// Whether the page shows its own: of its first figures, as many as the view has, those in sight. The others wait for these.
export function hasCome(figures, count, height) {
  const own = figures.slice(0, count);
  const isDrawn = (figure) => "updates" in figure.dataset;
  const isSeen = (figure) => figure.getBoundingClientRect().top < height;
  return own.length === count && isDrawn(own[0]) && own.every((figure) => isDrawn(figure) || !isSeen(figure));
}

function show(host) {
  const root = host.goldvizRoot;
  const { figures, inks } = JSON.parse(root.querySelector("script").textContent);
  const hosts = [...root.querySelectorAll(".goldviz-figure")];
  const { pathname } = location;

  const draw = () => {
    for (const [at, { figure, description }] of figures.entries()) {
      const place = { zoom: {}, lift: 0, roomAt: roomAtFirst };
      try {
        pictured(hosts[at], place, { figure, inks, theme: "light", subject: "", description });
      } catch (error) {
        reportError(error);
      }
    }
    if (hosts[0].dataset.drawn) host.dataset.pictured = "";
  };
  // Where a frame is late the letters are there before it.
  const first = setTimeout(draw, LETTERS_MS);
  const lettersCome = () => {
    clearTimeout(first);
    draw();
  };
  document.fonts.load('400 13px "Source Sans"').then(lettersCome, lettersCome);

  const isPage = () => document.querySelector("[data-testid=stMain] h1");
  const leave = () => {
    clearTimeout(first);
    observer.disconnect();
    removeEventListener("resize", draw);
    removeEventListener("beforeprint", leave);
    for (const gesture of GESTURES) removeEventListener(gesture, touched, { capture: true });
    host.remove();
  };
  const touched = () => {
    if (isPage()) leave();
  };
  let expected;
  const look = () => {
    const isThere = hasCome([...document.querySelectorAll(FIGURES)], hosts.length, innerHeight);
    if (isThere || location.pathname !== pathname || document.querySelector(NEWS)) leave();
    else if (isPage()) expected ??= setTimeout(leave, PATIENCE_MS);
  };
  // Once a frame: while the page is put together hundreds of changes come in each.
  let asked;
  const observer = new MutationObserver(() => {
    asked ??= requestAnimationFrame(() => {
      asked = undefined;
      if (host.isConnected) look();
    });
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["class", "data-updates"] });
  addEventListener("resize", draw);
  addEventListener("beforeprint", leave);
  for (const gesture of GESTURES) addEventListener(gesture, touched, { capture: true, passive: true });
}

const host = globalThis.document?.getElementById("goldviz-first-view");
if (host?.goldvizRoot) show(host);
