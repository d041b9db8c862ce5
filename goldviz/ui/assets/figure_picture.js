// The picture of a figure, drawn as SVG of the same template and layout as Plotly's: it is the figure until somebody
// touches it. Axes, curves, points, bars, heat maps, lines and words stand where Plotly will draw them; a figure with
// anything else waits for Plotly. Lengths such as these are Plotly's own.

import { downOf, HALF, inkOf, linesOf, ticksOf, tickLength } from "./figure_axes.js";
import { drawnLegend } from "./figure_legend.js";
import { drawnTrace, within } from "./figure_marks.js";
import { counterOf, spaceOf } from "./figure_space.js";
import { Beyond, beyond, dashOf, LETTERS, LINE, SHARES, tag, text } from "./figure_svg.js";

const CAPITAL = 0.7;
const MIDDLE = 0.35;
const BORDER = 1;
// How much higher than others letters reach that are raised.
const RAISED = 0.115;
const UNDER = 1.6;
const SCALE_HEIGHT = 12;
const SCALE_SIDE = 10;
// From the figure's foot to the line on which the numbers under its colours stand, and where one is raised.
const SCALE_BASE = 8.9;
const SCALE_RAISED = 10.4;
const ANCHORS = { left: "start", center: "middle", right: "end" };

// The figure as `svg` with its `axes` and the `size` of its margins, or what it `waits` for Plotly with, in words. `letters`
// says of a size and a weight how wide a text is, and how far letters reach `over` and `below` their line. Of a figure that
// is `veiled` stands what frames it.
export const pictureOf = (...figure) => known(() => drawn(...figure));

// The axes and the margins of a figure with all that stands around its plot; nothing where only Plotly knows.
export const frameOf = (given, layout, letters) =>
  layout.meta?.diagram ? {} : known(() => spaceOf(given, layout, layout.template?.layout ?? {}, letters));

function known(draw) {
  try {
    return draw();
  } catch (error) {
    if (!(error instanceof Beyond)) throw error;
    return { waits: error.message };
  }
}

// A layout without all that answers its figure's question.
const unanswered = (layout) => ({ ...layout, shapes: [], annotations: [], title: { ...layout.title, subtitle: undefined } });

function drawn(given, asked, letters, veiled) {
  if (asked.meta?.diagram) beyond("a diagram");
  const look = asked.template?.layout ?? {};
  const { axes, size, wide, tall, legend } = spaceOf(given, asked, look, letters);
  const layout = veiled ? unanswered(asked) : asked;
  const data = veiled ? [] : given.filter((trace) => trace.visible !== false);
  const { width, height } = layout;
  const ink = layout.font?.color ?? look.font?.color;
  const fontSize = layout.font?.size ?? look.font?.size ?? LETTERS;
  const view = { axes, size, wide, tall, width, height, layout, look, ink, letters, fontSize };
  const traces = data.map((trace) => drawnTrace(trace, given.indexOf(trace), data, view));
  const shapes = (layout.shapes ?? []).map((shape) => drawnShape(shape, view));
  const words = (layout.annotations ?? []).map((one) => drawnWords(one, view));
  const scale = drawnScale(data, view);
  const below = (layout.shapes ?? []).map(({ layer }) => layer === "below");
  const parts = [
    ...Object.values(axes).map((axis) => drawnGrid(axis, view)),
    ...shapes.filter((_, at) => below[at]),
    tag("g", { class: "marks" }, traces.join("")),
    ...Object.values(axes).map((axis) => drawnAxis(axis, view)),
    ...shapes.filter((_, at) => !below[at]),
    scale,
    drawnLegend(legend, view),
    ...words,
    drawnTitle(view),
  ];
  const font = layout.font?.family ?? look.font?.family;
  const attributes = { class: "goldviz-picture", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font, "aria-hidden": "true" };
  return { svg: tag("svg", attributes, parts.join("")), size, axes };
}

function drawnGrid(axis, view) {
  const other = counterOf(axis, view.axes);
  if (axis.visible === false || axis.showgrid === false || !other) return "";
  const [one, two] = [other.pixel(0), other.pixel(1)];
  const path = axis.placed.map(([share]) => (axis.letter === "x" ? `M${axis.pixel(share)},${one}V${two}` : `M${one},${axis.pixel(share)}H${two}`)).join("");
  return tag("path", { d: path, stroke: axis.gridcolor, fill: "none" });
}

// Numbers that are turned begin or end at their mark.
function alongX(axis, x, under) {
  const { tickangle: turn = 0, shown } = axis;
  const y = under + downOf(axis) * shown;
  if (!turn || turn === "auto") return { x, y, anchor: "middle" };
  const beside = Math.abs(turn) === 90 ? (Math.sign(turn) * MIDDLE * shown) / 2 : 0;
  return { x: x + beside, y, anchor: turn < 0 ? "end" : "start", turn, about: y - shown / 2 };
}

