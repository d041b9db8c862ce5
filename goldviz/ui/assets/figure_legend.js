// A figure's legend as Plotly lays it out over or under the plot, for what is drawn without Plotly. Lengths such as these
// are Plotly's own.

import { inkOf, linesOf } from "./figure_axes.js";
import { hatchOf } from "./figure_marks.js";
import { beyond, dashOf, LINE, SHARES, tag, text } from "./figure_svg.js";
import { markerOf } from "./figure_symbols.js";

const GAP = 5;
const SAMPLE = 30;
const BEFORE_WORDS = SAMPLE + 2 * GAP;
const BETWEEN_GROUPS = 10;
const SHORTEST = 16;
const UNDER = 3;
const RANK = 1000;
const STROKE = 5;
const POINT = 12;
const EDGE = 2;
// How much smaller hatching is in a sample.
const HATCH = 0.8;
const FILLED = 6;
const TALLEST = 0.5;

// Whether a legend stands at the figure's upper or lower edge, wherever its plot ends.
const isAtEdge = ({ yref }) => yref === "container";
const isNamed = ({ type = "scatter", showlegend }) => showlegend !== false && type !== "heatmap";

// The traces that a legend names, in its order, each group in a list of its own: where curves are filled to the one before,
// the last one is the first in it.
function groupsOf(given) {
  const shown = given.map((trace, at) => ({ trace, name: trace.name ?? `trace ${at}` })).filter(({ trace }) => trace.visible !== false && isNamed(trace));
  const ranked = [...shown].sort((one, other) => (one.trace.legendrank ?? RANK) - (other.trace.legendrank ?? RANK));
  const isReversed = given.some(({ fill, visible }) => /^tonext[xy]$/.test(fill) && visible !== false);
  const isGrouped = given.some(({ legendgroup, visible }) => legendgroup && visible !== false);
  const ordered = (entries) => (isReversed ? entries.reverse() : entries);
  if (!isGrouped) return { isGrouped, groups: [ordered(ranked)] };
  const groups = new Map();
  ranked.forEach((one, at) => {
    const key = one.trace.legendgroup || at;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  });
  return { isGrouped, groups: [...groups.values()].map(ordered) };
}

// Where each entry of a list stands in rows of a width: as far apart as the widest where one row does not hold them.
function inRows(entries, most) {
  const widest = Math.max(...entries.map(({ wide }) => wide));
  const all = entries.reduce((sum, { wide }) => sum + wide, 0);
  const isOneRow = all + (entries.length - 1) * GAP < most;
  let [x, y, tall, width, end] = [0, 0, 0, 0, 0];
  for (const entry of entries) {
    const next = (isOneRow ? entry.wide : widest) + GAP;
    if (next + x - GAP >= most) {
      width = Math.max(width, end);
      y += tall;
      [x, tall] = [0, 0];
    }
    Object.assign(entry, { x, y: y + entry.tall / 2 + GAP });
    end = x + entry.wide + GAP;
    x += next;
    tall = Math.max(tall, entry.tall);
  }
  return { width: isOneRow ? x : Math.max(width, end), height: y + tall + 2 * GAP };
}

function inGroups(groups, most) {
  let [x, y, row, width] = [0, 0, 0, 0];
  for (const entries of groups) {
    const wide = Math.max(...entries.map((one) => one.wide)) + GAP;
    const tall = entries.reduce((sum, one) => sum + one.tall, 0);
    if (x > 0 && wide + x > most) {
      width = Math.max(width, x);
      y += row + BETWEEN_GROUPS;
      [x, row] = [0, tall];
    } else row = Math.max(row, tall);
    let down = 0;
    for (const entry of entries) {
      Object.assign(entry, { x, y: y + GAP + entry.tall / 2 + down });
      down += entry.tall;
    }
    x += wide;
  }
  return { width: Math.max(width, x), height: y + row + 2 * GAP };
}

// A legend's entries with their places in it, and its size, where the plot is so wide; nothing where there is none.
export function legendOf(given, layout, look, across, letters) {
  if (!layout.showlegend) return undefined;
  const legend = { x: 0, y: 1, xanchor: "left", yanchor: "bottom", ...look.legend, ...layout.legend };
  if (legend.orientation !== "h" || (legend.xref === "container" && !isAtEdge(legend))) beyond("a legend beside the plot");
  const size = legend.font?.size ?? 13;
  const { isGrouped, groups } = groupsOf(given);
  const entries = groups.map((own) => own.map(({ trace, name }) => {
    const [lines, wide] = [linesOf(name).length, inkOf(name, size, letters).wide + BEFORE_WORDS];
    return { trace, name, lines, wide, tall: Math.max(size * LINE * lines, SHORTEST) + UNDER };
  }));
  if (!entries.flat().length) return undefined;
  const most = Math.max(across, 2 * BEFORE_WORDS);
  const found = isGrouped ? inGroups(entries, most) : inRows(entries[0], most);
  const [width, height] = [Math.ceil(found.width), Math.ceil(found.height)];
  if (height > TALLEST * layout.height) beyond("a legend that scrolls");
  return { legend, size, width, height, entries: entries.flat() };
}

