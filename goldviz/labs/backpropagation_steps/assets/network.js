// The diagram with its buttons: which step is in view, what is chosen, what was changed, and who hears of it.

import { wearInks } from "../../../ui/assets/figure_theme.js";
import { partsOf, Stepper } from "../../../ui/assets/stepper.js";
import { Details } from "./details.js";
import { Diagram } from "./diagram.js";
import {
  allowedNumber,
  changedNetwork,
  eachWeight,
  EDITS_LONGEST,
  editsOf,
  editsText,
  LARGEST,
  passes,
  placeOf,
  slotOf,
  totalLoss,
  updatedNetwork,
} from "./numbers.js";
import { count, knownAt, memoryWords, stepsOf, wordsOf } from "./steps.js";

const WORDS = { first: "To the start", last: "To the end", place: "Step", counted: "" };
const PLAY_MS = 1100;
const TELL_MS = 500; // A person who types on is not slowed down by the answer.
const DIGITS = 6; // Of weights that an update leaves behind.

class NetworkPage {
  constructor(host) {
    this.host = host;
    this.parts = partsOf(host);
    this.sample = 0;
    this.chosen = "n1.1";
    this.edits = new Map();
    this.sent = [];
    this.stepsSent = [];
    this.diagram = new Diagram(this.parts.stage, { choose: (id) => this.choose(id) });
    this.details = new Details(this.parts.details, { change: (place, value) => this.change(place, value) });
    this.stepper = new Stepper(host, WORDS, {
      every: PLAY_MS,
      moved: () => this.moved(),
      rested: () => this.rest(),
    });
    this.listen();
    this.resized = new ResizeObserver(() => this.later());
    this.resized.observe(host);
  }

  destroy() {
    this.resized.disconnect();
    this.stepper.player.halt();
    clearTimeout(this.telling);
    clearTimeout(this.resting);
    cancelAnimationFrame(this.frame);
  }

  // What Python says. Changes of the visitor that come back are no news.
  update(data, tell) {
    const before = this.data;
    this.data = data;
    this.tell = tell;
    this.heedStep(before);
    const echo = this.sent.indexOf(data.edits);
    if (echo >= 0) this.sent.splice(0, echo + 1);
    else if (!before || data.edits !== before.edits) {
      clearTimeout(this.telling);
      this.telling = undefined;
      this.sent = [];
      this.edits = editsOf(data.edits);
    }
    this.draw();
  }

  // The step comes from a link or a preset where it is not one that was told from here.
  heedStep(before) {
    const { step } = this.data;
    const echo = this.stepsSent.lastIndexOf(step);
    if (echo >= 0) this.stepsSent.splice(0, echo + 1);
    else if (!before || step !== before.step) {
      this.stepsSent = [];
      this.stepper.at = step;
    }
  }

