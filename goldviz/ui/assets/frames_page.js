// What this browser has of a page's runs: asks the server for news while anything can change, and tells whoever watches.

import { distance } from "./drawing_queue.js";
import { bytesOf, countUpTo, decoded, filledFigure, merged } from "./figure_fill.js";

const PAUSE_MS = 250;
const SETTLED_MS = 120;
// A page's figures come one after the other, and after its timeline: one question asks for all of them.
const FIGURES_MS = 15;
const COMPANY_MS = 150;
const PATIENCE_MS = [1000, 2000, 4000, 8000];
// A run that begins mostly has its first record soon: so long what was in view stays there.
const BEGINS_MS = 1000;
const EXACT_KEPT = 60;

// The step in view of each laboratory: null follows the run.
export const stepsInView = new Map();

export function stepOf(key) {
  return stepsInView.get(key)?.step ?? null;
}

export function watchStep(key, listener) {
  if (!stepsInView.has(key)) stepsInView.set(key, { step: null, listeners: new Set() });
  stepsInView.get(key).listeners.add(listener);
  return () => stepsInView.get(key).listeners.delete(listener);
}

export function goToStep(key, step) {
  const view = stepsInView.get(key);
  if (!view || view.step === step) return;
  view.step = step;
  for (const listener of [...view.listeners]) listener(step);
}

// The step in view is where the person wants to be, and the server may hear of it.
export function settleStep(key) {
  stepsInView.get(key)?.settle?.();
}

class FramesPage {
  lanes = new Map();
  watchers = new Set();
  failures = 0;
  asking = undefined;
  trouble = "";
  // Figures fetched for one step, as of the lane then; the last one of each figure; who waits for a person to rest.
  exact = new Map();
  latest = new Map();
  resting = new Map();
  // Each lane's dimensions in view, as they were told last; the steps that they have in common.
  told = "[]";
  common = new Map();
  telling = undefined;

  constructor(address) {
    this.address = address;
  }

  // A watcher of a figure may say in `shows` along which of its dimensions what is in view was recorded.
  watch(watcher) {
    this.watchers.add(watcher);
    if (this.lacks()) this.ask(watcher.figure ? FIGURES_MS : COMPANY_MS);
    this.tellOthersSoon();
    return () => {
      this.watchers.delete(watcher);
      this.tellOthersSoon();
      if (this.watchers.size) return;
      clearTimeout(this.telling);
      clearTimeout(this.next);
      this.asking?.abort();
      pages.delete(this.address);
    };
  }

  wants() {
    const wanted = new Map();
    for (const { lane, figure } of this.watchers) {
      if (!wanted.has(lane)) wanted.set(lane, new Set());
      if (figure) wanted.get(lane).add(figure);
    }
    return wanted;
  }

  lacks() {
    return [...this.wants()].some(([lane, figures]) => {
      const known = this.lanes.get(lane);
      return !known || (!known.gone && [...figures].some((name) => !known.figures[name]));
    });
  }

  question() {
    const has = {};
    for (const [id, figures] of this.wants()) {
      const known = this.lanes.get(id);
      const names = [...figures];
      has[id] = { edition: known?.version ?? null, has: names.filter((name) => known?.figures?.[name]), wants: names };
      has[id].sense = known?.gone ?? known?.sense ?? "";
    }
    return encodeURIComponent(JSON.stringify(has));
  }

  // One question at a time; a new wish takes the place of a question that waits.
  ask(wait = 0) {
    clearTimeout(this.next);
    this.next = setTimeout(() => this.askNow(), wait);
  }

  async askNow() {
    this.asking?.abort();
    // A browser has few connections to a server: a page that nobody sees leaves them to others. A report has no server.
    if (document.hidden || !this.watchers.size || !this.address) return;
    const asking = (this.asking = new AbortController());
    try {
      const answer = await fetch(`${this.address}?has=${this.question()}`, { signal: asking.signal });
      if (answer.status === 200) this.take(decoded(await answer.arrayBuffer()));
      else if (answer.status !== 204) return this.tell(await answer.text());
      this.failures = 0;
      if (this.trouble) this.tell("");
    } catch {
      if (asking.signal.aborted) return;
      const patience = PATIENCE_MS[Math.min(this.failures, PATIENCE_MS.length - 1)];
      this.failures += 1;
      if (this.failures > 1) this.tell("The server does not answer. Trying again.");
      this.next = setTimeout(() => this.askNow(), patience);
      return;
    }
    if (this.asking === asking) this.asking = undefined;
    const changing = [...this.lanes.values()].some((lane) => lane.run);
    const pause = this.last() ? PAUSE_MS : FIGURES_MS;
    if (this.watchers.size && (changing || this.lacks())) this.next = setTimeout(() => this.askNow(), pause);
  }