// What a legend over the plot or under it pushes aside, by side: from which share of the plot on, and by how much. One at the
// figure's edge has its room `reserved`, beyond what axes push.
export function legendPushes({ legend, width, height }, pad, whole) {
  const { x, y } = legend;
  if (isAtEdge(legend)) {
    const top = whole * (1 - y) - SHARES[legend.yanchor] * height;
    return { reserved: y < 0.5 ? { b: whole - top } : { t: top + height } };
  }
  if (y > 0 && y < 1) beyond("a legend within the plot");
  const [across, down] = [SHARES[legend.xanchor], SHARES[legend.yanchor]];
  const push = { l: [x, across * width], r: [x, (1 - across) * width], t: [y, down * height], b: [y, (1 - down) * height] };
  return Object.fromEntries(Object.entries(push).map(([side, [at, by]]) => [side, [[at, by + pad]]]));
}

function sampleOf(trace, x, y) {
  const { type = "scatter", mode = "lines", line = {}, marker = {}, fill } = trace;
  const [middle, one] = [x + BEFORE_WORDS / 2, (values) => (Array.isArray(values) ? values[0] : values)];
  if (type === "bar") {
    const hatch = hatchOf(marker, [middle, y], HATCH);
    return (hatch?.made ?? "") + tag("path", { class: "sample-point", d: `M${middle + 6},${y + 6}H${middle - 6}V${y - 6}H${middle + 6}Z`, fill: hatch?.fill ?? one(marker.color) });
  }
  const isFilled = fill && fill !== "none";
  const [lined, pointed] = [mode.includes("lines"), mode.includes("markers")];
  const level = pointed || !isFilled ? y : y - (lined ? 2 : 3);
  const parts = [];
  if (isFilled) parts.push(tag("path", { class: "sample-fill", d: `M${x + GAP},${level}h${SAMPLE}v${FILLED}h-${SAMPLE}z`, fill: trace.fillcolor }));
  if (lined && line.width !== 0) parts.push(tag("path", { class: "sample-line", d: `M${x + GAP},${level}h${SAMPLE}`, stroke: line.color, "stroke-width": STROKE, "stroke-dasharray": dashOf(line) }));
  if (pointed) {
    const { path, open, bare } = markerOf(one(marker.symbol) ?? "circle", POINT / 2) ?? beyond(`the symbol ${one(marker.symbol)}`);
    const [colour, edge] = [one(marker.color) ?? line.color, one(marker.line?.width) ? EDGE : 0];
    if (typeof colour !== "string" && (open || !bare)) beyond("a sample on a scale of colours");
    const look = open
      ? { fill: "none", stroke: colour, "stroke-width": edge || 1 }
      : { fill: bare ? "none" : colour, stroke: edge ? one(marker.line.color) : undefined, "stroke-width": edge || undefined };
    parts.push(tag("path", { class: "sample-point", d: path, transform: `translate(${middle},${y})`, opacity: one(marker.opacity), ...look }));
  }
  return tag("g", { opacity: trace.opacity }, parts.join(""));
}

export function drawnLegend(found, { size, wide, tall, width, height, ink }) {
  if (!found) return "";
  const { legend } = found;
  const within = (value, most) => Math.max(0, Math.min(value, most));
  const [begin, whole] = legend.xref === "container" ? [0, width] : [size.l, wide];
  const [upper, high] = isAtEdge(legend) ? [0, height] : [size.t, tall];
  const left = within(begin + whole * legend.x - SHARES[legend.xanchor] * found.width, width - found.width);
  const top = within(upper + high * (1 - legend.y) - SHARES[legend.yanchor] * found.height, height - found.height);
  const rows = found.entries.map(({ trace, name, lines, x, y }) => {
    const base = top + y + found.size * LINE * (0.3 - (lines - 1) / 2);
    const words = text(name, { x: left + x + BEFORE_WORDS, y: base, size: found.size, fill: legend.font?.color ?? ink, name: "entry" });
    return sampleOf(trace, left + x, top + y) + words;
  });
  const box = tag("rect", { x: left, y: top, width: found.width, height: found.height, fill: "none" });
  return tag("g", { class: "legend" }, box + rows.join(""));
}
