// What a figure says beside its drawing: to readers its result and what is drawn at the step in view, and behind an i
// those of its notes that two lines do not hold.

import { ofBase64 } from "./figure_fill.js";

const NOTE_LINES = 2;
const ENDS = 4;
const NAMES = 6;

// Plotly's labels hold tags such as <sup> and entities such as &lt;, which take no room or less than they are long.
export function visible(text) {
  return text
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}

// The same in one line, for readers.
const plain = (text) => visible(text.replaceAll("<br>", " ")).replace(/\s+/g, " ");

// A number as one says it.
function spokenNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

// Ten to a power as one says it, also beyond what a number holds.
function spokenPower(exponent) {
  if (Math.abs(exponent) < 300) return spokenNumber(10 ** exponent);
  const whole = Math.floor(exponent);
  const mantissa = (10 ** (exponent - whole)).toFixed(1);
  const [digits, power] = mantissa === "10.0" ? ["1.0", whole + 1] : [mantissa, whole];
  return `${digits}e${power > 0 ? "+" : ""}${power}`;
}

// Where a figure's named curves end, in words. `logarithms` names axes whose numbers are exponents of ten: those are
// drawn as such because a log axis holds no number below 1e-308.
export function endsOf(traces, logarithms = {}) {
  const curves = traces.filter(({ type = "scatter", mode = "", name, visible: seen, showlegend }) => {
    return type.startsWith("scatter") && mode.includes("lines") && name && seen !== false && showlegend !== false;
  });
  const ends = curves.map(({ name, y, yaxis = "y" }) => {
    const end = Array.from(ofBase64(y) ?? []).filter(Number.isFinite).at(-1);
    return [name, end, logarithms[yaxis] ? spokenPower : spokenNumber];
  });
  const known = ends.filter(([, end]) => end !== undefined).slice(0, ENDS);
  return known.map(([name, end, spoken]) => `${visible(name)} ends at ${spoken(end)}`);
}

// A figure's label for readers: its notes and where its curves end; without either, the words it was given.
export function resultOf(notes, traces, description, logarithms) {
  const said = notes.map((note) => plain(note).replace(/[.\s]+$/, "")).filter(Boolean);
  const all = [...said, endsOf(traces, logarithms).join(", ")].filter(Boolean);
  return all.length ? `${all.join(". ")}.` : description;
}

function endOf(axis, value, spoken) {
  const { type, names } = axis;
  if (type === "date") return String(value).slice(0, 10);
  if (type === "log") return spokenPower(value);
  if (!names?.length) return spoken(value);
  return visible(String(names[Math.min(names.length - 1, Math.max(0, Math.round(value)))]));
}

const titleOf = (axis) => plain((axis?.title ?? axis?.colorbar?.title)?.text ?? "");

// What a drawn figure's axes and colours reach over: "Epoch from 1 to 20", each once.
export function rangesOf(layout) {
  const said = Object.entries(layout).flatMap(([key, axis]) => {
    const title = /^([xy]|color)axis\d*$/.test(key) && axis?.visible !== false && titleOf(axis);
    if (!title) return [];
    const range = axis.range ?? [axis.cmin, axis.cmax];
    if (!range?.every((end) => end !== undefined && end !== null)) return [];
    const ends = axis.type === "date" ? range : range.map(Number).sort((one, other) => one - other);
    const spoken = layout.meta?.logarithms?.[key.replace("axis", "")] ? spokenPower : spokenNumber;
    const [low, high] = ends.map((end) => endOf(axis, end, spoken));
    return [`${title} from ${low} to ${high}`];
  });
  return [...new Set(said)];
}

const KINDS = [
  { is: ({ type }) => type === "heatmap", one: "heat map", many: "heat maps" },
  { is: ({ type }) => type === "bar", one: "row of bars", many: "rows of bars" },
  { is: ({ mode = "" }) => mode.includes("lines"), one: "curve", many: "curves" },
  { is: ({ mode = "" }) => mode.includes("markers"), one: "set of points", many: "sets of points" },
];

// Rows of numbers that a trace shows, and the name of the axis or colours that they are read off.
function shownBy({ type, x, y, z, xaxis = "x", yaxis = "y", orientation, coloraxis = "coloraxis" }) {
  if (type !== "heatmap") return orientation === "h" ? [[ofBase64(x)], xaxis] : [[ofBase64(y)], yaxis];
  const rows = ofBase64(z) ?? [];
  return [ArrayBuffer.isView(rows) ? [rows] : rows.map(ofBase64), coloraxis.replace("axis", "")];
}

