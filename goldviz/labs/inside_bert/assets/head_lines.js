// One head as lines from every query to the keys that it weighs most.

import { sized } from "../../../ui/assets/canvas.js";
import { spanOf } from "./cells.js";
import { shortly } from "./numbers.js";

const TALLEST_ROW = 28;
const FINGER_ROW = 36;
const ROOMY = 28;
const VALUE_ROOM = 76;
const LETTER_ROOM = 9;

export class HeadLines {
  labels = undefined;
  special = undefined;
  second = undefined;
  splitAs = undefined;
  pair = false;
  values = undefined;
  count = 0;
  rows = {};

  constructor(parts, told) {
    this.flow = parts.flow;
    this.track = parts.track;
    this.canvas = parts.lines;
    this.columns = { query: parts.queries, key: parts.keys };
    this.strongest = parts.strongest;
    this.told = told;
    this.top = 3;
    this.way = "all";
    this.overlaid = [];
    this.flow.addEventListener("scroll", () => this.paint());
    for (const [side, column] of Object.entries(this.columns)) {
      const unit = (event) => {
        const row = event.target.closest?.(".unit");
        return row ? Number(row.dataset.index) : null;
      };
      column.addEventListener("pointerover", (event) => unit(event) !== null && this.look(side, unit(event)));
      column.addEventListener("pointerleave", () => this.look());
      column.addEventListener("focusin", (event) => unit(event) !== null && this.focus(side, unit(event)));
      column.addEventListener("focusout", () => this.look());
      column.addEventListener("click", (event) => unit(event) !== null && this.press(side, unit(event)));
      column.addEventListener("keydown", (event) => this.key(event, side, unit(event)));
    }
  }

  show({ labels, special, second, values }) {
    const same = this.labels && this.labels.length === labels.length && this.labels.every((label, i) => label === labels[i]);
    const pair = second.length > 0;
    const as = JSON.stringify(second);
    Object.assign(this, { labels, special, second, values, pair, count: labels.length });
    if (!same || this.splitAs !== as) {
      this.pinned = undefined;
      this.fill();
    }
    this.splitAs = as;
    this.rank();
  }

  // Other heads, each with its colour and its map, whose lines lie over one another in place of this head's.
  overlay(heads) {
    this.overlaid = heads;
    this.rank();
    this.annotated = undefined;
    this.paint();
  }

  // Whether a line is asked for. [CLS] and [SEP] are of neither sentence.
  shows(query, key) {
    if (!this.pair || this.way === "all") return true;
    if (this.special[query] || this.special[key]) return false;
    const [from, to] = [this.second[query], this.second[key]];
    return this.way === "within" ? from === to : from !== to && from === (this.way === "ba");
  }

  // What the queries that are asked for give, on average, to the keys that are.
  share(values = this.values) {
    let [sum, queries] = [0, 0];
    for (let query = 0; query < this.count; query += 1) {
      let asked = false;
      for (let key = 0; key < this.count; key += 1) {
        if (!this.shows(query, key)) continue;
        sum += values[query * this.count + key];
        asked = true;
      }
      if (asked) queries += 1;
    }
    return queries ? sum / queries : 0;
  }

  fill() {
    for (const [side, column] of Object.entries(this.columns)) {
      const rows = this.labels.map((label, index) => {
        const row = document.createElement("div");
        row.className = this.special[index] ? "unit special" : "unit";
        if (this.pair && this.second[index] && !this.second[index - 1]) row.classList.add("begins");
        row.dataset.index = index;
        row.tabIndex = index ? -1 : 0;
        row.setAttribute("role", "option");
        row.setAttribute("aria-label", `${side} ${index + 1}: ${label}`);
        const name = document.createElement("bdi");
        name.textContent = label;
        const value = spanOf("", "value");
        row.append(...(side === "query" ? [value, name] : [name, value]));
        return row;
      });
      column.replaceChildren(...rows);
      this.rows[side] = rows;
    }
    this.valued = [];
    this.flow.scrollTop = 0;
  }

  // The keys that each query weighs most, heaviest first.
  rank() {
    this.links = this.linksOf(this.values);
    for (const head of this.overlaid) head.links = this.linksOf(head.values);
    const all = this.overlaid.length ? this.overlaid.flatMap((head) => head.links) : this.links;
    this.heaviest = all.reduce((most, link) => Math.max(most, link.weight), 0) || 1;
  }

