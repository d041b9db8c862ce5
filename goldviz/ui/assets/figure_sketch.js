// A curve that a person draws over a figure's axes before the measured one is shown, by pointer or by keys. It has a
// point where the hidden line has one, and stays beside what was measured.

import { ofBase64 } from "./figure_fill.js";
import { panelsOf } from "./figure_panels.js";

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const RUNGS = 40;
const GROWS_MS = 1800;

// The heights that a stroke leaves between two points, as shares of the axis; `null` where nothing was drawn.
export function stroked(heights, from, to) {
  const [first, last] = from.at <= to.at ? [from, to] : [to, from];
  return heights.map((height, at) => {
    if (at < first.at || at > last.at) return height;
    if (first.at === last.at) return to.height;
    return first.height + ((at - first.at) / (last.at - first.at)) * (last.height - first.height);
  });
}

// A curve without gaps: where nothing was drawn it goes on as it was last, and before its beginning as it begins.
export function whole(heights) {
  let last = heights.find((height) => height !== null) ?? 0.5;
  return heights.map((height) => (last = height ?? last));
}

export function nearest(places, wanted) {
  return places.reduce((best, place, at) => (Math.abs(place - wanted) < Math.abs(places[best] - wanted) ? at : best), 0);
}

const store = {
  name: (guess) => `goldviz-drawn-${guess}`,
  read(guess, count) {
    try {
      const heights = JSON.parse(sessionStorage.getItem(store.name(guess)));
      return Array.isArray(heights) && heights.length === count && heights.every(Number.isFinite) ? heights : undefined;
    } catch {
      return undefined;
    }
  },
  write(guess, heights) {
    try {
      if (heights) sessionStorage.setItem(store.name(guess), JSON.stringify(heights));
      else sessionStorage.removeItem(store.name(guess));
    } catch {
      // A browser that keeps nothing shows the drawn curve until the page is loaded anew.
    }
  },
};

// The line that is to be drawn, with the pixels of its points across.
function lineOf(host, name) {
  const trace = host.goldvizPlace.painted.figure.data.find((one) => one.name === name && (one.type ?? "scatter") === "scatter");
  const panel = trace && panelsOf(host).find(({ xaxis, yaxis }) => xaxis.id === (trace.xaxis ?? "x") && yaxis.id === (trace.yaxis ?? "y"));
  if (!panel) return undefined;
  const { xaxis, yaxis } = panel;
  const xs = Array.from(ofBase64(trace.x) ?? [], Number);
  return { xs, xaxis, yaxis, across: xs.map((x) => xaxis.at(x) - xaxis.start) };
}

const valueAt = ({ yaxis }, height) => yaxis.valueAt(yaxis.start + (1 - height) * yaxis.length);
const spoken = (value) => String(Number(Number(value).toPrecision(2)));

function fieldOver(host) {
  const known = host.querySelector(":scope > .goldviz-sketch");
  if (known) return known;
  const root = document.createElement("div");
  root.className = "goldviz-sketch";
  root.innerHTML =
    '<div role="slider" tabindex="0" aria-orientation="vertical" aria-valuemin="0" aria-valuemax="100">' +
    '<svg aria-hidden="true"><path/><circle r="5"/><text></text></svg></div>' +
    '<button type="button">Show what was measured</button>';
  host.append(root);
  return root;
}

