// Where values of a figure stand along its axes, and which numbers stand at these, as Plotly would have it: for what is
// drawn without Plotly. Lengths such as these are Plotly's own.

import { ofBase64 } from "./figure_fill.js";
import { LINE } from "./figure_svg.js";

const CAPITAL = 0.7;
const SMALL = 0.7;
const POWERS = 1.25;
const YEAR = 365.25 * 864e5;

export const listed = (values) => Array.from(ofBase64(values) ?? []);
const timeOf = (value) => Date.parse(/[T ]/.test(value) ? `${String(value).replace(" ", "T")}Z` : value);

// How far Plotly lets an axis of cells or of names reach that does not say so itself; nothing for any other.
function rangeOf(own, { names }, letter) {
  if (names) return own.every(({ type }) => type === "heatmap" || type === "bar") ? [-0.5, names.length - 0.5] : undefined;
  if (!own.length || !own.every(({ type }) => type === "heatmap")) return undefined;
  const ends = own.map((trace) => {
    const rows = rowsOf(trace.z);
    return edges(trace[letter], letter === "x" ? rows[0]?.length ?? 0 : rows.length, { numberOf: Number });
  });
  return ends.every(Boolean) ? [Math.min(...ends.map(([low]) => low)), Math.max(...ends.map((all) => all.at(-1)))] : undefined;
}

// An axis with the look of the template, its names where it is one of names, and how a value becomes a share of it; nothing
// where its range is Plotly's to find.
export function axisOf(key, given, data, look) {
  const [letter] = key;
  const own = data.filter((trace) => (trace[`${letter}axis`] ?? letter) === key.replace("axis", ""));
  const values = own.flatMap((trace) => listed(trace[letter]));
  const title = { ...look?.title, ...given.title };
  const axis = { ...look, ...given, key, letter, title, size: given.tickfont?.size ?? 14 };
  const isName = given.type === "category" || (!given.type && values.some((one) => typeof one === "string" && !/^\d{4}-/.test(one)));
  if (isName) axis.names = [...new Set(values.map(String))];
  const isDate = given.type === "date" || (!given.type && !isName && values.some((one) => typeof one === "string"));
  const found = isDate ? undefined : rangeOf(own, axis, letter);
  const range = given.range ?? (given.autorange === "reversed" ? found?.reverse() : found);
  if (!range || given.autorange === true || given.scaleanchor || given.constrain) return undefined;
  const numberOf = (value) => {
    if (value === null || value === undefined) return NaN;
    if (isName && typeof value === "string") return axis.names.indexOf(value);
    if (isDate) return typeof value === "string" ? timeOf(value) : Number(value);
    return given.type === "log" ? Math.log10(value) : Number(value);
  };
  const [low, high] = range.map((end) => (isDate ? timeOf(end) : Number(end)));
  return Object.assign(axis, { isDate, low, high, numberOf, share: (value) => (numberOf(value) - low) / (high - low) });
}

function roundStep(rough) {
  const base = 10 ** Math.floor(Math.log10(rough));
  return base * [2, 5, 10].find((one) => one >= rough / base - 1e-9);
}

function numberWords(value, step, most) {
  const power = Math.floor(Math.log10(most) + 0.01);
  if (Math.abs(power) > 3) return undefined;
  const places = Math.max(0, 2 - Math.floor(Math.log10(step) + 0.01));
  const words = Number(Math.abs(value).toFixed(places)).toString();
  const [whole, part] = words.split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return `${value < 0 && Number(words) ? "−" : ""}${grouped}${part ? `.${part}` : ""}`;
}

function numberAs(format, value, step, most) {
  if (format === ".0%") return `${value < 0 ? "−" : ""}${Math.round(100 * Math.abs(value))}%`;
  return format ? undefined : numberWords(value, step, most);
}

// Every how many months a date stands, where one about every `rough` milliseconds has room; nothing for days.
function monthsOf(rough) {
  if (2 * rough > YEAR) return 12 * roundStep(rough / YEAR);
  return 2 * rough > YEAR / 12 ? [1, 2, 3, 6, 12].find((months) => months >= (12 * rough) / YEAR) : undefined;
}

function datesOf(from, to, months) {
  const begin = new Date(from);
  const since = 12 * (begin.getUTCFullYear() - 2000) + begin.getUTCMonth();
  const dates = [];
  for (let month = Math.floor(since / months) * months; Date.UTC(2000, month) <= to; month += months) {
    const date = new Date(Date.UTC(2000, month));
    const name = months % 12 ? `${date.toLocaleString("en", { month: "short", timeZone: "UTC" })} ` : "";
    dates.push([date.getTime(), `${name}${date.getUTCFullYear()}`]);
  }
  return dates;
}

const powerWords = (power) => (power === 0 ? "1" : power === 1 ? "10" : `10<sup>${power < 0 ? "−" : ""}${Math.abs(power)}</sup>`);

