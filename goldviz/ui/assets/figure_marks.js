// Curves, points, bars and cells as Plotly draws them, for what is drawn without it: nothing for what only Plotly draws.

import { edges, listed, rowsOf } from "./figure_axes.js";
import { dashOf, tag } from "./figure_svg.js";

// Corners of points by their names with Plotly, in radii around their place; `-open` ones have the same without its
// filling, and `-cross` ones a cross in it.
const CORNERS = {
  square: [[1, 1], [-1, 1], [-1, -1], [1, -1]],
  diamond: [[1.3, 0], [0, 1.3], [-1.3, 0], [0, -1.3]],
  "diamond-tall": [[0.7, 0], [0, 1.4], [-0.7, 0], [0, -1.4]],
  "triangle-up": [[-1.155, 0.5], [1.155, 0.5], [0, -1]],
  "triangle-down": [[-1.155, -0.5], [1.155, -0.5], [0, 1]],
  "triangle-left": [[0.5, -1.155], [0.5, 1.155], [-1, 0]],
  "triangle-right": [[-0.5, -1.155], [-0.5, 1.155], [1, 0]],
  "triangle-ne": [[-1.2, -0.6], [0.6, -0.6], [0.6, 1.2]],
  "triangle-se": [[0.6, -1.2], [0.6, 0.6], [-1.2, 0.6]],
  "triangle-sw": [[1.2, 0.6], [-0.6, 0.6], [-0.6, -1.2]],
  "triangle-nw": [[-0.6, 1.2], [-0.6, -0.6], [1.2, -0.6]],
  pentagon: [[0.951, -0.309], [0.588, 0.809], [-0.588, 0.809], [-0.951, -0.309], [0, -1]],
  hexagon: [[0.866, -0.5], [0.866, 0.5], [0, 1], [-0.866, 0.5], [-0.866, -0.5], [0, -1]],
  bowtie: [[1.4, 1.4], [1.4, -1.4], [-1.4, 1.4], [-1.4, -1.4]],
  cross: [[1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4], [-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4]],
  star: Array.from({ length: 10 }, (_, at) => {
    const [far, angle] = [at % 2 ? 0.535 : 1.4, (Math.PI * at) / 5];
    return [far * Math.sin(angle), -far * Math.cos(angle)];
  }),
};
// A cross turned by an eighth.
CORNERS.x = CORNERS.cross.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);

// The outline of a symbol of this radius around 0; nothing where it is none of these.
export function markerPath(symbol, radius) {
  const [, name, crossed] = /^(.*?)(-cross)?(?:-open)?$/.exec(symbol);
  const number = (value) => Number((value * radius).toFixed(3));
  const reach = number(name === "diamond" ? 1.3 : 1);
  const cross = crossed ? `M0,${reach}V-${reach}M${reach},0H-${reach}` : "";
  const r = number(1);
  if (name === "circle") return `M${r},0A${r},${r} 0 1,1 0,-${r}A${r},${r} 0 0,1 ${r},0Z${cross}`;
  return CORNERS[name] && `M${CORNERS[name].map((corner) => corner.map(number)).join("L")}Z${cross}`;
}

const ofHex = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));

function inked(scale) {
  const stops = scale.map(([at, colour]) => [at, colour.startsWith("#") ? ofHex(colour) : colour.match(/[\d.]+/g).map(Number)]);
  return (share) => {
    const next = Math.max(1, stops.findIndex(([at]) => at >= share));
    const [[from, one], [to, other]] = [stops[next - 1], stops[next]];
    const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
    return one.map((channel, at) => Math.round(channel + part * (other[at] - channel)));
  };
}

