// All heads at once: a mosaic of tiles, one for each head, that can be put in order and chosen from.

import { sized } from "../../../ui/assets/canvas.js";
import { levelsOf, paintCells } from "./cells.js";
import { extent, halfFloats, percent, written } from "./numbers.js";

/** @type {[string, string, (value: number) => string][]} */
const SUMMARIES = [
  ["entropy", "entropy", (value) => `${written(value, 3)} bits`],
  ["distance", "distance", (value) => `${written(value, 3)} pieces`],
  ["special", "share on special pieces", percent],
  ["diagonal", "share on itself", percent],
  ["previous", "share on the piece before", percent],
  ["next", "share on the piece after", percent],
];
const SMALLEST_TILE = 24;
const LARGEST_TILE = 112;
const ROW_LABELS = 24;
const COLUMN_LABELS = 20;
const MARGIN = 3; // room for the frame of a tile at the edge

export class Overview {
  shared = undefined;

  constructor(parts, told) {
    this.canvas = parts.overview;
    this.scroller = parts["overview-scroller"];
    this.tip = told.tip;
    this.told = told;
    this.base = document.createElement("canvas");
    this.order = "place";
    this.range = "own";
    this.chosen = 0;
    this.cursor = 0;
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", (event) => event.pointerType === "touch" || this.leave());
    this.overlaid = new Map();
    this.canvas.addEventListener("click", (event) => this.press(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.canvas.matches(":focus-visible") && this.point());
    this.canvas.addEventListener("blur", () => this.leave());
    this.scroller.addEventListener("scroll", () => this.leave());
  }

  show({ header, buffer, start }) {
    this.header = header;
    this.values = halfFloats(buffer, start);
    this.arrange();
  }

  // The heads in the order in which they stand, and what is written at each.
  arrange() {
    const { layers, heads, summaries } = this.header;
    const [manner, name] = this.order.split(":");
    const value = (index) => summaries[name]?.[Math.floor(index / heads)]?.[index % heads] ?? Infinity;
    const ascending = (indices) => indices.sort((a, b) => value(a) - value(b) || a - b);
    const row = (layer) => Array.from({ length: heads }, (_, head) => layer * heads + head);
    const rows = Array.from({ length: layers }, (_, layer) => row(layer));
    if (manner === "all") this.shown = ascending(rows.flat());
    else this.shown = rows.flatMap((indices) => (manner === "layer" ? ascending(indices) : indices));
    this.manner = manner;
    this.cursor = this.shown.indexOf(this.chosen);
  }

  // Sizes from the room that there is. Tiles keep their size in every order, and one that can be seen.
  layout(width, height) {
    if (!this.header) return;
    const { layers, heads } = this.header;
    this.left = this.manner === "all" ? MARGIN : ROW_LABELS;
    this.top = this.manner === "place" ? COLUMN_LABELS : MARGIN;
    this.strip = this.manner === "place" ? 0 : 15;
    const fits = (room, count) => Math.floor(room / count);
    const pitch = Math.min(fits(width - ROW_LABELS - MARGIN, heads), fits(height - COLUMN_LABELS - MARGIN, layers));
    this.gap = pitch > 60 ? 6 : pitch > 34 ? 4 : 2;
    this.tile = Math.max(SMALLEST_TILE, Math.min(LARGEST_TILE, pitch - this.gap));
    this.across = this.left + heads * (this.tile + this.gap) - this.gap + MARGIN;
    this.down = this.top + layers * (this.tile + this.gap + this.strip) - this.gap + MARGIN;
    this.scroller.toggleAttribute("data-wider", this.across > width);
    this.paint();
  }

  placeOf(position) {
    const { heads } = this.header;
    return {
      x: this.left + (position % heads) * (this.tile + this.gap),
      y: this.top + Math.floor(position / heads) * (this.tile + this.gap + this.strip),
    };
  }

  scaleOf(index) {
    const cells = this.header.tile ** 2;
    if (this.range === "own") return { kind: "linear", ...extent(this.values, index * cells, (index + 1) * cells) };
    this.shared ??= extent(this.values);
    return { kind: "linear", ...this.shared };
  }

  paint() {
    const { tile: cells, layers, heads, summaries } = this.header;
    const ink = this.told.ink();
    const context = sized(this.base, this.across, this.down);
    const fine = context.getTransform().a;
    const pixels = Math.round(this.tile * fine);
    const whole = { row: 0, column: 0, rows: cells, columns: cells };
    context.font = `13px ${this.told.font()}`;
    context.fillStyle = ink.muted;
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (this.manner !== "all") {
      for (let layer = 0; layer < layers; layer += 1) {
        context.fillText(layer + 1, this.left / 2 - 3, this.placeOf(layer * heads).y + this.tile / 2);
      }
    }
    if (this.manner === "place") {
      for (let head = 0; head < heads; head += 1) {
        context.fillText(head + 1, this.placeOf(head).x + this.tile / 2, this.top / 2 - 2);
      }
    }
    const measured = summaries[this.order.split(":")[1]];
    const largest = measured ? Math.max(...measured.flat()) || 1 : 1;
    this.shown.forEach((index, position) => {
      const { x, y } = this.placeOf(position);
      const levels = levelsOf(this.values, index * cells * cells, cells, cells, this.scaleOf(index), false);
      const image = paintCells(levels, cells, cells, whole, pixels, pixels, this.told.table());
      context.putImageData(image, Math.round(x * fine), Math.round(y * fine));
      if (!this.strip) return;
      const [layer, head] = [Math.floor(index / heads), index % heads];
      const share = measured[layer][head] / largest;
      context.fillStyle = ink.grid;
      context.fillRect(x, y + this.tile + 1, this.tile, 2);
      context.fillStyle = ink.muted;
      context.fillRect(x, y + this.tile + 1, this.tile * share, 2);
      context.font = `${this.tile < 30 ? 9 : 11}px ${this.told.font()}`;
      context.fillText(this.manner === "all" ? `${layer + 1}·${head + 1}` : head + 1, x + this.tile / 2, y + this.tile + 10);
    });
    this.mark();
  }

  // The mosaic with the chosen head and the one under the pointer marked.
  mark() {
    const context = sized(this.canvas, this.across, this.down);
    context.drawImage(this.base, 0, 0, this.across, this.down);
    const ink = this.told.ink();
    const frame = (position, colour, width, outside) => {
      const { x, y } = this.placeOf(position);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(x - outside, y - outside, this.tile + 2 * outside, this.tile + 2 * outside);
    };
    if (this.over !== undefined) frame(this.over, ink.text, 1, 0.5);
    for (const [index, colour] of this.overlaid) frame(this.shown.indexOf(index), colour, 3, 1);
    const chosen = this.shown.indexOf(this.chosen);
    frame(chosen, ink.background, 1, -0.5);
    if (!this.overlaid.has(this.chosen)) frame(chosen, ink.accent, 2, 1);
  }

  choose(layer, head) {
    this.chosen = layer * this.header.heads + head;
    this.cursor = this.shown.indexOf(this.chosen);
    this.canvas.setAttribute(
      "aria-label",
      `All heads, ${this.header.layers} layers with ${this.header.heads} heads each. Layer ${layer + 1}, head ${head + 1} ` +
        "is chosen. Arrow keys move, Enter chooses, Shift and Enter lay a head over it.",
    );
    if (this.tile) this.mark();
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const { heads } = this.header;
    const x = event.clientX - box.left - this.left;
    const y = event.clientY - box.top - this.top;
    const column = Math.floor(x / (this.tile + this.gap));
    const row = Math.floor(y / (this.tile + this.gap + this.strip));
    const [inX, inY] = [x - column * (this.tile + this.gap), y - row * (this.tile + this.gap + this.strip)];
    const position = row * heads + column;
    if (x < 0 || y < 0 || column >= heads || position >= this.shown.length) return null;
    if (inX >= this.tile || inY >= this.tile) return { position };
    const cell = (place) => Math.min(this.header.tile - 1, Math.floor((place / this.tile) * this.header.tile));
    return { position, row: cell(inY), column: cell(inX) };
  }

  hover(event) {
    if (!this.tile) return;
    const found = this.under(event);
    if (!found) {
      this.leave();
      return;
    }
    if (this.over !== found.position) {
      this.over = found.position;
      this.mark();
    }
    this.tip.show(this.sentences(found), event.clientX, event.clientY, found.row === undefined ? 1 : 4);
  }

  leave() {
    this.tip.hide();
    if (this.over === undefined) return;
    this.over = undefined;
    this.mark();
  }

  press(event) {
    const found = this.tile && this.under(event);
    if (!found) return;
    this.cursor = found.position;
    if (event.pointerType === "touch") this.hover(event);
    this.tell(event.shiftKey);
  }

  key(event) {
    if (!this.tile) return;
    const { heads } = this.header;
    const last = this.shown.length - 1;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads };
    if (event.key === "Enter" || event.key === " ") this.tell(event.shiftKey);
    else if (event.key === "Escape") this.leave();
    else if (event.key === "Home") this.move(0);
    else if (event.key === "End") this.move(last);
    else if (event.key in steps) this.move(this.cursor + steps[event.key]);
    else return;
    event.preventDefault();
  }

