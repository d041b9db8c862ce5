// How far an axis reaches whose range Plotly finds, for what is drawn without Plotly: as far as the values of its traces,
// with room for points and around curves. Lengths such as these are Plotly's own.

import { edges, listed, rowsOf } from "./figure_axes.js";
import { beyond } from "./figure_svg.js";

// The room beyond a value, as a share of the axis, and how much of it may be room at most.
const ROOM = 0.05;
const LEAST = 0.1;
const POINT = 1.6;
const SMALLEST = 3;
// Of an axis without values.
const EMPTY = { x: [-1, 6], y: [-1, 4] };

const numbers = (axis, values) => listed(values).map(axis.numberOf).filter(Number.isFinite);

// The least and the greatest value, if there is any, with as many pixels beyond them, and whether an axis leaves room there.
const ends = (values, pad, room) => (values.length ? [[Math.min(...values), Math.max(...values)].map((value) => ({ value, pad, room }))] : []);

function ofCells(trace, axis) {
  const rows = rowsOf(trace.z);
  return ends(edges(trace[axis.letter], axis.letter === "x" ? rows[0]?.length ?? 0 : rows.length, axis), 0, false);
}

// Bars stand on zero, where there is no room, and take as much along their axis as is between two of them.
function ofBars(trace, axis, own) {
  if (trace.width !== undefined || trace.base !== undefined) beyond("bars of a width on an axis whose range Plotly finds");
  const isAlong = axis.letter === (trace.orientation === "h" ? "y" : "x");
  const values = numbers(axis, trace[axis.letter]);
  if (!isAlong) {
    const [found] = ends([0, ...values], 0, true);
    return [found.map((end) => (end.value === 0 ? { ...end, room: false } : end))];
  }
  const all = [...new Set(own.flatMap((one) => numbers(axis, one[axis.letter])))].sort((one, other) => one - other);
  const unit = axis.names || all.length < 2 ? 1 : Math.min(...all.slice(1).map((one, at) => one - all[at]));
  return ends(values.flatMap((one) => [one - unit / 2, one + unit / 2]), 0, false);
}

function ofPoints(trace, axis) {
  const { mode = "lines", marker = {}, fill } = trace;
  const given = trace[axis.letter] ?? listed(trace.y).map((_, at) => at);
  const errors = trace[`error_${axis.letter}`];
  const values = listed(given).map(axis.numberOf);
  const [more, less] = [listed(errors?.array), listed(errors?.arrayminus ?? errors?.array)];
  const far = errors ? values.flatMap((one, at) => [one + more[at], one - less[at]]).filter(Number.isFinite) : [];
  if (fill?.startsWith("tozero")) beyond("a filling on an axis whose range Plotly finds");
  const isBare = axis.letter === "x" && !trace.error_y && (fill === "tonexty" || !/markers|text/.test(mode));
  if (Array.isArray(marker.size)) beyond("points of many sizes on an axis whose range Plotly finds");
  const pad = mode.includes("markers") && !isBare ? Math.max((marker.size ?? 6) / POINT, SMALLEST) : 0;
  return [...ends(values.filter(Number.isFinite), pad, !isBare), ...ends(far, 0, true)];
}

const KINDS = { heatmap: ofCells, bar: ofBars, scatter: ofPoints };

// Shapes and words widen an axis that they stand at: only Plotly says how far.
function widens(axis, { shapes = [], annotations = [] }) {
  const id = axis.key.replace("axis", "");
  const at = (one, end) => (one[`${axis.letter}ref`] ?? axis.letter) === id && one.visible !== false && axis.numberOf(one[end]);
  const values = listed(axis.own.flatMap((trace) => listed(trace[axis.letter]))).map(axis.numberOf).filter(Number.isFinite);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isOut = (value) => value !== false && !(value > least && value < most);
  return annotations.some((one) => at(one, axis.letter) !== false) || shapes.some((one) => ["0", "1"].some((end) => isOut(at(one, axis.letter + end))));
}

// The lowest and the highest value of an axis.
export function reachOf(axis, layout) {
  const [low, high] = found(axis);
  if (axis.own.length && widens(axis, layout)) beyond("an axis that reaches for words or shapes");
  return axis.autorange === "reversed" ? [high, low] : [low, high];
}

function found(axis) {
  const { own: traces, length } = axis;
  const all = traces.flatMap((trace) => (KINDS[trace.type ?? "scatter"] ?? (() => beyond(`a ${trace.type}`)))(trace, axis, traces));
  if (!all.length) return EMPTY[axis.letter];
  const padOf = ({ pad, room }) => pad + (room ? ROOM * length : 0);
  let best;
  for (const [low] of all) for (const [, high] of all) {
    const spread = high.value - low.value;
    const free = length - padOf(low) - padOf(high);
    const isFree = free > LEAST * length;
    const own = spread / (isFree ? free : length);
    const pads = isFree ? [padOf(low), padOf(high)] : [0, 0];
    if (own > (best?.scale ?? 0)) best = { scale: own, from: low.value - own * pads[0], to: high.value + own * pads[1] };
  }
  if (!best) return [all[0][0].value - 1, all[0][0].value + 1];
  if (axis.rangemode && axis.rangemode !== "normal") beyond("an axis that Plotly lets begin at zero");
  return [best.from, best.to];
}