// Where an axis has ticks and what stands there: `[value as a share, words]`; nothing where Plotly would have to say.
export function ticksOf(axis, length) {
  const { low, high, type, tickvals, ticktext, dtick, tickformat, names } = axis;
  const [from, to] = [Math.min(low, high), Math.max(low, high)];
  const inside = ([value]) => value >= from - 1e-9 * (to - from) && value <= to + 1e-9 * (to - from);
  const spread = (given) => given.filter(inside).map(([value, words]) => [(value - low) / (high - low), words]);
  if (tickvals && ticktext) return spread(listed(tickvals).map((value, at) => [axis.numberOf(value), ticktext[at]]));
  if (tickvals) {
    const shown = listed(tickvals);
    if (names) return spread(shown.map((value) => [axis.numberOf(value), names[axis.numberOf(value)] ?? String(value)]));
    if (type === "log" || axis.isDate) return undefined;
    const said = shown.map((value) => [Number(value), numberAs(tickformat, Number(value), 1e-9, 1)]);
    return said.some(([, words]) => words === undefined) ? undefined : spread(said.map(([value, words]) => [value, words + (axis.ticksuffix ?? "")]));
  }
  if (type === "log") {
    if (!Number.isInteger(dtick)) return undefined;
    const first = Math.ceil(from / dtick - 1e-9) * dtick;
    const count = Math.floor((to - first) / dtick + 1e-9) + 1;
    return spread(Array.from({ length: Math.max(0, count) }, (_, at) => [first + at * dtick, powerWords(first + at * dtick)]));
  }
  if (names) {
    if (axis.nticks || names.length > length / (1.2 * axis.size)) return undefined;
    return spread(names.map((name, at) => [at, name]));
  }
  const most = axis.nticks ?? Math.min(9, Math.max(4, length / (axis.letter === "y" ? 40 : 80))) + 1;
  if (axis.isDate) {
    const months = dtick || tickformat ? undefined : monthsOf((to - from) / most);
    return months && spread(datesOf(from, to, months));
  }
  const step = dtick ?? roundStep((to - from) / most);
  const first = Math.ceil((from - (axis.tick0 ?? 0)) / step - 1e-9) * step + (axis.tick0 ?? 0);
  const places = Array.from({ length: Math.floor((to - first) / step + 1e-9) + 1 }, (_, at) => first + at * step);
  const all = places.map((value) => [value, numberAs(tickformat, value, step, Math.max(Math.abs(from), Math.abs(to)))]);
  return all.some(([, words]) => words === undefined) ? undefined : spread(all.map(([value, words]) => [value, words + (axis.ticksuffix ?? "")]));
}

export const linesOf = (words) => String(words).split("<br>");

// How wide a text is: raised and lowered parts are smaller, bold ones wider.
export function widthOf(words, size, letters) {
  const lines = linesOf(words).map((line) => {
    let [small, bold, wide] = [1, 400, 0];
    for (const part of line.split(/(<[^>]*>)/)) {
      if (/^<\/?su[pb]>$/.test(part)) small = part[1] === "/" ? 1 : SMALL;
      else if (/^<\/?b>$/.test(part)) bold = part[1] === "/" ? 400 : 700;
      else if (!part.startsWith("<")) wide += letters(size * small, bold).measure(part);
    }
    return wide;
  });
  return Math.max(...lines);
}
export const tickLength = ({ ticks, ticklen }) => (ticks === "outside" ? ticklen ?? 4 : 0);

// An axis' line, of which half is outside the plot.
export const HALF = 0.5;

// How far from its line an axis' numbers begin, how large they are, and how far they reach with the title.
export function depthOf(axis, ticks, letters) {
  const begin = tickLength(axis) + (axis.ticks === "outside" ? 0.2 * axis.size : 0) + HALF;
  const shown = axis.showticklabels !== false && ticks.length;
  const size = axis.type === "log" && !axis.ticktext ? POWERS * axis.size : axis.size;
  const { below } = letters(size, 400);
  const widest = Math.max(0, ...ticks.map(([, words]) => widthOf(words, size, letters)));
  const rows = Math.max(1, ...ticks.map(([, words]) => linesOf(words).length));
  const numbers = !shown ? tickLength(axis) : axis.letter === "y" ? begin + widest : begin + size * (1 + LINE * (rows - 1)) + below;
  const title = axis.title.text ? (axis.title.standoff ?? 8) + 14 * (CAPITAL + LINE * (linesOf(axis.title.text).length - 1)) : 0;
  return { begin, shown: size, whole: numbers + title + HALF };
}

// Cells' edges: halfway between their middles.
export function edges(values, count, axis) {
  const middles = values === undefined ? Array.from({ length: count }, (_, at) => at) : listed(values).map(axis.numberOf);
  if (middles.length === count + 1) return middles;
  const step = middles.length > 1 ? (middles.at(-1) - middles[0]) / (middles.length - 1) : 1;
  const even = middles.every((one, at) => Math.abs(one - middles[0] - at * step) < 1e-6 * Math.abs(step));
  return even && middles.length === count ? [middles[0] - step / 2, middles.at(-1) + step / 2] : undefined;
}

// Rows of numbers; what came as one array says how many there are.
export function rowsOf(z) {
  const values = ofBase64(z) ?? [];
  if (!z?.shape) return Array.from(values, listed);
  const [count, wide] = z.shape.split(",").map(Number);
  return Array.from({ length: count }, (_, at) => Array.from(values.subarray(at * wide, (at + 1) * wide)));
}
