// A small feed-forward network in numbers: both passes, central differences, one update, and what a person changed.
// It says again what Python computes, so that an edit needs no server; a test holds both to the same numbers.

const NUDGE = 1e-5;
export const EDITS_LONGEST = 12000;
export const LARGEST = 1000;
const SMOOTH = 6; // Beyond, erf is 1 to the last digit.

function erf(x) {
  if (Math.abs(x) > SMOOTH) return Math.sign(x);
  // The series of positive terms: no digit is lost by cancelling.
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return ((2 / Math.sqrt(Math.PI)) * Math.exp(-x * x)) * sum;
}

// Python sends phi and its slope as trees: a number, the name z, or an operation with what it is done to.
const OPERATIONS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "**": (a, b) => a ** b,
  ">": (a, b) => a > b,
  negative: (a) => -a,
  if: (holds, a, b) => (holds ? a : b),
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  abs: Math.abs,
  max: Math.max,
  min: Math.min,
  tanh: Math.tanh,
  sigmoid: (z) => (z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z))),
  cdf: (z) => (1 + erf(z / Math.SQRT2)) / 2,
  density: (z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI),
};

export function valueAt(tree, z) {
  if (!Array.isArray(tree)) return tree === "z" ? z : tree;
  const [operation, ...parts] = tree;
  return OPERATIONS[operation](...parts.map((part) => valueAt(part, z)));
}

// "w2.1.3=0.5;t1=2" as a map from places to numbers; Python has checked what comes from a link.
export function editsOf(text) {
  const items = text.split(";").filter(Boolean);
  return new Map(items.map((item) => item.split("=")).map(([place, number]) => [place, Number(number)]));
}

export function editsText(edits) {
  return [...edits].map(([place, value]) => `${place}=${value}`).join(";");
}

// A number as a link may hold it, or undefined for what is none.
export function allowedNumber(text) {
  const value = Number(String(text).replace(",", ".").replace("−", "-"));
  if (String(text).trim() === "" || !Number.isFinite(value) || Math.abs(value) > LARGEST) return undefined;
  return Math.abs(value) < 1e-99 ? 0 : value;
}

// Where a place such as w2.1.3 stands: the row that holds it and its index there; undefined outside of the network.
export function slotOf(network, place) {
  const [name, ...index] = place.split(".");
  const outer = Number(name.slice(1)) - 1;
  const at = index.map((one) => one - 1);
  const rows = { w: network.weights, b: network.biases, x: network.inputs, y: network.targets }[name[0]];
  const row = at.length === 2 ? rows?.[outer]?.[at[0]] : rows?.[outer];
  const last = at[at.length - 1];
  return row && last < row.length ? [row, last] : undefined;
}

export function changedNetwork(network, edits) {
  const found = structuredClone(network);
  for (const [place, value] of edits) {
    if (place[0] === "t") {
      const sample = Number(place.slice(1)) - 1;
      if (found.loss !== "squared" && sample < found.targets.length && value <= found.targets[0].length)
        found.targets[sample] = found.targets[sample].map((_, i) => (i === value - 1 ? 1 : 0));
    } else if (place[0] !== "y" || found.loss === "squared") {
      const [row, at] = slotOf(found, place) ?? [];
      if (row) row[at] = value;
    }
  }
  return found;
}

export const sum = (values) => values.reduce((total, value) => total + value, 0);
const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);
export const placeOf = (l, j, k) => `w${l + 1}.${j + 1}.${k + 1}`;

// What `make` gives of each weight, layer by layer and row by row.
export function eachWeight({ weights }, make) {
  return weights.map((weight, l) => weight.map((row, j) => row.map((w, k) => make(w, l, j, k))));
}

function sumsOf(network, layer, x) {
  return network.weights[layer].map((row, j) => dot(row, x) + network.biases[layer][j]);
}

// One sample from the outputs of layer `from` on: x and z of all later layers.
function forwardFrom(network, from, x) {
  const trace = { x: [x], z: [] };
  for (let layer = from; layer < network.weights.length; layer += 1) {
    const z = sumsOf(network, layer, trace.x[trace.x.length - 1]);
    trace.z.push(z);
    trace.x.push(z.map((one) => valueAt(network.activations[layer].formula, one)));
  }
  return trace;
}

export function softmax(logits) {
  const most = Math.max(...logits);
  const counts = logits.map((one) => Math.exp(one - most));
  const all = sum(counts);
  return counts.map((count) => count / all);
}

function lossOf(network, outputs, targets) {
  if (network.loss === "squared") return sum(outputs.map((one, i) => (one - targets[i]) ** 2)) / 2;
  const most = Math.max(...outputs);
  const logSum = most + Math.log(sum(outputs.map((one) => Math.exp(one - most))));
  return sum(targets.map((y, i) => (y ? y * (logSum - outputs[i]) : 0)));
}

