// The steps of both passes in their order, what each reads and stores, and what is known once it is done.

import { sum } from "./numbers.js";

const STALL = 0.05; // A slope below this is called flat.
export const isFlat = (slope) => Math.abs(slope) < STALL;

export function stepsOf(network) {
  const layers = network.weights.map((_, layer) => layer);
  const back = (layer) => ["arriving", "delta", "gradients"].map((kind) => ({ kind, layer }));
  return [
    { kind: "start" },
    ...layers.map((layer) => ({ kind: "forward", layer })),
    { kind: "loss" },
    ...layers.reverse().flatMap(back),
    { kind: "update" },
  ];
}

// What stands on the page after a step: `forward` layers from the left, and from the right down to a layer.
export function knownAt(steps, at) {
  const known = { forward: 0, loss: false, arriving: Infinity, delta: Infinity, gradients: Infinity, update: false };
  for (const { kind, layer } of steps.slice(0, at + 1)) {
    if (kind === "forward") known.forward = layer + 1;
    else if (kind === "loss" || kind === "update") known[kind] = true;
    else if (kind !== "start") known[kind] = layer;
  }
  return known;
}

const up = (letter, layer) => `${letter}<sup>(${layer})</sup>`;
export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// Numbers that are kept after a step: what was stored, less what no later step reads.
export function storedAfter(network, { kind, layer }) {
  const widths = network.weights.map((weight) => weight.length);
  const first = network.inputs[0].length;
  const both = (layers) => first + 2 * sum(widths.slice(0, layers));
  const kept = {
    start: () => first,
    forward: () => both(layer + 1),
    loss: () => both(widths.length),
    arriving: () => both(layer) + widths[layer],
    delta: () => both(layer),
    gradients: () => both(layer) - (layer ? widths[layer - 1] : first),
    update: () => 0,
  };
  return network.inputs.length * kept[kind]();
}

export function memoryWords(network, step) {
  const numbers = storedAfter(network, step);
  if (step.kind === "update") return "Nothing of the passes is needed any more.";
  const verb = ["start", "forward", "loss"].includes(step.kind) ? "Stored so far" : "Still stored, for what comes";
  return `${verb}: ${count(numbers, "number")}, ${count(8 * numbers, "byte")}.`;
}

// The heading and the sentence of a step, as HTML; numbers and fixed words only.
export function wordsOf(network, found, step, after) {
  return WORDS[step.kind]({ network, found, after, layer: step.layer, l: step.layer + 1, last: network.weights.length });
}

const WORDS = {
  start: () => [
    "Before the first step",
    `The input ${up("x", 0)} is there, and the weights. Press Step, or an arrow key. ` +
      "Click any neuron for its formula; change any number in it.",
  ],
  forward: ({ l }) => [
    `Phase A, layer ${l}: forward`,
    `${up("z", l)} = ${up("W", l)} ${up("x", l - 1)} + ${up("b", l)}, then ${up("x", l)} = φ(${up("z", l)}). ` +
      "Both are stored: phase B reads them.",
  ],
  loss: ({ network, found, last }) => {
    const squared = network.loss === "squared";
    const shares = squared ? "" : `g = softmax(${up("x", last)}). `;
    const formula = squared ? `½ ‖${up("x", last)} − y‖²` : "−Σ y log g";
    const samples = network.inputs.length > 1 ? ", added up over the samples," : "";
    const both = `${plain(found.loss - found.penalty)} + ${plain(found.penalty)}`;
    const penalty = network.penalty ? ` + λ/2 ‖W‖² = ${both}` : "";
    return ["The loss", `${shares}L = ${formula}${samples}${penalty} = ${plain(found.loss)}. Phase B starts here.`];
  },
  arriving: ({ network, l, last }) => {
    const arriving = `dL/d${up("x", l)}`;
    if (l === last) {
      const formula = network.loss === "squared" ? `${up("x", l)} − y` : "g − y";
      const said = `The loss says how each output should move: ${arriving} = ${formula}.`;
      return [`Phase B, layer ${l}: equation 1, first half`, said];
    }
    const formula = `(${up("W", l + 1)})<sup>T</sup> ${up("δ", l + 1)}`;
    const said =
      `The errors come back through the weights: ${arriving} = ${formula}. ` +
      "It reads the weights and the error just found.";
    return [`Phase B, layer ${l}: equation 2, first half`, said];
  },
  delta: ({ network, found, layer, l, last }) => {
    const flat = sum(found.slope[layer].map((units) => units.filter(isFlat).length));
    const all = network.inputs.length * network.weights[layer].length;
    const few = `${flat} of ${all} slopes ${flat === 1 ? "is" : "are"} below ${STALL}: hardly any error gets through there.`;
    return [
      `Phase B, layer ${l}: equation ${l === last ? 1 : 2}, second half`,
      `${up("δ", l)} = dL/d${up("x", l)} ⊙ φ′(${up("z", l)}). It reads ${up("z", l)}, which phase A stored.` +
        (flat ? ` <b>${few}</b>` : ""),
    ];
  },
  gradients: ({ network, l }) => {
    const biases = `dL/d${up("b", l)} = ${up("δ", l)}`;
    const penalty = network.penalty ? ` + λ${up("W", l)}` : "";
    const weights = `dL/d${up("W", l)} = ${up("δ", l)} (${up("x", l - 1)})<sup>T</sup>${penalty}`;
    const reads = `They read ${up("x", l - 1)}, which phase A stored.`;
    return [`Phase B, layer ${l}: equations 3 and 4`, `At once the gradients: ${biases}, and ${weights}. ${reads}`];
  },
  update: ({ network, found, after }) => {
    const rule = `w ← w − η dL/dw with η = ${plain(network.rate)}`;
    const change = after - found.loss;
    if (!Number.isFinite(change))
      return ["One update", `${rule}: the new loss is beyond what 64 bits hold. The step is far too long.`];
    const way = `${change <= 0 ? "down" : "up"} by ${plain(Math.abs(change))}`;
    return ["One update", `${rule}: the loss goes from ${plain(found.loss)} to <b>${plain(after)}</b>, ${way}.`];
  },
};

// Four digits, as a person writes them.
export function plain(value, digits = 4) {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const far = size !== 0 && (size < 1e-3 || size >= 1e5);
  return minus(far ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits))));
}

// A number that fits into a neuron's box.
export function short(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 5e-4) return minus(value.toExponential(0));
  if (size >= 1000) return minus(value.toExponential(1));
  return minus(value.toFixed(size < 10 ? 3 : 1));
}

function minus(text) {
  return text.replace("e+", "e").replaceAll("-", "−");
}
