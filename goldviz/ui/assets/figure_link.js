// Where a person points at a place in one figure, the page's other figures are marked at the same layer, step or lag.
// `layout.meta.linked` says which coordinate an axis is of. The marks are lines of our own that lie over the plot:
// Plotly would draw a figure anew for each. They are put up in one frame, in which nothing of the page is measured.

import { metaOf, panelsOf } from "./figure_panels.js";

// Names have a place on an axis that has them, numbers and dates on all others.
const takes = ({ names }, value) => !names || names.includes(value);

export const pointing = { host: undefined, places: [], frame: 0, chosen: [], on: undefined, watchers: new Set() };

// What a person chose stays until another choice or another page.
export function chosenPlaces() {
  return pointing.on === globalThis.location?.pathname ? pointing.chosen : [];
}

export function samePlaces(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function choosePlaces(places) {
  Object.assign(pointing, { chosen: places, on: globalThis.location?.pathname });
  pointing.frame ||= requestAnimationFrame(markAll);
}

// What a point is at: the coordinate and the value of each of its axes that is linked to one.
export function placesAt({ xaxis, yaxis, x, y }, linked) {
  const found = [
    { axis: xaxis, value: x },
    { axis: yaxis, value: y },
  ].filter(({ axis }) => axis && linked?.[axis._id]);
  return found.map(({ axis, value }) => ({ of: linked[axis._id], value }));
}

function markIn(axis, across, value) {
  const at = axis.at(value);
  if (axis.visible === false || !takes(axis, value) || !(at >= axis.start && at <= axis.start + axis.length)) return [];
  const place = at - 0.5;
  return axis.id.startsWith("x")
    ? [{ left: place, top: across.start, width: 1, height: across.length }]
    : [{ left: across.start, top: place, width: across.length, height: 1 }];
}

// Boxes in pixels, one in each of these panels of every axis that is linked to the coordinate of a place.
export function marksIn(panels, { linked = {} }, places) {
  const marks = panels.flatMap(({ xaxis, yaxis }) =>
    places.flatMap(({ of, value }) => [
      ...(linked[xaxis.id] === of ? markIn(xaxis, yaxis, value) : []),
      ...(linked[yaxis.id] === of ? markIn(yaxis, xaxis, value) : []),
    ]),
  );
  return [...new Map(marks.map((mark) => [Object.values(mark).join(), mark])).values()];
}

// Boxes around the panels that are of a place as a whole: `layout.meta.about` says of which.
export function framesIn(panels, { about = {} }, places) {
  const found = panels.filter(({ yaxis }) => isAt(about[yaxis.id], places));
  return found.map(({ xaxis, yaxis }) => ({ left: xaxis.start, top: yaxis.start, width: xaxis.length, height: yaxis.length }));
}

export function isAt(about, places) {
  const shared = places.filter(({ of }) => about?.[of] !== undefined);
  return shared.length > 0 && shared.every(({ of, value }) => about[of] === value);
}

// Lines that say of which place they are step back behind those of the one that is chosen, or else pointed at.
function fade(host, places) {
  const data = host.goldvizPlace?.painted?.figure.data;
  const aboutOf = (one) => data?.[one.dataset.index ?? one.__data__?.[0]?.trace?.index]?.meta;
  const traces = [...host.querySelectorAll(".marks > .trace, .scatterlayer > .trace")].map((one) => [one, aboutOf(one)]);
  const found = places.length && traces.some(([, about]) => isAt(about, places));
  for (const [one, about] of traces) one.classList.toggle("goldviz-faded", Boolean(found && about && !isAt(about, places)));
}

function mark(host) {
  const others = pointing.host && pointing.host !== host && host.goldvizPlace;
  const chosen = host.goldvizPlace ? chosenPlaces() : [];
  // Where nothing is to be marked, nobody is asked where.
  const [panels, meta] = others || chosen.length ? [panelsOf(host), metaOf(host)] : [[], {}];
  const marks = [
    ...(others ? marksIn(panels, meta, pointing.places) : []),
    ...marksIn(panels, meta, chosen).map((box) => ({ ...box, name: "goldviz-chosen" })),
    ...framesIn(panels, meta, chosen).map((box) => ({ ...box, name: "goldviz-framed" })),
  ];
  fade(host, chosen.length ? chosen : pointing.places);
  let sheet = [...host.children].find((child) => child.className === "goldviz-marks");
  if (!marks.length) return sheet?.remove();
  if (!sheet) {
    sheet = document.createElement("div");
    sheet.className = "goldviz-marks";
    host.append(sheet);
  }
  const lines = marks.map(({ name = "", ...box }) => {
    const line = document.createElement("div");
    line.className = name;
    for (const [side, pixels] of Object.entries(box)) line.style[side] = `${pixels}px`;
    return line;
  });
  sheet.replaceChildren(...lines);
}

function markAll() {
  pointing.frame = 0;
  for (const host of document.querySelectorAll(".goldviz-figure[data-drawn]")) mark(host);
  for (const watcher of pointing.watchers) watcher();
}

// A part of the page that is no figure points at places, or at nothing any more.
export function pointAtPlaces(host, places) {
  if (!places && pointing.host !== host) return;
  pointing.host = places && host;
  pointing.places = places ?? [];
  pointing.frame ||= requestAnimationFrame(markAll);
}

function pointAt(host, point) {
  pointAtPlaces(host, point && placesAt(point, metaOf(host).linked));
}

// Plotly forgets who listens to a figure that is purged.
export function watchLinks(host) {
  host.on("plotly_hover", ({ points }) => pointAt(host, points?.[0]));
  host.on("plotly_unhover", () => pointAt(host, undefined));
}

// A figure was drawn anew or left: its marks stand where they belong now, and where it was the one that is pointed at,
// so do all others'.
export function relink(host) {
  if (pointing.host === host) pointAt(host, host.goldvizPlace && host._hoverdata?.[0]);
  mark(host);
}