  linksOf(values) {
    const keep = Math.min(this.top, this.count);
    const links = [];
    for (let query = 0; query < this.count; query += 1) {
      const best = [];
      for (let key = 0; key < this.count; key += 1) {
        if (!this.shows(query, key)) continue;
        const weight = values[query * this.count + key];
        if (best.length === keep && weight <= best[keep - 1].weight) continue;
        const place = best.findIndex((link) => link.weight < weight);
        best.splice(place < 0 ? best.length : place, 0, { query, key, weight });
        if (best.length > keep) best.pop();
      }
      links.push(...best);
    }
    return links;
  }

  layout(height, narrow) {
    if (!this.count) return;
    // A sentence fills the height; a long text keeps rows that can be read.
    this.pitch = Math.min(narrow ? FINGER_ROW : TALLEST_ROW, Math.max(narrow ? 30 : 22, Math.floor((height - 2) / this.count)));
    this.height = Math.min(height, Math.max(this.count * this.pitch + 2, 120));
    this.flow.classList.toggle("roomy", this.pitch >= ROOMY);
    this.flow.style.setProperty("--pitch", `${this.pitch}px`);
    this.flow.style.height = `${this.height}px`;
    this.track.style.height = `${this.count * this.pitch}px`;
    this.width = this.flow.clientWidth;
    const longest = this.labels.reduce((most, label) => Math.max(most, label.length), 0);
    const column = Math.min(250, Math.floor(0.38 * this.width), VALUE_ROOM + LETTER_ROOM * longest);
    for (const side of Object.values(this.columns)) side.style.width = `${column}px`;
    this.from = column + 4;
    this.to = this.width - column - 4;
    this.paint();
  }

  // What is drawn in gold: a token under the pointer or the focus, else the pinned one, else the chosen query.
  subject() {
    if (this.looked ?? this.pinned) return { ...(this.looked ?? this.pinned), alone: true };
    const chosen = this.told.chosenUnit();
    return chosen === null || chosen >= this.count ? null : { side: "query", index: chosen, alone: false };
  }

  of(subject, links = this.links) {
    const own = links.filter((link) => link[subject.side] === subject.index);
    return own.sort((a, b) => b.weight - a.weight);
  }

  ownOf(subject) {
    if (!this.overlaid.length) return this.of(subject);
    const own = this.overlaid.flatMap((head) => this.of(subject, head.links).map((link) => ({ ...link, name: head.name })));
    return own.sort((a, b) => b.weight - a.weight);
  }

  paint() {
    if (!this.count || !this.width) return;
    const context = sized(this.canvas, this.width, this.flow.clientHeight);
    const ink = this.told.ink();
    const subject = this.subject();
    const own = subject ? this.ownOf(subject) : [];
    this.overlaid.forEach((head, at) => {
      const shift = (at - (this.overlaid.length - 1) / 2) * Math.min(4, this.pitch / (this.overlaid.length + 1));
      if (!subject?.alone) this.strokes(context, head.links, head.colour, 0.05, subject ? 0.4 : 0.9, shift);
      if (subject) this.strokes(context, this.of(subject, head.links), head.colour, 0.3, 0.7, shift);
    });
    if (!this.overlaid.length) {
      if (!subject?.alone) this.strokes(context, this.links, ink.muted, 0.06, subject ? 0.34 : 0.84);
      this.strokes(context, own, ink.accent, 0.3, 0.7);
    }
    this.annotate(subject, own);
    this.told.weigh(this.weighed(subject, own));
  }

  // The query and the key whose weight is worked out: those that are looked at, else the chosen query and its largest.
  weighed(subject, links) {
    if (!subject) return undefined;
    if (subject.side === "query") return { query: subject.index, key: links[0]?.key ?? this.largest(subject.index) };
    return { query: this.told.chosenUnit() ?? links[0]?.query ?? subject.index, key: subject.index };
  }

  largest(query) {
    const row = this.values.subarray(query * this.count, (query + 1) * this.count);
    return row.indexOf(Math.max(...row));
  }

