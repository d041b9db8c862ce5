// The explorer: what is chosen and shown, where its numbers come from, and who hears of a choice.

import { queue } from "../../../ui/assets/drawing_queue.js";
import { wearInks } from "../../../ui/assets/figure_theme.js";
import { positionsPage } from "../../../ui/assets/frames_page.js";
import { partsOf } from "../../../ui/assets/stepper.js";
import { Captions, MEASURES } from "./captions.js";
import { colourTable } from "./cells.js";
import { HeadLines } from "./head_lines.js";
import { HeadMap } from "./head_map.js";
import { fetchNumbers, percent } from "./numbers.js";
import { writeNotice } from "./notice.js";
import { OneWeight, workedOut } from "./one_weight.js";
import { Overview } from "./overview.js";
import { Tip } from "./tip.js";
import { TokenStrip } from "./token_strip.js";

const ORDERED_BY = { entropy: "entropy", distance: "distance", special: "special pieces" };
const KEPT_HEADS = 16;
const MOST_OVERLAID = 6;
const PATIENCE_MS = 150;
const TELL_MS = 120;
const AHEAD_AT_MOST_MS = 600;
const STEP_MS = 5;
const PUT_UP_MS = 4000;
const WIDE = 900;
const NARROW = 560;

const after = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Explorer {
  constructor(host) {
    this.host = host;
    this.parts = partsOf(host);
    this.heads = new Map();
    this.sent = [];
    this.view = undefined;
    this.by = undefined;
    this.keptUntil = 0;
    this.tip = new Tip(this.parts.tip, host);
    const told = {
      tip: this.tip,
      ink: () => this.ink,
      font: () => getComputedStyle(host).fontFamily,
      table: () => this.table,
      say: (words) => (this.parts.spoken.textContent = words),
      choose: (layer, head) => this.choose({ layer, head }),
      overlay: (layer, head) => this.overlay(layer, head),
      overlays: () => this.parts.overlay.getAttribute("aria-pressed") === "true",
      token: (token) => this.choose({ token: token === this.choice.token ? null : token }),
      weigh: (units) => this.weigh(units),
      query: (unit) => this.query(unit),
      chosenUnit: () => this.chosenUnit(),
      hiddenWords: (query) => this.hiddenWords(query),
      shown: () => this.shownKey,
    };
    this.overview = new Overview(this.parts, told);
    this.map = new HeadMap(this.parts, told);
    this.lines = new HeadLines(this.parts, told);
    this.captions = new Captions(this.parts);
    this.tokens = new TokenStrip(this.parts, told);
    this.weight = new OneWeight(this.parts, told);
    this.vectors = new Map();
    this.overlaid = new Map();
    this.listen();
    this.resized = new ResizeObserver(() => this.later());
    this.resized.observe(host);
    this.seen = () => this.later();
    window.addEventListener("resize", this.seen);
    // A finger leaves its words behind; a touch elsewhere takes them away.
    this.elsewhere = (event) => {
      const path = event.composedPath();
      if (!path.includes(this.parts.more)) this.parts.more.open = false;
      for (const picture of [this.overview, this.map]) if (!path.includes(picture.canvas)) picture.leave();
    };
    document.addEventListener("pointerdown", this.elsewhere);
  }

  destroy() {
    this.resized.disconnect();
    window.removeEventListener("resize", this.seen);
    document.removeEventListener("pointerdown", this.elsewhere);
    this.fetching?.abort();
    this.fetchingAll?.abort();
    this.dropAhead();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.telling);
    this.telling = undefined;
    clearTimeout(this.waiting);
    clearTimeout(this.giving);
  }

  // What Python says. A choice of the visitor that comes back is no news.
  update(data, tell) {
    const before = this.data;
    this.data = data;
    this.tell = tell;
    this.view ??= data.view;
    this.by ??= data.by;
    this.ink = wearInks(this.host, data);
    // From paper to ink, as every map of weights.
    this.colours = [this.ink.surface, this.ink.text];
    this.table = colourTable(this.colours, this.ink.gap);
    const asked = JSON.stringify(data.choice);
    if (!before || before.exhibit !== data.exhibit) {
      this.sent = [];
      // What was put up again, twice where two runs of the script heard of it, keeps the visitor's choice, of which
      // Python could not hear.
      if (before && this.missed === before.exhibit) this.keptUntil = performance.now() + PUT_UP_MS;
      const again = performance.now() < this.keptUntil;
      if (!again) this.choice = { ...data.choice };
      this.heads.clear();
      this.vectors.clear();
      this.overlayNothing();
      this.shownKey = undefined;
      clearTimeout(this.giving);
      this.giving = undefined;
      this.dropAhead();
      this.header = undefined;
      this.load();
      if (again) this.choose({});
    } else if (asked !== JSON.stringify(before.choice)) {
      const echo = this.sent.indexOf(asked);
      if (echo >= 0) this.sent.splice(0, echo + 1);
      else {
        this.choice = { ...data.choice };
        this.chosen();
        if (asked !== this.ahead) this.dropAhead();
      }
    }
    this.later();
  }

  async load() {
    this.fetchingAll?.abort();
    this.fetchingAll = new AbortController();
    const { signal } = this.fetchingAll;
    const head = this.loadHead();
    try {
      const all = await fetchNumbers(`${this.data.address}/overview`, signal);
      this.header = all.header;
      this.overview.shared = undefined;
      this.choice.layer = Math.min(this.choice.layer, all.header.layers - 1);
      this.choice.head = Math.min(this.choice.head, all.header.heads - 1);
      this.offer();
      this.tokens.show(all.header);
      writeNotice(this.parts.notice, all.header, (layer, head) => this.choose({ layer, head }));
      this.overview.chosen = this.choice.layer * all.header.heads + this.choice.head;
      this.overview.show(all);
      this.chosen();
      this.later();
    } catch (error) {
      this.fault(error, () => this.load());
    }
    await head;
  }

  // What an exhibit can show.
  offer() {
    const { measure, order } = this.parts, { summaries } = this.header;
    if (order.options.length) return;
    measure.append(...Object.entries(MEASURES).map(([name, words]) => new Option(words, name)));
    order.append(new Option("by place", "place"));
    for (const [manner, words] of [["layer", "in layers"], ["all", "all heads"]]) {
      for (const [name, measured] of Object.entries(ORDERED_BY)) {
        if (name in summaries) order.append(new Option(`${measured}, ${words}`, `${manner}:${name}`));
      }
    }
  }

  headKey({ layer, head } = this.choice) {
    const { measure, special } = this.parts;
    const query = `by=${this.by}&special=${special.value}&measure=${measure.value || "weights"}`;
    return `head/${layer}/${head}?${query}`;
  }

  // Lay a head's lines over the others', or take them away; the head in view is the first of them.
  overlay(layer, head) {
    const name = ({ layer, head }) => `${layer + 1}·${head + 1}`;
    const { data } = this;
    const put = (place) => {
      const taken = [...this.overlaid.values()].map((one) => one.colour);
      const colour = data.overlay.find((one) => !taken.includes(one));
      if (colour) this.overlaid.set(name(place), { ...place, name: name(place), colour });
    };
    const begins = !this.overlaid.size;
    if (begins) put(this.choice);
    if (begins && name({ layer, head }) === name(this.choice)) return this.showOverlaid();
    if (!this.overlaid.delete(name({ layer, head })) && this.overlaid.size < MOST_OVERLAID) put({ layer, head });
    if (this.overlaid.size) this.showOverlaid();
    else this.overlayNothing();
  }

  overlayNothing() {
    this.overlaid.clear();
    this.parts.overlay.setAttribute("aria-pressed", "false");
    this.showOverlaid();
  }

  async showOverlaid() {
    const heads = [...this.overlaid.values()];
    this.parts.overlaid.hidden = !heads.length;
    const chips = heads.map(({ layer, head, name, colour }) => {
      const chip = document.createElement("button");
      chip.type = "button";
      const swatch = document.createElement("i");
      swatch.style.background = colour;
      chip.append(swatch, ` Layer ${layer + 1}, head ${head + 1} ×`);
      chip.title = `Take ${name} away`;
      chip.addEventListener("click", () => this.overlay(layer, head));
      return chip;
    });
    this.parts.overlaid.replaceChildren(...chips);
    if (this.header) {
      this.overview.overlaid = new Map(heads.map((one) => [one.layer * this.header.heads + one.head, one.colour]));
      if (this.overview.tile) this.overview.mark();
    }
    try {
      const fetched = await Promise.all(heads.map((one) => this.fetchHead(this.headKey(one))));
      const now = [...this.overlaid.values()];
      if (now.length !== heads.length || now.some((one, at) => one !== heads[at])) return;
      this.lines.overlay(heads.map((one, at) => ({ ...one, values: fetched[at].values })));
      this.host.dataset.overlaid = heads.map((one) => one.name).join(" ");
    } catch (error) {
      this.fault(error, () => this.showOverlaid());
    }
  }

  async fetchHead(key, signal = undefined) {
    const held = this.heads.get(key);
    if (held) return held;
    const { header, buffer, start } = await fetchNumbers(`${this.data.address}/${key}`, signal);
    const head = { ...header, values: new Float32Array(buffer, start) };
    this.heads.set(key, head);
    if (this.heads.size > KEPT_HEADS) this.heads.delete(this.heads.keys().next().value);
    return head;
  }

  // What leads to the weight between two units: of a word of several pieces the chosen one asks, and the heaviest is asked.
  async weigh(units) {
    if (!this.header || !this.one) return;
    this.weighed = units;
    this.host.querySelector("section.weight").hidden = !units;
    if (!units) return;
    const { layer, head, token } = this.choice;
    const name = `${layer}/${head}`;
    if (!this.vectors.has(name)) {
      const asked = fetchNumbers(`${this.data.address}/vectors/${name}`, undefined).then(({ header, buffer, start }) => ({
        width: header.width,
        numbers: new Float32Array(buffer, start),
      }));
      this.vectors.set(name, asked);
      if (this.vectors.size > KEPT_HEADS) this.vectors.delete(this.vectors.keys().next().value);
    }
    let vectors;
    try {
      vectors = await this.vectors.get(name);
    } catch {
      this.vectors.delete(name);
      return;
    }
    if (this.weighed !== units || name !== `${this.choice.layer}/${this.choice.head}`) return;
    const { tokens } = this.header;
    const piecesOf = (unit) => {
      const [from, to] = [this.one.first[unit], this.one.first[unit + 1] ?? tokens.length];
      return this.by === "piece" ? [from] : Array.from({ length: Math.max(to - from, 1) }, (_, at) => from + at);
    };
    const asking = piecesOf(units.query);
    const query = asking.includes(token) ? token : asking[0];
    const weightOf = (key) => workedOut(vectors.numbers, vectors.width, tokens.length, query, key).weight;
    const key = piecesOf(units.key).reduce((best, one) => (weightOf(one) > weightOf(best) ? one : best));
    this.weight.show(vectors.numbers, vectors.width, tokens, query, key);
    this.host.dataset.weighed = `${name}/${query}/${key}`;
  }

  async loadHead() {
    const key = this.headKey();
    this.fetching?.abort();
    clearTimeout(this.waiting);
    if (this.heads.has(key)) {
      this.showHead(key);
      return;
    }
    this.fetching = new AbortController();
    const { signal } = this.fetching;
    const { exhibit } = this.data;
    this.waiting = setTimeout(() => this.parts.stage.classList.add("stale"), PATIENCE_MS);
    try {
      await this.fetchHead(key, signal);
      if (exhibit !== this.data.exhibit) return;
      if (key === this.headKey()) this.showHead(key);
    } catch (error) {
      this.fault(error, () => this.loadHead());
    }
  }

  showHead(key) {
    clearTimeout(this.waiting);
    this.parts.stage.classList.remove("stale");
    this.parts.trouble.hidden = true;
    this.one = this.heads.get(key);
    this.shownKey = key;
    if (!this.one.labels.length) this.trouble("Nothing is left: this text has special pieces only.");
    this.map.show(this.one);
    this.lines.show(this.one);
    this.parts["way-label"].hidden = this.view !== "lines" || !this.lines.pair;
    if (this.overlaid.size) this.showOverlaid();
    this.lines.annotated = undefined;
    this.captions.write(this);
    this.draw();
    if (this.view === "lines" && this.revealed !== this.one.labels.length) this.lines.reveal();
    this.revealed = this.one.labels.length;
    this.host.dataset.shown = key;
  }

  // An exhibit that the server has let go: the page is asked once to put it up again, and has some time for it.
  fault(error, again) {
    if (error.name === "AbortError") return;
    clearTimeout(this.waiting);
    this.parts.stage.classList.add("stale");
    const { exhibit } = this.data;
    if (error.status === 404 && this.missed !== exhibit) {
      this.missed = exhibit;
      this.tell("missing", exhibit);
      this.giving = setTimeout(() => {
        this.giving = undefined;
        if (this.data.exhibit === exhibit && this.shownKey !== this.headKey()) this.trouble(error.message, again);
      }, PUT_UP_MS);
      return;
    }
    if (this.giving) return;
    const told = error.status ? error.message.slice(0, 200) : "The server does not answer.";
    this.trouble(error.status >= 500 ? "The server could not compute this head." : told, again);
  }

  trouble(words, again) {
    const [sentence, button] = this.parts.trouble.children;
    sentence.textContent = words;
    button.hidden = !again;
    button.onclick = () => {
      this.parts.trouble.hidden = true;
      this.missed = undefined;
      again();
    };
    this.parts.trouble.hidden = false;
  }

  choose(change) {
    this.choice = { ...this.choice, ...change };
    const ahead = Promise.race([this.askAhead(), after(AHEAD_AT_MOST_MS)]);
    this.chosen();
    clearTimeout(this.telling);
    const telling = (this.telling = setTimeout(async () => {
      // The page's script would take the browser's time from the figures that a person waits for.
      await ahead;
      if (this.telling !== telling) return;
      const { layer, head, token } = this.choice;
      this.sent.push(JSON.stringify({ layer, head, token }));
      // A choice that was made before is another one where the page asked for something else since.
      this.tell("choice", { layer, head, token, exhibit: this.data.exhibit, asked: this.data.choice });
    }, TELL_MS));
  }

  // What hangs on the choice and stands below comes ahead of the page's script, which says the same afterwards.
  async askAhead() {
    const { ahead: page, address, choice, theme } = this.data;
    if (!page) return;
    const { layer, head, token } = { ...this.choice, token: this.choice.token ?? choice.token };
    this.ahead = JSON.stringify({ layer, head, token });
    this.fetchingAhead?.abort();
    const { signal } = (this.fetchingAhead = new AbortController());
    try {
      const answer = await fetch(`${address}/ahead/${layer}/${head}/${token}?theme=${theme}`, { signal });
      const found = answer.ok ? await answer.json() : undefined;
      if (signal.aborted) return;
      positionsPage(page).answer(found);
      do await after(STEP_MS);
      while (queue.busy);
    } catch {
      // What does not come ahead comes with the page's script.
    }
  }

  dropAhead() {
    this.fetchingAhead?.abort();
    this.ahead = undefined;
    if (this.data?.ahead) positionsPage(this.data.ahead).answer(undefined);
  }

  chosen() {
    if (!this.header) return;
    this.overview.choose(this.choice.layer, this.choice.head);
    this.tokens.mark(this.choice.token);
    this.captions.write(this);
    if (this.shownKey !== this.headKey() || !this.one) this.loadHead();
    else this.redrawMarks();
  }

  query(unit) {
    const token = this.one.first[unit];
    this.choose({ token: token === this.choice.token ? null : token });
  }

  // The unit that the chosen piece belongs to, or null where it is hidden or nothing is chosen.
  chosenUnit() {
    const { token } = this.choice;
    if (token === null || token === undefined || !this.one) return null;
    const { first } = this.one;
    let unit = -1;
    while (unit + 1 < first.length && first[unit + 1] <= token) unit += 1;
    return unit >= 0 && (this.by === "word" || first[unit] === token) ? unit : null;
  }

  hiddenWords(query) {
    if (this.parts.special.value === "shown" || !this.one?.hidden.length) return [];
    return [`${percent(this.one.hidden[query])} of this query’s weight was on hidden pieces`];
  }

  listen() {
    const { parts } = this;
    const changed = (name, act) => parts[name].addEventListener("change", act);
    parts.more.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      parts.more.open = false;
      event.stopPropagation();
    });
    changed("order", () => {
      this.overview.order = parts.order.value;
      this.overview.arrange();
      this.draw();
    });
    changed("range", () => {
      this.overview.range = parts.range.value;
      this.draw();
    });
    changed("way", () => {
      this.lines.way = parts.way.value;
      if (this.one) this.lines.rank();
      this.lines.paint();
      this.captions.write(this);
    });
    parts.overlay.addEventListener("click", () => {
      const on = parts.overlay.getAttribute("aria-pressed") !== "true";
      if (!on) return this.overlayNothing();
      parts.overlay.setAttribute("aria-pressed", "true");
      if (!this.overlaid.size) this.overlay(this.choice.layer, this.choice.head);
    });
    changed("measure", () => this.loadHead());
    changed("special", () => this.loadHead());
    changed("rows", () => {
      this.map.turn(parts.rows.value === "keys");
      this.draw();
    });
    changed("scale", () => {
      this.map.kind = parts.scale.value;
      this.map.colour();
      this.draw();
    });
    parts.top.addEventListener("input", () => {
      parts["top-shown"].textContent = parts.top.value;
      this.lines.top = Number(parts.top.value);
      if (this.one) this.lines.rank();
      this.lines.paint();
      this.captions.write(this);
    });
    for (const button of this.host.querySelectorAll("[data-zoom]")) {
      const factors = { in: 1.6, out: 1 / 1.6 };
      button.addEventListener("click", () =>
        button.dataset.zoom === "all" ? this.map.zoomAll() : this.map.zoom(factors[button.dataset.zoom]),
      );
    }
    for (const name of ["view", "by"]) {
      this.switchOf(name).addEventListener("click", (event) => {
        if (!event.target.value || this[name] === event.target.value) return;
        this[name] = event.target.value;
        if (name === "by") this.loadHead();
        this.draw();
        if (this.view === "lines") this.lines.reveal();
      });
    }
  }

  switchOf(name) {
    return this.host.querySelector(`[data-switch="${name}"]`);
  }

  later() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width || !this.data) return;
    this.host.classList.toggle("wide", width >= WIDE);
    this.host.classList.toggle("narrow", width < NARROW);
    for (const name of ["view", "by"]) {
      for (const button of this.switchOf(name).children) button.setAttribute("aria-pressed", button.value === this[name]);
    }
    for (const part of this.host.querySelectorAll("[data-view]")) part.hidden = part.dataset.view !== this.view;
    for (const part of this.host.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== this.view;
    this.parts["way-label"].hidden = this.view !== "lines" || !this.lines.pair;
    this.weight.draw();
    const room = this.parts.stage.clientWidth;
    if (this.view === "map") this.map.layout(room, this.data.height);
    else this.lines.layout(this.data.height, width < NARROW);
    this.captions.write(this);
    if (!this.header) return;
    this.overview.layout(this.parts["overview-scroller"].clientWidth - 6, this.data.height);
    this.host.dataset.drawn = this.data.exhibit;
  }

  redrawMarks() {
    if (this.view === "map") this.map.mark();
    else this.lines.paint();
  }
}

// Called anew at every change of `data`.
export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".explorer");
  const explorer = (host.goldvizExplorer ??= new Explorer(host));
  explorer.update(data, (name, value) => (name === "missing" ? setTriggerValue : setStateValue)(name, value));
  return () => {
    explorer.destroy();
    host.goldvizExplorer = undefined;
  };
}
