// Names where the eye is: those of curves at their ends in place of a legend, wherever there is room, and those of
// reference lines where no curve goes through them. Both know where the curves of a figure stand in its panels.

import { ofBase64 } from "./figure_fill.js";
import { brokenAt } from "./figure_fit.js";
import { overPanels, roomy, widthOf } from "./figure_room.js";
import { visible } from "./figure_words.js";

const SIZE = 13;
const LINE = 17;
const MOST = 6;
const WIDEST = 190;
const SHARE = 0.3;
const BESIDE = 12;
const LEAD = 22;
const EDGE = 10;
// What a legend takes over the plot beside a figure without one, and over the names of panels.
const OVER = 12;
const LIFT = 24;
// An end so far to the left of the plot's edge has no name there; nearer ones are led to it.
const FARTHEST = 0.25;
const AT_EDGE = 0.02;
// What words take around them.
const PAD = 6;

export const axisOf = (layout, id, letter) => layout[`${letter}axis${(id ?? letter).slice(1)}`];
const numberOf = (axis, value) => {
  if (value === null || value === undefined) return NaN;
  if (axis.type === "date") return Date.parse(String(value).replace(" ", "T"));
  return axis.type === "log" ? Math.log10(value) : Number(value);
};
const endsOf = ({ type, range }) => (type === "date" ? range.map((end) => numberOf({ type }, end)) : range.map(Number));

// Where a value stands along an axis: 0 at its beginning, 1 at its end.
function shareOf(axis, value) {
  const [low, high] = endsOf(axis);
  return (numberOf(axis, value) - low) / (high - low);
}

// What stands in the same panel, together.
export function byPanel(all, panelOf) {
  const panels = new Map();
  for (const one of all) {
    const panel = panelOf(one) ?? "y";
    panels.set(panel, [...(panels.get(panel) ?? []), one]);
  }
  return [...panels.values()];
}

// A trace's points as shares of its panel, or nothing where its axes do not say how far they reach.
export function placesOf(trace, layout) {
  const [xaxis, yaxis] = ["x", "y"].map((letter) => axisOf(layout, trace[`${letter}axis`], letter));
  if (!xaxis?.range || !yaxis?.range) return undefined;
  const y = ofBase64(trace.y) ?? [];
  const x = ofBase64(trace.x) ?? Array.from(y, (_, at) => at);
  const shares = (axis, values) => Float64Array.from(values, (value) => shareOf(axis, value));
  return { x: shares(xaxis, x), y: shares(yaxis, y), days: x, xaxis, yaxis };
}

export const isCurve = ({ type = "scatter", mode = "", line, fill }) =>
  type === "scatter" && mode.includes("lines") && line?.width !== 0 && fill !== "toself";

// Where a curve that runs from left to right ends, or nothing where it does not, or ends too far from the edge.
function endOf(trace, layout) {
  const places = isCurve(trace) && placesOf(trace, layout);
  if (!places || places.yaxis.scaleanchor) return undefined;
  const last = places.y.findLastIndex((share, at) => Number.isFinite(share) && Number.isFinite(places.x[at]));
  const across = places.x[last];
  // A run that begins has come to its axis's end, however much half a step is of it.
  const ends = across > 1 - FARTHEST || 1 - across <= (last ? across - places.x[last - 1] : 1) / 2 + AT_EDGE;
  if (!(ends && across < 1 + AT_EDGE) || places.x.some((share) => share > across)) return undefined;
  const [low, high] = endsOf(places.yaxis);
  const height = Math.min(1, Math.max(0, places.y[last]));
  return { trace, across, day: places.days[last], share: height, height: low + height * (high - low) };
}

// Places moved as little as keeps each two `least` apart: those that would touch spread around their middle.
export function apart(places, least) {
  const groups = [];
  const order = places.map((_, at) => at).sort((one, other) => places[one] - places[other]);
  for (const at of order) {
    let group = { middle: places[at], members: [at] };
    for (let below; (below = groups.at(-1)); groups.pop()) {
      const [more, fewer] = [group.members.length, below.members.length];
      if (group.middle - below.middle >= (least * (more + fewer)) / 2) break;
      const middle = (group.middle * more + below.middle * fewer) / (more + fewer);
      group = { middle, members: [...below.members, ...group.members] };
    }
    groups.push(group);
  }
  const moved = [...places];
  for (const { middle, members } of groups)
    members.forEach((at, rank) => (moved[at] = middle + least * (rank - (members.length - 1) / 2)));
  return moved;
}