  // A line's width and opacity grow with its weight.
  strokes(context, links, colour, faintest, more, shift = 0) {
    const offset = this.flow.scrollTop - shift;
    const bend = (this.to - this.from) * 0.45;
    context.strokeStyle = colour;
    for (const { query, key, weight } of links) {
      const start = (query + 0.5) * this.pitch - offset;
      const end = (key + 0.5) * this.pitch - offset;
      if (Math.max(start, end) < 0 || Math.min(start, end) > this.flow.clientHeight) continue;
      const share = weight / this.heaviest;
      context.globalAlpha = faintest + more * share;
      context.lineWidth = 0.75 + 3.25 * share;
      context.beginPath();
      context.moveTo(this.from, start);
      context.bezierCurveTo(this.from + bend, start, this.to - bend, end, this.to, end);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // The chosen query into sight, when the lines come into view.
  reveal() {
    const chosen = this.told.chosenUnit();
    if (chosen === null || !this.pitch) return;
    const place = (chosen + 0.5) * this.pitch - this.flow.scrollTop;
    if (place < 0 || place > this.flow.clientHeight) this.flow.scrollTop += place - this.flow.clientHeight / 2;
  }

  // Numbers beside the tokens at the other end, and the same as a list, for ends that are out of sight.
  annotate(subject, links) {
    const over = this.overlaid.map((head) => head.name).join();
    const manner = `${this.top}/${this.way}/${over}/${this.told.shown()}/${this.labels.length}`;
    const told = subject ? `${subject.side}/${subject.index}/${manner}` : "";
    const chosen = this.told.chosenUnit();
    if (told === this.annotated && chosen === this.marked) return;
    this.annotated = told;
    this.marked = chosen;
    for (const row of this.valued) {
      row.classList.remove("seen", "chosen");
      row.querySelector(".value").textContent = "";
    }
    this.valued = [];
    const touch = (side, index, value = "") => {
      const row = this.rows[side][index];
      // Of several heads' weights the largest, which comes first.
      const place = row.querySelector(".value");
      place.textContent = place.textContent || value;
      this.valued.push(row);
      return row;
    };
    if (chosen !== null && chosen < this.count) touch("query", chosen).classList.add("chosen");
    if (!subject) {
      this.strongest.replaceChildren(spanOf("Point at a token to see its lines alone, with their weights."));
      return;
    }
    touch(subject.side, subject.index).classList.add("seen");
    const other = subject.side === "query" ? "key" : "query";
    const chips = links.slice(0, 20).map((link) => {
      touch(other, link[other], shortly(link.weight)).classList.add("seen");
      const chip = document.createElement("button");
      chip.type = "button";
      const name = document.createElement("bdi");
      name.textContent = this.labels[link[other]];
      chip.append(link.name ? `${link.name} ` : "", name, ` ${shortly(link.weight)}`);
      chip.title = `Show ${other} ${link[other] + 1}`;
      // Most texts fit, and nothing would scroll: the token is pressed as well.
      chip.addEventListener("click", () => {
        this.scrollTo(link[other]);
        this.press(other, link[other]);
      });
      return chip;
    });
    const name = document.createElement("bdi");
    name.textContent = this.labels[subject.index];
    const words = spanOf("");
    if (subject.side === "query") words.append("“", name, "” looks at");
    else words.append("“", name, links.length ? "” is seen most by" : "” is among no token’s largest");
    this.strongest.replaceChildren(words, ...chips);
  }

  scrollTo(index) {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const top = (index + 0.5) * this.pitch - this.flow.clientHeight / 2;
    this.flow.scrollTo({ top, behavior: calm ? "auto" : "smooth" });
  }

  look(side, index) {
    this.looked = side === undefined ? undefined : { side, index };
    this.paint();
  }

  focus(side, index) {
    for (const row of this.rows[side]) row.tabIndex = -1;
    this.rows[side][index].tabIndex = 0;
    if (!this.rows[side][index].matches(":focus-visible")) return;
    this.look(side, index);
    this.told.say(this.strongest.textContent);
  }

  press(side, index) {
    if (side === "query") {
      this.pinned = undefined;
      this.told.query(index);
    } else this.pinned = this.pinned?.index === index ? undefined : { side, index };
    this.paint();
  }

  key(event, side, index) {
    const aims = {
      ArrowUp: [side, index - 1],
      ArrowDown: [side, index + 1],
      ArrowLeft: ["query", index],
      ArrowRight: ["key", index],
      Home: [side, 0],
      End: [side, this.count - 1],
    };
    if (event.key === "Enter" || event.key === " ") this.press(side, index);
    else if (event.key in aims) this.rows[aims[event.key][0]][aims[event.key][1]]?.focus();
    else return;
    event.preventDefault();
  }
}