function redraw(root) {
  const { line, heights, at, sketch } = root.goldvizSketch;
  const { xaxis, yaxis, across } = line;
  const field = root.firstChild;
  const [width, height] = [xaxis.length, yaxis.length];
  Object.assign(root.style, { left: `${xaxis.start}px`, top: `${yaxis.start}px`, width: `${width}px`, height: `${height}px` });
  const up = (share) => (1 - share) * height;
  const points = heights.flatMap((share, place) => (share === null ? [] : [[across[place], up(share)]]));
  root.querySelector("path").setAttribute("d", points.length ? `M${points.join("L")}` : "");
  const [circle, text] = [root.querySelector("circle"), root.querySelector("text")];
  const share = heights[at];
  circle.style.display = sketch.open && share !== null ? "" : "none";
  if (share !== null) Object.entries({ cx: across[at], cy: up(share) }).forEach((pair) => circle.setAttribute(...pair));
  const end = points.at(-1);
  text.textContent = end ? "Your guess" : sketch.open ? `Draw the line of ${sketch.line} here, or choose above` : "";
  const [x, y] = end ? [Math.min(end[0], width) - 6, Math.max(14, end[1] - 8)] : [width / 2, height / 2];
  Object.entries({ x, y, "text-anchor": end ? "end" : "middle" }).forEach((pair) => text.setAttribute(...pair));
  root.classList.toggle("goldviz-sketch-open", sketch.open);
  field.tabIndex = sketch.open ? 0 : -1;
  field.ariaHidden = String(!sketch.open);
  const button = root.lastChild;
  button.hidden = !sketch.open || !points.length;
  field.ariaLabel =
    `Draw the line of ${sketch.line}: left and right choose a point, up and down move it, Enter shows what was measured.`;
  field.setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0.5))));
  field.setAttribute("aria-valuetext", `At ${spoken(line.xs[at])}: ${share === null ? "nothing drawn" : spoken(valueAt(line, share))}`);
}

function listen(root) {
  const field = root.firstChild;
  const state = () => root.goldvizSketch;
  let last;
  const pointAt = ({ clientX, clientY }) => {
    const box = field.getBoundingClientRect();
    const { across, xaxis } = state().line;
    const share = 1 - (clientY - box.top) / box.height;
    return {
      at: nearest(across, ((clientX - box.left) / box.width) * xaxis.length),
      height: Math.min(1, Math.max(0, share)),
    };
  };
  const draw = (event) => {
    const point = pointAt(event);
    Object.assign(state(), { heights: stroked(state().heights, last ?? point, point), at: point.at });
    last = point;
    redraw(root);
  };
  const reveal = () => {
    const { line, sketch, tell } = state();
    const heights = (state().heights = whole(state().heights));
    store.write(sketch.guess, heights);
    tell("drawn", { points: line.xs.map((x, at) => [x, Number(valueAt(line, heights[at]))]) });
  };
  field.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    field.focus({ preventScroll: true });
    field.setPointerCapture(event.pointerId);
    last = undefined;
    draw(event);
  });
  field.addEventListener("pointermove", (event) => {
    if (field.hasPointerCapture(event.pointerId)) draw(event);
  });
  field.addEventListener("keydown", (event) => {
    const { heights, at, line } = state();
    if (event.key === "Enter" && heights.some((height) => height !== null)) reveal();
    if (!WAYS[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    const [across, up] = WAYS[event.key];
    const to = Math.min(line.xs.length - 1, Math.max(0, at + across));
    const height = Math.min(1, Math.max(0, (heights[to] ?? heights[at] ?? 0.5) + up / RUNGS));
    Object.assign(state(), { at: to, heights: stroked(heights, { at: to, height }, { at: to, height }) });
    redraw(root);
  });
  root.lastChild.addEventListener("click", reveal);
}

// Called after every draw of the figure, and when the page says that a guess is open, was made, or is no more.
export function sketchOver(host, sketch, tell) {
  const line = sketch && host.dataset.drawn ? lineOf(host, sketch.line) : undefined;
  const known = host.querySelector(":scope > .goldviz-sketch");
  if (!line?.xs.length) return known?.remove();
  const before = known?.goldvizSketch;
  const same = before?.sketch.guess === sketch.guess && before.heights.length === line.xs.length;
  const blank = () => line.xs.map(() => null);
  if (sketch.open && !same) store.write(sketch.guess, undefined);
  const heights = same ? before.heights : ((!sketch.open && store.read(sketch.guess, line.xs.length)) || blank());
  const root = fieldOver(host);
  root.goldvizSketch = { sketch, line, heights, tell, at: same ? before.at : line.xs.length - 1 };
  if (!before) listen(root);
  redraw(root);
  if (same && before.sketch.open && !sketch.open) grow(host);
  return undefined;
}

function grow(host) {
  host.classList.add("goldviz-grows");
  setTimeout(() => host.classList.remove("goldviz-grows"), GROWS_MS);
}
