// How far a run is. It follows the run by itself, and asks for the page when more has changed than numbers.

import { framesPage } from "./frames_page.js";

// What changes at the same time is asked for once, and after the figures that came with it.
const TOGETHER_MS = 100;

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-progress");
  const [words, bar] = [".goldviz-progress-words", ".goldviz-progress-done"].map((name) => host.querySelector(name));
  const page = framesPage(data.address);
  let asking;

  const changed = () => {
    const lane = page.lanes.get(data.lane);
    const sense = lane?.gone ?? lane?.sense;
    return sense !== undefined && sense !== data.sense && sense !== host.goldvizTold ? sense : undefined;
  };
  const ask = () => {
    asking = undefined;
    const sense = changed();
    if (sense === undefined) return;
    host.goldvizTold = sense;
    setTriggerValue("changed", sense);
  };
  const show = () => {
    const lane = page.lanes.get(data.lane);
    const { share, words: said } = lane?.progress ?? data;
    words.textContent = words.title = page.trouble || said;
    bar.style.width = `${100 * share}%`;
    // Of a run that is over a full bar would stay on the page for ever; what it took of it, the words say. Nobody knows how
    // many steps a script will take.
    host.classList.toggle("goldviz-progress-whole", share === null || share >= 1);
    if (share === null) host.removeAttribute("aria-valuenow");
    else host.setAttribute("aria-valuenow", Math.round(100 * share));
    host.setAttribute("aria-valuetext", words.textContent);
    if (changed() !== undefined && !page.begins(data.lane)) asking ??= setTimeout(ask, TOGETHER_MS);
  };
  host.goldvizStop?.();
  host.goldvizStop = page.watch({ lane: data.lane, changed: show });
  show();
  if (data.sought) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    host.style.scrollMarginTop = "10rem";
    host.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  }
  return () => {
    clearTimeout(asking);
    host.goldvizStop();
  };
}
