// How a figure's width and height are shared between its plot and what stands around it, as Plotly would share them: for
// what is drawn without Plotly. Lengths such as these are Plotly's own.

import { axisOf, depthOf, ticksOf, turnOf, widthOf } from "./figure_axes.js";
import { legendOf, legendPushes } from "./figure_legend.js";
import { reachOf } from "./figure_reach.js";
import { toOneScale } from "./figure_scale.js";
import { beyond } from "./figure_svg.js";

const AROUND = 12;
// How many numbers stand at an axis depends on its length, and that on how wide they are; so does a legend. Where they go
// round in a circle, the last ones hold.
const PASSES = 8;
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
    const [from, to] = axis.domain ?? [0, 1];
    const across = axis.letter === "x" ? width - size.l - size.r : height - size.t - size.b;
    Object.assign(axis, { from, to, length: across * (to - from) });
    [axis.low, axis.high] = axis.ends ?? reachOf(axis, layout);
  }
  toOneScale(axes);
  for (const axis of all) {
    axis.placed = axis.visible === false ? [] : ticksOf(axis, axis.length);
    Object.assign(axis, depthOf(axis, axis.placed, letters));
    if (axis.visible === false) axis.whole = 0;
    else standClear(axis, letters);
  }
}

// What axes push aside, by side: from which share of the plot on, and by how much.
function pushesOf(axes, pad, letters) {
  const sides = { l: [], r: [], t: [], b: [] };
  for (const axis of Object.values(axes)) {
    if (axis.visible === false) continue;
    const other = counterOf(axis, axes) ?? beyond("an axis that stands at none");
    sides[axis.letter === "y" ? "l" : "b"].push([other.from, axis.whole + pad]);
    if (axis.letter === "y" || axis.showticklabels === false || turnOf(axis)[0]) continue;
    for (const [share, words] of axis.placed) {
      const half = widthOf(words, axis.size, letters) / 2;
      sides.l.push([0, half - axis.length * share + pad]);
      sides.r.push([1, half - axis.length * (1 - share) + pad]);
    }
  }
  return sides;
}

// How far both ends of a plot are from the figure's, of which the `whole` is so long, so that nothing is cut off that is
// pushed `before` or `after` it.
function pushed(before, after, whole) {
  let found = [0, 0];
  for (const [from, least] of before) for (const [to, most] of after) {
    if (!(to > from)) continue;
    const ends = [(least * to + (most - whole) * from) / (to - from), (most * (1 - from) + (least - whole) * (1 - to)) / (to - from)];
    if (ends[0] + ends[1] > found[0] + found[1]) found = ends;
  }
  return found;
}

// A figure's margins with what stands around its plot.
function marginsFor({ width, height, margin }, axes, legend, pad, letters) {
  const own = { l: [0, margin.l], r: [1, margin.r], t: [1, margin.t], b: [0, margin.b] };
  const asked = pushesOf(axes, pad, letters);
  const more = legend ? legendPushes(legend, pad, height) : {};
  const sides = Object.fromEntries(Object.entries(own).map(([side, base]) => [side, [base, ...asked[side], ...(more[side] ?? [])]]));
  const [l, r] = pushed(sides.l, sides.r, width);
  const [b, t] = pushed(sides.b, sides.t, height);
  const size = { l, r, t, b };
  for (const [side, room] of Object.entries(more.reserved ?? {})) size[side] = Math.max(size[side], room + Math.max(0, ...asked[side].map(([, by]) => by)));
  return Object.fromEntries(Object.entries(size).map(([side, by]) => [side, Math.round(by)]));
}

// A figure's axes, each with its `id`, the pixel where it has its `start`, its `length`, ways from values to pixels and
// back, and the `range` that it comes to; its margins, the size of its plot and its legend.
export function spaceOf(given, layout, look, letters) {
  const data = given.filter((trace) => trace.visible !== false);
  const { width, height, margin } = layout;
  const axes = axesOf(data, layout, look);
  const pad = Math.min(AROUND, margin.l, margin.r, margin.t, margin.b);
  const around = ({ l, r }) => legendOf(given, layout, look, width - l - r, letters);
  let size = margin;
  measured(axes, layout, size, letters);
  let legend = around(size);
  for (let pass = 0; pass < PASSES; pass++) {
    const next = marginsFor(layout, axes, legend, pad, letters);
    if (Object.keys(next).every((side) => next[side] === size[side])) break;
    size = next;
    measured(axes, layout, size, letters);
    legend = around(size);
  }
  const [wide, tall] = [width - size.l - size.r, height - size.t - size.b];
  if (!(wide > SMALLEST && tall > SMALLEST)) beyond("no room");
  for (const axis of Object.values(axes)) {
    axis.begin0 = axis.letter === "x" ? size.l + axis.from * wide : size.t + (1 - axis.from) * tall;
    axis.pixel = (share) => axis.begin0 + (axis.letter === "x" ? share : -share) * axis.length;
    axis.at = (value) => axis.pixel(axis.share(value));
    const ends = [axis.low, axis.high];
    const valueAt = (pixel) => axis.low + ((pixel - axis.pixel(0)) / (axis.pixel(1) - axis.pixel(0))) * (axis.high - axis.low);
    Object.assign(axis, {
      id: axis.key.replace("axis", ""),
      start: Math.min(axis.pixel(0), axis.pixel(1)),
      valueAt: (pixel) => (axis.type === "log" ? 10 ** valueAt(pixel) : valueAt(pixel)),
      ...(axis.isDate ? { type: "date", range: ends.map((end) => new Date(end).toISOString()) } : { range: ends }),
    });
  }
  return { axes, size, wide, tall, legend };
}
