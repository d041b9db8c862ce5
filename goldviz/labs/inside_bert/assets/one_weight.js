// One weight with all that leads to it: q and k, their product in every dimension, its sum, and the softmax.

import { sized } from "../../../ui/assets/canvas.js";
import { shortly } from "./numbers.js";
import { isolated } from "./overview.js";

const STRIP = 16;
const LETTERS = 34;

// The numbers of one query and one key among all keys; `vectors` are the queries and then the keys, row after row.
export function workedOut(vectors, width, count, query, key) {
  const row = (at) => vectors.subarray(at * width, (at + 1) * width);
  const q = row(query);
  const dot = (k) => k.reduce((sum, value, at) => sum + value * q[at], 0);
  const root = Math.sqrt(width);
  const scores = Array.from({ length: count }, (_, at) => dot(row(count + at)) / root);
  const largest = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - largest), 0);
  const k = row(count + key);
  const power = Math.exp(scores[key] - largest);
  return { q, k, product: k.map((value, at) => value * q[at]), sum: dot(k), score: scores[key], power, total, weight: power / total };
}

const small = (value) => (value > 0 && value < 0.0005 ? value.toExponential(1).replace("-", "−") : value.toFixed(3));
const signed = (value, digits = 2) => value.toFixed(digits).replace("-", "−");

export class OneWeight {
  constructor(parts, told) {
    this.parts = parts;
    this.told = told;
    this.strips = [parts["strip-q"], parts["strip-k"], parts["strip-product"]];
  }

  show(vectors, width, pieces, query, key) {
    this.found = workedOut(vectors, width, pieces.length, query, key);
    const { sum, score, power, total, weight } = this.found;
    const [asking, asked] = [query, key].map((at) => `“${isolated(pieces[at])}”`);
    this.put("weight-title", `${asking} looks at ${asked}: ${shortly(weight)}`);
    this.put("weight-sum", `q · k = ${signed(sum)}`);
    this.put("weight-of", `the sum of ${width} products`);
    this.put("weight-score", `÷ √${width} = ${signed(score)}`);
    this.put("weight-softmax", `softmax: ${small(power)} / ${total.toFixed(3)} = ${small(weight)}`);
    this.draw();
  }

  put(part, words) {
    if (this.parts[part].textContent !== words) this.parts[part].textContent = words;
  }

  // Blue above zero, red below; q and k share a scale, their product has one of its own.
  draw() {
    if (!this.found) return;
    const { q, k, product } = this.found;
    const ends = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const both = Math.max(ends(q), ends(k));
    for (const [at, values] of [q, k, product].entries()) {
      const canvas = this.strips[at];
      const room = canvas.parentElement.clientWidth - LETTERS;
      if (room <= 0) continue;
      const context = sized(canvas, room, STRIP);
      const most = at === 2 ? ends(product) : both;
      const each = room / values.length;
      values.forEach((value, place) => {
        context.globalAlpha = Math.abs(value) / most;
        context.fillStyle = value < 0 ? "#b2182b" : "#2166ac";
        context.fillRect(place * each, 0, each - (each > 4 ? 1 : 0), STRIP);
      });
      context.globalAlpha = 1;
    }
  }
}