  take(message) {
    for (const sent of message.header.lanes) {
      const known = this.lanes.get(sent.id);
      const lane = sent.gone ? { gone: sent.gone, figures: {} } : merged(known, sent, message);
      this.lanes.set(sent.id, lane);
      if (lane.run && !lane.last) this.letBegin(lane, known);
      if (sent.gone || sent.fresh) this.forget(sent.id);
      for (const watcher of [...this.watchers]) if (watcher.lane === sent.id) watcher.changed();
    }
    this.tellOthers(message.header.lanes.map(({ id }) => id));
  }

  // Whether a run is about to have its first record: until then, or for a while, the page stays as it is.
  begins(id) {
    return performance.now() < this.lanes.get(id)?.begins;
  }

  letBegin(lane, known) {
    lane.begins = known?.begins ?? performance.now() + BEGINS_MS;
    if (known?.begins === undefined) setTimeout(() => this.tell(this.trouble), BEGINS_MS);
  }

  // Other figures may have been recorded at other steps: then all of the page move to one that they have in common.
  tellOthersSoon() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tellOthers([]));
  }

  tellOthers(lanes) {
    const now = JSON.stringify([...this.wants().keys()].map((id) => [id, this.dimensions(id)]));
    if (now === this.told) return;
    this.told = now;
    for (const watcher of [...this.watchers]) if (!lanes.includes(watcher.lane)) watcher.changed();
  }

  dimensions(id) {
    const known = this.lanes.get(id)?.figures ?? {};
    const own = [...this.watchers].filter(({ lane, figure }) => lane === id && known[figure]);
    return [...new Set(own.flatMap((one) => one.shows?.() ?? Object.keys(known[one.figure].kept)))].sort();
  }

  // The steps of a lane at which all of its figures in view were recorded; undefined where any step will do.
  recorded(id) {
    const lane = this.lanes.get(id);
    const lists = this.dimensions(id).map((dim) => lane.steps[dim]).filter((labels) => labels?.length);
    // A report has all figures in one view, and a watched run's are told apart: there what was recorded more seldom shows
    // its last step so far, and names it.
    if (!this.address || lane.apart) return lists.sort((one, other) => one.length - other.length).at(-1);
    const held = this.common.get(id);
    if (held?.lane === lane && held.lists.length === lists.length && held.lists.every((one, at) => one === lists[at]))
      return held.steps;
    const [fewest, ...others] = lists.sort((one, other) => one.length - other.length);
    const steps = fewest?.filter((step) => others.every((labels) => labels[countUpTo(labels, step) - 1] === step));
    this.common.set(id, { lane, lists, steps });
    return steps;
  }

  // The nearest step, `by` back or on, at which each lane in view was recorded or had ended; undefined where none is.
  commonStep(step, by) {
    let at = step;
    for (let before; before !== at; ) {
      before = at;
      for (const [id, { last }] of this.lanes) {
        const steps = this.recorded(id);
        if (!steps || (at > last && last < this.last())) continue;
        at = by < 0 ? steps[countUpTo(steps, at) - 1] : steps[countUpTo(steps, at - 1)];
        if (at === undefined) return undefined;
      }
    }
    return at;
  }

  // The step in view where a person wants to be at `step`; null follows the run. All of a page name this one.
  stepFor(step, last = this.last()) {
    const wanted = Math.min(step ?? last, last);
    return this.commonStep(wanted, -1) ?? this.commonStep(wanted, 1) ?? wanted;
  }

  // Where a person comes to who moves from the step in view towards another one.
  stepTowards(step, from) {
    const [first, second] = step > from ? [1, -1] : [-1, 1];
    return this.commonStep(step, first) ?? this.commonStep(step, second) ?? step;
  }

  forget(id) {
    for (const kept of [this.exact, this.latest])
      for (const key of [...kept.keys()]) if (key.startsWith(`${id} `)) kept.delete(key);
  }

  tell(trouble) {
    this.trouble = trouble;
    for (const watcher of [...this.watchers]) watcher.changed();
  }

  // The last step of all lanes in view.
  last() {
    return Math.max(0, ...[...this.lanes.values()].map((lane) => lane.last ?? 0));
  }

  // One in so many steps is here, of the figure that was thinned most; 1 where all are.
  oneIn() {
    const shares = [1];
    for (const { figures, steps } of this.lanes.values())
      for (const { kept } of Object.values(figures))
        for (const [dim, places] of Object.entries(kept)) shares.push(steps[dim].length / Math.max(1, places.length));
    return Math.round(Math.max(...shares));
  }

  // A figure at the step in view, as near as what is here allows; the very step is fetched when the person rests at it.
  figureAt(id, name, step) {
    const lane = this.lanes.get(id);
    if (!lane?.figures?.[name] || this.begins(id)) return undefined;
    const common = this.stepFor(step);
    const wanted = common >= lane.last ? null : common;
    const exact = this.exact.get(`${id} ${name} ${wanted}`);
    if (exact?.lane === lane) return exact.figure;
    const found = filledFigure(lane, name, wanted);
    const { redrawn } = lane.figures[name];
    if (step === null || wanted === null || (found.exact && !redrawn)) return found.figure;
    this.fetchWhenRested(id, name, wanted);
    // What is drawn anew for every step is here as of the last one alone: what was in view stays until its own comes.
    return exact?.figure ?? (redrawn ? this.latest.get(`${id} ${name}`) : undefined) ?? found.figure;
  }

  fetchWhenRested(id, name, step) {
    const lane = this.lanes.get(id);
    clearTimeout(this.resting.get(`${id} ${name}`));
    const rested = setTimeout(async () => {
      const where = [id, name, step].map(encodeURIComponent).join("/");
      const answer = await fetch(`${this.address}/${where}`).catch(() => undefined);
      if (answer?.status !== 200) return;
      const message = decoded(await answer.arrayBuffer());
      const { figure } = filledFigure(merged(undefined, message.header.lanes[0], message), name, null);
      // A run that has grown meanwhile shows it all the same, and asks anew.
      this.exact.set(`${id} ${name} ${step}`, { figure, lane });
      this.latest.set(`${id} ${name}`, figure);
      if (this.exact.size > EXACT_KEPT) this.exact.delete(this.exact.keys().next().value);
      for (const watcher of [...this.watchers]) if (watcher.lane === id && watcher.figure === name) watcher.changed();
    }, SETTLED_MS);
    this.resting.set(`${id} ${name}`, rested);
  }
}

