// How far a run is. It follows the run by itself, and asks for the page when more has changed than numbers.

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-progress");
  const [words, bar] = [".goldviz-progress-words", ".goldviz-progress-done"].map((name) => host.querySelector(name));
  const page = framesPage(data.address);

  const show = () => {
    const lane = page.lanes.get(data.lane);
    const { share, words: said } = lane?.progress ?? data;
    words.textContent = page.trouble || said;
    bar.style.width = `${100 * share}%`;
    host.setAttribute("aria-valuenow", Math.round(100 * share));
    host.setAttribute("aria-valuetext", words.textContent);
    const sense = lane?.gone ?? lane?.sense;
    if (sense === undefined || sense === data.sense || host.goldvizTold === sense) return;
    host.goldvizTold = sense;
    setTriggerValue("changed", sense);
  };
  host.goldvizStop?.();
  host.goldvizStop = page.watch({ lane: data.lane, changed: show });
  show();
  if (data.sought) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    host.style.scrollMarginTop = "10rem";
    host.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  }
  return () => host.goldvizStop();
}
