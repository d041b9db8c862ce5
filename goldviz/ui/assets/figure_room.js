// A figure's words and numbers within its width: as many numbers at an axis as have room, titles of axes broken where they
// are longer, and words over panels moved, smaller or broken where the figure's edge would cut them.

import { ofBase64 } from "./figure_fill.js";
import { brokenAt } from "./figure_fit.js";
import { visible } from "./figure_words.js";

const SIZE = 13;
const LINE = 17;
const DATE = 46;
const NARROW = 250;
// In so narrow a figure a few pixels decide where words have room.
const PHONE = 400;
// Narrower panels beside one another have no room for two numbers.
const LEAST = 44;
// What an axis' title takes beside its numbers, and these where nothing says how wide they are.
const TITLE = 20;
const NUMBERS = 28;
const NUMBER = 13;
// A map's columns up to which each has its name: upright, and shortened, where it has no room beside the next. Its rows are
// as many as have a line each.
const EACH = 24;
const ROW = 12;
const APART = 2;
const UPRIGHT = 96;
const TICK = 7;
const EDGE = 12;
const BETWEEN = 8;
// The sine of the first angle by which Plotly turns names that have no room beside one another.
const SLANT = 0.5;
// The widest names at a y axis, as a share of the figure.
const NAMES = 0.4;
const BOLD = 1.09;
const MARGIN = 3;
// Where the plot begins is not known to the pixel before it is drawn.
const UNSURE = 8;
const CLEAR = 7;
const SMALLEST = 11;
const SHARES = { left: 0, center: 0.5, right: 1 };

const isAxis = (letter) => ([key, axis]) => new RegExp(`^${letter}axis\\d*$`).test(key) && axis;

export const widthOf = (text, measure) => {
  const plain = Math.max(...String(text).split("<br>").map((one) => measure(visible(one))));
  return /<b>/.test(text) ? BOLD * plain : plain;
};

const idOf = (key) => key.replace("axis", "");

// What stands at an axis of names, such as layers or parts; nothing at one of numbers.
function namesAt(key, axis, data) {
  const letter = key[0];
  const own = data.filter((trace) => (trace[`${letter}axis`] ?? letter) === idOf(key) && trace.visible !== false);
  const values = own.flatMap((trace) => (Array.isArray(trace[letter]) ? trace[letter] : []));
  return axis.type === "date" || !values.length || !values.every((one) => typeof one === "string") ? [] : [...new Set(values)];
}

// Long names at the side are broken, so that the plot keeps its part of the width.
function withNames(layout, data, width, measure) {
  const most = (NAMES * width * SIZE) / NUMBER;
  const axes = Object.entries(layout).filter(isAxis("y")).map(([key, axis]) => {
    const names = axis.ticktext ?? namesAt(key, axis, data);
    const broken = names.map((one) => brokenAt(most, String(one), measure).join("<br>"));
    if (broken.every((one, at) => one === names[at])) return [key, axis];
    return [key, { ...axis, tickmode: "array", tickvals: axis.ticktext ? axis.tickvals : names, ticktext: broken }];
  });
  return { ...layout, ...Object.fromEntries(axes) };
}

// What the y axes take beside the plot, as long as nothing was drawn.
function besideOf(layout, data, measure) {
  const axes = Object.entries(layout).filter(isAxis("y")).filter(([, axis]) => axis.showticklabels !== false);
  const numbers = axes.map(([key, axis]) => {
    const names = axis.ticktext?.length ? axis.ticktext : namesAt(key, axis, data);
    const widest = names.length ? (Math.max(...names.map((one) => widthOf(one, measure))) * NUMBER) / SIZE : NUMBERS;
    return widest + TICK + EDGE + (axis.title?.text ? TITLE : 0);
  });
  return Math.max(0, ...numbers);
}

const isMap = (key, data) => data.some((trace) => trace.type === "heatmap" && (trace[`${key[0]}axis`] ?? key[0]) === idOf(key));

