// A figure that Plotly has drawn, moved to another step: curves, points, bars, heat maps, lines and notes are changed where
// they stand, in a tenth of the time that Plotly takes to draw the figure anew. That is done once no further step is asked
// for. What cannot be moved so says no, before anything has changed.

import { ofBase64, stepping } from "./figure_fill.js";
import { coloured } from "./figure_cells.js";

const MOVABLE = /^(data\.\d+\.(x|y|z|customdata)|layout\.shapes\.\d+\.[xy][01]|layout\.meta\.notes\.\d+)$/;

// A name that stands nowhere on the figure is told under a pointer alone.
const isMovable = (path, data) => {
  const [, at] = /^data\.(\d+)\.name$/.exec(path) ?? [];
  return MOVABLE.test(path) || data[at]?.showlegend === false;
};

const NOTHING = "M0,0";
const listed = (values) => ofBase64(values?._inputArray ?? values);
const axisOf = (host, id) => host._fullLayout[id.replace(/^[xy]/, "$&axis")];
const axesOf = (host, { xaxis = "x", yaxis = "y" }) => [axisOf(host, xaxis), axisOf(host, yaxis)];
const drawnAs = (host, layer, index) =>
  [...host.querySelectorAll(layer)].find((one) => [one.__data__?.[0], one.__data__].some((own) => own?.trace?.index === index));

// Pixels of a trace's points within its plot; `undefined` where there is none.
function pointsOf(host, trace) {
  const [xaxis, yaxis] = axesOf(host, trace);
  const [xs, ys] = [listed(trace.x), listed(trace.y)];
  return Array.from(ys, (y, at) => {
    const point = [xaxis.d2p(xs[at]), yaxis.d2p(y)];
    return y !== null && point.every(Number.isFinite) ? point : undefined;
  });
}

function lineThrough(points) {
  let path = "";
  let goesOn = false;
  for (const point of points) {
    if (point) path += `${goesOn ? "L" : "M"}${point[0]},${point[1]}`;
    goesOn = Boolean(point);
  }
  return path || NOTHING;
}

// The trace up to which one is filled: the one before it on the same axes.
function filledTo(traces, index) {
  const { xaxis, yaxis } = traces[index];
  return traces.findLastIndex((one, at) => at < index && one.type === "scatter" && one.xaxis === xaxis && one.yaxis === yaxis);
}

// What moves a line with its points and what is filled under it; `undefined` where that cannot be told.
function curve(host, traces, index) {
  const trace = traces[index];
  const full = host._fullData[index];
  const group = drawnAs(host, ".scatterlayer > .trace", index);
  const held = ["error_x", "error_y"].some((bars) => full[bars]?.visible) || (full.mode ?? "").includes("text");
  if (!group || held || (full.line?.shape ?? "linear") !== "linear") return undefined;
  const points = pointsOf(host, trace);
  const marks = [...group.querySelectorAll(":scope > .points > path.point")];
  const marked = new Set(marks.map((mark) => mark.__data__.i));
  if ((full.mode ?? "").includes("markers") && points.some((point, at) => point && !marked.has(at))) return undefined;
  const changes = [
    () => marks.forEach((mark) => {
      const point = points[mark.__data__.i];
      const path = mark.getAttribute("d");
      if (path !== NOTHING) mark.goldvizPath = path;
      mark.setAttribute("d", point ? mark.goldvizPath : NOTHING);
      if (point) mark.setAttribute("transform", `translate(${point})`);
    }),
  ];
  const [line, ...others] = group.querySelectorAll(":scope > .lines > path.js-line");
  if (!line && (full.mode ?? "").includes("lines") && points.some(Boolean)) return undefined;
  if (line)
    changes.push(() => {
      line.setAttribute("d", lineThrough(points));
      others.forEach((other) => other.setAttribute("d", NOTHING));
    });
  if (full.fill === "toself" || full.fill === "tonexty") {
    const before = full.fill === "tonexty" ? filledTo(host._fullData, index) : index;
    const fills = drawnAs(host, ".scatterlayer > .trace", before)?.querySelectorAll(":scope > .fills path.js-fill") ?? [];
    const back = before === index ? [] : pointsOf(host, traces[before]).reverse();
    const round = [...points, ...back];
    if (fills.length !== 1 || round.some((point) => !point)) return undefined;
    changes.push(() => fills[0].setAttribute("d", `${lineThrough(round)}Z`));
  } else if (full.fill && full.fill !== "none") return undefined;
  return changes;
}

