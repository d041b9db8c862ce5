// Two tokenisers on one text: which merge is in view, the tokens after it, and what is under the pointer.

const PLAY_MS = 260;
const TINTS = ["14, 122, 192", "213, 94, 0", "0, 158, 115", "196, 106, 156", "230, 170, 20", "120, 120, 210"];
const RESTING = "Point at a token to see its bytes. A bold line is a cut: no merge crosses it.";

class TokensPage {
  constructor(host) {
    this.host = host;
    this.parts = Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.listen();
  }

  destroy() {
    this.stop();
  }

  // Whoever looked at the end sees the end of what comes next.
  update(data) {
    const end = !this.data || this.at >= this.last;
    const same = this.data && JSON.stringify(this.data.sides) === JSON.stringify(data.sides);
    this.data = data;
    this.vocabularies = data.sides.map(({ pairs }) => vocabularyOf(pairs));
    this.last = Math.max(...data.sides.map(({ pairs }) => pairs.length));
    if (!same) this.stop();
    this.at = end ? this.last : Math.min(this.at, this.last);
    this.draw();
  }

  listen() {
    const moves = { first: () => 0, back: () => this.at - 1, step: () => this.at + 1, last: () => this.last };
    this.host.querySelector(".bar").addEventListener("click", (event) => {
      const { move } = event.target.dataset;
      if (move === "play") this.play();
      else if (move) this.go(moves[move]());
    });
    const { slider } = this.parts;
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    this.host.addEventListener("keydown", (event) => this.key(event));
    for (const side of [0, 1]) {
      const text = this.parts[`text-${side}`];
      text.addEventListener("pointerover", ({ target }) => this.hold(side, target.closest(".token")));
      text.addEventListener("click", ({ target }) => this.hold(side, target.closest(".token")));
    }
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
    const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: this.last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  go(to, byHand = true) {
    if (byHand) this.stop();
    this.at = Math.max(0, Math.min(to, this.last));
    this.draw();
  }

  // The first merges one by one, later ones in strides: each changes less.
  play() {
    if (this.playing) return this.stop();
    if (this.at >= this.last) this.at = 0;
    this.playing = setInterval(() => {
      this.go(this.at + Math.max(1, Math.round(this.at / 15)), false);
      if (this.at >= this.last) this.stop();
    }, PLAY_MS);
    this.parts.play.textContent = "Pause";
    this.draw();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.parts.play.textContent = "Play";
  }

  draw() {
    const { host, parts, data, at, last } = this;
    this.dress();
    parts.slider.max = last;
    parts.slider.value = at;
    parts.count.textContent = `merge ${at} of ${last}`;
    host.querySelector("[data-move=back]").disabled = at === 0;
    host.querySelector("[data-move=step]").disabled = at === last;
    parts.words.textContent = wordsOf(data, this.vocabularies, at);
    data.sides.forEach((side, number) => this.pane(side, number));
    this.pairs();
    parts.held.textContent = RESTING;
    host.dataset.drawn = at;
  }

  pane(side, number) {
    const { data, at, parts } = this;
    const tokens = tokensAt(data.bytes, side.joined, at);
    const ratio = (data.bytes.length / tokens.length).toFixed(2);
    const count = tokens.length === 1 ? "1 token" : `${tokens.length} tokens`;
    parts[`head-${number}`].textContent = `${side.label}: ${count}, ${ratio} bytes each`;
    this.shown ??= [];
    this.shown[number] = tokens;
    const newest = at > 0 && at <= side.pairs.length ? 255 + at : -1;
    parts[`text-${number}`].replaceChildren(...tokens.map((token) => this.token(token, newest)));
  }

  // What a person wrote goes in as text, never as markup.
  token({ start, end, id, cut }, newest) {
    const span = document.createElement("span");
    span.className = `token${cut ? " cut" : ""}${id === newest ? " new" : ""}`;
    span.dataset.id = id;
    span.style.setProperty("--tint", `rgba(${TINTS[id % TINTS.length]}, 0.26)`);
    for (const { text, byte } of partsOf(this.data.bytes.slice(start, end))) {
      if (!byte) span.append(text);
      else {
        const small = document.createElement("span");
        small.className = "byte";
        small.textContent = text;
        span.append(small);
      }
    }
    return span;
  }

  hold(side, span) {
    if (!span) return;
    const { id } = span.dataset;
    for (const other of this.host.querySelectorAll(".token.same")) other.classList.remove("same");
    const alike = this.parts[`text-${side}`].querySelectorAll(`[data-id="${id}"]`);
    for (const other of alike) other.classList.add("same");
    const { pairs } = this.data.sides[side];
    const { start, end } = this.shown[side][[...span.parentElement.children].indexOf(span)];
    const around = charactersAround(this.data.bytes, start, end);
    this.parts.held.textContent = heldWords(this.vocabularies[side], pairs, Number(id), alike.length, around);
  }

  pairs() {
    const { parts, data, at } = this;
    const ranked = rankedAt(data, at);
    parts["pairs-head"].textContent = ranked.length
      ? `Most frequent pairs before merge ${Math.min(Math.max(at, 1), data.sides[0].pairs.length)} (${data.sides[0].label})`
      : "";
    const most = ranked[0]?.times ?? 1;
    parts.pairs.replaceChildren(...ranked.flatMap(({ pair, times }, rank) => this.row(pair, times, most, rank)));
  }

  row(pair, times, most, rank) {
    const words = document.createElement("span");
    words.className = rank ? "pair" : "pair first";
    words.textContent = pair.map((token) => shownBytes(this.vocabularies[0][token])).join(" + ");
    const size = document.createElement("span");
    size.className = "size";
    const bar = document.createElement("i");
    bar.style.width = `${Math.max(1, (80 * times) / most)}%`;
    size.append(bar, times.toLocaleString("en"));
    return [words, size];
  }

  // A visitor may change the theme, which Python hears of at its next run only.
  dress() {
    const paper = getComputedStyle(this.host).getPropertyValue("--st-background-color").match(/^\s*#(..)(..)(..)/);
    const { inks, theme } = this.data;
    const light = paper ? paper.slice(1).reduce((total, part) => total + parseInt(part, 16), 0) > 382 : theme === "light";
    for (const [name, colour] of Object.entries(inks[light ? "light" : "dark"])) this.host.style.setProperty(`--ink-${name}`, colour);
  }
}

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".tokens");
  const page = (host.goldvizTokens ??= new TokensPage(host));
  page.update(data);
  return () => {
    page.destroy();
    host.goldvizTokens = undefined;
  };
}
