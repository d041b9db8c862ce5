// Parts of an SVG picture as text. Whatever stands in them was written by others: all of it is escaped.

import { visible } from "./figure_words.js";

export const LINE = 1.3;
// How far into a box the point is by which it is placed.
export const SHARES = { left: 0, center: 0.5, right: 1, top: 0, middle: 0.5, bottom: 1 };

// What only Plotly draws, in words: a figure with it waits for Plotly.
export class Beyond extends Error {}
/** @type {(what: string) => never} */
export const beyond = (what) => {
  throw new Beyond(what);
};

// The side of a hatching's square, and which share of that its strokes are wide.
const SQUARE = 8;
const SOLID = 0.3;
const DASHES = { solid: "", dot: "3,3", dash: "9,9", longdash: "15,15", dashdot: "9,3,3,3" };
// A figure's words where nothing says how large they are.
export const LETTERS = 13;
const STYLES = { b: "font-weight:bold", i: "font-style:italic", em: "font-style:italic", sup: "font-size:70%", sub: "font-size:70%" };
const RISE = { sup: ["-0.6em", "0.42em"], sub: ["0.3em", "-0.21em"] };
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => ENTITIES[letter]);

export function tag(name, attributes, inside = "") {
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== "");
  return `<${name}${known.map(([key, value]) => ` ${key}="${escaped(value)}"`).join("")}>${inside}</${name}>`;
}

// A line of a text with its raised, lowered, bold and slanted parts; any other tag is left out.
function spans(line) {
  const open = [];
  return line.split(/(<[^>]*>)/).map((part) => {
    const [, closes, name] = /^<(\/?)(b|i|em|sup|sub)>$/.exec(part) ?? [];
    if (!name) return escaped(visible(part));
    if (!closes) {
      open.push(name);
      return `<tspan style="${STYLES[name]}"${RISE[name] ? ` dy="${RISE[name][0]}"` : ""}>`;
    }
    if (open.at(-1) !== name) return "";
    open.pop();
    return `</tspan>${RISE[name] ? `<tspan dy="${RISE[name][1]}">\u200b</tspan>` : ""}`;
  }).join("") + open.map(() => "</tspan>").join("");
}

export function text(words, { x, y, size, fill, name, anchor = "start", weight = undefined, turn = undefined, about = y }) {
  const lines = String(words).split("<br>");
  const made = lines.map((line, at) => (lines.length > 1 ? `<tspan x="${x}" y="${y}" dy="${LINE * at}em">${spans(line)}</tspan>` : spans(line)));
  const transform = turn ? `rotate(${turn},${x},${about})` : undefined;
  return tag("text", { class: name, x, y, "font-size": `${size}px`, "font-weight": weight, fill, "text-anchor": anchor, transform, style: "white-space:pre" }, made.join(""));
}

// Strokes of a colour that rise from left to right, counted from a place: the `fill` of what has them, and how it is made.
export function hatched(colour, [x, y], scale) {
  const id = `goldviz-hatch-${(hatches += 1)}`;
  const side = SQUARE * Math.SQRT2;
  const d = [-side / 4, side / 4, (side * 3) / 4].map((from, at) => `M${from},${(side * [1, 3, 5][at]) / 4}l${side / 2},-${side / 2}`).join("");
  const place = { width: side, height: side, patternUnits: "userSpaceOnUse", patternTransform: `translate(${x},${y}) scale(${scale})` };
  return { fill: `url(#${id})`, made: tag("pattern", { id, ...place }, tag("path", { d, stroke: colour, "stroke-width": SOLID * SQUARE })) };
}

let hatches = 0;

// How a line's strokes and gaps are long.
export const dashOf = ({ dash }) => DASHES[dash] ?? dash?.replaceAll("px", "");