function inside(places, least, height) {
  const moved = apart(places, least);
  const [low, high] = [Math.min(...moved), Math.max(...moved)];
  const by = low < 0 ? -low : Math.min(0, height - high);
  return moved.map((place) => place + by);
}

export const panelHeight = ({ height, margin }, { domain = [0, 1] }) => (height - margin.t - margin.b) * (domain[1] - domain[0]);

// The names at the ends of a panel's curves, and lines that lead to those which end before the edge.
function panelNames(ends, layout, tone) {
  const id = ends[0].trace.yaxis ?? "y";
  const height = panelHeight(layout, axisOf(layout, id, "y"));
  const own = ends.map(({ share }) => share * height);
  const places = inside(own, LINE, height);
  const led = places.some((place, at) => Math.abs(place - own[at]) > 2);
  const annotations = ends.map(({ trace, height: y }, at) => {
    const colour = trace.line?.color;
    const lead = { showarrow: true, arrowhead: 0, arrowwidth: 1, arrowcolor: colour, ax: LEAD, ay: own[at] - places[at] };
    return {
      text: trace.name, x: 1, xref: `${trace.xaxis ?? "x"} domain`, xanchor: "left", y, yref: id, yanchor: "middle",
      align: "left", borderpad: 2, font: { size: SIZE, color: tone(colour) },
      ...(led ? lead : { showarrow: false, xshift: BESIDE }),
    };
  });
  const early = ends.filter(({ across }) => across < 1 - AT_EDGE);
  const shapes = early.map(({ trace, day, height: y }) => {
    const { range, type } = axisOf(layout, trace.xaxis, "x");
    const to = type === "log" ? 10 ** range[1] : range[1];
    const level = axisOf(layout, id, "y").type === "log" ? 10 ** y : y;
    const line = { color: trace.line?.color, width: 1, dash: "dot" };
    return { type: "line", x0: day, x1: to, y0: level, y1: level, xref: trace.xaxis ?? "x", yref: id, line, layer: "below" };
  });
  return { annotations, shapes };
}

// A legend over the plot leaves its room to the plot, one under it to what stands below the figure.
function withoutLegend(layout) {
  const { legend, margin, height, annotations = [] } = layout;
  const over = legend?.y > 1 ? LIFT : annotations.some(({ y, yanchor }) => y === 1 && yanchor === "bottom") ? 0 : OVER;
  if (!(legend?.y < 0)) return { showlegend: false, margin: { ...margin, t: margin.t - over } };
  const axis = -legend.y * (height - margin.t - margin.b);
  const less = Math.max(0, margin.b - axis - EDGE);
  return { showlegend: false, height: height - less, margin: { ...margin, b: margin.b - less } };
}

// The layout with each curve named at its end, where all that a legend would name are curves that end at the right edge
// and their names have room; else the layout as it is, with its legend.
export function namedAtEnds(layout, data, width, measure, tone) {
  const named = data.filter(({ showlegend, visible: seen, name }) => showlegend !== false && seen !== false && name);
  if (!layout.showlegend || !named.length || named.length > MOST) return layout;
  const widest = Math.max(...named.map(({ name }) => measure(visible(name))));
  if (widest > Math.min(WIDEST, SHARE * width)) return layout;
  const ends = named.map((trace) => endOf(trace, layout));
  if (!ends.every(Boolean)) return layout;
  const free = { ...layout, ...withoutLegend(layout) };
  const panels = byPanel(ends, ({ trace }) => trace.yaxis);
  const room = panels.every((own) => own.length * LINE <= panelHeight(free, axisOf(free, own[0].trace.yaxis, "y")));
  if (!room) return layout;
  const laid = panels.map((own) => panelNames(own, free, tone));
  return {
    ...free,
    margin: { ...free.margin, r: Math.ceil(widest) + LEAD + EDGE },
    annotations: [...(layout.annotations ?? []), ...laid.flatMap(({ annotations }) => annotations)],
    shapes: [...(layout.shapes ?? []), ...laid.flatMap(({ shapes }) => shapes)],
  };
}

