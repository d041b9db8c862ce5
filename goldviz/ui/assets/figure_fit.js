// A figure is drawn by the server for one theme and for no width in particular. Here it is fitted to the place where
// it stands: words broken at its width, room for the lines that come of it, and the colours of the visitor's theme.

import { highAs } from "./figure_height.js";
import { inTwoLines, visible } from "./figure_words.js";

const TITLE_SIZE = 16;
const NOTE_SIZE = 13;
const TITLE_LINE = 21;
const NOTE_LINE = 17;
const SIDES = 26;
// What the button takes that says more about the figure.
const INFO = 26;

// Blanks at which no line is broken: before a per cent sign, before a number that ends a question, and within 'p = 0.97'.
const KEPT_TOGETHER = / (?=%)| (?=\d+\?)|(?<=\bp) (?=[=<]|&lt;)|(?<=\bp (?:[=<]|&lt;)) /g;

// Lines of a text, broken at spaces, each as narrow as `width` where its words allow that.
export function brokenAt(width, text, measure) {
  const lines = [];
  for (const given of text.split("<br>")) {
    let line = "";
    for (const word of given.replace(KEPT_TOGETHER, "\u00a0").split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      if (line && measure(visible(longer)) > width) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    lines.push(line);
  }
  return lines;
}

// What an axis takes beside the plot with its title and numbers.
const AXIS = 48;
const UNDER = 9;

// A plane whose axes share one scale is as high as its width allows; above that its figure has nothing to show.
function asHighAsWide(layout, width) {
  const { xaxis, yaxis, yaxis2, legend, margin } = layout;
  if (yaxis?.scaleanchor !== "x" || yaxis.constrain !== "domain" || yaxis2 || !xaxis?.range || !yaxis.range) return layout;
  const across = (axis) => Math.abs(axis.range[1] - axis.range[0]);
  const given = layout.height - margin.t - margin.b;
  const needed = Math.round(((width - margin.l - margin.r - AXIS) * across(yaxis)) / across(xaxis));
  if (!(needed > 0 && needed < given)) return layout;
  // A legend under the plot is placed by shares of its height, which its lines make a little smaller still.
  const below = legend?.y < 0 ? { legend: { ...legend, y: (legend.y * given - UNDER) / needed } } : {};
  return { ...layout, height: layout.height - given + needed, ...below };
}

// A layout for this width: title and notes broken where they would be cut, and as much higher as that takes.
// `lift` is room above the plot that turned out to be missing when it was drawn; the `place` says how high it may stand.
export function fitted(given, width, lift, measureWith, place) {
  const title = given.title ?? {};
  const room = width - SIDES - INFO;
  const heading = title.text ? brokenAt(room, title.text, measureWith(TITLE_SIZE, 600)) : [];
  const said = (given.meta?.notes ?? []).filter(Boolean).join("<br>");
  const lines = said ? brokenAt(room, said, measureWith(NOTE_SIZE, 400)) : [];
  const notes = place?.brief ? [] : inTwoLines(lines);
  const more = TITLE_LINE * Math.max(0, heading.length - 1) + NOTE_LINE * notes.length + lift;
  const layout = asHighAsWide(place ? highAs(place, given, more) : given, width);
  return {
    ...layout,
    width,
    height: layout.height + more,
    margin: { ...layout.margin, t: (layout.margin?.t ?? 100) + more },
    meta: { ...layout.meta, cut: lines.length > notes.length },
    title: { ...title, text: heading.join("<br>"), subtitle: { ...title.subtitle, text: notes.join("<br>") } },
  };
}

const WIDTHS_KEPT = 20_000;
const widths = new Map();
let pen;

// Letters that have come from the network are of other widths than those that stood in for them.
let come = 0;
globalThis.document?.fonts?.addEventListener("loadingdone", () => {
  widths.clear();
  come += 1;
});

// How often letters have come: what was laid out before is laid out anew.
export const lettersCome = () => come;

const familyOf = (layout) => layout.font?.family ?? layout.template?.layout?.font?.family ?? "sans-serif";

// How wide a text is in a layout's letters. A step of the timeline asks about the same few hundred words again.
export function measureWith(layout) {
  const family = familyOf(layout);
  pen ??= document.createElement("canvas").getContext("2d");
  return (size, weight) => {
    const font = `${weight} ${size}px ${family}`;
    return (text) => {
      const key = `${font} ${text}`;
      const known = widths.get(key);
      if (known !== undefined) return known;
      pen.font = font;
      const { width } = pen.measureText(text);
      if (widths.size > WIDTHS_KEPT) widths.clear();
      widths.set(key, width);
      return width;
    };
  };
}

// The same for a size and a weight, also with how far letters reach before and after their place, over and below their
// line.
export function lettersOf(layout) {
  const family = familyOf(layout);
  const sized = measureWith(layout);
  return (size, weight) => {
    const measure = sized(size, weight);
    pen.font = `${weight} ${size}px ${family}`;
    const { fontBoundingBoxAscent: over = 0.9 * size, fontBoundingBoxDescent: below = 0.2 * size } = pen.measureText("");
    const ink = (text) => {
      pen.font = `${weight} ${size}px ${family}`;
      const { width, actualBoundingBoxLeft: before = 0, actualBoundingBoxRight: end = width } = pen.measureText(visible(text));
      return { before: Math.max(0, before), after: Math.max(0, end - width) };
    };
    return { measure: (text) => measure(visible(text)), ink, over, below };
  };
}