function drawnAxis(axis, view) {
  const other = counterOf(axis, view.axes);
  if (axis.visible === false || !other) return "";
  const line = other.pixel(0);
  const along = axis.letter === "x";
  const away = along ? 1 : -1;
  const end = line + away * (tickLength(axis) + 0.5);
  const marks = tickLength(axis) ? axis.placed.map(([share]) => (along ? `M${axis.pixel(share)},${line}V${end}` : `M${line},${axis.pixel(share)}H${end}`)).join("") : "";
  const colour = axis.tickfont?.color ?? view.ink;
  const numbers = axis.showticklabels === false ? [] : axis.placed.map(([share, words]) => {
    const rows = linesOf(words).length - 1;
    const place = along
      ? alongX(axis, axis.pixel(share), line + HALF + axis.begin)
      : { x: line - HALF - axis.begin, y: axis.pixel(share) + axis.shown * (MIDDLE - (rows * LINE) / 2), anchor: "end" };
    return text(words, { ...place, size: axis.shown, fill: colour, name: "tick" });
  });
  const middle = axis.pixel(0.5);
  const depth = axis.whole * away;
  const title = axis.title.text
    ? text(axis.title.text, {
        ...(along ? { x: middle, y: line + depth } : { x: line + depth + MIDDLE * LETTERS, y: middle, turn: -90 }),
        size: axis.title.font?.size ?? LETTERS, fill: view.ink, anchor: "middle", name: "title",
      })
    : "";
  return [tag("path", { d: marks, stroke: axis.tickcolor, fill: "none" }), ...numbers, title].join("");
}

// Where a share of a panel or of the paper, or a value along an axis, lies on the figure.
function placed(reference, letter, value, { axes, size, wide, tall }) {
  const [id, share] = (reference ?? "paper").split(" ");
  if (id === "paper") return letter === "x" ? size.l + value * wide : size.t + (1 - value) * tall;
  const axis = axes[id.replace(/^./, "$&axis")];
  if (!axis) return NaN;
  if (share) return axis.pixel(value);
  return axis.at(value);
}

function drawnShape(shape, view) {
  if (shape.visible === false) return "";
  if (!["line", "rect"].includes(shape.type) || shape.xsizemode || shape.ysizemode) beyond(`a shape that is a ${shape.type}`);
  const [x0, x1, y0, y1] = ["x0", "x1", "y0", "y1"].map((end) => placed(shape[`${end[0]}ref`] ?? end[0], end[0], shape[end], view));
  if (![x0, x1, y0, y1].every(Number.isFinite)) beyond("a shape off its axes");
  const line = shape.line ?? {};
  const path = shape.type === "line" ? `M${x0},${y0}L${x1},${y1}` : `M${x0},${y0}H${x1}V${y1}H${x0}Z`;
  const dash = dashOf(line);
  // One that stands at values ends where their axis does.
  const [xaxis, yaxis] = ["x", "y"].map((letter) => view.axes[(shape[`${letter}ref`] ?? letter).replace(/^./, "$&axis")]);
  const shown = tag("path", { class: "shape", d: path, fill: shape.fillcolor ?? "none", stroke: line.color ?? view.ink, "stroke-width": line.width ?? 2, "stroke-dasharray": dash, opacity: shape.opacity });
  return xaxis || yaxis ? within(xaxis, yaxis, view, {}, shown) : shown;
}

