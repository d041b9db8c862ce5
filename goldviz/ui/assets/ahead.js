// An instant page ahead of its own script: while a person moves a knob, the figures in sight are drawn of what the knobs
// show. Streamlit waits for the knob to rest before the page's script runs, which then brings all else: panel, address,
// tables and the figures out of sight.

import { positionsPage, stepOf, watchStep } from "./frames_page.js";
import { answerOf, latest } from "./latest.js";

const MOVES = ["input", "click", "keydown", "keyup", "pointermove", "pointerup"];

// What a knob shows: undefined while it shows nothing that could be set.
export function shownBy(input, choices) {
  if (input.validity.rangeUnderflow || input.validity.rangeOverflow) return undefined;
  if (choices) return choices[input.value];
  if (input.type === "checkbox") return input.checked;
  if (input.type === "text") return input.value;
  return input.value === "" ? undefined : Number(input.value);
}

// The settings that the person's knobs went through since the server last said the same.
class Ahead {
  unwatch = undefined;

  constructor() {
    this.states = [];
    this.ask = latest(
      (text) => this.asked(JSON.parse(text)),
      (found) => this.page.answer(found),
      () => this.refused(),
    );
    this.soon = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      this.frame ??= requestAnimationFrame(() => {
        this.frame = undefined;
        this.look();
      });
    };
    for (const move of MOVES) document.addEventListener(move, this.soon, true);
  }

  leave() {
    for (const move of MOVES) document.removeEventListener(move, this.soon, true);
    cancelAnimationFrame(this.frame);
    this.unwatch();
    this.page.answer(undefined);
  }

  // What the server says: the knobs' own settings that come back, or others, of a preset or a link, which count.
  take(data) {
    this.data = data;
    this.page = positionsPage(data.page);
    this.unwatch ??= watchStep(data.page, () => this.states.length && this.put());
    this.settings = JSON.parse(data.settings);
    const echo = this.states.lastIndexOf(JSON.stringify(this.settings));
    this.states.splice(0, echo < 0 ? this.states.length : echo + 1);
    if (!this.states.length) this.refused(JSON.stringify(this.settings));
  }

  // The server has no figures of what the knobs show: those of the page stand.
  refused(looked = this.looked) {
    Object.assign(this, { looked, states: [] });
    this.page.answer(undefined);
  }

  look() {
    const shown = { ...this.settings };
    for (const [name, choices] of Object.entries(this.data.knobs)) {
      const input = document.querySelector(`.st-key-setting-${this.data.page}-${name} input`);
      if (input) shown[name] = shownBy(input, choices);
      if (shown[name] === undefined) return this.refused();
    }
    const state = JSON.stringify(shown);
    if (state === this.looked) return;
    this.looked = state;
    this.states.push(state);
    this.put();
  }

  put() {
    const { position } = this.data;
    const step = stepOf(this.data.page);
    const settings = JSON.parse(this.states.at(-1));
    if (position && step !== null) settings[position] = step;
    this.ask(JSON.stringify(settings));
  }

  asked(settings) {
    const figures = this.page.inSight().filter((name) => this.data.figures.includes(name));
    return answerOf(this.data.address, settings, { figures, theme: this.data.theme });
  }
}

export default function ({ data, parentElement }) {
  parentElement.goldvizAhead ??= new Ahead();
  parentElement.goldvizAhead.take(data);
  return () => {
    parentElement.goldvizAhead.leave();
    parentElement.goldvizAhead = undefined;
  };
}
