// A figure laid out at its place: in the place's colours, at its width, with the room that it needed before; and its
// picture there.

import { fitted, lettersOf, measureWith } from "./figure_fit.js";
import { roomAt } from "./figure_height.js";
import { clearOfCurves, namedAtEnds } from "./figure_names.js";
import { hasScale, pictureOf } from "./figure_picture.js";
import { stroked } from "./figure_strokes.js";
import { recoloured, themeUnder, toneOf } from "./figure_theme.js";
import { tellWords } from "./figure_words.js";

// Who drew what stands in a figure's place, as `data-drawn` says it.
export const PICTURE = "picture";
export const PLOTLY = "plotly";
// Plotly adds to what an axis takes as much as the smallest margin, at most so many pixels: that must not change.
const LEAST = 12;

function keepZoom(zoom, layout) {
  for (const [axis, range] of Object.entries(zoom)) {
    if (layout[axis]) layout[axis] = { ...layout[axis], range, autorange: false };
  }
}

// How far the legend reaches up into the words over it, on a figure of this height whose plot has this size.
function overprinted(host, { layout, height, size: { h } }) {
  const legend = host.querySelector(".legend")?.getBoundingClientRect();
  if (!legend?.height) return 0;
  const words = [...host.querySelectorAll(".gtitle, .gtitle-subtitle, .heading, .subtitle")].map((one) => one.getBoundingClientRect().bottom);
  if (!words.length) return 0;
  const { top } = host.getBoundingClientRect();
  const lowest = Math.max(...words);
  if (legend.top >= top + height / 2 || legend.top >= lowest) return 0;
  // Plotly keeps a legend within its figure and makes it room that the layout does not have.
  const { y } = { ...layout.template?.layout?.legend, ...layout.legend };
  return Math.ceil(Math.max(lowest - legend.top, lowest - top + legend.height + Math.max(0, y - 1) * h - layout.margin.t));
}

// Where names beside a plot get longer or shorter, Plotly draws the whole figure a second time for its new margins. A
// place keeps the widest margins that it needed: most draws then need one pass, and the axes stay where they are.
function withRoom({ room }, layout) {
  const { l, r } = layout.margin;
  if (!room || !(Math.min(l, r) >= LEAST)) return layout;
  return { ...layout, margin: { ...layout.margin, l: Math.max(l, room.l), r: Math.max(r, room.r) } };
}

// What Plotly is handed. Margins are as wide as axes and legend will make them: Plotly, which finds that by drawing, need
// not draw a second time. It writes the ranges that it comes to into the axes: the figure keeps its own. And it keeps the
// margins of an axis that is not there at this step, unless the axis asks for none.
export function handed(layout, size) {
  const own = (axis) => (axis.visible === false ? { ...axis, automargin: false } : { ...axis });
  const axes = Object.entries(layout).filter(([key]) => /^[xy]axis/.test(key)).map(([key, axis]) => [key, own(axis)]);
  const isWide = size && Math.min(...Object.values(layout.margin)) >= LEAST;
  return { ...layout, ...Object.fromEntries(axes), margin: isWide ? { ...layout.margin, ...size } : layout.margin };
}

// Plotly keeps the room of a scale of colours that is not there at this step.
export function leaveRoom(host, traces, layout) {
  if (!hasScale(traces, layout)) delete host._fullLayout?._reservedMargin?.cbcoloraxis;
}

// While a guess is open, where a curve ends is not told by its name.
function withNames(layout, data, { room }, width, { veiled, ink }) {
  const measure = measureWith(layout)(13, 400);
  const tone = (colour) => (ink && colour ? toneOf(colour, ink) : layout.font?.color);
  const named = veiled ? layout : namedAtEnds(layout, data, width, measure, tone);
  return clearOfCurves(named, data, width, measure, room);
}