// Rows of numbers as an image of one pixel a cell, its first row at the foot where the axis goes `upward`.
export function coloured(rows, { cmin, cmax, colorscale, reversescale }, { upward, leftward }) {
  const ink = inked(reversescale ? colorscale.map(([at, colour]) => [1 - at, colour]).reverse() : colorscale);
  const canvas = document.createElement("canvas");
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  const cells = pen.createImageData(width, height);
  rows.forEach((row, up) => {
    for (let along = 0; along < width; along++) {
      const value = row[along];
      if (value === null || !Number.isFinite(value)) continue;
      const at = 4 * ((upward ? height - 1 - up : up) * width + (leftward ? width - 1 - along : along));
      cells.data.set([...ink((value - cmin) / (cmax - cmin)), 255], at);
    }
  });
  pen.putImageData(cells, 0, 0);
  return canvas.toDataURL();
}

const clip = (xaxis, yaxis) =>
  `polygon(${[[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => `${xaxis.pixel(x)}px ${yaxis.pixel(y)}px`).join(",")})`;

export function drawnTrace(trace, data, view) {
  const { axes } = view;
  const [xaxis, yaxis] = ["x", "y"].map((letter) => axes[(trace[`${letter}axis`] ?? letter).replace(/^./, "$&axis")]);
  const inside = (parts) => (parts === undefined ? undefined : tag("g", { style: trace.cliponaxis === false ? undefined : `clip-path:${clip(xaxis, yaxis)}`, opacity: trace.opacity }, parts));
  const type = trace.type ?? "scatter";
  if (type === "heatmap") return inside(heatMap(trace, xaxis, yaxis, view));
  if (type === "bar") return inside(bars(trace, data, xaxis, yaxis, view));
  return type === "scatter" ? inside(curve(trace, data, xaxis, yaxis, view)) : undefined;
}

function pointsOf(trace, xaxis, yaxis) {
  const ys = listed(trace.y);
  const xs = trace.x === undefined ? ys.map((_, at) => at) : listed(trace.x);
  return ys.map((y, at) => [xaxis.at(xs[at]), yaxis.at(y)]);
}

function through(points) {
  let down = false;
  return points.map(([x, y]) => {
    const known = Number.isFinite(x) && Number.isFinite(y);
    const step = known ? `${down ? "L" : "M"}${x.toFixed(2)},${y.toFixed(2)}` : "";
    down = known;
    return step;
  }).join("");
}

function curve(trace, data, xaxis, yaxis, { letters, ink }) {
  const { mode = "lines", line = {}, marker = {}, fill } = trace;
  if (trace.error_x?.array || trace.error_y?.array || mode.includes("text") || trace.connectgaps) return undefined;
  if (line.shape && line.shape !== "linear") return undefined;
  const points = pointsOf(trace, xaxis, yaxis);
  const parts = [];
  if (fill === "tonexty" || fill === "toself") {
    const before = fill === "tonexty" && data.slice(0, data.indexOf(trace)).findLast((one) => one.xaxis === trace.xaxis && one.yaxis === trace.yaxis && (one.type ?? "scatter") === "scatter");
    const round = before ? [...points, ...pointsOf(before, xaxis, yaxis).reverse()] : points;
    parts.push(tag("path", { d: `${through(round.filter((point) => point.every(Number.isFinite)))}Z`, fill: trace.fillcolor, stroke: "none", class: "fill" }));
  } else if (fill && fill !== "none") return undefined;
  if (mode.includes("lines") && line.width !== 0) {
    if (line.color && typeof line.color !== "string") return undefined;
    const dash = dashOf(line);
    parts.push(tag("path", { class: "line", d: through(points), fill: "none", stroke: line.color, "stroke-width": line.width ?? 2, "stroke-dasharray": dash, "stroke-linejoin": "round" }));
  }
  if (mode.includes("markers")) {
    const { symbol = "circle", size = 6 } = marker;
    const colour = marker.color ?? line.color;
    if (typeof symbol !== "string" || typeof size !== "number" || typeof colour !== "string") return undefined;
    const path = markerPath(symbol, size / 2);
    if (!path) return undefined;
    const edge = marker.line ?? {};
    const look = symbol.endsWith("-open") ? { fill: "none", stroke: colour, "stroke-width": edge.width || 1 } : { fill: colour, stroke: edge.width ? edge.color : undefined, "stroke-width": edge.width };
    for (const [x, y] of points) if (Number.isFinite(x) && Number.isFinite(y)) parts.push(tag("path", { class: "point", d: path, transform: `translate(${x.toFixed(2)},${y.toFixed(2)})`, opacity: marker.opacity, ...look }));
  }
  return parts.join("") || (letters && ink ? tag("g", {}) : undefined);
}