function shortened(name, measure) {
  if (measure(visible(name)) <= UPRIGHT || /[<&]/.test(name)) return name;
  const letters = [...name];
  while (letters.length > 1 && measure(`${letters.join("")}…`) > UPRIGHT) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

const everySo = (axis, numbered, every) => {
  const chosen = new Set(numbered.filter((_, at) => at % every === 0));
  const some = (values) => Array.from(ofBase64(values)).filter((_, at) => chosen.has(at));
  return { ...axis, tickvals: some(axis.tickvals), ticktext: some(axis.ticktext) };
};

// Marks without a number take no room, and are no number's stand-in.
const numberedOf = ({ ticktext }) => [...ticktext.keys()].filter((at) => visible(String(ticktext[at])).trim());

// Every so-manieth of an axis' numbers, so that none touches the next; of a map's few columns each.
function withTicks(axis, across, measure, mapped = false) {
  if (!axis?.ticktext?.length) {
    if (axis?.tickformat && across < LEAST) return { ...axis, showticklabels: false };
    const most = Math.max(2, Math.floor(across / DATE));
    const crowded = axis?.nticks > most || (axis?.nticks === undefined && axis?.tickformat && across < NARROW);
    return crowded ? { ...axis, nticks: most } : axis;
  }
  const numbered = numberedOf(axis);
  const widest = Math.max(...axis.ticktext.map((one) => widthOf(one, measure)));
  // Upright ones stand side by side as lines do.
  const isUpright = Math.abs(axis.tickangle) === 90;
  const room = across / (isUpright ? LINE : (widest * NUMBER) / SIZE + (mapped ? APART : BETWEEN));
  const every = Math.ceil(numbered.length / Math.max(1, room));
  if (every <= 1) return axis;
  if (!mapped || numbered.length > EACH || across < ROW * numbered.length) return everySo(axis, numbered, every);
  return { ...axis, tickangle: -90, ticktext: axis.ticktext.map((one) => shortened(String(one), measure)) };
}

// Names of two lines have one where they must stand upright; of slanting ones that would meet every so-manieth stands.
function uprightNames(key, axis, across, data, measure) {
  const names = axis.ticktext ? [] : namesAt(key, axis, data);
  const pitch = across / Math.max(1, names.length);
  const between = pitch * Math.sin((Math.abs(axis.tickangle ?? 0) * Math.PI) / 180);
  if (names.length && axis.tickangle && between < LINE) {
    const some = names.filter((_, at) => at % Math.ceil(LINE / between) === 0);
    return { ...axis, tickmode: "array", tickvals: some, ticktext: some };
  }
  if (!names.some((one) => one.includes("<br>") && widthOf(one, measure) > pitch)) return axis;
  return { ...axis, tickmode: "array", tickvals: names, ticktext: names.map((one) => one.replaceAll("<br>", ", ")), tickangle: 90 };
}

const shareOf = ({ domain = [0, 1] }) => domain[1] - domain[0];

// The layout with as many numbers at its x axes and under its colours as stand clear of one another.
function withNumbers(layout, data, across, measure) {
  const axes = Object.entries({ xaxis: {}, ...layout }).filter(isAxis("x")).map(([key, axis]) => {
    const own = across * shareOf(axis);
    const upright = uprightNames(key, axis, own, data, measure);
    return [key, upright === axis ? withTicks(axis, own, measure, isMap(key, data)) : upright];
  });
  const rows = Object.entries(layout).filter(isAxis("y")).filter(([key, { ticktext }]) => ticktext?.length && isMap(key, data)).map(([key, axis]) => {
    const numbered = numberedOf(axis);
    const every = Math.ceil((ROW * numbered.length) / ((layout.height - layout.margin.t - layout.margin.b) * shareOf(axis)));
    return [key, every > 1 ? everySo(axis, numbered, every) : axis];
  });
  const turned = axes.filter(([key, axis]) => axis.tickangle === -90 && axis !== (layout[key] ?? axis)).flatMap(([, axis]) => axis.ticktext);
  const meta = turned.length ? { meta: { ...layout.meta, upright: Math.max(...turned.map((one) => widthOf(one, measure))) - LINE } } : {};
  const { coloraxis } = layout;
  const colours = coloraxis?.colorbar ? { coloraxis: { ...coloraxis, colorbar: withTicks(coloraxis.colorbar, across, measure) } } : {};
  return { ...layout, ...Object.fromEntries([...axes, ...rows]), ...colours, ...meta };
}

// How far down names at an x axis reach that Plotly slants, or turns upright, because they are wider than their places.
function slantOf(layout, data, across, measure) {
  const axes = Object.entries(layout).filter(isAxis("x")).filter(([, axis]) => axis.showticklabels !== false && !axis.tickangle);
  const reach = axes.map(([key, axis]) => {
    const names = axis.ticktext ? [] : namesAt(key, axis, data);
    const pitch = (across * shareOf(axis)) / Math.max(1, names.length);
    const widest = (Math.max(0, ...names.map((one) => widthOf(one, measure))) * NUMBER) / SIZE;
    if (widest <= pitch) return 0;
    return pitch * SLANT >= NUMBER ? widest * SLANT : widest;
  });
  return Math.max(0, ...reach);
}

const isUnder = ({ yref, y, yshift }) => yref === "paper" && y === 0 && yshift < 0;

// The layout with titles of axes broken where they are longer than their axis, or than the figure leaves around it; what
// stands below them and below slanting names moves down.
function withTitles(layout, data, width, left, across, measure) {
  const { height, margin, legend } = layout;
  let more = 0;
  const broken = Object.entries(layout).map(([key, axis]) => {
    const [, letter] = key.match(/^([xy])axis\d*$/) ?? [];
    if (!letter || !axis?.title?.text) return [key, axis];
    const along = letter === "x" ? across * shareOf(axis) : (height - margin.t - margin.b) * shareOf(axis) + LINE;
    const middle = left + across / 2;
    const room = letter === "x" && shareOf(axis) === 1 ? 2 * Math.min(middle, width - middle) - 2 * MARGIN - UNSURE : along;
    const lines = brokenAt((room * SIZE) / NUMBER, axis.title.text, measure);
    if (letter === "x") more = Math.max(more, lines.length - axis.title.text.split("<br>").length);
    return [key, { ...axis, title: { ...axis.title, text: lines.join("<br>") } }];
  });
  const slant = layout.annotations?.some(isUnder) ? Math.max(layout.meta?.upright ?? 0, slantOf(layout, data, across, measure)) : 0;
  const down = (LINE + 1) * more + Math.ceil(slant);
  if (!down) return { ...layout, ...Object.fromEntries(broken) };
  const moved = (layout.annotations ?? []).map((words) => (isUnder(words) ? { ...words, yshift: words.yshift - down } : words));
  const under = legend?.y < 0 ? { legend: { ...legend, y: legend.y - down / (height - margin.t - margin.b) } } : {};
  return { ...layout, ...Object.fromEntries(broken), ...under, annotations: moved, height: height + down, margin: { ...margin, b: margin.b + down } };
}

// Where words that stand at a share of the plot's width begin and end, in pixels of the figure.
function spanOf({ text, x, xref, xanchor, xshift = 0, font }, layout, left, across, measure) {
  const [from, to] = (xref !== "paper" && layout[`xaxis${xref.match(/\d*/g).join("")}`]?.domain) || [0, 1];
  const wide = (widthOf(text, measure) * (font?.size ?? SIZE)) / SIZE;
  const begin = left + across * (from + x * (to - from)) - wide * SHARES[xanchor ?? "center"] + xshift;
  return { begin, end: begin + wide, column: across * (to - from) };
}

const isPlaced = ({ xref, showarrow, textangle, xanchor, x }) =>
  /^(paper|x\d* domain)$/.test(xref) && !showarrow && !textangle && (xanchor in SHARES || x === 0.5);

// Words that stand at a share of the plot's width stay within the figure: moved, and smaller or broken where that is not
// enough.
function keptInside(words, layout, width, left, across, measure) {
  if (!isPlaced(words)) return words;
  const size = words.font?.size ?? SIZE;
  const least = Math.min(size, SMALLEST);
  const within = (letters) => spanOf({ ...words, font: { size: letters } }, layout, left, across, measure);
  const { column } = within(size);
  const room = column < across - 1 ? Math.max(column, LEAST) : width - 2 * MARGIN - UNSURE;
  const fits = (letters) => within(letters).end - within(letters).begin <= room;
  const letters = [size, size - 1, size - 2, size - 3].find((one) => one >= least && fits(one)) ?? least;
  if (!fits(letters) && column >= across - 1) {
    const bold = /<b>/.test(words.text) ? BOLD : 1;
    const lines = brokenAt((room * SIZE) / letters / bold, words.text, measure);
    if (lines.length > words.text.split("<br>").length)
      return keptInside({ ...words, text: lines.join("<br>") }, layout, width, left, across, measure);
  }
  const { begin, end } = within(letters);
  const by = column < across - 1 ? 0 : Math.min(0, width - MARGIN - UNSURE / 2 - end) || Math.max(0, MARGIN - begin);
  if (!by && letters === size) return words;
  // Words that begin left of their panel stand over the number at the top of its axis.
  const up = by < 0 && words.xanchor === "left" && /domain$/.test(words.yref) && words.y === 1 ? { yshift: (words.yshift ?? 0) + CLEAR } : {};
  return { ...words, ...up, align: words.align ?? "left", xshift: (words.xshift ?? 0) + by, font: { ...words.font, size: letters } };
}

// Words over the left and the right end of a panel that would meet stand over each other. The figure is as much higher as
// the lines over its first panel need.
export function overPanels(layout, left, across, measure) {
  const isOver = ({ yref, y, yanchor, visible: seen }) => /^y\d* domain$/.test(yref) && y === 1 && yanchor === "bottom" && seen !== false;
  // How many lines from the panel's edge up words reach.
  const reachOf = ({ text, yshift = 0 }) => Math.floor(yshift / LINE) + text.split("<br>").length;
  const span = (words) => spanOf(words, layout, left, across, measure);
  const all = layout.annotations ?? [];
  let more = 0;
  const annotations = all.map((words) => {
    if (!isOver(words) || !isPlaced(words)) return words;
    const met = all.filter((other) => {
      return words.xanchor === "left" && other.xanchor === "right" && other.yref === words.yref && isOver(other) && isPlaced(other) && span(other).begin < span(words).end + BETWEEN;
    });
    const lift = Math.max(0, ...met.map(reachOf));
    const lifted = lift ? { ...words, yshift: (words.yshift ?? 0) + lift * LINE } : words;
    const top = layout[`yaxis${words.yref.match(/\d*/g).join("")}`]?.domain?.[1] ?? 1;
    if (top > 0.999) more = Math.max(more, reachOf(lifted) - 1);
    return lifted;
  });
  if (!more) return { ...layout, annotations };
  const up = more * LINE;
  return { ...layout, annotations, height: layout.height + up, margin: { ...layout.margin, t: layout.margin.t + up } };
}

// The layout with words and numbers that suit its width, where the plot begins in it, and how wide the plot is. `room` is
// what the axes took beside the plot when it was last drawn.
export function roomy(given, data, width, measure, room) {
  const named = withNames(given, data, width, measure);
  const left = Math.max(named.margin.l, room?.l ?? besideOf(named, data, measure));
  const across = width - left - Math.max(named.margin.r, room?.r ?? 0);
  const titled = withTitles(withNumbers(named, data, across, measure), data, width, left, across, measure);
  if (!titled.annotations?.length) return { layout: titled, left, across };
  const annotations = titled.annotations.map((words) => keptInside(words, titled, width, left, across, measure));
  const moved = width < PHONE || annotations.some((words, at) => words !== titled.annotations[at]);
  const meta = moved ? { meta: { ...titled.meta, beside: left } } : {};
  return { layout: { ...titled, ...meta, annotations }, left, across };
}