// A figure in its place's colours and at its width: its layout as it is laid out, with the room that it needed before, and
// its traces. `high` gives a layout the height that the window has for it.
export function laidOut(host, place, { figure, theme, inks, veiled }, high) {
  const [width, under, room] = [host.clientWidth, themeUnder(host), place.roomAt?.(host) ?? roomAt(host)];
  const colour = inks && under !== theme ? recoloured(inks[theme], inks[under]) : (same) => same;
  const [data, given] = [colour(figure.data), colour(figure.layout)];
  return () => {
    const layout = high(fitted(given, width, place.lift, measureWith(given), room));
    keepZoom(place.zoom, layout);
    const named = withNames(layout, data, place, width, { veiled, ink: inks?.[under] });
    // What names leave of a legend's room goes to the plot where the place says how high all is.
    const laid = room.least ? { ...named, height: layout.height } : named;
    const roomy = withRoom(place, laid);
    return { laid, layout: roomy, traces: stroked(data, roomy) };
  };
}

// Nothing stands in a figure's place any more.
export function clear(host) {
  if (host.dataset.drawn === PLOTLY) window.Plotly.purge(host);
  delete host.dataset.drawn;
  host.tabIndex = -1;
  host.classList.remove("goldviz-figure-waiting");
  host.textContent = "";
}

// What lies over a picture, such as marks and a guess, stays where it is.
function hang(host, svg) {
  const known = host.dataset.drawn === PICTURE && host.querySelector(":scope > .goldviz-picture");
  if (known) known.outerHTML = svg;
  else {
    clear(host);
    host.innerHTML = svg;
    host.dataset.drawn = PICTURE;
  }
}

// Draws the picture in a figure's place: its axes, or nothing where it waits for Plotly. A guess that is open is not answered
// by it, and a hand that may move something finds all of it or nothing.
export function pictured(host, place, wanted, high = (layout) => layout) {
  const { figure, movable, veiled, description = "" } = wanted;
  beginAnew(place, wanted, host.clientWidth);
  const lay = laidOut(host, place, wanted, high);
  let now = lay();
  const show = () => {
    const { layout, traces } = now;
    host.style.height = `${layout.height}px`;
    const { svg, waits, size, axes } = movable ? {} : pictureOf(traces, layout, lettersOf(layout), veiled);
    if (svg) hang(host, svg);
    if (waits) host.dataset.waits = waits;
    else delete host.dataset.waits;
    return size && { axes, layout, height: layout.height, size: { ...size, h: layout.height - size.t - size.b } };
  };
  let drawn = show();
  if (drawn && lacksRoom(host, place, now, drawn)) {
    now = lay();
    drawn = show();
  }
  if (!drawn) return undefined;
  const { l, r } = drawn.size;
  Object.assign(place, { now, room: { l, r } });
  tellWords(host, figure, { ...now.layout, ...drawn.axes }, description, veiled);
  return drawn.axes;
}

// What a place has of another figure, or of one of other words, is none of this one's.
export function beginAnew(place, { figure, subject }, width) {
  if (place.subject !== subject) Object.assign(place, { subject, zoom: {} });
  const named = figure.data.filter(({ showlegend }) => showlegend !== false);
  // A figure without an axis needs no room for one, and one with other names at it has other room: both may be of this step.
  const axes = Object.entries(figure.layout).filter(([key, axis]) => /^yaxis/.test(key) && axis?.visible !== false);
  const about = JSON.stringify([width, figure.layout.title, named.map(({ name }) => name), axes.map(([, { ticktext }]) => ticktext ?? null)]);
  if (place.about !== about) Object.assign(place, { about, lift: 0, room: undefined });
}

// Whether what was drawn found too little room: words over the plot that a legend reaches into, or words that were moved
// for a plot which begins elsewhere than was thought. The place knows then.
export function lacksRoom(host, place, { laid }, drawn) {
  const { l, r } = drawn.size;
  const missing = overprinted(host, drawn);
  place.lift += missing;
  const isMoved = Math.abs((laid.meta?.beside ?? l) - l) > LEAST / 3;
  if (isMoved) place.room = { l, r };
  return missing > 0 || isMoved;
}
