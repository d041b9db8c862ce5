// One head exactly: every weight is a cell, with zoom and a crosshair.

import { sized } from "../../../ui/assets/canvas.js";
import { fitted, levelsOf, paintCells } from "./cells.js";
import { extent, written } from "./numbers.js";
import { isolated } from "./overview.js";

const CLOSEST = 6; // cells across at the closest zoom
const LABEL_PITCH = 13;

export class HeadMap {
  labels = undefined;
  special = undefined;
  values = undefined;
  count = 0;
  range = undefined;

  constructor(parts, told) {
    this.base = parts["map-base"];
    this.canvas = parts.map;
    this.under = parts["map-under"];
    this.told = told;
    this.tip = told.tip;
    this.kind = "linear";
    this.turned = false;
    this.touches = new Map();
    const listen = (name, act, options) => this.canvas.addEventListener(name, act, options);
    listen("pointerdown", (event) => this.down(event));
    listen("pointermove", (event) => this.move(event));
    listen("pointerup", (event) => this.up(event));
    listen("pointercancel", (event) => this.up(event));
    listen("pointerleave", (event) => event.pointerType === "touch" || this.leave());
    listen("wheel", (event) => this.wheel(event), { passive: false });
    listen("keydown", (event) => this.key(event));
    listen("blur", () => this.leave());
    listen("dblclick", () => this.zoomAll());
    // Two fingers zoom the map and not the page.
    listen("touchmove", (event) => event.touches.length > 1 && event.preventDefault(), { passive: false });
    listen("touchstart", (event) => event.touches.length > 1 && event.preventDefault(), { passive: false });
  }

  show({ labels, special, values }) {
    const same = this.labels && this.labels.length === labels.length && this.labels.every((label, i) => label === labels[i]);
    Object.assign(this, { labels, special, values, count: labels.length, range: extent(values) });
    if (!same) {
      this.at = undefined;
      this.zoomAll(false);
    }
    this.colour();
  }

  colour() {
    if (!this.count) return;
    this.levels = levelsOf(this.values, 0, this.count, this.count, { kind: this.kind, ...this.range }, this.turned);
  }

  turn(turned) {
    if (this.turned === turned) return;
    this.turned = turned;
    if (this.at) this.at = { row: this.at.column, column: this.at.row };
    if (this.view) this.view = { ...this.view, row: this.view.column, column: this.view.row };
    this.colour();
  }

  layout(width, height) {
    if (!this.count) return;
    this.width = width;
    const context = this.base.getContext("2d");
    context.font = `600 13px ${this.told.font()}`;
    const widest = Math.max(...this.labels.map((label) => context.measureText(label).width));
    this.gutter = Math.ceil(Math.min(widest + 10, width < 520 ? 64 : 104));
    this.side = Math.floor(Math.min(width - this.gutter - 2, height));
    this.under.style.maxWidth = `${this.gutter + this.side}px`;
    this.paint();
  }

  get total() {
    return this.gutter + this.side + 1;
  }

  paint() {
    if (!this.count || !this.side) return;
    const { view, gutter, side } = this;
    const context = sized(this.base, this.width, this.total);
    const fine = context.getTransform().a;
    const pixels = Math.round(side * fine);
    const image = paintCells(this.levels, this.count, this.count, view, pixels, pixels, this.told.table());
    context.putImageData(image, Math.round(gutter * fine), Math.round(gutter * fine));
    this.canvas.classList.toggle("zoomed", view.rows < this.count);
    this.mark();
  }

  // Crosshair, the chosen query, and the names along both sides.
  mark() {
    if (!this.count || !this.side) return;
    const context = sized(this.canvas, this.width, this.total);
    const ink = this.told.ink();
    context.textBaseline = "middle";
    const chosen = this.told.chosenUnit();
    const marks = { rows: new Map(), columns: new Map() };
    if (chosen !== null && chosen < this.count) marks[this.turned ? "columns" : "rows"].set(chosen, ink.accent);
    const { row, column } = this.at ?? {};
    if (row !== undefined && !marks.rows.has(row)) marks.rows.set(row, ink.text);
    if (column !== undefined && !marks.columns.has(column)) marks.columns.set(column, ink.text);
    for (const [side, marked] of Object.entries(marks)) {
      for (const [index, colour] of marked) this.band(context, index, side === "columns", colour === ink.text ? "#ffffff" : colour);
      this.names(context, side === "columns", marked);
    }
  }