// Words with their box, as far from their point as they ask for, and the line that leads to it.
function drawnWords(given, view) {
  const words = { xref: "x", yref: "y", ...view.look.annotationdefaults, ...given, font: { ...view.look.annotationdefaults?.font, ...given.font } };
  if (words.visible === false || !words.text) return "";
  if (words.axref || words.arrowhead || words.opacity) beyond("arrows");
  const size = words.font.size ?? 13;
  const { over: capitals, below } = view.letters(size, 400);
  const lines = linesOf(words.text);
  const over = capitals + (lines[0].includes("<sup>") ? RAISED * size : 0);
  const edge = BORDER + (words.borderpad ?? 1);
  const ink = inkOf(words.text, size, view.letters);
  const wide = ink.wide + 2 * edge;
  const tall = over + below + LINE * size * (lines.length - 1) + 2 * edge;
  // A point on an axis of powers is given as the power.
  const at = ["x", "y"].map((letter) => {
    const axis = view.axes[words[`${letter}ref`].replace(/^./, "$&axis")];
    return axis?.type === "log" ? axis.pixel((words[letter] - axis.low) / (axis.high - axis.low)) : placed(words[`${letter}ref`], letter, words[letter], view);
  });
  if (!at.every(Number.isFinite)) beyond("words off their axes");
  const turned = words.textangle === -90;
  if (words.textangle && !turned) beyond("turned words");
  const auto = (letter, share) => (/^paper$|domain$/.test(words[`${letter}ref`]) ? (share <= 1 / 3 ? 0 : share >= 2 / 3 ? 1 : 0.5) : 0.5);
  const across = words.showarrow ? SHARES[words.xanchor] ?? 0.5 : SHARES[words.xanchor] ?? auto("x", words.x);
  const down = words.showarrow ? SHARES[words.yanchor] ?? 0.5 : SHARES[words.yanchor] ?? 1 - auto("y", 1 - words.y);
  const [w, h] = turned ? [tall, wide] : [wide, tall];
  const left = at[0] + (words.showarrow ? words.ax ?? 0 : 0) + (words.xshift ?? 0) - across * w;
  const top = at[1] + (words.showarrow ? words.ay ?? 0 : 0) - (words.yshift ?? 0) - down * h;
  const align = words.align ?? "center";
  const anchor = ANCHORS[align];
  const place = turned
    ? { x: left + edge + over, y: top + h / 2, anchor: "middle", turn: -90 }
    : { x: left + edge + SHARES[align] * (w - 2 * edge) + ink.before - SHARES[align] * (ink.before + ink.after), y: top + edge + over, anchor };
  const plate = words.bgcolor ? tag("rect", { x: left, y: top, width: w, height: h, fill: words.bgcolor }) : "";
  const lead = words.showarrow ? tag("path", { d: `M${at[0] + (words.ax ?? 0)},${at[1] + (words.ay ?? 0)}L${at[0]},${at[1]}`, stroke: words.arrowcolor, "stroke-width": words.arrowwidth }) : "";
  return lead + plate + text(words.text, { ...place, size, weight: words.font.weight, fill: words.font.color ?? view.ink, name: "words" });
}

// Whether a scale of colours stands under a figure of such traces.
export function hasScale(traces, { coloraxis }) {
  const isColoured = (one) => one.visible !== false && (one.coloraxis || one.marker?.coloraxis);
  return Boolean(coloraxis) && coloraxis.showscale !== false && traces.some(isColoured);
}

// The bar under the figure that says what its colours mean.
function drawnScale(data, { layout, look, size, wide, height, ink }) {
  if (!hasScale(data, layout)) return "";
  const { coloraxis } = layout;
  const bar = { ...look.coloraxis?.colorbar, ...coloraxis.colorbar };
  const [low, high] = [coloraxis.cmin, coloraxis.cmax];
  const axis = { ...bar, letter: "x", size: bar.tickfont?.size ?? 13, low, high, numberOf: Number };
  const ticks = ticksOf(axis, wide);
  if (bar.orientation !== "h") beyond("an upright scale of colours");
  const raised = ticks.some(([, said]) => said.includes("<sup>"));
  const base = height - (raised ? SCALE_RAISED : SCALE_BASE);
  const [left, length] = [size.l + SCALE_SIDE, wide - 2 * SCALE_SIDE];
  const foot = base - axis.size - HALF;
  const stops = coloraxis.colorscale.map(([at, colour]) => tag("stop", { offset: at, "stop-color": colour })).join("");
  const id = `goldviz-scale-${(scales += 1)}`;
  const words = ticks.map(([share, said]) => text(said, { x: left + share * length, y: base, size: axis.size, anchor: "middle", fill: ink, name: "tick" }));
  return tag("linearGradient", { id }, stops) + tag("rect", { class: "scale", x: left, y: foot - SCALE_HEIGHT, width: length, height: SCALE_HEIGHT, fill: `url(#${id})` }) + words.join("");
}

let scales = 0;

function drawnTitle({ layout, look, ink, letters }) {
  const title = { ...look.title, ...layout.title };
  const { pad = {}, font = {} } = title;
  if (!title.text) return "";
  const [x, size] = [pad.l ?? 0, font.size ?? 17];
  const under = { ...look.title?.subtitle?.font, ...layout.title.subtitle?.font };
  const notes = layout.title.subtitle?.text;
  const [heads, lines] = [title.text, notes ?? ""].map((words) => linesOf(words).length - 1);
  const small = under.size ?? 13;
  // Plotly lowers a single line by its capitals, and several by nothing.
  const y = (pad.t ?? 0) + (heads ? 0 : CAPITAL * size);
  const low = y + LINE * size * heads + letters(size, font.weight ?? 400).below + UNDER * small + (lines ? 0 : CAPITAL * small);
  const said = notes ? text(notes, { x, y: low, size: small, fill: under.color ?? ink, name: "subtitle" }) : "";
  return text(title.text, { x, y, size, weight: font.weight, fill: ink, name: "heading" }) + said;
}
