// Curves, points, bars and their errors as Plotly draws them, for what is drawn without it.

import { linesOf, listed } from "./figure_axes.js";
import { heatMap, inkOf } from "./figure_cells.js";
import { cutArea, cutLine } from "./figure_cut.js";
import { beyond, dashOf, hatched, LINE, tag, text } from "./figure_svg.js";
import { markerOf } from "./figure_symbols.js";

const POINT = 0.8;
const THIN = 2;
const NEAR = 0.2;

let panels = 0;

// What lies within a panel, or between the ends of one axis alone: a polygon in a style would be counted from the marks' own
// corner.
export function within(xaxis, yaxis, { width, height }, attributes, parts) {
  const [left, right] = xaxis ? [xaxis.pixel(0), xaxis.pixel(1)] : [0, width];
  const [low, high] = yaxis ? [yaxis.pixel(0), yaxis.pixel(1)] : [height, 0];
  const id = `goldviz-panel-${(panels += 1)}`;
  const panel = tag("rect", { x: left, y: high, width: right - left, height: low - high });
  return tag("clipPath", { id }, panel) + tag("g", { ...attributes, "clip-path": `url(#${id})` }, parts);
}

// A trace with its place among the figure's, by which it is found again.
export function drawnTrace(trace, index, data, view) {
  const { axes } = view;
  const [xaxis, yaxis] = ["x", "y"].map((letter) => axes[(trace[`${letter}axis`] ?? letter).replace(/^./, "$&axis")]);
  const look = { class: "trace", "data-index": index, opacity: trace.opacity };
  const inside = (parts) => (trace.cliponaxis === false ? tag("g", look, parts) : within(xaxis, yaxis, view, look, parts));
  const type = trace.type ?? "scatter";
  if (type === "heatmap") return inside(heatMap(trace, xaxis, yaxis, view));
  if (type === "bar") return inside(bars(trace, data, xaxis, yaxis, view));
  return type === "scatter" ? inside(curve(trace, data, xaxis, yaxis, view)) : beyond(`a ${type}`);
}

function pointsOf(trace, xaxis, yaxis) {
  const ys = listed(trace.y);
  const xs = trace.x === undefined ? ys.map((_, at) => at) : listed(trace.x);
  return ys.map((y, at) => [xaxis.at(xs[at]), yaxis.at(y)]);
}