function rangeOf(traces, logarithms) {
  let [low, high, spoken] = [Infinity, -Infinity, spokenNumber];
  for (const trace of traces) {
    const [rows, axis] = shownBy(trace);
    if (logarithms[axis]) spoken = spokenPower;
    for (const value of rows.flatMap((row) => Array.from(row ?? []))) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high ? "" : low === high ? ` at ${spoken(low)}` : ` from ${spoken(low)} to ${spoken(high)}`;
}

// What is drawn with the range of its numbers, for each quantity: "Loss: 2 curves (plain, residual) from 0.1 to 2.3".
export function marksOf(data, layout) {
  const groups = new Map();
  for (const trace of data) {
    const kind = KINDS.findIndex(({ is }) => is(trace));
    // A band around a curve, and what only frames something, is told by neither name nor number.
    if (kind < 0 || trace.visible === false || trace.hoverinfo === "skip") continue;
    const id = shownBy(trace)[1];
    const axis = layout[/^[xy]/.test(id) ? id.replace(/^[xy]/, "$&axis") : id.replace("color", "coloraxis")];
    const key = JSON.stringify([titleOf(axis), kind]);
    groups.set(key, [...(groups.get(key) ?? []), trace]);
  }
  return [...groups].map(([key, traces]) => {
    const [title, kind] = JSON.parse(key);
    const { one, many } = KINDS[kind];
    const names = [...new Set(traces.map(({ name }) => plain(name ?? "")).filter(Boolean))];
    const told = names.length > NAMES ? [...names.slice(0, NAMES), `${names.length - NAMES} more`] : names;
    const count = traces.length === 1 ? one : `${traces.length} ${many}`;
    const range = rangeOf(traces, layout.meta?.logarithms ?? {});
    return `${title ? `${title}: ` : ""}${count}${told.length ? ` (${told.join(", ")})` : ""}${range}`;
  });
}

export function isCut(lines) {
  return lines.length > NOTE_LINES;
}

// The lines that stand under a title; all of them stand behind the i where these are cut.
export function inTwoLines(lines) {
  return !isCut(lines) ? lines : [...lines.slice(0, NOTE_LINES - 1), `${lines[NOTE_LINES - 1]} …`];
}

function infoOf(host) {
  const known = [...host.children].find((child) => child.className === "goldviz-info");
  if (known) return known;
  const info = document.createElement("details");
  info.className = "goldviz-info";
  info.append(document.createElement("summary"), document.createElement("p"));
  info.firstElementChild.textContent = "i";
  info.firstElementChild.setAttribute("aria-label", "More about this figure");
  host.append(info);
  return info;
}

// Of a veiled figure readers hear what it would show; of any other its title and result at the step in view, or why there
// is nothing to draw, and then its question, what is drawn and what its axes reach over. `layout` is as it is laid out, with the ranges that its
// axes come to. In a report the description stands below the figure.
export function tellWords(host, figure, layout, description, veiled) {
  const notes = layout.meta?.notes ?? [];
  const title = plain(figure.layout.title?.text ?? "");
  const words = () => (figure.layout.annotations ?? []).map(({ text }) => plain(text)).join(" ");
  const result = resultOf(notes, figure.data, figure.data.length ? description : words(), layout.meta?.logarithms);
  const drawn = [...marksOf(figure.data, layout), ...rangesOf(layout)].map((words) => `${words}.`);
  const label = title && !result.startsWith(title) ? `${title}${/[.?!]$/.test(title) ? "" : "."} ${result}` : result;
  const about = title && description.startsWith(title) ? description.slice(title.length).trim() : description;
  const said = veiled ? { label: description, description } : { label, description: [about, ...drawn].filter(Boolean).join(" ") };
  for (const [name, words] of Object.entries(said))
    if (host.getAttribute(`aria-${name}`) !== words) host.setAttribute(`aria-${name}`, words);
  const beside = veiled || host.closest("figure") ? [] : [description];
  const more = [...(layout.meta?.cut ? notes.map(visible) : []), ...beside].filter(Boolean);
  if (more.length) infoOf(host).lastChild.textContent = more.join(" ");
  else [...host.children].find((child) => child.className === "goldviz-info")?.remove();
}
