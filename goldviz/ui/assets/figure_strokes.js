// How curves are stroked: dashes with gaps that a jagged line does not fall into, and of curves that lie on each other
// the lower one wider, so that all of them are seen.

import { axisOf, byPanel, isCurve, panelHeight, placesOf } from "./figure_names.js";

// Plotly's own gaps are as long as its dashes: of a jagged line pieces are left.
const DASHES = {
  dot: "2px,3px",
  dash: "8px,4px",
  longdash: "14px,4px",
  dashdot: "8px,3px,2px,3px",
  longdashdot: "14px,3px,2px,3px",
};
const APART = 1.5;
const FEWEST = 3;
const MOST = 12;
const WIDER = 4;
const LARGER = 5;

const withDash = (trace) =>
  trace.line?.dash in DASHES ? { ...trace, line: { ...trace.line, dash: DASHES[trace.line.dash] } } : trace;

// Whether two curves of a panel are the same to the eye.
function alike(one, other, height) {
  if (one.y.length !== other.y.length) return false;
  let both = 0;
  for (let at = 0; at < one.y.length; at++) {
    const [here, there] = [one.y[at], other.y[at]];
    if (Number.isFinite(here) !== Number.isFinite(there) || one.x[at] !== other.x[at]) return false;
    if (Math.abs(here - there) * height > APART) return false;
    if (Number.isFinite(here)) both += 1;
  }
  return both >= FEWEST;
}

// Over how many curves of its panel each lies that look like it.
function liesUnder(curves, layout) {
  const places = curves.map((trace) => placesOf(trace, layout));
  const height = panelHeight(layout, axisOf(layout, curves[0].yaxis, "y"));
  const isTwin = (at, above) => places[at] && places[above] && alike(places[at], places[above], height);
  return curves.map((_, at) => curves.filter((__, above) => above > at && isTwin(at, above)).length);
}

// A figure's traces as they are drawn in a layout.
export function stroked(data, layout) {
  const traces = data.map(withDash);
  const named = traces.filter((trace) => isCurve(trace) && trace.visible !== false && trace.name && trace.hoverinfo !== "skip");
  const wider = new Map();
  for (const curves of byPanel(named, ({ yaxis }) => yaxis)) {
    if (curves.length < 2 || curves.length > MOST) continue;
    const under = liesUnder(curves, layout);
    curves.forEach((trace, at) => under[at] && wider.set(trace, under[at]));
  }
  return traces.map((trace) => {
    const above = wider.get(trace);
    if (!above) return trace;
    const line = { ...trace.line, width: (trace.line?.width ?? 2) + WIDER * above };
    const marker = trace.mode.includes("markers") ? { marker: { ...trace.marker, size: (trace.marker?.size ?? 6) + LARGER * above } } : {};
    return { ...trace, line, ...marker };
  });
}
