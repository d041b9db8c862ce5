// One position for all figures of a page, by hand, by the arrow keys, or played: a step of its runs, where the right end
// follows them, or a position of an instant page, which the server hears of when the slider comes to rest.

import { distance, queue } from "./drawing_queue.js";
import { framesPage, goToStep, positionsPage, stepOf, stepsInView, watchStep } from "./frames_page.js";
import { Player } from "./stepper.js";

const PLAY_STEPS = 200;
const PLAY_EVERY_MS = 100;
const PLAY_AT_MOST_EVERY_MS = 600;
const PLAY_MS = 6000;

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-timeline");
  const over = parentElement.querySelector(".goldviz-position");
  const [slider, button, words] = ["input", "button", "output"].map((name) => host.querySelector(name));
  const page = over ? positionsPage(data.key) : framesPage(data.address);
  const { key, noun, first = 1 } = data;

  const say = (step, last) => {
    const value = slider.value;
    const [name, number, told] = over
      ? data.words.length > 1
        ? [data.words[value - first], "", data.words[value - first]]
        : [data.words[0], value, value]
      : [`${noun} in view`, `${noun} ${value}${step === null ? "" : ` of ${last}`}`, `${noun} ${value} of ${last}`];
    if (over) over.textContent = name;
    slider.setAttribute("aria-label", name);
    slider.setAttribute("aria-valuetext", told);
    const few = page.oneIn();
    words.textContent = few > 1 ? `${number} · 1 in ${few}` : number;
    words.title = few > 1 ? `While you move, one step in ${few} is shown; the exact one comes when you rest.` : "";
  };
  const show = () => {
    const last = Math.max(page.last(), data.last);
    const step = stepOf(key);
    const inView = page.stepFor(step, last);
    // A run that begins has steps soon: its timeline keeps its room, so that no figure moves.
    host.classList.toggle("goldviz-timeline-unneeded", last <= first);
    button.hidden = data.plays === false;
    button.disabled = Boolean(over) && !page.moves();
    slider.min = first;
    slider.max = last;
    slider.value = inView;
    say(step === null && inView === last ? null : inView, last);
  };
  const go = (step) => {
    if (over) return goToStep(key, Math.min(step, data.last));
    const last = Number(slider.max);
    const wanted = page.stepTowards(step, page.stepFor(stepOf(key), last));
    goToStep(key, wanted >= page.stepFor(null, last) ? null : wanted);
    show();
  };
  const atEnd = () => stepOf(key) === (over ? data.last : null);
  const settle = () => {
    const step = stepOf(key);
    if (host.goldvizSettled === step) return;
    host.goldvizSettled = step;
    if (!over) return setStateValue("step", step);
    host.goldvizTold.push(step);
    setTriggerValue("moved", { to: step });
  };
  const player = (host.goldvizPlayer ??= new Player(undefined));
  player.told = {
    every: Math.max(PLAY_EVERY_MS, over ? Math.min(PLAY_AT_MOST_EVERY_MS, PLAY_MS / (data.last - first)) : 0),
    atEnd,
    rewind: () => goToStep(key, first),
    tick: () => {
      // A draw that still waits comes first: each step that is played is seen.
      if (queue.waiting.some((task) => distance(task.host) === 0)) return;
      go(Number(slider.value) + Math.max(1, Math.round(Number(slider.max) / PLAY_STEPS)));
    },
    turned: () => {
      button.setAttribute("aria-label", player.plays ? "Pause" : "Play");
      button.textContent = player.plays ? "❚❚" : "▶";
    },
    rested: settle,
  };
  // What the server says of an instant page's position is what it was told, or comes from a link or a preset.
  const heed = () => {
    if (host.goldvizHeard === data.step) return;
    host.goldvizHeard = data.step;
    const told = (host.goldvizTold ??= []);
    const echo = told.lastIndexOf(data.step);
    if (echo >= 0) return told.splice(0, echo + 1);
    host.goldvizTold = [];
    host.goldvizSettled = data.step;
    goToStep(key, data.step);
  };

  // A page that was left, or a server that was away, no longer has the step that is in view here.
  if (!over) host.goldvizSettled = data.step;
  slider.oninput = () => go(Number(slider.value));
  slider.onchange = settle;
  button.onclick = () => player.toggle();
  slider.onkeydown = (event) => {
    if (event.key !== " " || button.disabled) return;
    event.preventDefault();
    player.toggle();
  };
  player.told.turned();
  host.goldvizStop?.();
  const stops = [page.watch({ lane: data.lane, changed: show }), watchStep(key, show)];
  const settleHere = () => player.stop();
  stepsInView.get(key).settle = settleHere;
  host.goldvizStop = () => {
    stops.forEach((stop) => stop());
    const view = stepsInView.get(key);
    if (view.settle === settleHere) view.settle = undefined;
  };
  if (over) heed();
  else if (data.sent?.[0] && host.goldvizSent !== data.sent[0]) goToStep(key, data.sent[1]);
  else if (data.step !== null && stepOf(key) === null && !host.goldvizArrived) goToStep(key, data.step);
  host.goldvizArrived = true;
  host.goldvizSent = data.sent?.[0];
  if (over) over.title = data.meaning;
  show();
  if (!over && !player.plays) setTimeout(settle);
  return () => {
    player.halt();
    host.goldvizStop();
  };
}
