// The parts of what is chosen: formulas with their numbers in them. A part is one line under a key, or a `frame` of HTML
// with `cells` of words by key and `inputs` of numbers by place. It is built anew where its `shape` is another.

import { field, WAITS } from "./fields.js";
import { valueAt } from "./numbers.js";
import { isFlat, plain } from "./steps.js";
import { gradientTable, softmaxTable } from "./tables.js";

const inBrackets = (value) => (value < 0 ? `(${plain(value)})` : plain(value));
const line = (key, name, words, known) => ({ key, words: `${name} = ${known ? words : WAITS}` });
const heading = (words) => ({ key: "head", frame: '<h3 data-key="head"></h3>', words });
const ofSample = ({ network, sample }, before) => (network.inputs.length > 1 ? `${before} sample ${sample + 1}` : "");

function sumWords(pairs, rest = "") {
  return pairs.map(([a, b]) => `${inBrackets(a)} · ${inBrackets(b)}`).join(" + ") + rest;
}

export function inputParts(view) {
  const { network, chosen: place, sample } = view;
  const unit = place.split(".")[1] - 1;
  const value = network.inputs[sample][unit];
  const frame = `<p>x = ${field(place, "input")}</p>`;
  const silent = "This input is 0: every weight that starts here has the gradient 0 (equation 4).";
  const heard = "Equation 4 multiplies it into the gradient of every weight that starts here.";
  return [
    heading(`Input ${unit + 1}${ofSample(view, " of")}`),
    { key: "input", shape: place, frame, cells: {}, inputs: { [place]: value } },
    { key: "silent", words: value === 0 && network.inputs.length === 1 ? silent : heard },
  ];
}

const SYMBOLS = { "-": "−", "*": "·", sigmoid: "σ", cdf: "Φ", density: "N" };
const LEVELS = { "+": 1, "-": 1, "*": 2, "/": 2, negative: 3, "**": 4 }; // What binds less stands in brackets.
const POWERS = { 2: "²", 3: "³" };

// A formula as one writes it, with a number in the place of z.
function written(tree, z, level = 0) {
  const [operation, ...parts] = Array.isArray(tree) ? tree : [];
  const isNumber = !operation || (operation === "negative" && !Array.isArray(parts[0]));
  if (isNumber) return level ? inBrackets(valueAt(tree, z)) : plain(valueAt(tree, z));
  const symbol = SYMBOLS[operation] ?? operation;
  const own = LEVELS[operation];
  if (!own) return `${symbol}(${parts.map((part) => written(part, z)).join(", ")})`;
  const [a, b] = parts.map((part, place) => written(part, z, own + place));
  const power = `<sup>${b}</sup>`;
  const words = { negative: `−${a}`, "**": `${a}${POWERS[b] ?? power}` }[operation] ?? `${a} ${symbol} ${b}`;
  return own < level ? `(${words})` : words;
}

// phi or its slope at z: the formula and what it comes to, or why it is a number that stands there already.
function worked(tree, z) {
  if (!Array.isArray(tree)) return `${written(tree, z)}, as there is no φ`;
  const [operation, condition, here, elsewhere] = tree;
  if (operation !== "if") return `${written(tree, z)} = ${plain(valueAt(tree, z))}`;
  const branch = valueAt(condition, z) ? here : elsewhere;
  if (Array.isArray(branch)) return worked(branch, z);
  return `${written(branch, z)}, as z is ${branch === here ? "" : "not "}above ${plain(condition[2])}`;
}

// What arrives at a neuron: the first half of equation 1 or 2.
function arrivingWords({ network, found, sample }, layer, unit) {
  if (layer < network.weights.length - 1) {
    const pairs = found.delta[layer + 1][sample].map((delta, i) => [network.weights[layer + 1][i][unit], delta]);
    return [`Σ w δ of layer ${layer + 2} = ${sumWords(pairs)}`, "equation 2, first half"];
  }
  const y = inBrackets(network.targets[sample][unit]);
  const squared = network.loss === "squared";
  const output = squared ? found.x[layer + 1][sample][unit] : found.shares[sample][unit];
  return [`${squared ? "x" : "g"} − y = ${plain(output)} − ${y}`, "equation 1, first half"];
}