const pages = new Map();

document.addEventListener("visibilitychange", () => {
  for (const page of pages.values()) page.ask();
});

// What an instant page shows at all its positions: messages that came with the page, one a figure. And what the server
// answered ahead of the page's script: figures of settings that the page does not have yet.
class PositionsPage {
  lane = undefined;
  known = new Map();
  watchers = new Set();
  ahead = undefined;

  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  take({ lane, figures }) {
    const known = new Map();
    for (const [name, text] of Object.entries(figures)) {
      const before = this.known.get(name);
      known.set(name, before?.text === text ? before : { text, frames: unpacked(text) });
    }
    Object.assign(this, { lane, known });
    for (const watcher of [...this.watchers]) watcher.changed();
  }

  answer(found) {
    if (!found && !this.ahead) return;
    const figures = new Map();
    for (const [name, text] of Object.entries(found?.figures ?? {})) figures.set(name, { text, figure: JSON.parse(text) });
    this.ahead = found && { subject: found.subject, figures };
    for (const watcher of [...this.watchers]) watcher.answered?.();
  }

  // A figure that the server answered with, unless the page's script has come to the same settings.
  aheadOf(subject, name) {
    return this.ahead && this.ahead.subject !== subject ? this.ahead.figures.get(name) : undefined;
  }

  inSight() {
    const near = [...this.watchers].filter(({ host }) => host && distance(host) === 0);
    return near.map(({ figure }) => figure);
  }

  moves() {
    return this.known.size > 0;
  }

  oneIn() {
    return 1;
  }

  last() {
    return 0;
  }

  stepFor(step) {
    return step;
  }

  stepTowards(step) {
    return step;
  }

  knows(lane, name) {
    return this.lane === lane && this.known.has(name);
  }

  figureAt(lane, name, step) {
    if (!this.knows(lane, name)) return undefined;
    return filledFigure(this.known.get(name).frames, name, step).figure;
  }
}

function unpacked(text) {
  const message = decoded(bytesOf(text).buffer);
  return merged(undefined, message.header, message);
}

const positionsPages = new Map();

export function positionsPage(name) {
  if (!positionsPages.has(name)) positionsPages.set(name, new PositionsPage());
  return positionsPages.get(name);
}

export function framesPage(address) {
  if (!pages.has(address)) pages.set(address, new FramesPage(address));
  return pages.get(address);
}
