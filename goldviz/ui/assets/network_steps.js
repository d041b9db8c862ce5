// The steps of both passes in their order, what each reads and stores, and what is known once it is done.

const STALL = 0.05; // A slope below this is called flat.

function stepsOf(network) {
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
function knownAt(steps, at) {
  const known = { forward: 0, loss: false, arriving: Infinity, delta: Infinity, gradients: Infinity, update: false };
  for (const { kind, layer } of steps.slice(0, at + 1)) {
    if (kind === "forward") known.forward = layer + 1;
    else if (kind === "loss" || kind === "update") known[kind] = true;
    else if (kind !== "start") known[kind] = layer;
  }
  return known;
}

const up = (letter, layer) => `${letter}<sup>(${layer})</sup>`;
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// Numbers that are kept after a step: what was stored, less what no later step reads.
function storedAfter(network, { kind, layer }) {
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

function memoryWords(network, step) {
  const numbers = storedAfter(network, step);
  if (step.kind === "update") return "Nothing of the passes is needed any more.";
  const verb = ["start", "forward", "loss"].includes(step.kind) ? "Stored so far" : "Still stored, for what comes";
  return `${verb}: ${count(numbers, "number")}, ${count(8 * numbers, "byte")}.`;
}

// The heading and the sentence of a step, as HTML; numbers and fixed words only.
function wordsOf(network, found, step, after) {
  const layers = network.weights.length;
  const { kind, layer } = step;
  const l = layer + 1;
  if (kind === "start") return ["Before the first step", `The input ${up("x", 0)} is there, and the weights. Press Step, or an arrow key. Click any neuron for its formula; change any number in it.`];
  if (kind === "forward")
    return [`Phase A, layer ${l}: forward`, `${up("z", l)} = ${up("W", l)} ${up("x", l - 1)} + ${up("b", l)}, then ${up("x", l)} = φ(${up("z", l)}). Both are stored: phase B reads them.`];
  if (kind === "loss") {
    const formula = network.loss === "squared" ? `½ ‖${up("x", layers)} − y‖²` : "−Σ y log g";
    const shares = network.loss === "squared" ? "" : `g = softmax(${up("x", layers)}). `;
    const samples = network.inputs.length > 1 ? ", added up over the samples," : "";
    const penalty = network.penalty ? ` + λ/2 ‖W‖² = ${plain(found.loss - found.penalty)} + ${plain(found.penalty)}` : "";
    return ["The loss", `${shares}L = ${formula}${samples}${penalty} = ${plain(found.loss)}. Phase B starts here.`];
  }
  if (kind === "arriving") {
    if (l === layers) {
      const short = network.loss === "squared" ? `${up("x", l)} − y` : "g − y";
      return [`Phase B, layer ${l}: equation 1, first half`, `The loss says how each output should move: dL/d${up("x", l)} = ${short}.`];
    }
    return [`Phase B, layer ${l}: equation 2, first half`, `The errors come back through the weights: dL/d${up("x", l)} = (${up("W", l + 1)})<sup>T</sup> ${up("δ", l + 1)}. It reads the weights and the error just found.`];
  }
  if (kind === "delta") {
    const flat = sum(found.slope[layer].map((units) => units.filter((slope) => Math.abs(slope) < STALL).length));
    const all = network.inputs.length * network.weights[layer].length;
    const stall = flat ? ` <b>${flat} of ${all} slopes ${flat === 1 ? "is" : "are"} below ${STALL}: hardly any error gets through there.</b>` : "";
    return [`Phase B, layer ${l}: equation ${l === layers ? 1 : 2}, second half`, `${up("δ", l)} = dL/d${up("x", l)} ⊙ φ′(${up("z", l)}). It reads ${up("z", l)}, which phase A stored.${stall}`];
  }
  if (kind === "gradients") {
    const penalty = network.penalty ? ` + λ${up("W", l)}` : "";
    return [`Phase B, layer ${l}: equations 3 and 4`, `At once the gradients: dL/d${up("b", l)} = ${up("δ", l)}, and dL/d${up("W", l)} = ${up("δ", l)} (${up("x", l - 1)})<sup>T</sup>${penalty}. They read ${up("x", l - 1)}, which phase A stored.`];
  }
  const change = after - found.loss;
  if (!Number.isFinite(change)) return ["One update", `w ← w − η dL/dw with η = ${plain(network.rate)}: the new loss is beyond what 64 bits hold. The step is far too long.`];
  return ["One update", `w ← w − η dL/dw with η = ${plain(network.rate)}: the loss goes from ${plain(found.loss)} to <b>${plain(after)}</b>, ${change <= 0 ? "down" : "up"} by ${plain(Math.abs(change))}.`];
}

// Four digits, as a person writes them.
function plain(value, digits = 4) {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−").replace("e-", "e−").replace("e+", "e");
}

// A number that fits into a neuron's box.
function short(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const text = size < 5e-4 ? value.toExponential(0) : size < 10 ? value.toFixed(3) : size < 1000 ? value.toFixed(1) : value.toExponential(1);
  return text.replace("-", "−").replace("e-", "e−").replace("e+", "e");
}