// A line through points with a gap where there is none, without those that are too near to the one before to be seen; one
// that stays at its place is not drawn.
function through(points) {
  const runs = [[]];
  for (const [x, y] of points) {
    const [fromX, fromY] = runs.at(-1).at(-1) ?? [Infinity, Infinity];
    if (!Number.isFinite(x) || !Number.isFinite(y)) runs.push([]);
    else if (Math.hypot(x - fromX, y - fromY) >= NEAR) runs.at(-1).push([x, y]);
  }
  const placed = runs.filter((run) => run.length > 1).map((run) => run.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`));
  return placed.map((run) => `M${run.join("L")}`).join("");
}

// A curve of steps goes on level to halfway to the next point, and there up or down.
const stepped = (points) => points.flatMap(([x, y], at) => {
  const [nextX, nextY] = points[at + 1] ?? [];
  const middle = (x + nextX) / 2;
  return [middle, y, nextY].every(Number.isFinite) ? [[x, y], [middle, y], [middle, nextY]] : [[x, y]];
});

// One of many, where each point has its own, or what all of them have.
const ownOf = (values, at) => (Array.isArray(values) || values?.bdata || ArrayBuffer.isView(values) ? listed(values)[at] : values);

// The colour of each point, which may be a number on a scale of colours.
function colourOf(color, { coloraxis, colorscale, cmin, cmax, reversescale }, { layout, look }) {
  const isNumber = typeof ownOf(color, 0) === "number";
  if (!isNumber) return (at) => ownOf(color, at);
  const scale = coloraxis ? { ...look.coloraxis, ...layout[coloraxis] } : { colorscale, cmin, cmax, reversescale };
  if (!Array.isArray(scale.colorscale) || !(scale.cmax > scale.cmin)) beyond("colours whose range Plotly finds");
  const ink = inkOf(scale);
  return (at) => `rgb(${ink((ownOf(color, at) - scale.cmin) / (scale.cmax - scale.cmin))})`;
}

function markers(trace, points, view) {
  const marker = trace.marker ?? {};
  const colours = colourOf(marker.color ?? trace.line?.color, marker, view);
  const edge = marker.line ?? {};
  return points.map(([x, y], at) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return "";
    const [symbol, size] = [ownOf(marker.symbol, at) ?? "circle", ownOf(marker.size, at) ?? 6];
    if (marker.sizemode === "area" || (marker.sizeref ?? 1) !== 1) beyond("points on a scale of sizes");
    if (marker.standoff || (marker.angleref ?? "up") !== "up") beyond("points turned to the one before");
    const { path, open } = markerOf(symbol, size / 2, ownOf(marker.angle, at)) ?? beyond(`the symbol ${symbol}`);
    const [colour, wide, around] = [colours(at), ownOf(edge.width, at), ownOf(edge.color, at)];
    const look = open ? { fill: "none", stroke: colour, "stroke-width": wide || 1 } : { fill: colour, stroke: wide ? around : undefined, "stroke-width": wide };
    return tag("path", { class: "point", d: path, transform: `translate(${x.toFixed(2)},${y.toFixed(2)})`, opacity: ownOf(marker.opacity, at), ...look });
  });
}

// Words at points, as far from them as the points are large.
function wordsAt({ text: words, textposition, textfont, marker, mode }, points, { ink, fontSize }) {
  return points.map(([x, y], at) => {
    const said = ownOf(words, at);
    if (said === undefined || said === "" || said === null || !Number.isFinite(x) || !Number.isFinite(y)) return "";
    const [place, size] = [ownOf(textposition, at) ?? "middle center", ownOf(textfont?.size, at) ?? fontSize];
    const away = mode.includes("markers") ? (ownOf(marker?.size, at) ?? 6) / 2 / POINT + 1 : 0;
    const [up, along] = [/top/.test(place) ? -1 : /bottom/.test(place) ? 1 : 0, /left/.test(place) ? -1 : /right/.test(place) ? 1 : 0];
    const tall = (linesOf(said).length - 1) * LINE + 1;
    const anchor = along < 0 ? "end" : along > 0 ? "start" : "middle";
    const low = y + 0.75 * size + up * away + ((up - 1) * tall * size) / 2;
    return text(said, { x: x + along * away, y: low, size, fill: ownOf(textfont?.color, at) ?? ink, anchor, name: "said" });
  });
}

// Bars of errors along x or y: a line with a cap at both ends.
function errors(trace, letter, axis, points) {
  const bars = trace[`error_${letter}`];
  if (!bars?.array || bars.visible === false) return [];
  const [values, more, less] = [listed(trace[letter]), listed(bars.array), listed(bars.arrayminus ?? bars.array)];
  const own = bars.color ?? trace.line?.color ?? trace.marker?.color;
  return points.map(([x, y], at) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return "";
    const [cap, to, from] = [bars.width ?? 4, axis.at(values[at] + more[at]), axis.at(values[at] - less[at])];
    if (!Number.isFinite(to)) return "";
    const end = (place) => (letter === "x" ? `M${place},${y - cap}v${2 * cap}` : `M${x - cap},${place}h${2 * cap}`);
    const stem = letter === "x" ? `M${to},${y}H${from}` : `M${x},${to}V${from}`;
    return tag("path", { class: "error", d: `${end(to)}${stem}${end(from)}`, fill: "none", stroke: own, "stroke-width": bars.thickness ?? 2 });
  });
}

function curve(trace, data, xaxis, yaxis, view) {
  const { mode = "lines", line = {}, fill } = trace;
  if (trace.connectgaps) beyond("curves across gaps");
  if (line.shape && line.shape !== "linear" && line.shape !== "hvh") beyond("curves of steps");
  const points = pointsOf(trace, xaxis, yaxis);
  const parts = [];
  if (fill === "tonexty" || fill === "toself") {
    const before = fill === "tonexty" && data.slice(0, data.indexOf(trace)).findLast((one) => one.xaxis === trace.xaxis && one.yaxis === trace.yaxis && (one.type ?? "scatter") === "scatter");
    const round = before ? [...points, ...pointsOf(before, xaxis, yaxis).reverse()] : points;
    const area = cutArea(round.filter((point) => point.every(Number.isFinite)), xaxis, yaxis);
    parts.push(tag("path", { d: `${through(area)}Z`, fill: trace.fillcolor, stroke: "none", class: "fill" }));
  } else if (fill && fill !== "none") beyond(`the filling ${fill}`);
  parts.push(...errors(trace, "x", xaxis, points), ...errors(trace, "y", yaxis, points));
  if (mode.includes("lines") && line.width !== 0) {
    if (line.color && typeof line.color !== "string") beyond("a line of many colours");
    const seen = cutLine(line.shape ? stepped(points) : points, xaxis, yaxis);
    parts.push(tag("path", { class: "line", d: through(seen), fill: "none", stroke: line.color, "stroke-width": line.width ?? 2, "stroke-dasharray": dashOf(line), "stroke-linejoin": "round" }));
  }
  if (mode.includes("markers")) parts.push(...markers(trace, points, view));
  if (mode.includes("text")) parts.push(...wordsAt(trace, points, view));
  return parts.join("");
}

// A bar that is thinner than two pixels, but not nothing, reaches to whole ones of its panel.
function seen(from, to, { begin0 }) {
  if (from === to || Math.abs(from - to) >= THIN) return [from, to];
  const outward = (one, other) => begin0 + (one > other ? Math.ceil(one - begin0) : Math.floor(one - begin0));
  return [outward(from, to), outward(to, from)];
}

// The strokes that fill a trace's bars or their sample in the legend, counted from a place; nothing where they are full.
export function hatchOf({ pattern, color }, from, scale = 1) {
  const shape = pattern?.shape;
  if (!shape) return undefined;
  if (shape !== "/" || typeof color !== "string") beyond(`bars hatched with ${shape}`);
  return hatched(color, from, scale);
}

// Bars of one or several traces, side by side or on each other, with the gap that Plotly leaves.
function bars(trace, data, xaxis, yaxis, { layout }) {
  const { marker = {}, orientation } = trace;
  const own = data.filter(({ type, xaxis: x, yaxis: y }) => type === "bar" && x === trace.xaxis && y === trace.yaxis);
  const lying = orientation === "h";
  if (trace.text || trace.texttemplate) beyond("words at bars");
  if (trace.error_x || trace.error_y) beyond("bars with error bars");
  const hatch = hatchOf(marker, [xaxis.pixel(0), yaxis.pixel(1)]);
  if (own.length > 1 && layout.barmode && layout.barmode !== "group" && layout.barmode !== "overlay") beyond("bars on one another");
  const [along, up] = lying ? [yaxis, xaxis] : [xaxis, yaxis];
  const [places, values] = (lying ? [trace.y, trace.x] : [trace.x, trace.y]).map(listed);
  const all = [...new Set(own.flatMap((one) => listed(lying ? one.y : one.x).map(along.numberOf)))].sort((one, other) => one - other);
  const least = along.names ? 1 : Math.min(...all.slice(1).map((one, at) => one - all[at]), Infinity);
  const unit = Number.isFinite(least) ? least : 1;
  const beside = layout.barmode === "overlay" ? 1 : own.length;
  const wide = trace.width ?? (unit * (1 - (layout.bargap ?? 0.2))) / beside;
  if (typeof wide !== "number" || (marker.color && typeof marker.color !== "string" && !Array.isArray(marker.color))) beyond("bars that differ in width or by a scale of colours");
  const shift = beside === 1 ? 0 : (own.indexOf(trace) - (beside - 1) / 2) * wide;
  const pixel = (axis, number) => axis.pixel((number - axis.low) / (axis.high - axis.low));
  const ground = up.type === "log" ? up.pixel(0) : pixel(up, 0);
  const made = places.map((place, at) => {
    const base = ownOf(trace.base, at) ?? 0;
    const foot = base ? up.at(base) : ground;
    const middle = along.numberOf(place) + shift;
    const ends = [middle - wide / 2, middle + wide / 2].map((one) => pixel(along, one));
    // A bar without a number stands on the foot as one of nothing does.
    const value = up.at(base && values[at] !== null ? base + values[at] : values[at]);
    const top = Number.isFinite(value) ? value : foot;
    if (!ends.every(Number.isFinite)) return "";
    const [from, to] = marker.line?.width ? [foot, top] : seen(foot, top, up);
    const [left, right, high, low] = lying ? [from, to, ends[1], ends[0]] : [ends[0], ends[1], to, from];
    const fill = hatch?.fill ?? ownOf(marker.color, at);
    return tag("path", { class: "bar", d: `M${left},${low}V${high}H${right}V${low}Z`, fill, stroke: marker.line?.width ? marker.line.color : undefined, "stroke-width": marker.line?.width });
  });
  return (hatch?.made ?? "") + made.join("");
}
