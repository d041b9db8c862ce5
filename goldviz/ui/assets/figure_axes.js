// Where values of a figure stand along its axes, and which numbers stand at these, as Plotly would have it: for what is
// drawn without Plotly. Lengths such as these are Plotly's own.

import { ofBase64 } from "./figure_fill.js";
import { beyond, LETTERS, LINE } from "./figure_svg.js";

const CAPITAL = 0.7;
const SMALL = 0.7;
const POWERS = 1.25;
const NAME = 1.2;
// So near beyond an axis' end, as a share of it, a number still stands.
const AT_EDGE = 1e-4;
const LEAST_POWER = 3;
const YEAR = 365.25 * 864e5;

export const listed = (values) => Array.from(ofBase64(values) ?? []);
const timeOf = (value) => Date.parse(/[T ]/.test(value) ? `${String(value).replace(" ", "T")}Z` : value);

// An axis with the look of the template, its names where it is one of names, and how a value becomes a share of it.
// `own` are the traces that it shares with all axes that it must match.
export function axisOf(key, given, own, look) {
  const [letter] = key;
  const values = own.flatMap((trace) => listed(trace[letter]));
  const title = { ...look?.title, ...given.title };
  const axis = { ...look, ...given, key, letter, title, size: given.tickfont?.size ?? LETTERS };
  const isName = given.type === "category" || (!given.type && values.some((one) => typeof one === "string" && !/^\d{4}-/.test(one)));
  if (isName) axis.names = [...new Set(values.map(String))];
  const isDate = given.type === "date" || (!given.type && !isName && values.some((one) => typeof one === "string"));
  const numberOf = (value) => {
    if (value === null || value === undefined) return NaN;
    if (isName && typeof value === "string") return axis.names.indexOf(value);
    if (isDate) return typeof value === "string" ? timeOf(value) : Number(value);
    return given.type === "log" ? Math.log10(value) : Number(value);
  };
  const isGiven = given.range && given.autorange !== true && given.autorange !== "reversed";
  const ends = isGiven ? given.range.map((end) => (isDate ? timeOf(end) : Number(end))) : undefined;
  return Object.assign(axis, { own, ends, isDate, numberOf, share: (value) => (numberOf(value) - axis.low) / (axis.high - axis.low) });
}

function roundStep(rough) {
  const base = 10 ** Math.floor(Math.log10(rough));
  return base * ([2, 5].find((one) => one > rough / base) ?? 10);
}

// On an axis of very large or very small numbers each is so many times the same power of ten; only 0 is not.
function numberWords(value, { step, most, exponentformat }) {
  const power = Math.floor(Math.log10(most) + 0.01);
  const raised = Math.abs(power) > LEAST_POWER;
  if (raised && exponentformat !== "power") beyond("numbers with a power that is not written as one");
  const places = Math.max(0, 2 - Math.floor(Math.log10(step) + 0.01) + (raised ? power : 0));
  const words = Number((Math.abs(value) / (raised ? 10 ** power : 1)).toFixed(places)).toString();
  const [whole, part] = words.split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  const times = raised && Number(words) ? `×${powerWords(power)}` : "";
  return `${value < 0 && Number(words) ? "−" : ""}${grouped}${part ? `.${part}` : ""}${times}`;
}