export function neuronParts(view, layer, unit) {
  const { network, found, known, sample } = view;
  const at = (values) => values[layer][sample][unit];
  const z = at(found.z);
  const slope = at(found.slope);
  const forward = known.forward > layer;
  const phi = network.activations[layer];
  const pairs = network.weights[layer][unit].map((w, k) => [w, found.x[layer][sample][k]]);
  const bias = ` + ${inBrackets(network.biases[layer][unit])}`;
  const [arrives, equation] = arrivingWords(view, layer, unit);
  const lost = `<b>The slope is ${slope === 0 ? "0: no error gets through." : "nearly 0: hardly any error gets through."}</b>`;
  const product = `${inBrackets(at(found.arriving))} · ${inBrackets(slope)} = <b>${plain(at(found.delta))}</b>.`;
  const weight = view.chosen[0] === "w" ? [weightLine(view, layer, unit, view.chosen.split(".")[2] - 1)] : [];
  return [
    heading(`Neuron ${unit + 1} of layer ${layer + 1}${ofSample(view, ",")}`),
    line("z", "z = Σ w x + b", `${sumWords(pairs, bias)} = ${plain(z)}`, forward),
    line("x", "x = φ(z)", worked(phi.formula, z), forward),
    line("slope", "φ′(z)", worked(phi.slope, z), forward),
    line("arriving", "dL/dx", `${arrives} = ${plain(at(found.arriving))} (${equation})`, known.arriving <= layer),
    line("delta", "δ = dL/dx · φ′(z)", isFlat(slope) ? `${product} ${lost}` : product, known.delta <= layer),
    ...weight,
    gradientTable(view, layer, unit),
  ];
}

// A chosen weight's gradient with its numbers: equation 4 over the samples, and the penalty.
function weightLine({ network, found, known }, layer, unit, from) {
  const pairs = found.delta[layer].map((delta, s) => [delta[unit], found.x[layer][s][from]]);
  const w = inBrackets(network.weights[layer][unit][from]);
  const penalty = network.penalty ? ` + ${plain(network.penalty)} · ${w}` : "";
  const name = `dL/dw from ${from + 1} = ${pairs.length > 1 ? "Σ " : ""}δ x${penalty && " + λ w"}`;
  const gradient = `<b>${plain(found.weightGradients[layer][unit][from])}</b> (equation 4).`;
  const silent = pairs.every(([delta, x]) => delta === 0 || x === 0);
  const rest = silent ? " A silent neuron or a dead one: this weight learns nothing from the data." : "";
  return line("weight", name, `${sumWords(pairs, penalty)} = ${gradient}${rest}`, known.gradients <= layer);
}

export function lossParts(view) {
  const head = heading(`Loss${ofSample(view, " of")}`);
  return [head, ...(view.network.loss === "squared" ? squaredParts(view) : softmaxParts(view))];
}

function squaredParts({ network, found, sample, known }) {
  const targets = network.targets[sample];
  const outputs = found.x.at(-1)[sample];
  const terms = outputs.map((x, i) => `(${plain(x)} − ${inBrackets(targets[i])})²`).join(" + ");
  const places = targets.map((_, i) => `y${sample + 1}.${i + 1}`);
  const fields = places.map((place, i) => `y of ${i + 1} ${field(place, `target ${i + 1}`)}`);
  const inputs = Object.fromEntries(targets.map((y, i) => [places[i], y]));
  return [
    line("loss", "½ Σ (x − y)²", `½ (${terms}) = ${plain(found.losses[sample])}`, known.loss),
    { key: "fields", shape: places.join(), frame: `<p>Targets: ${fields.join(" ")}</p>`, cells: {}, inputs },
  ];
}

function softmaxParts({ network, found, sample, known }) {
  const targets = network.targets[sample];
  const shares = found.shares[sample];
  const target = targets.indexOf(1);
  const options = targets.map((_, i) => `<option value="${i + 1}"${i === target ? " selected" : ""}>${i + 1}</option>`);
  const choice = `<select data-place="t${sample + 1}">${options.join("")}</select>`;
  const shape = `class${targets.length}.${sample}.${target}`;
  const words = `−log ${plain(shares[target])} = ${plain(found.losses[sample])}`;
  return [
    { key: "class", shape, frame: `<p><label>The right class ${choice}</label></p>`, cells: {} },
    line("loss", `L = −log g of class ${target + 1}`, words, known.loss),
    ...(known.loss ? [softmaxTable(shares, target)] : []),
  ];
}
