import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allowedNumber,
  changedNetwork,
  editsOf,
  editsText,
  passes,
} from "../../goldviz/labs/backpropagation_steps/assets/numbers.js";
import { lossParts, neuronParts } from "../../goldviz/labs/backpropagation_steps/assets/formulas.js";
import {
  knownAt,
  memoryWords,
  plain,
  short,
  stepsOf,
  storedAfter,
  wordsOf,
} from "../../goldviz/labs/backpropagation_steps/assets/steps.js";

// One sample, sizes 2, 3 and 1, ReLU, with one neuron that stays silent.
const network = {
  weights: [[[1, 2], [-1, 0.5], [0, -3]], [[2, -1, 1]]],
  biases: [[0, 0.5, 0], [0.25]],
  inputs: [[1, 2]],
  targets: [[1]],
  activations: [
    { words: "ReLU", formula: ["max", 0, "z"], slope: ["if", [">", "z", 0], 1, 0] },
    { words: "", formula: "z", slope: 1 },
  ],
  loss: "squared",
  penalty: 0,
  rate: 0.1,
};

test("both passes of a network that can be done in one's head", () => {
  const found = passes(network);
  assert.deepEqual(found.z, [[[5, 0.5, -6]], [[9.75]]]);
  assert.deepEqual(found.x[1], [[5, 0.5, 0]]);
  assert.equal(found.loss, 8.75 ** 2 / 2);
  assert.deepEqual(found.arriving, [[[17.5, -8.75, 8.75]], [[8.75]]]);
  assert.deepEqual(found.delta, [[[17.5, -8.75, 0]], [[8.75]]]);
  assert.deepEqual(found.weightGradients, [[[17.5, 35], [-8.75, -17.5], [0, 0]], [[43.75, 4.375, 0]]]);
  assert.deepEqual(found.biasGradients, [[17.5, -8.75, 0], [8.75]]);
});

test("the steps are those of the document, and each makes known what it finds", () => {
  const steps = stepsOf(network);
  assert.equal(steps.map(({ kind, layer }) => `${kind}${layer ?? ""}`).join(" "),
    "start forward0 forward1 loss arriving1 delta1 gradients1 arriving0 delta0 gradients0 update");
  assert.equal(knownAt(steps, 0).forward, 0);
  assert.deepEqual(knownAt(steps, 5), { forward: 2, loss: true, arriving: 1, delta: 1, gradients: Infinity, update: false });
  assert.deepEqual(knownAt(steps, 10), { forward: 2, loss: true, arriving: 0, delta: 0, gradients: 0, update: true });
});

test("phase A stores x and z of every layer, and phase B lets go of what it read", () => {
  const stored = stepsOf(network).map((step) => storedAfter(network, step));
  assert.deepEqual(stored, [2, 8, 10, 10, 9, 8, 5, 5, 2, 0, 0]);
  assert.equal(memoryWords(network, { kind: "forward", layer: 0 }), "Stored so far: 8 numbers, 64 bytes.");
});

test("every step has its words, and they name a neuron that lets no error through", () => {
  const found = passes(network);
  for (const step of stepsOf(network)) for (const said of wordsOf(network, found, step, 1)) assert.ok(said.length > 5, step.kind);
  assert.match(wordsOf(network, found, { kind: "delta", layer: 0 }, 1)[1], /1 of 3 slopes is below 0.05/);
  assert.match(wordsOf(network, found, { kind: "update" }, 40)[1], /up by 1\.719/);
  assert.match(wordsOf(network, found, { kind: "update" }, Infinity)[1], /far too long/);
});

test("changed numbers go into a line and come back, and what is outside of the network waits", () => {
  const edits = editsOf("w1.1.2=-0.5;b2.1=3;x1.1=1e-7;y1.1=0.25;w6.8.8=4;t1=2");
  assert.equal(editsText(edits), "w1.1.2=-0.5;b2.1=3;x1.1=1e-7;y1.1=0.25;w6.8.8=4;t1=2");
  const after = changedNetwork(network, edits);
  assert.equal(after.weights[0][0][1], -0.5);
  assert.equal(after.biases[1][0], 3);
  assert.deepEqual([after.inputs[0][0], after.targets[0][0]], [1e-7, 0.25]);
  assert.equal(network.weights[0][0][1], 2);
  assert.equal(editsText(editsOf("")), "");
});

test("what is typed is a number that a link may hold, or none", () => {
  assert.deepEqual(["0.5", " -3 ", "1,5", "−2", "1e-120"].map(allowedNumber), [0.5, -3, 1.5, -2, 0]);
  for (const text of ["", " ", "-", "x", "1001", "1e9", "Infinity", "NaN"]) assert.equal(allowedNumber(text), undefined, text);
});

