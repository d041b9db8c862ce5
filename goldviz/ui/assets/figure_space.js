// How a figure's width and height are shared between its plot and what stands around it, as Plotly would share them: for
// what is drawn without Plotly. Lengths such as these are Plotly's own.

import { axisOf, depthOf, ticksOf, turnOf, widthOf } from "./figure_axes.js";
import { legendOf, withLegend } from "./figure_legend.js";
import { reachOf } from "./figure_reach.js";
import { beyond } from "./figure_svg.js";

const AROUND = 12;
// How many numbers stand at an axis depends on its length, and that on how wide they are; so does a legend.
const PASSES = 3;
const SMALLEST = 40;
const CLEAR = 2;

const keyOf = (id) => id.replace(/^./, "$&axis");
export const counterOf = (axis, axes) => axes[keyOf(axis.anchor ?? (axis.letter === "x" ? "y" : "x"))];

const matchOf = (key, layout) => {
  const { matches } = layout[key] ?? {};
  return matches ? matchOf(keyOf(matches), layout) : key;
};

function axesOf(data, layout, look) {
  const keys = new Set(Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key)));
  for (const trace of data.length ? data : [{}]) for (const letter of "xy") keys.add(keyOf(trace[`${letter}axis`] ?? letter));
  const axes = [...keys].map((key) => {
    const same = new Set([...keys].filter((one) => matchOf(one, layout) === matchOf(key, layout)));
    const own = data.filter((trace) => same.has(keyOf(trace[`${key[0]}axis`] ?? key[0])));
    return [key, axisOf(key, layout[key] ?? {}, own, look[`${key[0]}axis`])];
  });
  return Object.fromEntries(axes);
}

// Plotly slants names and numbers that would touch.
function standClear({ letter, placed, length, size, tickangle, showticklabels }, letters) {
  if (letter === "y" || showticklabels === false || typeof tickangle === "number") return;
  const spans = placed.map(([share, words]) => [share * length, widthOf(words, size, letters) / 2]).sort(([one], [other]) => one - other);
  const isClear = spans.slice(1).every(([at, half], before) => at - spans[before][0] >= half + spans[before][1] + CLEAR);
  if (!isClear) beyond("names or numbers that Plotly slants");
}

// Each axis as long as it is between these margins.
function measured(axes, layout, size, letters) {
  const { width, height } = layout;
  const all = Object.values(axes);
  for (const axis of all) {
    if (axis.scaleanchor || axis.constrain) beyond("axes of one scale");
    const [from, to] = axis.domain ?? [0, 1];
    const across = axis.letter === "x" ? width - size.l - size.r : height - size.t - size.b;
    Object.assign(axis, { from, to, length: across * (to - from) });
    [axis.low, axis.high] = axis.ends ?? reachOf(axis, layout);
  }
  for (const axis of all) {
    axis.placed = axis.visible === false ? [] : ticksOf(axis, axis.length);
    Object.assign(axis, depthOf(axis, axis.placed, letters));
    if (axis.visible === false) axis.whole = 0;
    else standClear(axis, letters);
  }
}

// The margins that axes ask for.
function around(axes, pad, letters) {
  const size = { l: 0, r: 0, t: 0, b: 0 };
  for (const axis of Object.values(axes)) {
    if (axis.visible === false) continue;
    const other = counterOf(axis, axes) ?? beyond("an axis that stands at none");
    if (axis.letter === "y" && other.from < 0.01) size.l = Math.max(size.l, axis.whole + pad);
    if (axis.letter === "x" && other.from < 0.01) size.b = Math.max(size.b, axis.whole + pad);
    if (axis.letter === "y" || axis.showticklabels === false || axis.to <= 0.99 || turnOf(axis)[0]) continue;
    for (const [share, words] of axis.placed) size.r = Math.max(size.r, axis.length * (share - 1) + widthOf(words, axis.size, letters) / 2 + pad);
  }
  return size;
}

// A figure's axes, each with its `length` and a way from values to pixels, its margins, the size of its plot and its legend.
export function spaceOf(given, layout, look, letters) {
  const data = given.filter((trace) => trace.visible !== false);
  const { width, height, margin } = layout;
  const axes = axesOf(data, layout, look);
  const pad = Math.min(AROUND, margin.l, margin.r, margin.t, margin.b);
  let legend;
  let size = margin;
  for (let pass = 0; pass < PASSES; pass++) {
    measured(axes, layout, size, letters);
    legend = legendOf(given, layout, look, width - size.l - size.r, letters);
    const asked = around(axes, pad, letters);
    size = Object.fromEntries(Object.keys(asked).map((side) => [side, Math.max(margin[side], asked[side])]));
    if (legend) size = withLegend(size, legend, { pad, whole: height, asked });
  }
  for (const side of Object.keys(size)) size[side] = Math.round(size[side]);
  const [wide, tall] = [width - size.l - size.r, height - size.t - size.b];
  if (!(wide > SMALLEST && tall > SMALLEST)) beyond("no room");
  for (const axis of Object.values(axes)) {
    axis.length = (axis.letter === "x" ? wide : tall) * (axis.to - axis.from);
    axis.begin0 = axis.letter === "x" ? size.l + axis.from * wide : size.t + (1 - axis.from) * tall;
    axis.pixel = (share) => axis.begin0 + (axis.letter === "x" ? share : -share) * axis.length;
    axis.at = (value) => axis.pixel(axis.share(value));
  }
  return { axes, size, wide, tall, legend };
}
