// A shape that is anchored at a point may be dragged. Plotly's own drag makes the whole figure anew when the finger
// leaves it; here only what changes under the finger is drawn, and the figure once, when it is known what came of it.

import { ofBase64 } from "./figure_fill.js";
import { fitted, measureWith } from "./figure_fit.js";

// A pointer that moved less means to press.
const STILL_PX = 3;
// So near to a shape a press is meant for it: a finger covers more than a mouse.
const NEAR_PX = { mouse: 12, pen: 12, touch: 24 };
// A page that nobody sees has no frames.
const FRAME_AT_MOST_MS = 300;

// The handle under a pointer, or the nearest one where it misses all by little.
function handleAt(host, { target, clientX, clientY, pointerType = "mouse" }) {
  const under = target.closest?.(".goldviz-movable .shapelayer path");
  if (under || !host.classList.contains("goldviz-movable")) return under;
  const away = (path) => {
    const { left, right, top, bottom } = path.getBoundingClientRect();
    return Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY);
  };
  const isHandle = ({ dataset }) => host._fullLayout?.shapes[Number(dataset.index)]?.editable;
  const paths = [...host.querySelectorAll(".shapelayer path")].filter(isHandle).sort((one, other) => away(one) - away(other));
  return paths.length && away(paths[0]) <= (NEAR_PX[pointerType] ?? NEAR_PX.mouse) ? paths[0] : undefined;
}

function axesOf(host, { xref, yref }) {
  const named = (id) => host._fullLayout[id.replace(/^[xy]/, "$&axis")];
  return [named(xref), named(yref)];
}

// Put a trace's numbers into the points that Plotly draws it of; whether any of these changed. `undefined`, which a
// missing number stands for, leaves a gap.
export function putInto(points, xs, ys, axes) {
  const [xaxis, yaxis] = axes;
  let changed = false;
  points.forEach((point, number) => {
    const [x, y] = [xs[number], ys[number]];
    const known = [x, y].every((value) => value !== null && !Number.isNaN(value));
    const [across, up] = known ? [xaxis.d2c(x), yaxis.d2c(y)] : [undefined, undefined];
    if (point.x === across && point.y === up) return;
    Object.assign(point, { x: across, y: up });
    changed = true;
  });
  return changed;
}

// Draw the lines and points of such a figure.
function sketchLines(host, { data }) {
  const { calcdata, _fullData: traces, _fullLayout: layout } = host;
  if (calcdata?.length !== data.length) return;
  const changed = data.flatMap((trace, index) => {
    const [xs, ys] = [trace.x, trace.y].map((sent) => ofBase64(sent) ?? []);
    if (traces[index].type !== "scatter" || calcdata[index].length !== xs.length) return [];
    const { xaxis: xref, yaxis: yref } = traces[index];
    return putInto(calcdata[index], xs, ys, axesOf(host, { xref, yref })) ? [index] : [];
  });
  const cartesian = layout._basePlotModules.find(({ name }) => name === "cartesian");
  // Plotly empties a panel of which it is told no trace, and takes away what is there of other kinds.
  const lines = traces.every(({ type }) => type === "scatter");
  const panels = new Set(traces.map(({ yaxis }) => yaxis));
  const alone = lines && new Set(changed.map((index) => traces[index].yaxis)).size === panels.size;
  if (changed.length) cartesian.plot(host, alone ? changed : undefined, { duration: 0 });
}

// And the notes under its title, where they take as many lines and have no markup.
function sketchNotes(host, { layout }) {
  const { text } = fitted(layout, host.clientWidth, 0, measureWith(layout)).title.subtitle;
  const notes = host.querySelector(".gtitle-subtitle");
  const rows = notes?.querySelectorAll("tspan.line") ?? [];
  const places = rows.length ? [...rows] : [notes].filter(Boolean);
  const lines = text.split("<br>");
  if (/[<&]/.test(lines.join("")) || lines.length !== places.length) return;
  places.forEach((place, number) => (place.textContent = lines[number]));
}

// Show a figure that differs from the one that is there in numbers and notes alone: a tenth of the work of a whole draw,
// which comes after it.
function sketch(host, figure) {
  sketchLines(host, figure);
  sketchNotes(host, figure);
}

