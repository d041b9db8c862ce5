// Every gradient of a neuron found in three ways, and the softmax's matrix with what the loss leaves of it.

import { field, WAITS } from "./fields.js";
import { nudged, nudgedState, softmaxJacobian } from "./numbers.js";
import { plain } from "./steps.js";

const COLUMNS = ["number", "is multiplied by", "dL/d… by hand", "autograd", "nudged ±1e−5"];
const DEEPEST = 0.25; // The largest entry that a softmax's matrix can have.

// A row for x, z, the bias and each weight of a neuron: the number, and its gradient by hand, by autograd and nudged.
function gradientRows({ network, found, known, sample, autograd }, layer, unit) {
  const place = `${layer + 1}.${unit + 1}`;
  const state = (key, name, number, hand, auto, isKnown) => ({
    key: `row${key}`,
    name: `its ${name}`,
    number,
    from: "",
    hand: hand[layer][sample][unit],
    auto: auto?.[layer][sample][unit],
    known: isKnown,
    nudge: () => nudgedState(network, found, layer, sample, unit, name),
  });
  const parameter = (key, name, slot, number, from, hand, auto) => ({
    key: `row${key}`,
    name,
    place: slot,
    number,
    from,
    hand,
    auto,
    known: known.gradients <= layer,
    nudge: () => nudged(network, slot),
  });
  const before = (k) => (network.inputs.length > 1 ? "its x of each" : plain(found.x[layer][sample][k]));
  const gradients = found.weightGradients[layer][unit];
  const theirs = autograd?.weights[layer][unit];
  const bias = found.biasGradients[layer][unit];
  return [
    state("x", "x", found.x[layer + 1][sample][unit], found.arriving, autograd?.arriving, known.arriving <= layer),
    state("d", "z", found.z[layer][sample][unit], found.delta, autograd?.delta, known.delta <= layer),
    parameter("b", "bias b", `b${place}`, network.biases[layer][unit], "1", bias, autograd?.biases[layer][unit]),
    ...network.weights[layer][unit].map((w, k) =>
      parameter(`w${k}`, `w from ${k + 1}`, `w${place}.${k + 1}`, w, before(k), gradients[k], theirs?.[k]),
    ),
  ];
}

export function gradientTable(view, layer, unit) {
  const { network, known, chosen } = view;
  const rows = gradientRows(view, layer, unit);
  const cells = {};
  const inputs = {};
  for (const row of rows) {
    cells[`${row.key}-from`] = known.forward >= layer ? row.from : WAITS;
    cells[`${row.key}-hand`] = row.known ? plain(row.hand, 6) : WAITS;
    cells[`${row.key}-auto`] = row.known && row.auto !== undefined ? plain(row.auto, 6) : WAITS;
    cells[`${row.key}-nudge`] = row.known ? plain(row.nudge(), 6) : WAITS;
    if (row.place) inputs[row.place] = row.number;
    else cells[`${row.key}-number`] = known.forward > layer ? plain(row.number) : WAITS;
  }
  const samples = network.inputs.length > 1 ? ", added up over the samples" : "";
  const penalty = network.penalty ? ", plus λw" : "";
  const note =
    `By hand: the gradient of a weight is δ times what the weight is multiplied by${samples}${penalty}. A nudge ` +
    "changes one number up and down and takes the loss anew; at a ReLU's corner it gives the mean of both sides.";
  const body = rows.map((row) => gradientRow(row, row.place === chosen)).join("");
  const frame = `${tableOf("", COLUMNS, body)}<p class="note">${note}</p>`;
  return { key: "table", shape: `table${rows.length}${samples}${penalty}`, frame, cells, inputs };
}

function gradientRow({ key, name, place }, chosen) {
  const number = place ? `<td>${field(place, name)}</td>` : `<td data-key="${key}-number"></td>`;
  const ways = ["from", "hand", "auto", "nudge"].map((way) => `<td data-key="${key}-${way}"></td>`);
  return `<tr class="${chosen ? "chosen" : ""}"><td>${name}</td>${number}${ways.join("")}</tr>`;
}

function tableOf(kind, columns, body) {
  const head = ["", ...columns].map((words) => `<th>${words}</th>`).join("");
  return `<div class="wide"><table class="${kind}"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

// dg_i/do_j as a matrix; the row of the right class times -1/g is what is left of it: g - y.
export function softmaxTable(shares, target) {
  const matrix = softmaxJacobian(shares);
  const right = shares[target];
  const rows = [
    ...matrix.map((values, i) => [`dg of ${i + 1}`, values.map(shaded)]),
    [`−1/g × row ${target + 1}`, matrix[target].map((value) => (right === 0 ? "0 / 0" : plain(-value / right)))],
    ["<b>g − y</b>", shares.map((g, j) => plain(g - (j === target ? 1 : 0)))],
  ];
  const cells = Object.fromEntries(rows.flatMap(([, values], i) => values.map((value, j) => [`s${i}.${j}`, value])));
  const body = rows.map(([words, values], i) => {
    const row = values.map((_, j) => `<td data-key="s${i}.${j}"></td>`);
    return `<tr><td>${words}</td>${row.join("")}</tr>`;
  });
  const columns = shares.map((_, j) => `do of ${j + 1}`);
  const formula = "dg<sub>i</sub>/do<sub>j</sub> = g<sub>i</sub>(δ<sub>ij</sub> − g<sub>j</sub>)";
  const alone = shares.length === 1 ? " With one class g is always 1, and nothing is left to learn." : "";
  const note =
    "dL/dg is −1/g for the right class and 0 for the others, so one row of the matrix counts. " +
    `Its g cancels: the two last rows are equal.${alone}`;
  const table = tableOf("matrix", columns, body.join(""));
  const frame = `<p>The softmax's matrix, ${formula}:</p>${table}<p class="note">${note}</p>`;
  return { key: "softmax", shape: `softmax${shares.length}.${target}`, frame, cells };
}

function shaded(value) {
  const share = Math.round(45 * Math.min(1, Math.abs(value) / DEEPEST));
  const colour = `color-mix(in srgb, var(--${value < 0 ? "minus" : "plus"}) ${share}%, transparent)`;
  return `<span class="shade" style="background:${colour}">${plain(value, 3)}</span>`;
}