// Bars keep their width and their foot.
function bars(host, traces, index) {
  const full = host._fullData[index];
  const group = drawnAs(host, ".barlayer > .trace", index);
  if (!group || full.orientation === "h" || full.base !== undefined) return undefined;
  const points = pointsOf(host, traces[index]);
  const drawn = [...group.querySelectorAll(".point")];
  const parts = drawn.map((bar) => /^M([-\d.]+),([-\d.]+)V([-\d.]+)H([-\d.]+)V/.exec(bar.querySelector("path").getAttribute("d")));
  if (drawn.length !== points.length || parts.some((part) => !part) || points.some((point) => !point)) return undefined;
  return [
    () => drawn.forEach((bar, at) => {
      const [, left, foot, , right] = parts[at];
      bar.querySelector("path").setAttribute("d", `M${left},${foot}V${points[bar.__data__.i ?? at][1]}H${right}V${foot}Z`);
    }),
  ];
}

const isEven = (axis, places) =>
  !places || axis.type === "category" || (axis.type === "linear" && Array.from(places).every((place, at, all) =>
    at < 2 || Math.abs(place - 2 * all[at - 1] + all[at - 2]) < 1e-6 * Math.abs(all.at(-1) - all[0])));

function heatMap(host, traces, index) {
  const trace = traces[index];
  const full = host._fullData[index];
  const image = drawnAs(host, ".heatmaplayer > .hm", index)?.querySelector("image");
  const colours = host._fullLayout[full.coloraxis ?? ""];
  const [xaxis, yaxis] = axesOf(host, trace);
  const even = isEven(xaxis, listed(trace.x)) && isEven(yaxis, listed(trace.y));
  if (!image || !colours || full.xgap || full.ygap || full.texttemplate || full.transpose || !even) return undefined;
  const [rows, columns] = [trace.z.length, trace.z[0]?.length ?? 0];
  if (rows !== full.z.length || columns !== full.z[0].length) return undefined;
  const [upward, leftward] = [yaxis._rl[1] > yaxis._rl[0], xaxis._rl[1] < xaxis._rl[0]];
  return [
    () => image.setAttributeNS("http://www.w3.org/1999/xlink", "href", coloured(trace.z, colours, { upward, leftward })),
  ];
}

// Where a line or box between two values of axes lies on the figure.
function shape(host, index, given) {
  const path = host.querySelector(`.shapelayer path[data-index="${index}"]`);
  const full = host._fullLayout.shapes[index];
  if (full.visible === false) return [];
  if (!path || !["line", "rect"].includes(full.type)) return undefined;
  const placed = (letter, value) => {
    const [id, share] = full[`${letter}ref`].split(" ");
    if (id === "paper") return undefined;
    const axis = axisOf(host, id);
    const along = share ? (letter === "x" ? value : 1 - value) * axis._length : axis.d2p(value);
    return Number.isFinite(along) ? axis._offset + along : undefined;
  };
  const [x0, x1, y0, y1] = ["x0", "x1", "y0", "y1"].map((end) => placed(end[0], given[end]));
  if ([x0, x1, y0, y1].includes(undefined)) return undefined;
  const line = full.type === "line" ? `M${x0},${y0}L${x1},${y1}` : `M${x0},${y0}H${x1}V${y1}H${x0}Z`;
  return [() => path.setAttribute("d", line)];
}

const MOVES = ["x", "y", "ax", "ay", "xshift", "yshift"];
const still = (words) => JSON.stringify({ ...words, ...Object.fromEntries(MOVES.map((name) => [name, 0])) });

