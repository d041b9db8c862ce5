// Two tokenisers on one text: which merge is in view, the tokens after it, and what is under the pointer.

import { wearInks } from "../../../ui/assets/figure_theme.js";
import { partsOf as namedParts, Stepper } from "../../../ui/assets/stepper.js";
import {
  charactersAround,
  heldWords,
  partsOf,
  rankedAt,
  shownBytes,
  tokensAt,
  vocabularyOf,
  wordsOf,
} from "./reading.js";

const WORDS = { first: "Before the first merge", last: "After the last merge", place: "Merge", counted: "merge " };
const PLAY_MS = 260;
const TINTS = ["14, 122, 192", "213, 94, 0", "0, 158, 115", "196, 106, 156", "230, 170, 20", "120, 120, 210"];
const RESTING = "Point at a token to see its bytes. A bold line is a cut: no merge crosses it.";

class TokensPage {
  shown = [];

  constructor(host) {
    this.host = host;
    this.parts = namedParts(host);
    this.stepper = new Stepper(host, WORDS, {
      every: PLAY_MS,
      // The first merges one by one, later ones in strides: each changes less.
      stride: (at) => Math.max(1, Math.round(at / 15)),
      moved: () => this.draw(),
    });
    this.listen();
  }

  destroy() {
    this.stepper.player.halt();
  }

  // Whoever looked at the end sees the end of what comes next.
  update(data) {
    const { stepper } = this;
    const end = !this.data || stepper.at >= stepper.last;
    const same = this.data && JSON.stringify(this.data.sides) === JSON.stringify(data.sides);
    this.data = data;
    this.vocabularies = data.sides.map(({ pairs }) => vocabularyOf(pairs));
    if (!same) stepper.player.halt();
    const last = Math.max(...data.sides.map(({ pairs }) => pairs.length));
    if (end) stepper.at = last;
    stepper.show(last);
    this.draw();
  }

  listen() {
    for (const side of [0, 1]) {
      const text = this.parts[`text-${side}`];
      text.addEventListener("pointerover", ({ target }) => this.hold(side, target.closest(".token")));
      text.addEventListener("click", ({ target }) => this.hold(side, target.closest(".token")));
    }
  }

  draw() {
    const { host, parts, data, stepper } = this;
    stepper.show(stepper.last);
    wearInks(host, data);
    parts.words.textContent = wordsOf(data, this.vocabularies, stepper.at);
    data.sides.forEach((side, number) => this.pane(side, number));
    this.pairs();
    parts.held.textContent = RESTING;
    host.dataset.drawn = stepper.at;
  }

  pane(side, number) {
    const { data, parts } = this;
    const { at } = this.stepper;
    const tokens = tokensAt(data.bytes, side.joined, at);
    const ratio = (data.bytes.length / tokens.length).toFixed(2);
    const count = tokens.length === 1 ? "1 token" : `${tokens.length} tokens`;
    parts[`head-${number}`].textContent = `${side.label}: ${count}, ${ratio} bytes each`;
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
    const { parts, data } = this;
    const { at } = this.stepper;
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