// Bars of one or several traces, side by side or on each other, with the gap that Plotly leaves.
function bars(trace, data, xaxis, yaxis, { layout }) {
  const { marker = {}, orientation } = trace;
  const own = data.filter(({ type, xaxis: x, yaxis: y }) => type === "bar" && x === trace.xaxis && y === trace.yaxis);
  const lying = orientation === "h";
  if (trace.text || trace.texttemplate || trace.base !== undefined || trace.error_x || trace.error_y || marker.pattern?.shape) return undefined;
  if (own.length > 1 && layout.barmode && layout.barmode !== "group" && layout.barmode !== "overlay") return undefined;
  const [along, up] = lying ? [yaxis, xaxis] : [xaxis, yaxis];
  const [places, values] = (lying ? [trace.y, trace.x] : [trace.x, trace.y]).map(listed);
  const all = [...new Set(own.flatMap((one) => listed(lying ? one.y : one.x).map(along.numberOf)))].sort((one, other) => one - other);
  const least = along.names ? 1 : Math.min(...all.slice(1).map((one, at) => one - all[at]), Infinity);
  const unit = Number.isFinite(least) ? least : 1;
  const beside = layout.barmode === "overlay" ? 1 : own.length;
  const wide = trace.width ?? (unit * (1 - (layout.bargap ?? 0.2))) / beside;
  if (typeof wide !== "number" || (marker.color && typeof marker.color !== "string" && !Array.isArray(marker.color))) return undefined;
  const shift = beside === 1 ? 0 : (own.indexOf(trace) - (beside - 1) / 2) * wide;
  const pixel = (axis, number) => axis.pixel((number - axis.low) / (axis.high - axis.low));
  const foot = up.type === "log" ? up.pixel(0) : pixel(up, 0);
  return places.map((place, at) => {
    const middle = along.numberOf(place) + shift;
    const ends = [middle - wide / 2, middle + wide / 2].map((one) => pixel(along, one));
    const top = up.at(values[at]);
    if (!Number.isFinite(top) || !ends.every(Number.isFinite)) return "";
    const [left, right, high, low] = lying ? [foot, top, ends[1], ends[0]] : [ends[0], ends[1], top, foot];
    const fill = Array.isArray(marker.color) ? marker.color[at] : marker.color;
    return tag("path", { class: "bar", d: `M${left},${low}V${high}H${right}V${low}Z`, fill, stroke: marker.line?.width ? marker.line.color : undefined, "stroke-width": marker.line?.width });
  }).join("");
}

function heatMap(trace, xaxis, yaxis, { layout, look }) {
  const rows = rowsOf(trace.z);
  const colours = trace.coloraxis ? { ...look.coloraxis, ...layout[trace.coloraxis] } : { cmin: trace.zmin, cmax: trace.zmax, colorscale: trace.colorscale };
  const [across, down] = [edges(trace.x, rows[0]?.length ?? 0, xaxis), edges(trace.y, rows.length, yaxis)];
  if (trace.texttemplate || trace.xgap || trace.ygap || trace.transpose || !across || !down || !Array.isArray(colours.colorscale) || !(colours.cmax > colours.cmin)) return undefined;
  const pixel = (axis, number) => axis.pixel((number - axis.low) / (axis.high - axis.low));
  const [left, right] = [across[0], across.at(-1)].map((one) => pixel(xaxis, one));
  const [foot, head] = [down[0], down.at(-1)].map((one) => pixel(yaxis, one));
  const href = coloured(rows, colours, { upward: head < foot, leftward: right < left });
  const place = { x: Math.min(left, right), y: Math.min(foot, head), width: Math.abs(right - left), height: Math.abs(foot - head) };
  return tag("image", { ...place, href, preserveAspectRatio: "none", style: "image-rendering:pixelated" });
}
