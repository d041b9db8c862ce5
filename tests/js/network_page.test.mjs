import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { element, soon } from "./page.mjs";
import { Details } from "../../goldviz/labs/backpropagation_steps/assets/details.js";
import { Diagram } from "../../goldviz/labs/backpropagation_steps/assets/diagram.js";
import networkPage from "../../goldviz/labs/backpropagation_steps/assets/network.js";
import { gradientTable, softmaxTable } from "../../goldviz/labs/backpropagation_steps/assets/tables.js";
import { passes, totalLoss } from "../../goldviz/labs/backpropagation_steps/assets/numbers.js";
import { knownAt, stepsOf } from "../../goldviz/labs/backpropagation_steps/assets/steps.js";

const HTML = readFileSync(new URL("../../goldviz/labs/backpropagation_steps/assets/network.html", import.meta.url), "utf8");
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
const INKS = { light: { text: "#000000" }, dark: { text: "#ffffff" } };

let host;
let told;
beforeEach(() => {
  host = element(HTML);
  told = [];
});

function show(more = {}) {
  const data = { network, edits: "", autograd: { edits: "none" }, step: 0, theme: "light", inks: INKS, ...more };
  const parentElement = { querySelector: () => host };
  return networkPage({ data, parentElement, setTriggerValue: (name, value) => told.push([name, value]) });
}

const part = (name) => host.querySelector(`[data-part=${name}]`);
const press = (move) => host.querySelector(`[data-move=${move}]`).click();
const node = (key) => host.querySelector(`.node[data-key="${key}"]`);
const numbersOf = (key) => node(key).querySelectorAll(".value").map(({ textContent }) => textContent);

test("numbers appear step by step, and the server hears of the step in which a person rests", async () => {
  const leave = show();
  assert.deepEqual(numbersOf("n1.2"), ["·", "·", "·", "·", "·"]);
  press("step");
  assert.deepEqual(numbersOf("n1.2").slice(0, 3), ["0.500", "0.500", "1.000"]);
  assert.match(part("title").textContent, /Phase A, layer 1/);
  press("last");
  assert.deepEqual(numbersOf("n1.2"), ["0.500", "0.500", "1.000", "−8.750", "−8.750"]);
  assert.deepEqual(numbersOf("n1.3").at(-1), "0");
  assert.ok(node("n1.3").classes.includes("flat"), "a silent neuron is marked");
  await soon(550);
  assert.deepEqual(told, [["step", { to: 10 }]]);
  leave();
});

test("a number that is typed changes everything at once, and the server hears of it", async () => {
  const leave = show({ step: 10 });
  node("n1.2").click();
  const field = part("details").querySelector('input[data-place="w1.2.1"]');
  assert.equal(field.value, "-1");
  field.value = "3";
  field.hear("input");
  assert.deepEqual(numbersOf("n1.2")[0], "4.500");
  await soon(10);
  assert.deepEqual(told, [["edits", { text: "w1.2.1=3" }]]);
  // The answer that comes back is no news, and what is typed now stands.
  field.value = "2";
  field.hear("input");
  show({ edits: "w1.2.1=3", step: 10 });
  assert.deepEqual(numbersOf("n1.2")[0], "3.500");
  field.value = "x";
  field.hear("input");
  assert.ok(field.classes.includes("refused"));
  assert.deepEqual(numbersOf("n1.2")[0], "3.500");
  leave();
});

test("after the update a person goes on with the new weights", async () => {
  const leave = show({ step: 10 });
  assert.equal(part("undo").textContent, "Go on with the new weights");
  part("undo").click();
  assert.equal(host.dataset.drawn, 0);
  await soon(10);
  const [[name, { text }]] = told;
  assert.equal(name, "edits");
  assert.match(text, /w2\.1\.1=-2\.375/);
  assert.match(part("undo").textContent, /^Undo 13 changes$/);
  part("undo").click();
  await soon(10);
  assert.deepEqual(told.at(-1), ["edits", { text: "" }]);
  leave();
});

function viewOf(at, more = {}) {
  const found = passes(network);
  const steps = stepsOf(network);
  const view = { network, found, known: knownAt(steps, at), chosen: "n1.1", sample: 0, step: steps[at], after: totalLoss(network) };
  return { ...view, edges: "step", autograd: null, ...more };
}

test("a curve is as thick as its weight is large, and says its number under the pointer", () => {
  const stage = element("<div></div>");
  const chosen = [];
  const diagram = new Diagram(stage, { choose: (id) => chosen.push(id) });
  diagram.draw(viewOf(1));
  const curve = (id) => stage.querySelector(`[data-edge="${id}"]`);
  const wide = (id) => Number(curve(id).attributes["stroke-width"]);
  assert.ok(wide("w1.3.2") > wide("w1.1.2") && wide("w1.1.2") > wide("w1.2.2"));
  assert.ok(curve("w1.3.2").classes.includes("minus") && curve("w1.1.2").classes.includes("plus"));
  const touch = stage.querySelector('.touch[data-id="w1.3.2"]');
  touch.hear("pointerover");
  assert.equal(touch.firstElementChild.textContent, "w from 2 to 3 of layer 1: −3");
  diagram.draw(viewOf(10));
  touch.hear("pointerover");
  assert.match(touch.firstElementChild.textContent, /dL\/dw 0$/);
  touch.click();
  const box = stage.querySelector('[data-key="n1.1"]');
  assert.ok(box.hear("keydown", { key: "Enter" }).prevented);
  box.hear("keydown", { key: "ArrowDown" });
  assert.equal(document.activeElement.dataset.key, "n1.2");
  assert.deepEqual(chosen, ["w1.3.2", "n1.1"]);
});

test("a table holds every gradient in three ways, and what no step has found waits", () => {
  const { cells, inputs } = gradientTable(viewOf(10), 0, 1);
  assert.deepEqual(inputs, { "b1.2": 0.5, "w1.2.1": -1, "w1.2.2": 0.5 });
  assert.deepEqual([cells["roww1-hand"], cells["rowb-hand"], cells["rowd-hand"]], ["−17.5", "−8.75", "−8.75"]);
  assert.ok(Math.abs(Number(cells["roww1-nudge"].replace("−", "-")) + 17.5) < 1e-6);
  assert.match(cells["roww1-auto"], /unknown/);
  assert.match(gradientTable(viewOf(2), 0, 1).cells["roww1-hand"], /unknown/);
});

test("the softmax's matrix is g (1 - g) on its diagonal, and its last two rows agree", () => {
  const { cells } = softmaxTable([0.25, 0.75], 1);
  const words = (key) => cells[key].replace(/<[^>]*>/g, "");
  assert.deepEqual(["s0.0", "s0.1", "s1.1"].map(words), ["0.188", "−0.188", "0.188"]);
  assert.deepEqual(["s2.0", "s2.1"].map(words), ["s3.0", "s3.1"].map(words));
});

test("details are built anew for another choice only", () => {
  const place = element("<div></div>");
  const changes = [];
  const details = new Details(place, { change: (...change) => changes.push(change) });
  details.draw(viewOf(10));
  const first = place.children[0];
  details.draw(viewOf(3));
  assert.equal(place.children[0], first);
  details.draw(viewOf(10, { chosen: "x1.2" }));
  assert.notEqual(place.children[0], first);
  const input = place.querySelector("input");
  assert.equal(input.value, "2");
  input.value = "0,5";
  input.hear("input");
  assert.deepEqual(changes, [["x1.2", 0.5]]);
});