// What the finger holds stays under it.
function putInHand(host) {
  const hand = host.goldvizHand;
  const path = hand && host.querySelector(`.shapelayer path[data-index="${hand.index}"]`);
  if (!path) return;
  const shape = host._fullLayout.shapes[hand.index];
  const [xaxis, yaxis] = axesOf(host, shape);
  const across = xaxis.d2p(hand.x) - xaxis.d2p(shape.xanchor);
  const down = yaxis.d2p(hand.y) - yaxis.d2p(shape.yanchor);
  path.setAttribute("transform", `translate(${across},${down})`);
  path.parentNode.removeAttribute("clip-path");
}

// A figure that is drawn meanwhile, such as for another theme, knows nothing of the hand.
function afterDraw(host) {
  putInHand(host);
  const seen = host.goldvizHand?.figure;
  if (seen) sketch(host, seen);
}

function letGo(host, hand) {
  if (host.goldvizHand === hand) host.goldvizHand = undefined;
}

// What the server says of a place that the finger has been at; whoever is no longer in hand is drawn already.
export function showAim(host, hand, figure) {
  if (host.goldvizHand !== hand) return;
  hand.figure = figure;
  sketch(host, figure);
}

// What came of a drop is seen a frame before the figure is drawn anew.
export async function showDrop(host, figure) {
  const hand = host.goldvizHand;
  if (hand && !hand.released) return;
  sketch(host, figure);
  await new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, FRAME_AT_MOST_MS);
  });
  letGo(host, hand);
}

function drag(host, down, index) {
  const place = host.goldvizPlace;
  const { xanchor, yanchor, xref, yref } = host._fullLayout.shapes[index];
  const [xaxis, yaxis] = axesOf(host, { xref, yref });
  // A presented figure is drawn larger than it is.
  const scale = host.getBoundingClientRect().width / host.clientWidth;
  // What was just dropped may not be drawn yet.
  const dropped = host.goldvizHand?.index === index ? host.goldvizHand : { x: Number(xanchor), y: Number(yanchor) };
  const hand = { index, x: dropped.x, y: dropped.y, moved: false };
  const [left, top] = [xaxis.d2p(hand.x), yaxis.d2p(hand.y)];
  const move = ({ pointerId, clientX, clientY }) => {
    if (pointerId !== down.pointerId) return;
    const [across, along] = [(clientX - down.clientX) / scale, (clientY - down.clientY) / scale];
    hand.moved ||= Math.hypot(across, along) >= STILL_PX;
    if (!hand.moved) return;
    Object.assign(hand, { x: xaxis.p2d(left + across), y: yaxis.p2d(top + along) });
    host.goldvizHand = hand;
    putInHand(host);
    place.aim?.(hand);
  };
  const end = ({ type, pointerId }) => {
    if (pointerId !== down.pointerId) return;
    for (const [name, heard] of heards) host.removeEventListener(name, heard);
    if (!hand.moved) return;
    if (type === "pointerup") {
      hand.released = true;
      const { x, y } = hand;
      return Promise.resolve(place.tell?.("moved", { index, x, y })).finally(() => letGo(host, hand));
    }
    // What was held goes back.
    Object.assign(hand, { x: Number(xanchor), y: Number(yanchor), figure: place.painted.figure });
    place.forget?.();
    afterDraw(host);
    letGo(host, hand);
  };
  const heards = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
  for (const [name, heard] of heards) host.addEventListener(name, heard);
  // The figure below hears nothing of this pointer until it is released.
  host.setPointerCapture(down.pointerId);
}

// Shapes of a figure whose shapes can be moved answer to the pointer here, and not to Plotly.
export function watchDrags(host) {
  host.on("plotly_afterplot", () => afterDraw(host));
  if (host.goldvizDrags) return;
  host.goldvizDrags = true;
  const held = (event) => {
    const [touch] = event.touches ?? [];
    const at = touch ? { target: event.target, clientX: touch.clientX, clientY: touch.clientY, pointerType: "touch" } : event;
    if (!handleAt(host, at)) return;
    event.stopPropagation();
    event.preventDefault();
  };
  host.addEventListener("mousedown", held, true);
  host.addEventListener("touchstart", held, { capture: true, passive: false });
  host.addEventListener("pointerdown", (event) => {
    const path = handleAt(host, event);
    if (path && event.isPrimary && event.button === 0) drag(host, event, Number(path.dataset.index));
  }, true);
}
