// A report: the page's own figures over frames that stand in this file, its timeline, and what a file has of its own:
// the choice of light or dark, and paper.

import diagram from "../ui/assets/diagram.js";
import { idle } from "../ui/assets/figure_draw.js";
import { bytesOf, decoded } from "../ui/assets/figure_fill.js";
import { framesPage, goToStep } from "../ui/assets/frames_page.js";
import figure from "../ui/assets/live_figure.js";
import timeline from "../ui/assets/timeline.js";

const KEY = "report";
const HEIGHT = 430;
const root = document.documentElement;
const hosts = [...document.querySelectorAll("[data-lane]")];
const textOf = (id) => document.getElementById(id).textContent;

function unzipped(id) {
  const zipped = new Blob([bytesOf(textOf(id))]).stream();
  return new Response(zipped.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function plotlyInside() {
  return URL.createObjectURL(new Blob([await unzipped("plotly")], { type: "text/javascript" }));
}

async function open() {
  const about = JSON.parse(textOf("about"));
  // A page without an address asks nobody: all that it will ever have is taken here.
  framesPage("").take(decoded(await unzipped("frames")));
  const script = document.getElementById("plotly") ? idle().then(plotlyInside) : about.plotly;
  for (const host of hosts) {
    const { lane, name } = host.dataset;
    const own = { subject: lane, description: host.ariaLabel, plotly: script, theme: "light", inks: about.inks };
    const data = { ...own, frames: { address: "", lane, name, key: KEY }, height: HEIGHT };
    const draw = host.classList.contains("goldviz-diagram") ? diagram : figure;
    draw({ data, parentElement: host.parentElement, setTriggerValue: () => undefined });
  }
  const scrubber = document.querySelector(".goldviz-scrubber");
  const { lane, noun, first, last, step } = about;
  const data = { address: "", lane, key: KEY, noun, first, last, step };
  timeline({ data, parentElement: scrubber, setStateValue: () => undefined, setTriggerValue: () => undefined });
  if (step !== null) goToStep(KEY, step);
}

function dress() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const say = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.onclick = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
  };
  system.addEventListener("change", say);
  say();
}

// On paper all figures are light and as wide as a sheet, at the step in view: drawn before the browser takes its picture.
let worn;
addEventListener("beforeprint", () => {
  worn = root.dataset.theme;
  root.dataset.theme = "light";
  root.classList.add("printed");
  // Figures see to themselves: `figure_draw.js`.
  for (const host of hosts) if (host.classList.contains("goldviz-diagram")) host.goldvizPlace?.drawNow();
});
addEventListener("afterprint", () => {
  root.classList.remove("printed");
  if (worn) root.dataset.theme = worn;
  else delete root.dataset.theme;
});

dress();
if (hosts.length) {
  open().catch((error) => {
    document.getElementById("too-old").hidden = false;
    throw error;
  });
}
