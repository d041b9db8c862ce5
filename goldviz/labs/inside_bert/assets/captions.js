// All that is said in words about what is drawn: titles, colour scales and their ranges, notes.

import { spanOf } from "./cells.js";
import { percent, written } from "./numbers.js";

const PLACES_OF_HABIT = { previous: "before", next: "after", itself: "itself" };
export const MEASURES = { weights: "weights", norms: "value-weighted norms", rollout: "rollout to this layer" };
const PLACES = {
  place: "Rows are layers, columns heads.",
  layer: "Rows are layers, smallest first; the number is the head.",
  all: "Smallest first; the numbers are layer · head.",
};

export class Captions {
  constructor(parts) {
    this.parts = parts;
  }

  write({ choice, header, one, overview, map, lines, view, colours, by }) {
    this.put("one-title", `Layer ${choice.layer + 1}, head ${choice.head + 1}`);
    if (header) {
      const summaries = () => overview.summariesOf(choice.layer, choice.head).slice(0, 3).join(" · ");
      this.put("facts", (view === "lines" && this.passing(lines)) || habitOf(one, by) || summaries());
      this.writeAll(header, overview, colours);
    }
    if (!one) return;
    this.writeScale(map, colours);
    const label = `Heat map of layer ${choice.layer + 1}, head ${choice.head + 1}, ${one.labels.length} rows. `;
    this.parts.map.setAttribute("aria-label", `${label}Arrow keys move, plus and minus zoom, Enter chooses the query.`);
    const zoom = view === "map" && one.labels.length > 64 ? "Click the map, then scroll to zoom; drag to move." : "";
    const manner = view === "map" ? this.rowsAre(map.turned) : this.linesAre(lines);
    this.put("map-note", [manner, this.hiddenShare(one), zoom].filter(Boolean).join(" "));
  }

  // A screen reader is not told again what has not changed.
  put(part, words) {
    if (this.parts[part].textContent !== words) this.parts[part].textContent = words;
  }

  writeAll(header, overview, colours) {
    const blocks = header.edges.length - 1;
    const most = Math.ceil(header.tokens.length / blocks);
    const pooled = blocks < header.tokens.length ? ` A dot is the largest weight of up to ${most} × ${most} pieces.` : "";
    this.put("overview-note", `Raw weights; in a tile, rows are queries. ${PLACES[overview.manner]}${pooled}`);
    const high = overview.range === "own" ? "largest of each head" : written(overview.scaleOf(0).high, 3);
    describeScale(this.parts["overview-scale"], colours, "0", high);
  }

  writeScale({ kind, range }, colours) {
    const host = this.parts["map-scale"];
    const log = kind === "log";
    describeScale(host, colours, log ? written(range.low) : "0", written(range.high));
    if (log && range.zeros) host.append(document.createElement("b"), spanOf(`zero (${range.zeros})`));
  }

  rowsAre(turned) {
    const measure = this.parts.measure.value;
    const line = turned ? "column" : "row";
    const whose = turned ? "as the documents write it" : "as code writes it";
    const sums = measure === "norms" ? "lengths of weighted values do not sum to 1" : `every ${line} sums to 1`;
    const all = measure === "rollout" ? " All heads up to this layer together." : "";
    return `Each ${line} is a query, ${whose}; ${sums}.${all}`;
  }

  linesAre(lines) {
    const thickest = written(lines.heaviest);
    return `Queries on the left, the keys that they weigh most on the right. The thickest line is ${thickest}.`;
  }

  // What passes from one sentence to the other, where that alone is drawn.
  passing(lines) {
    const ways = { ab: "from A to B", ba: "from B to A", within: "within each sentence" };
    const way = ways[lines.pair && lines.count && this.parts.measure.value === "weights" ? lines.way : "all"];
    return way && `${percent(lines.share())} of a word’s weight goes ${way}, special tokens left out.`;
  }

  hiddenShare({ hidden }) {
    if (this.parts.special.value === "shown" || !hidden.length) return "";
    const mean = hidden.reduce((sum, share) => sum + share, 0) / hidden.length;
    const rest = this.parts.measure.value === "norms" ? "; lengths are not rescaled" : "";
    return `Hidden pieces had ${percent(mean)} of the weight, on average over the queries${rest}.`;
  }
}

// The one place to which most of a head's weight goes, where there is one.
function habitOf(one, by) {
  if (!one?.habit?.name) return "";
  const { name, share } = one.habit;
  const where = name === "special" ? "special pieces" : `the ${by} ${PLACES_OF_HABIT[name]}`;
  return `${Math.round(100 * share)} % of the weight goes to ${where}.`;
}

// The colour scale with its range, as elements.
function describeScale(host, colours, low, high) {
  const bar = document.createElement("i");
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  host.replaceChildren(spanOf(low), bar, spanOf(high));
}
