// What is stepped through or played: one position after the other on a clock, and a bar of buttons with a slider.

// A clock over positions. It asks for `every` (milliseconds), `atEnd()`, `rewind()` and `tick()`, and tells of the rest:
// `turned()` when it starts or stops, `rested()` when it stopped at the end or by hand.
export class Player {
  clock = undefined;

  constructor(told) {
    this.told = told;
  }

  get plays() {
    return this.clock !== undefined;
  }

  toggle() {
    if (this.plays) return this.stop();
    const { told } = this;
    if (told.atEnd()) told.rewind();
    this.clock = setInterval(() => {
      this.told.tick();
      if (this.told.atEnd()) this.stop();
    }, told.every);
    told.turned();
  }

  halt() {
    clearInterval(this.clock);
    this.clock = undefined;
    this.told.turned();
  }

  stop() {
    this.halt();
    this.told.rested?.();
  }
}

const bar = ({ first, last, place }) => `
  <button type="button" data-move="first" aria-label="${first}" title="${first}">«</button>
  <button type="button" data-move="back">◀ Back</button>
  <button type="button" data-move="step" class="main">Step ▶</button>
  <button type="button" data-move="play">Play</button>
  <button type="button" data-move="last" aria-label="${last}" title="${last}">»</button>
  <input type="range" min="0" value="0" aria-label="${place}">
  <output></output>`;

// The bar at the top of a part, with the arrow keys, Home and End anywhere in it. `words` names both ends, a place and
// what is counted; `moved()` hears of every move, `rested()` of each that was made by hand, and of the end of playing.
export class Stepper {
  at = 0;
  last = 0;

  constructor(host, words, { every, stride = (_at) => 1, moved, rested = undefined }) {
    this.words = words;
    this.moved = moved;
    this.bar = Object.assign(document.createElement("div"), { className: "bar", innerHTML: bar(words) });
    host.querySelector(":scope > .bar")?.remove();
    host.prepend(this.bar);
    this.slider = this.bar.querySelector("input");
    this.player = new Player({
      every,
      rested,
      atEnd: () => this.at >= this.last,
      rewind: () => (this.at = 0),
      tick: () => this.go(this.at + stride(this.at), false),
      turned: () => (this.button("play").textContent = this.player.plays ? "Pause" : "Play"),
    });
    for (const button of this.bar.querySelectorAll("[data-move]")) button.addEventListener("click", () => this.press(button.dataset.move));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    host.addEventListener("keydown", (event) => this.key(event));
  }

  button(move) {
    return this.bar.querySelector(`[data-move=${move}]`);
  }

  press(move) {
    const to = { first: 0, back: this.at - 1, step: this.at + 1, last: this.last }[move];
    if (to !== undefined) this.go(to);
    else if (move) this.play();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
    const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: this.last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  play() {
    this.player.toggle();
    if (this.player.plays) this.player.told.tick();
  }

  go(to, byHand = true) {
    if (byHand) this.player.stop();
    this.at = Math.max(0, Math.min(to, this.last));
    this.moved();
  }

  // There are `last` steps now: the bar says which is in view.
  show(last) {
    this.last = last;
    this.at = Math.max(0, Math.min(this.at, last));
    this.slider.max = last;
    this.slider.value = this.at;
    this.bar.querySelector("output").textContent = `${this.words.counted}${this.at} of ${last}`;
    for (const move of ["first", "back"]) this.button(move).disabled = this.at === 0;
    for (const move of ["step", "last"]) this.button(move).disabled = this.at === last;
  }
}

// The elements of a part that have names, `data-part`, by their names.
export function partsOf(host) {
  return Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
}