// How far words have come from where they were drawn, with the line that leads from them to their point.
function words(host, index, drawn, now) {
  if (still(drawn) !== still(now)) return undefined;
  const placed = (one, letter) => {
    const [id, share] = (one[`${letter}ref`] ?? "paper").split(" ");
    if (id === "paper") return one[letter] * (letter === "x" ? host._fullLayout._size.w : -host._fullLayout._size.h);
    const axis = axisOf(host, id);
    return share ? (letter === "x" ? one.x : -one.y) * axis._length : axis.r2p(one[letter]);
  };
  const away = (one) => (one.showarrow ? [one.ax ?? 0, one.ay ?? 0] : [one.xshift ?? 0, -(one.yshift ?? 0)]);
  const point = ["x", "y"].map((letter) => placed(now, letter) - placed(drawn, letter));
  const text = point.map((by, at) => by + away(now)[at] - away(drawn)[at]);
  const group = host.querySelector(`.annotation[data-index="${index}"]`);
  if (![...point, ...text].every(Number.isFinite)) return undefined;
  if (!group) return drawn.visible === false ? [] : undefined;
  const letters = group.querySelector(".annotation-text-g");
  const lead = group.querySelector(".annotation-arrow-g > path");
  const ends = lead && /^M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)$/.exec((lead.goldvizPath ??= lead.getAttribute("d")));
  if (!letters || (lead && !ends)) return undefined;
  letters.goldvizPlace ??= letters.getAttribute("transform") ?? "";
  return [
    () => {
      letters.setAttribute("transform", `translate(${text}) ${letters.goldvizPlace}`);
      if (!ends) return;
      const [fromX, fromY, toX, toY] = ends.slice(1).map(Number);
      // Plotly draws such a line as one dash as long as it was.
      lead.style.strokeDasharray = "none";
      lead.setAttribute("d", `M${fromX + text[0]},${fromY + text[1]}L${toX + point[0]},${toY + point[1]}`);
    },
  ];
}

const SIZES = { sup: ["-0.6em", "0.42em"], sub: ["0.3em", "-0.21em"] };

// One line of a text with raised and lowered parts; `undefined` where it has other tags.
function spans(line) {
  const document = new DOMParser().parseFromString(line, "text/html");
  const made = [];
  for (const node of document.body.childNodes) {
    const move = SIZES[node.localName];
    if (node.nodeType === Node.TEXT_NODE) made.push([node.textContent, {}]);
    else if (!move || node.children.length) return undefined;
    else made.push([node.textContent, { dy: move[0], style: "font-size:70%" }], ["\u200b", { dy: move[1] }]);
  }
  return made;
}

function notes(host, text) {
  const place = host.querySelector(".gtitle-subtitle");
  const lines = text.split("<br>").map(spans);
  if (!place || !text || lines.includes(undefined)) return undefined;
  const make = (words, attributes) => {
    const span = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
    Object.entries(attributes).forEach((pair) => span.setAttribute(...pair));
    span.append(...words);
    return span;
  };
  const [x, y] = ["x", "y"].map((name) => place.getAttribute(name));
  const made = lines.map((line) => line.map(([word, own]) => make([word], own)));
  const stacked = () => made.map((line, at) => make(line, { class: "line", x, y, dy: `${at ? 1.3 : 0}em` }));
  return [() => place.replaceChildren(...(made.length > 1 ? stacked() : made[0]))];
}

const KINDS = { scatter: curve, bar: bars, heatmap: heatMap };

// What brings that which is drawn to this figure, another step of the same one; nothing where it cannot be moved so. `laid`
// is the layout that Plotly drew, `layout` the figure's.
export function movedTo(host, { drawn, laid }, figure, layout) {
  const paths = stepping(drawn, figure);
  const size = ({ width, height, margin }) => JSON.stringify([width, height, margin]);
  if (!paths?.every((path) => isMovable(path, figure.data)) || layout.meta?.diagram || size(laid) !== size(layout)) return undefined;
  const among = (one, name) => one[name] ?? [];
  if (["shapes", "annotations"].some((name) => among(laid, name).length !== among(layout, name).length)) return undefined;
  const traces = new Set(paths.filter((path) => /\.[xyz]$/.test(path)).map((path) => Number(path.split(".")[1])));
  // What is filled up to a trace moves with it.
  figure.data.forEach(({ fill }, at) => {
    if (fill === "tonexty" && traces.has(filledTo(host._fullData, at))) traces.add(at);
  });
  const changes = [
    ...[...traces].map((at) => KINDS[figure.data[at].type ?? "scatter"]?.(host, figure.data, at)),
    ...among(layout, "shapes").map((one, at) => shape(host, at, one)),
    ...among(layout, "annotations").map((one, at) => words(host, at, laid.annotations[at], one)),
  ];
  if (paths.some((path) => path.startsWith("layout.meta"))) changes.push(notes(host, layout.title.subtitle.text));
  return changes.includes(undefined) ? undefined : () => changes.flat().forEach((change) => change());
}