  // The server hears of a step in which the person rests, for the link.
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      const { at, player } = this.stepper;
      if (player.plays) return;
      this.stepsSent.push(at);
      this.tell("step", { to: at });
    }, TELL_MS);
  }

  listen() {
    const { edges, sample, undo } = this.parts;
    edges.addEventListener("change", () => this.draw());
    sample.addEventListener("change", () => this.show(Number(sample.value)));
    undo.addEventListener("click", () => (this.known.update ? this.goOn() : this.change()));
    this.host.addEventListener("focusout", () => this.telling && this.tellNow());
  }

  moved() {
    this.follow();
    this.draw();
    this.rest();
  }

  // What is clicked is held; clicked again, the formulas follow the steps.
  choose(id) {
    this.held = !(this.held && id === this.chosen);
    this.chosen = id;
    this.draw();
  }

  follow() {
    const step = this.steps[this.stepper.at];
    if (this.held || !step) return;
    if (step.kind === "loss") this.chosen = "loss.1";
    else if (step.layer !== undefined) this.chosen = `n${step.layer + 1}.1`;
  }

  show(sample) {
    this.sample = sample;
    if (this.chosen[0] === "x") this.chosen = `x${sample + 1}.${this.chosen.split(".")[1]}`;
    this.draw();
  }

  // One number is changed, or none of them any more; everything follows at once, and the server hears of it.
  change(place, value) {
    const started = performance.now();
    if (place === undefined) this.edits.clear();
    else {
      this.edits.delete(place);
      this.edits.set(place, value);
    }
    this.draw();
    this.host.dataset.redraw = (performance.now() - started).toFixed(1);
    this.pass();
  }

  // The weights after the update become the network's.
  goOn() {
    const { next: after } = this;
    const keep = (place, value) => this.edits.set(place, allowedNumber(value.toPrecision(DIGITS)));
    eachWeight(after, (w, l, j, k) => keep(placeOf(l, j, k), w));
    after.biases.forEach((bias, l) => bias.forEach((b, j) => keep(`b${l + 1}.${j + 1}`, b)));
    this.stepper.at = 0;
    this.draw();
    this.pass();
    this.rest();
  }

  // While a person types the server waits; whoever leaves the field may press a preset next, which has to come second.
  pass() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tellNow(), this.host.getRootNode().activeElement?.matches("input") ? TELL_MS : 0);
  }

  tellNow() {
    clearTimeout(this.telling);
    this.telling = undefined;
    const text = editsText(this.edits);
    if (text.length > EDITS_LONGEST) return;
    this.sent.push(text);
    this.tell("edits", { text });
  }

  later() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  // What is chosen may be gone from a smaller network.
  fit() {
    const { network } = this;
    this.sample = Math.min(this.sample, network.inputs.length - 1);
    const [name, ...index] = this.chosen.split(".");
    const layer = network.weights[Number(name.slice(1)) - 1];
    const number = () => slotOf(network, this.chosen);
    const there = { l: () => true, x: number, w: number, n: () => layer?.[Number(index[0]) - 1] };
    if (there[this.chosen[0]]()) return;
    this.chosen = "n1.1";
    this.held = false;
  }

  draw() {
    if (!this.data || !this.host.clientWidth) return;
    this.network = changedNetwork(this.data.network, this.edits);
    this.fit();
    this.found = passes(this.network);
    this.steps = stepsOf(this.network);
    this.stepper.show(this.steps.length - 1);
    const { at } = this.stepper;
    this.known = knownAt(this.steps, at);
    const { network, found, known, chosen, sample } = this;
    const step = this.steps[at];
    this.next = updatedNetwork(network, found);
    const after = totalLoss(this.next);
    const current = this.data.autograd.edits === editsText(this.edits);
    const autograd = current ? this.data.autograd : null;
    const edges = this.parts.edges.value;
    const view = { network, found, known, chosen, sample, step, after, edges, autograd };
    this.dress(view);
    this.diagram.draw(view);
    this.details.draw(view);
    this.host.dataset.drawn = at;
    this.host.dataset.checked = String(current);
  }

  dress({ step, after }) {
    const { host, parts, network } = this;
    const ink = wearInks(host, this.data);
    host.classList.toggle("dark", ink === this.data.inks.dark);
    const [title, words] = wordsOf(network, this.found, step, after);
    parts.title.textContent = title;
    if (parts.words.innerHTML !== words) parts.words.innerHTML = words;
    parts.memory.textContent = memoryWords(network, step);
    parts.undo.textContent = step.kind === "update" ? "Go on with the new weights" : `Undo ${count(this.edits.size, "change")}`;
    const { weights, biases } = this.next;
    const allowed = [...weights.flat(2), ...biases.flat()].every((value) => Math.abs(value) <= LARGEST);
    parts.undo.disabled = step.kind === "update" && !allowed;
    parts.undo.hidden = step.kind !== "update" && !this.edits.size;
    const samples = network.inputs.length;
    parts["sample-label"].hidden = samples < 2;
    if (parts.sample.options.length !== samples)
      parts.sample.replaceChildren(...network.inputs.map((_, s) => new Option(s + 1, s)));
    parts.sample.value = this.sample;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".network");
  const page = (host.goldvizNetwork ??= new NetworkPage(host));
  page.update(data, setTriggerValue);
  return () => {
    page.destroy();
    host.goldvizNetwork = undefined;
  };
}