  // Where a row or column begins on the canvas.
  edge(index, across) {
    return this.gutter + (index - (across ? this.view.column : this.view.row)) * (this.side / this.view.rows);
  }

  band(context, index, across, colour) {
    const { gutter, side } = this;
    const start = Math.max(gutter, this.edge(index, across));
    const span = Math.min(gutter + side, this.edge(index + 1, across)) - start;
    if (span <= 0) return;
    const wide = Math.max(span, 1) + 1;
    const frame = across ? [start - 0.5, gutter - 0.5, wide, side + 1] : [gutter - 0.5, start - 0.5, side + 1, wide];
    // A dark rim keeps the frame visible on the light end of the colour scale.
    for (const [stroke, width] of [["#0000008c", 3], [colour, 1]]) {
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.strokeRect(...frame);
    }
  }

  // The names along one side: those that are marked, and of the others as many as there is room for.
  names(context, across, marked) {
    const { gutter, side, view } = this;
    const ink = this.told.ink();
    const pitch = side / view.rows;
    const step = Math.ceil(LABEL_PITCH / pitch);
    const middle = (index) => this.edge(index, across) + pitch / 2;
    const within = (place) => place > gutter && place < gutter + side;
    const taken = [...marked.keys()].map(middle).filter(within);
    const inside = (place) => Math.min(gutter + side - 5, Math.max(gutter + 5, place));
    const write = (index, colour, weight) => {
      const place = inside(middle(index));
      context.save();
      context.translate(across ? place : gutter - 6, across ? gutter - 6 : place);
      if (across) context.rotate(-Math.PI / 2);
      context.textAlign = across ? "left" : "right";
      context.font = `${weight} 13px ${this.told.font()}`;
      context.fillStyle = colour;
      context.fillText(fitted(context, this.labels[index], gutter - 8), 0, 0);
      context.restore();
    };
    let last = -Infinity;
    const first = step * Math.floor(Math.max(0, across ? view.column : view.row) / step);
    for (let index = first; index < this.count && middle(index) < gutter + side; index += step) {
      if (!within(middle(index))) continue;
      const place = inside(middle(index));
      if (place - last < LABEL_PITCH - 1 || taken.some((other) => Math.abs(other - place) < LABEL_PITCH)) continue;
      last = place;
      write(index, this.special[index] ? ink.muted : ink.text, 400);
    }
    for (const [index, colour] of marked) if (within(middle(index))) write(index, colour, 600);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.gutter) / this.side;
    const y = (event.clientY - box.top - this.gutter) / this.side;
    if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) return null;
    const index = (share, from, span) => Math.min(this.count - 1, Math.floor(from + share * span));
    return { row: index(y, this.view.row, this.view.rows), column: index(x, this.view.column, this.view.columns), x, y };
  }

  valueAt({ row, column }) {
    return this.turned ? this.values[column * this.count + row] : this.values[row * this.count + column];
  }

  sentences(cell) {
    const [query, key] = this.turned ? [cell.column, cell.row] : [cell.row, cell.column];
    return [
      written(this.valueAt(cell)),
      `query ${query + 1}: ${isolated(this.labels[query])}`,
      `key ${key + 1}: ${isolated(this.labels[key])}`,
      ...this.told.hiddenWords(query),
    ];
  }

  down(event) {
    if (!this.count) return;
    this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.canvas.setPointerCapture?.(event.pointerId);
    this.moved = false;
    if (this.touches.size > 1) this.moved = true;
  }

  move(event) {
    if (!this.count) return;
    const held = this.touches.get(event.pointerId);
    if (held && this.touches.size === 2) {
      this.pinch(event);
      return;
    }
    if (held) {
      const [right, below] = [event.clientX - held.x, event.clientY - held.y];
      if (this.moved || Math.hypot(right, below) > 4) {
        this.moved = true;
        const zoomed = this.view.rows < this.count;
        if (zoomed) this.shift(-right / this.side, -below / this.side);
        this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        if (zoomed) this.tip.hide();
        if (zoomed) return;
      }
    }
    this.look(event);
  }

  look(event) {
    const cell = this.cellAt(event);
    if (!cell) {
      this.leave();
      return;
    }
    this.at = cell;
    this.mark();
    this.tip.show(this.sentences(cell), event.clientX, event.clientY);
  }

  up(event) {
    const held = this.touches.delete(event.pointerId);
    if (!held || this.moved || event.type === "pointercancel") return;
    this.look(event);
    if (this.at) this.tell();
  }

  leave() {
    this.tip.hide();
    if (!this.at) return;
    this.at = undefined;
    this.mark();
  }

  tell() {
    this.told.query(this.turned ? this.at.column : this.at.row);
  }

  pinch(event) {
    const before = [...this.touches.values()];
    this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = [...this.touches.values()];
    const apart = (two) => Math.hypot(two[0].x - two[1].x, two[0].y - two[1].y) || 1;
    const middle = (two) => ({ x: (two[0].x + two[1].x) / 2, y: (two[0].y + two[1].y) / 2 });
    const [from, to] = [middle(before), middle(after)];
    this.shift((from.x - to.x) / this.side, (from.y - to.y) / this.side, false);
    const box = this.canvas.getBoundingClientRect();
    this.zoom(apart(after) / apart(before), (to.x - box.left - this.gutter) / this.side, (to.y - box.top - this.gutter) / this.side);
  }

  // A page that scrolls past is not caught: the wheel zooms once the map was clicked, or with Ctrl or Command held.
  wheel(event) {
    const held = event.ctrlKey || event.metaKey;
    if (!this.count || !(held || this.canvas.matches(":focus"))) return;
    const factor = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : held ? 0.01 : 0.002));
    if (factor < 1 && this.view.rows >= this.count && !held) return;
    event.preventDefault();
    const cell = this.cellAt(event);
    if (!cell) return;
    this.zoom(factor, cell.x, cell.y);
    this.look(event);
  }

  zoom(factor, x = 0.5, y = 0.5) {
    if (!this.count) return;
    const closest = Math.min(CLOSEST, this.count);
    const span = Math.min(this.count, Math.max(closest, this.view.rows / factor));
    this.view = {
      row: this.view.row + y * (this.view.rows - span),
      column: this.view.column + x * (this.view.columns - span),
      rows: span,
      columns: span,
    };
    this.shift(0, 0);
  }

  zoomAll(paint = true) {
    this.view = { row: 0, column: 0, rows: this.count, columns: this.count };
    if (paint) this.paint();
  }

  shift(right, below, paint = true) {
    const inside = (start, span) => Math.min(this.count - span, Math.max(0, start));
    this.view.row = inside(this.view.row + below * this.view.rows, this.view.rows);
    this.view.column = inside(this.view.column + right * this.view.columns, this.view.columns);
    if (paint) this.paint();
  }

  key(event) {
    if (!this.count) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key in steps) this.step(...steps[event.key].map((step) => step * (event.shiftKey ? 10 : 1)));
    else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.zoomAll();
    else if (event.key === "Escape") this.leave();
    else if ((event.key === "Enter" || event.key === " ") && this.at) this.tell();
    else return;
    event.preventDefault();
  }

  step(down, right) {
    const inside = (index) => Math.min(this.count - 1, Math.max(0, index));
    const chosen = this.told.chosenUnit() ?? 0;
    const from = this.at ?? { row: this.turned ? 0 : chosen - down, column: (this.turned ? chosen : 0) - right };
    this.at = { row: inside(from.row + down), column: inside(from.column + right) };
    const { view } = this;
    const follow = (start, span, index) => (index < start ? index : index + 1 > start + span ? index + 1 - span : start);
    view.row = follow(view.row, view.rows, this.at.row);
    view.column = follow(view.column, view.columns, this.at.column);
    this.paint();
    const box = this.canvas.getBoundingClientRect();
    const pitch = this.side / view.rows;
    const lines = this.sentences(this.at);
    this.tip.show(
      lines,
      box.left + this.gutter + (this.at.column + 1 - view.column) * pitch,
      box.top + this.gutter + (this.at.row + 1 - view.row) * pitch,
    );
    this.told.say(lines.join(", "));
  }
}