// Whether a line from one place to the next goes through a box (Liang and Barsky 1984).
function crosses(x0, y0, x1, y1, { left, right, low, high }) {
  let [from, to] = [0, 1];
  for (const [step, room] of [[x0 - x1, x0 - left], [x1 - x0, right - x0], [y0 - y1, y0 - low], [y1 - y0, high - y0]]) {
    if (step === 0 && room < 0) return false;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  return from <= to;
}

function crossed({ x, y }, box) {
  for (let at = 0; at < y.length; at++) {
    const before = at && Number.isFinite(y[at - 1]) ? at - 1 : at;
    if (!Number.isFinite(x[at]) || Math.max(x[at], x[before]) < box.left || Math.min(x[at], x[before]) > box.right) continue;
    if (crosses(x[before], y[before], x[at], y[at], box)) return true;
  }
  return false;
}

// From the right end to the left; a line's words stand over it, under it, or as far from it as the curves ask for.
const ALONG = [1, 0, 0.5, 0.75, 0.25];
const AWAY = 8;
const FARTHEST_AWAY = 19;

const isReference = ({ xref, yref, bgcolor, showarrow, visible: seen }) =>
  /^x\d* domain$/.test(xref) && /^y\d*$/.test(yref) && bgcolor && !showarrow && seen !== false;

// How far a curve's strokes and markers reach around its points.
const aroundOf = ({ mode = "", marker }) => (mode.includes("markers") && Number(marker?.size ?? 6) / 2 + 1) || 1;

const grown = (box, by) => ({ ...box, low: box.low - by, high: box.high + by });
const meets = (one, other) =>
  one.left < other.right && other.left < one.right && one.low < other.high && other.low < one.high;

// Words that stand away from their line are nearer to another one: a thin line leads to their own.
const ledTo = ({ font }, ay) => ({ showarrow: true, arrowhead: 0, arrowwidth: 1, arrowcolor: font?.color, ax: 0, ay });

// Where words of this size may stand about a line, the best place first.
function* spotsOf({ level, wide, tall, down, first }) {
  const along = [first, ...ALONG.filter((at) => at !== first)];
  for (let away = 0; away <= FARTHEST_AWAY; away++)
    for (const at of along)
      for (const over of [true, false]) {
        const by = (away * AWAY) / down;
        const low = over ? level + by : level - by - tall;
        const left = at * (1 - wide);
        const box = { left, right: left + wide, low: low + 1 / down, high: low + tall };
        if (box.low > -0.01 && box.high < 1.01) yield { at, over, away: away * AWAY, box };
      }
}

// The layout with the words of reference lines where no curve goes through them; they stay where they were if there none
// does. `room` is what the axes took beside the plot when it was last drawn.
export function clearOfCurves(given, data, width, measure, room) {
  const { layout, left, across } = roomy(given, data, width, measure, room);
  if (!layout.annotations?.length) return layout;
  const taken = [];
  const above = new Map();
  const placed = layout.annotations.map((given) => {
    const yaxis = isReference(given) && axisOf(layout, given.yref, "y");
    if (!yaxis?.range) return given;
    // Words that are wider than their panel take more lines.
    const words = { ...given, text: brokenAt(across - PAD, given.text, measure).join("<br>") };
    const curves = data
      .filter((trace) => (trace.type ?? "scatter") === "scatter" && (trace.yaxis ?? "y") === words.yref)
      .filter((trace) => trace.visible !== false && trace.line?.width !== 0)
      .flatMap((trace) => ({ ...placesOf(trace, layout), around: aroundOf(trace) }))
      .filter(({ y }) => y);
    const [low, high] = endsOf(yaxis);
    const down = panelHeight(layout, yaxis);
    const lines = words.text.split("<br>");
    const wide = (widthOf(words.text, measure) + PAD) / across;
    const size = { level: (words.y - low) / (high - low), wide, tall: (LINE * lines.length) / down, down, first: words.x };
    const own = taken.filter(({ yref }) => yref === words.yref);
    const isClear = ({ box }) => !own.some((one) => meets(one, box)) && curves.every((curve) => !crossed(curve, grown(box, curve.around / down)));
    const spot = [...spotsOf(size)].find(isClear);
    if (!spot) {
      const under = above.get(words.yref) ?? 0;
      above.set(words.yref, under + lines.length);
      return { ...words, x: 1, xanchor: "right", y: 1, yref: `${words.yref} domain`, yanchor: "bottom", yshift: LINE * under };
    }
    taken.push({ ...spot.box, yref: words.yref });
    const { at, over, away, box } = spot;
    const led = away > AWAY;
    const anchors = at === 0 && !led ? [0, "left"] : at === 1 && !led ? [1, "right"] : [box.left + wide / 2, "center"];
    const off = led ? ledTo(words, over ? -away : away) : away ? { yshift: over ? away : -away } : {};
    return { ...words, x: anchors[0], xanchor: anchors[1], yanchor: over ? "bottom" : "top", ...off };
  });
  return overPanels({ ...layout, annotations: placed }, left, across, measure);
}
