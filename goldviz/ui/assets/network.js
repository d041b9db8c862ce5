// The diagram with its buttons: which step is in view, what is chosen, what was changed, and who hears of it.

const PLAY_MS = 1100;
const TELL_MS = 500; // A person who types on is not slowed down by the answer.
const DIGITS = 6; // Of weights that an update leaves behind.

class NetworkPage {
  constructor(host) {
    this.host = host;
    this.parts = Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.at = 0;
    this.sample = 0;
    this.chosen = "n1.1";
    this.edits = new Map();
    this.sent = [];
    this.stepsSent = [];
    this.diagram = new Diagram(this.parts.stage, { choose: (id) => this.choose(id) });
    this.details = new Details(this.parts.details, { change: (place, value) => this.change(place, value) });
    this.listen();
    this.resized = new ResizeObserver(() => this.later());
    this.resized.observe(host);
  }

  destroy() {
    this.resized.disconnect();
    clearInterval(this.playing);
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
      this.at = step;
    }
  }

  // The server hears of a step in which the person rests, for the link.
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.playing) return;
      this.stepsSent.push(this.at);
      this.tell("step", { to: this.at });
    }, TELL_MS);
  }

  listen() {
    const moves = {
      first: () => 0,
      back: () => this.at - 1,
      step: () => this.at + 1,
      last: () => this.steps.length - 1,
    };
    this.host.querySelector(".bar").addEventListener("click", (event) => {
      const { move } = event.target.dataset;
      if (move === "play") this.play();
      else if (move) this.go(moves[move]());
    });
    const { slider, edges, sample, undo } = this.parts;
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    edges.addEventListener("change", () => this.draw());
    sample.addEventListener("change", () => this.show(Number(sample.value)));
    undo.addEventListener("click", () => (this.known.update ? this.goOn() : this.change()));
    this.host.addEventListener("keydown", (event) => this.key(event));
    this.host.addEventListener("focusout", () => this.telling && this.tellNow());
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
    const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: this.steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  go(to, byHand = true) {
    if (byHand) this.stop();
    this.at = to;
    this.follow();
    this.draw();
    this.rest();
  }

  play() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at >= this.steps.length - 1) this.at = 0;
    this.playing = setInterval(() => {
      this.go(this.at + 1, false);
      if (this.at >= this.steps.length - 1) this.stop();
    }, PLAY_MS);
    this.go(this.at + 1, false);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.parts.play.textContent = "Play";
    this.rest();
  }

  // What is clicked is held; clicked again, the formulas follow the steps.
  choose(id) {
    this.held = !(this.held && id === this.chosen);
    this.chosen = id;
    this.draw();
  }

  follow() {
    const step = this.steps[this.at];
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
    this.at = 0;
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
    const there = { l: () => true, x: number, w: number, n: () => layer?.[index[0] - 1] };
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
    this.at = Math.max(0, Math.min(this.at, this.steps.length - 1));
    this.known = knownAt(this.steps, this.at);
    const { network, found, known, chosen, sample } = this;
    const step = this.steps[this.at];
    this.next = updatedNetwork(network, found);
    const after = totalLoss(this.next);
    const current = this.data.autograd.edits === editsText(this.edits);
    const autograd = current ? this.data.autograd : null;
    const edges = this.parts.edges.value;
    const view = { network, found, known, chosen, sample, step, after, edges, autograd };
    this.dress(view);
    this.diagram.draw(view);
    this.details.draw(view);
    this.host.dataset.drawn = this.at;
    this.host.dataset.checked = String(current);
  }

  dress({ step, after }) {
    const { host, parts, network } = this;
    const ink = this.inkNow();
    for (const [name, colour] of Object.entries(ink)) host.style.setProperty(`--ink-${name}`, colour);
    host.classList.toggle("dark", ink === this.data.inks.dark);
    const [title, words] = wordsOf(network, this.found, step, after);
    parts.title.textContent = title;
    if (parts.words.innerHTML !== words) parts.words.innerHTML = words;
    parts.memory.textContent = memoryWords(network, step);
    parts.slider.max = this.steps.length - 1;
    parts.slider.value = this.at;
    parts.count.textContent = `${this.at} of ${this.steps.length - 1}`;
    if (this.playing) parts.play.textContent = "Pause";
    host.querySelector("[data-move=back]").disabled = this.at === 0;
    host.querySelector("[data-move=step]").disabled = this.at === this.steps.length - 1;
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

  // A visitor may change the theme, which Python hears of at its next run only.
  inkNow() {
    const paper = getComputedStyle(this.host).getPropertyValue("--st-background-color").match(/^\s*#(..)(..)(..)/);
    const { inks, theme } = this.data;
    if (!paper) return inks[theme];
    const light = paper.slice(1).reduce((total, part) => total + parseInt(part, 16), 0) > 382;
    return inks[light ? "light" : "dark"];
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