  move(position) {
    if (position < 0 || position >= this.shown.length) return;
    this.cursor = position;
    this.point();
  }

  // The pointer of the keyboard: the same mark and words as under the mouse.
  point() {
    if (!this.tile) return;
    this.over = this.cursor;
    this.mark();
    const { x, y } = this.placeOf(this.cursor);
    if (x < this.scroller.scrollLeft) this.scroller.scrollLeft = x - this.left;
    else if (x + this.tile > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = x;
    const box = this.canvas.getBoundingClientRect();
    const lines = this.sentences({ position: this.cursor });
    this.tip.show(lines, box.left + x + this.tile / 2, box.top + y + this.tile, 1);
    this.told.say(lines.join(", "));
  }

  tell(more) {
    const index = this.shown[this.cursor];
    const act = more || this.told.overlays() ? this.told.overlay : this.told.choose;
    act(Math.floor(index / this.header.heads), index % this.header.heads);
  }

  summariesOf(layer, head) {
    return SUMMARIES.filter(([name]) => name in this.header.summaries).map(
      ([name, words, unit]) => `${words} ${unit(this.header.summaries[name][layer][head])}`,
    );
  }

  sentences({ position, row = undefined, column = undefined }) {
    const { heads, tile: cells, edges, tokens } = this.header;
    const index = this.shown[position];
    const [layer, head] = [Math.floor(index / heads), index % heads];
    const lines = [`Layer ${layer + 1}, head ${head + 1}`];
    if (row !== undefined) {
      const pooled = edges.length - 1 < tokens.length;
      const span = (cell) => (edges[cell + 1] - edges[cell] > 1 ? `${edges[cell] + 1}–${edges[cell + 1]}` : `${edges[cell] + 1}`);
      const value = written(this.values[index * cells * cells + row * cells + column], 3);
      lines.push(pooled ? `${value}, largest of pieces ${span(row)} × ${span(column)}` : `${value} from query to key`);
      const names = (cell) => tokens.slice(edges[cell], edges[cell + 1]).map(isolated).join(" ");
      lines.push(pooled ? `queries: ${names(row)}` : `query: ${names(row)}`);
      lines.push(pooled ? `keys: ${names(column)}` : `key: ${names(column)}`);
    }
    return [...lines, ...this.summariesOf(layer, head).slice(0, 3).map((words) => words[0].toUpperCase() + words.slice(1))];
  }
}

// A token from a text in any script, kept from turning the words around it.
export function isolated(token) {
  return `\u2068${token}\u2069`;
}