function penaltyOf(network) {
  return (network.penalty / 2) * sum(network.weights.flat(2).map((w) => w * w));
}

export function totalLoss(network) {
  const outputs = network.inputs.map((x) => forwardFrom(network, 0, x).x.pop());
  return sum(outputs.map((one, s) => lossOf(network, one, network.targets[s]))) + penaltyOf(network);
}

// Both passes: x[level][sample], z, slope, arriving, delta [layer][sample]; gradients of weights and biases.
export function passes(network) {
  const layers = network.weights.length;
  const traces = network.inputs.map((x) => forwardFrom(network, 0, x));
  const bySample = (make) => Array.from({ length: layers }, (_, l) => traces.map((trace, s) => make(trace, l, s)));
  const found = {
    x: Array.from({ length: layers + 1 }, (_, l) => traces.map((trace) => trace.x[l])),
    z: bySample((trace, l) => trace.z[l]),
    slope: bySample((trace, l) => trace.z[l].map((z) => valueAt(network.activations[l].slope, z))),
    arriving: bySample(() => null),
    delta: bySample(() => null),
  };
  const outputs = found.x[layers];
  found.shares = network.loss === "squared" ? null : outputs.map(softmax);
  found.losses = outputs.map((one, s) => lossOf(network, one, network.targets[s]));
  found.penalty = penaltyOf(network);
  found.loss = sum(found.losses) + found.penalty;
  traces.forEach((_, s) => {
    let arriving = (found.shares ?? outputs)[s].map((one, i) => one - network.targets[s][i]);
    for (let l = layers - 1; l >= 0; l -= 1) {
      const delta = arriving.map((one, j) => one * found.slope[l][s][j]);
      found.arriving[l][s] = arriving;
      found.delta[l][s] = delta;
      arriving = network.weights[l][0].map((_, k) => sum(delta.map((one, j) => network.weights[l][j][k] * one)));
    }
  });
  found.weightGradients = network.weights.map((weight, l) =>
    weight.map((row, j) =>
      row.map((w, k) => sum(found.delta[l].map((delta, s) => delta[j] * found.x[l][s][k])) + network.penalty * w),
    ),
  );
  found.biasGradients = network.biases.map((bias, l) => bias.map((_, j) => sum(found.delta[l].map((delta) => delta[j]))));
  return found;
}

// (L(v + e) - L(v - e)) / 2e for one number of the network, wherever it stands.
export function nudged(network, place) {
  const copy = structuredClone(network);
  const [row, at] = slotOf(copy, place);
  const value = row[at];
  row[at] = value + NUDGE;
  const above = totalLoss(copy);
  row[at] = value - NUDGE;
  return (above - totalLoss(copy)) / (2 * NUDGE);
}

// The same for z or x of one neuron, which is no number of the network: the loss of its sample from there on.
export function nudgedState(network, found, layer, sample, unit, name) {
  const { formula } = network.activations[layer];
  const states = name === "z" ? found.z[layer][sample] : found.x[layer + 1][sample];
  const lossWith = (step) => {
    const moved = states.map((value, j) => (j === unit ? value + step : value));
    const x = name === "z" ? moved.map((z) => valueAt(formula, z)) : moved;
    return lossOf(network, forwardFrom(network, layer + 1, x).x.pop(), network.targets[sample]);
  };
  return (lossWith(NUDGE) - lossWith(-NUDGE)) / (2 * NUDGE);
}

export function updatedNetwork(network, found) {
  const step = (value, gradient) => value - network.rate * gradient;
  return {
    ...network,
    weights: eachWeight(network, (w, l, j, k) => step(w, found.weightGradients[l][j][k])),
    biases: network.biases.map((bias, l) => bias.map((b, j) => step(b, found.biasGradients[l][j]))),
  };
}

export function softmaxJacobian(shares) {
  return shares.map((g, i) => shares.map((other, j) => g * ((i === j ? 1 : 0) - other)));
}

// Multiplications with weights in each way to find the gradients, and numbers stored.
export function costsOf(network) {
  const samples = network.inputs.length;
  const products = network.weights.map((weight) => samples * weight.length * weight[0].length);
  const ahead = sum(products);
  const back = ahead + sum(products.slice(1));
  const again = sum(products.map((one, l) => one * (products.length - l)));
  const numbers = sum(network.weights.map((weight) => weight.length * (weight[0].length + 1)));
  const stored = samples * (network.inputs[0].length + 2 * sum(network.weights.map((weight) => weight.length)));
  return { forward: ahead, backwardStored: back, backwardAnew: back + again, differences: 2 * numbers * ahead, stored };
}
