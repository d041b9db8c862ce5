// Cells of numbers as Plotly draws them: one image, and the words in it.

import { areEven, edges, linesOf, numberAs, rowsOf } from "./figure_axes.js";
import { beyond, LINE, tag, text } from "./figure_svg.js";

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

// A scale's colour, as red, green and blue, for each share of it.
export const inkOf = ({ colorscale, reversescale }) => inked(reversescale ? colorscale.map(([at, colour]) => [1 - at, colour]).reverse() : colorscale);

// Rows of numbers as an image of one pixel a cell, its first row at the foot where the axis goes `upward`.
export function coloured(rows, { cmin, cmax, colorscale, reversescale }, { upward, leftward }) {
  const ink = inkOf({ colorscale, reversescale });
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

// Cells of other sizes, or with gaps between them, as an image of as many pixels as they take: their edges are on whole
// pixels, which Plotly counts from the first. A gap is shared between both sides.
function spaced(rows, ink, { across, down, xgap, ygap }) {
  const [left, top] = [Math.min(across[0], across.at(-1)), Math.min(down[0], down.at(-1))];
  const [xs, ys] = [across.map((one) => Math.round(one - left)), down.map((one) => Math.round(one - top))];
  const canvas = document.createElement("canvas");
  const [width, height] = [xs, ys].map((ends) => Math.max(1, Math.abs(ends.at(-1) - ends[0])));
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  // Pixels are written themselves: to ask for thousands of rectangles takes ten times as long, at every step.
  const image = pen.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  rows.forEach((row, up) => row.forEach((value, along) => {
    if (value === null || !Number.isFinite(value)) return;
    const [red, green, blue] = ink(value);
    const [x0, x1] = [xs[along], xs[along + 1]].sort((one, other) => one - other);
    const [y0, y1] = [ys[up], ys[up + 1]].sort((one, other) => one - other);
    const [from, to] = [x0 + Math.floor(xgap / 2), x1 - Math.ceil(xgap / 2)];
    for (let y = y0 + Math.floor(ygap / 2); y < y1 - Math.ceil(ygap / 2); y++)
      pixels.fill((255 << 24) | (blue << 16) | (green << 8) | red, y * width + from, y * width + Math.max(from, to));
  }));
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

// What stands in a cell: its own words, or its number in a format.
function wordsIn({ texttemplate, text: words }, value, up, along) {
  if (texttemplate === "%{text}") return words?.[up]?.[along] ?? "";
  const [, format] = /^%\{z:(.*)\}$/.exec(texttemplate) ?? [];
  return format ? numberAs(format, value, {}) : beyond(`words in cells such as ${texttemplate}`);
}

// Words as light or as dark as can be read on a colour.
const onColour = ([red, green, blue]) => ((299 * red + 587 * green + 114 * blue) / 1000 < 128 ? "#fff" : "#444");

// The size at which the longest words and the most lines of any cell have room in the narrowest and the lowest one, where no
// letter is wider than half of a line's height.
function sizeOf(cells, { xgap, ygap }, most) {
  const between = (letter) => Math.min(...cells.slice(1).map((one, at) => Math.abs(one[letter] - cells[at][letter])).filter(Boolean));
  const [wide, tall] = [between("x") - xgap, between("y") - ygap];
  if (!Number.isFinite(wide) || !Number.isFinite(tall)) return most;
  const letters = Math.max(...cells.flatMap(({ lines }) => lines.map((line) => line.length)));
  const rows = Math.max(...cells.map(({ lines }) => lines.length));
  return Math.min(Math.floor((2 * wide) / (letters * LINE)), Math.floor(tall / (rows * LINE)), most);
}

function drawnWords(trace, rows, ink, { across, down, gaps, most }) {
  const middle = (ends, at) => Math.round((ends[at] + ends[at + 1]) / 2);
  const cells = rows.flatMap((row, up) => row.map((value, along) => {
    const words = wordsIn(trace, value, up, along);
    return { words, value, lines: linesOf(words), x: middle(across, along), y: middle(down, up) };
  })).filter(({ words }) => words !== "");
  const { size = sizeOf(cells, gaps, most), color } = trace.textfont ?? {};
  return cells.filter(() => size > 0).map(({ words, value, lines, x, y }) => {
    const fill = color ?? (value === null || !Number.isFinite(value) ? "#444" : onColour(ink(value)));
    return text(words, { x, y: y - size * ((lines.length * LINE) / 2 - 1), size, fill, anchor: "middle", name: "cell" });
  }).join("");
}

export function heatMap(trace, xaxis, yaxis, { layout, look, fontSize }) {
  const rows = rowsOf(trace.z);
  const { cmin, cmax, colorscale, reversescale } = trace.coloraxis ? { ...look.coloraxis, ...layout[trace.coloraxis] } : { ...trace, cmin: trace.zmin, cmax: trace.zmax };
  if (trace.transpose) beyond("cells turned over");
  if (!Array.isArray(colorscale) || !(cmax > cmin)) beyond("colours whose range Plotly finds");
  const ink = inkOf({ colorscale, reversescale });
  const colour = (value) => ink((value - cmin) / (cmax - cmin));
  const pixels = (values, count, axis) => edges(values, count, axis).map((one) => axis.pixel((one - axis.low) / (axis.high - axis.low)));
  const [across, down] = [pixels(trace.x, rows[0]?.length ?? 0, xaxis), pixels(trace.y, rows.length, yaxis)];
  const [left, right, foot, head] = [across[0], across.at(-1), down[0], down.at(-1)];
  const place = { x: Math.min(left, right), y: Math.min(foot, head), width: Math.abs(right - left), height: Math.abs(foot - head) };
  const { xgap = 0, ygap = 0 } = trace;
  const even = !xgap && !ygap && areEven(across) && areEven(down);
  const href = even
    ? coloured(rows, { cmin, cmax, colorscale, reversescale }, { upward: head < foot, leftward: right < left })
    : spaced(rows, colour, { across, down, xgap, ygap });
  const image = tag("image", { ...place, href, preserveAspectRatio: "none", style: "image-rendering:pixelated" });
  return trace.texttemplate ? image + drawnWords(trace, rows, colour, { across, down, gaps: { xgap, ygap }, most: fontSize }) : image;
}