test("numbers are written shortly, and none is rounded away to 0", () => {
  assert.deepEqual([0, 0.31, -2.5, 1e-5, 123456, Infinity].map((one) => plain(one)), ["0", "0.31", "−2.5", "1.00e−5", "1.23e5", "∞"]);
  assert.deepEqual([0, 0.5, -12.34, 4e-4, 2345].map(short), ["0", "0.500", "−12.3", "4e−4", "2.3e3"]);
});

// The words of what is chosen after the last step, without marks of HTML.
function saidOf(chosen, changes = {}, at = stepsOf(network).length - 1) {
  const shown = { ...network, ...changes };
  const view = { network: shown, found: passes(shown), known: knownAt(stepsOf(shown), at), sample: 0, chosen, autograd: null };
  const [layer, unit] = chosen.slice(1).split(".").map((one) => one - 1);
  const parts = chosen === "loss.1" ? lossParts(view) : neuronParts(view, layer, unit);
  const words = parts.flatMap((part) => Object.values(part.cells ?? { [part.key]: part.words }));
  return words.join("\n").replace(/<[^>]*>/g, "");
}

test("a neuron's formulas have its numbers in them", () => {
  const said = saidOf("n1.2");
  assert.match(said, /z = Σ w x \+ b = \(−1\) · 1 \+ 0\.5 · 2 \+ 0\.5 = 0\.5/);
  assert.match(said, /x = φ\(z\) = max\(0, 0\.5\) = 0\.5/);
  assert.match(said, /dL\/dx = Σ w δ of layer 2 = \(−1\) · 8\.75 = −8\.75 \(equation 2, first half\)/);
  assert.match(said, /δ = dL\/dx · φ′\(z\) = \(−8\.75\) · 1 = −8\.75/);
  assert.match(saidOf("n2.1"), /dL\/dx = x − y = 9\.75 − 1 = 8\.75 \(equation 1, first half\)/);
});

test("a formula that Python sends is computed and written with its number in it", () => {
  const said = (formula, slope) => {
    const lines = saidOf("n1.2", { activations: [{ words: "new", formula, slope }, network.activations[1]] }).split("\n");
    return lines.slice(2, 4).join();
  };
  assert.match(said(["**", "z", 3], ["*", 3, ["**", "z", 2]]), /^x = φ\(z\) = 0\.5³ = 0\.125,φ′\(z\) = 3 · 0\.5² = 0\.75$/);
  const leaky = ["if", [">", "z", 1], "z", ["*", 0.1, "z"]];
  assert.match(said(leaky, 1), /φ\(z\) = 0\.1 · 0\.5 = 0\.05,φ′\(z\) = 1, as there is no φ/);
  assert.match(said(["-", 1, ["**", ["tanh", "z"], 2]], ["if", [">", "z", 1], 1, 0]), /1 − tanh\(0\.5\)² = 0\.7864,.*0, as z is not above 1/);
  assert.match(said(["*", ["sigmoid", ["negative", "z"]], ["+", "z", 2]], "z"), /σ\(−0\.5\) · \(0\.5 \+ 2\) = 0\.9439/);
});

test("what no step has found yet is not told", () => {
  assert.equal(saidOf("n1.2", {}, 0).split("\n").slice(1, 6).join(), "z = Σ w x + b = …,x = φ(z) = …,φ′(z) = …,dL/dx = …,δ = dL/dx · φ′(z) = …");
  assert.doesNotMatch(saidOf("n1.2", {}, 3), /8\.75/);
});

test("a weight's gradient is said with its numbers, and that a silent or a dead neuron's learns nothing", () => {
  assert.match(saidOf("w1.2.2"), /dL\/dw from 2 = δ x = \(−8\.75\) · 2 = −17\.5 \(equation 4\)\.$/m);
  assert.match(saidOf("w1.2.2", { penalty: 0.1 }), /δ x \+ λ w = \(−8\.75\) · 2 \+ 0\.1 · 0\.5 = −17\.45/);
  assert.match(saidOf("w1.3.1"), /learns nothing from the data/);
  assert.match(saidOf("w2.1.3"), /= 8\.75 · 0 = 0 \(equation 4\)\. A silent neuron/);
});

test("the loss is said with its numbers; a softmax's two last rows are equal", () => {
  assert.match(saidOf("loss.1"), /½ Σ \(x − y\)² = ½ \(\(9\.75 − 1\)²\) = 38\.28/);
  const softmax = { loss: "cross_entropy", weights: [network.weights[0], [[2, -1, 1], [0, 1, 0]]], biases: [network.biases[0], [0, 9]], targets: [[0, 1]] };
  const said = saidOf("loss.1", softmax);
  const last = said.split("\n").slice(-4);
  assert.deepEqual(last.slice(0, 2), last.slice(2));
  assert.match(said, /L = −log g of class 2 = −log 0\.5 = 0\.6931/);
});