// A number in a format, or without one on an axis with a `step` whose `most` is its largest number.
export function numberAs(format, value, axis) {
  if (format === ".0%") return `${value < 0 ? "−" : ""}${Math.round(100 * Math.abs(value))}%`;
  return format ? beyond(`numbers in the format ${format}`) : numberWords(value, axis);
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

// Where an axis has ticks and what stands there: `[value as a share, words]`.
export function ticksOf(axis, length) {
  const { low, high, type, tickvals, ticktext, dtick, tickformat, names } = axis;
  const [from, to] = [Math.min(low, high), Math.max(low, high)];
  const inside = ([value]) => value >= from - AT_EDGE * (to - from) && value <= to + AT_EDGE * (to - from);
  const spread = (given) => given.filter(inside).map(([value, words]) => [(value - low) / (high - low), words]);
  if (tickvals && ticktext) return spread(listed(tickvals).map((value, at) => [axis.numberOf(value), ticktext[at]]));
  if (tickvals) {
    const shown = listed(tickvals);
    if (names) return spread(shown.map((value) => [axis.numberOf(value), names[axis.numberOf(value)] ?? String(value)]));
    if (axis.isDate) beyond("dates of a choice");
    const step = type === "log" ? 10 ** (Math.floor(from) - 1) : 1e-9;
    return spread(shown.map((value) => [axis.numberOf(value), numberAs(tickformat, Number(value), { step, most: 1 }) + (axis.ticksuffix ?? "")]));
  }
  if (type === "log") {
    if (!Number.isInteger(dtick)) beyond("an axis of powers without steps");
    const first = Math.ceil(from / dtick - 1e-9) * dtick;
    const count = Math.floor((to - first) / dtick + 1e-9) + 1;
    return spread(Array.from({ length: Math.max(0, count) }, (_, at) => [first + at * dtick, powerWords(first + at * dtick)]));
  }
  if (names) {
    // Where there is no room for all, every second one stands, or every third.
    const every = Math.max(1, Math.ceil(((to - from) * Math.round(NAME * axis.size)) / length));
    return axis.nticks ? beyond("so many names at an axis") : spread(names.map((name, at) => [at, name]).filter(([at]) => at % every === 0));
  }
  const count = axis.nticks ?? Math.min(9, Math.max(4, length / (axis.letter === "y" ? 40 : 80))) + 1;
  if (axis.isDate) {
    const months = dtick || tickformat ? undefined : monthsOf((to - from) / count);
    return months ? spread(datesOf(from, to, months)) : beyond("days at an axis");
  }
  const step = dtick ?? roundStep((to - from) / count);
  const edge = AT_EDGE * (to - from);
  const first = Math.ceil((from - edge - (axis.tick0 ?? 0)) / step) * step + (axis.tick0 ?? 0);
  const places = Array.from({ length: Math.floor((to + edge - first) / step) + 1 }, (_, at) => first + at * step);
  const most = Math.max(Math.abs(from), Math.abs(to));
  return spread(places.map((value) => [value, numberAs(tickformat, value, { ...axis, step, most }) + (axis.ticksuffix ?? "")]));
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

// How wide a text is drawn, and what of it reaches before and after its place: letters may lean out of theirs.
export function inkOf(words, size, letters) {
  const ends = linesOf(words).map((line) => letters(size, 400).ink(line));
  const [before, after] = ["before", "after"].map((side) => Math.max(...ends.map((end) => end[side])));
  return { wide: widthOf(words, size, letters) + before + after, before, after };
}

export const tickLength = ({ ticks, ticklen }) => (ticks === "outside" ? ticklen ?? 4 : 0);

// An axis' line, of which half is outside the plot.
export const HALF = 0.5;

// The sine and the cosine of the angle by which an axis' numbers are turned.
export function turnOf({ tickangle }) {
  const angle = typeof tickangle === "number" ? (Math.abs(tickangle) * Math.PI) / 180 : 0;
  return [Math.sin(angle), Math.cos(angle)];
}

// How far under their beginning the line lies on which numbers stand before they are turned, as a share of their size.
export const downOf = ({ tickangle }) => (tickangle === -90 ? CAPITAL : tickangle === 90 ? 0.5 : 1);

// How far from its line an axis' numbers begin, how large they are, and how far they reach with the title.
export function depthOf(axis, ticks, letters) {
  const [sine, cosine] = turnOf(axis);
  const begin = (axis.ticks === "outside" ? tickLength(axis) + 0.2 * axis.size : 0) + HALF;
  const shown = axis.showticklabels !== false && ticks.length;
  const size = axis.type === "log" && !axis.tickvals ? POWERS * axis.size : axis.size;
  const { below } = letters(size, 400);
  const widest = Math.max(0, ...ticks.map(([, words]) => widthOf(words, size, letters)));
  const rows = Math.max(1, ...ticks.map(([, words]) => linesOf(words).length));
  const low = size * (0.5 + LINE * (rows - 1)) + below;
  const numbers = !shown ? tickLength(axis) : axis.letter === "y" ? begin + widest : begin + (downOf(axis) - 0.5) * size + sine * widest + cosine * low;
  const title = axis.title.text ? (axis.title.standoff ?? 8) + (axis.title.font?.size ?? LETTERS) * (CAPITAL + LINE * (linesOf(axis.title.text).length - 1)) : 0;
  return { begin, shown: size, whole: numbers + title ? numbers + title + HALF : 0 };
}

// Cells' edges: halfway between their middles.
export function edges(values, count, axis) {
  const middles = values === undefined ? Array.from({ length: count }, (_, at) => at) : listed(values).map(axis.numberOf);
  if (middles.length === count + 1) return middles;
  if (middles.length !== count) beyond("cells without a place");
  if (count === 1) return [middles[0] - 0.5, middles[0] + 0.5];
  const inner = middles.slice(1).map((one, at) => (one + middles[at]) / 2);
  return [2 * middles[0] - inner[0], ...inner, 2 * middles.at(-1) - inner.at(-1)];
}

// Whether edges are as far from one another everywhere.
export function areEven(ends) {
  const step = (ends.at(-1) - ends[0]) / (ends.length - 1);
  return ends.every((one, at) => Math.abs(one - ends[0] - at * step) < 1e-6 * Math.abs(step));
}

// Rows of numbers; what came as one array says how many there are.
export function rowsOf(z) {
  const values = ofBase64(z) ?? [];
  if (!z?.shape) return Array.from(values, listed);
  const [count, wide] = z.shape.split(",").map(Number);
  return Array.from({ length: count }, (_, at) => Array.from(values.subarray(at * wide, (at + 1) * wide)));
}
