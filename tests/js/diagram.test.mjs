import assert from "node:assert/strict";
import { test } from "node:test";
import {
  placed,
  boxAt,
  boxAfter,
  boxesAt,
  placesOf,
  numberInWords,
  shareOf,
  ticksOf,
  told,
} from "../../goldviz/ui/assets/diagram_layout.js";
import { colourAt, inkOn, paintDiagram } from "../../goldviz/ui/assets/diagram_draw.js";

const measure = (text) => 7 * text.length;

function layers(count, heading, skips = false) {
  const nodes = Array.from({ length: count }, (_, l) => [`${l}`, `layer ${l}`, l, 0, 1, 1, "layer", { layer: l }]);
  const wires = nodes.slice(1).flatMap((_, l) => [[l, l + 1, "line"], ...(skips ? [[l, l + 1, "skip"]] : [])]);
  return { heading, colour: "#d55e00", row: 44, nodes, wires };
}

const TWINS = [layers(16, "Plain network"), layers(16, "Residual network", true)];
const CELL = {
  heading: "LSTM", colour: "", row: 38,
  nodes: [
    ["x", "input", 0, 0.5, 1, 1, "end", {}],
    ["f", "forget gate", 1, 0, 1, 1, "gate", { gate: "forget" }],
    ["o", "output gate", 1, 1, 1, 1, "gate", { gate: "output" }],
    ["h", "hidden state", 2, 0.5, 1, 1, "state", { cell: "state" }],
    ["h₁", "state at time step 1", 0, 2.5, 1.5, 0.5, "state", { time: 1 }],
    ["h₂", "state at time step 2", 1.5, 2.5, 1.5, 0.5, "state", { time: 2 }],
  ],
  wires: [[0, 1, "line"], [0, 2, "line"], [1, 3, "line"], [2, 3, "line"], [3, 1, "back"]],
};

const overlap = (one, other) =>
  one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;

for (const [width, parts] of [[340, TWINS], [1000, TWINS], [1800, TWINS], [340, [layers(102, "Deep", true)]], [340, [CELL, CELL]]]) {
  test(`boxes stay on a canvas of ${width} pixels, and none covers another: ${parts[0].nodes.length} nodes`, () => {
    const layout = placed(parts, width, measure);
    assert.equal(layout.boxes.length, parts.reduce((sum, { nodes }) => sum + nodes.length, 0));
    for (const box of layout.boxes) {
      assert.ok(box.x >= 0 && box.x + box.width <= width + 0.01, JSON.stringify(box));
      assert.ok(box.y >= 0 && box.y + box.height <= layout.height);
      assert.ok(box.width >= 0.5 && box.height > 5);
    }
    layout.boxes.forEach((box, at) => layout.boxes.slice(at + 1).forEach((other) => assert.ok(!overlap(box, other))));
  });
}

test("few columns stand side by side where there is room, and many under one another", () => {
  const tops = (parts, width) => new Set(placed(parts, width, measure).places.map(({ top }) => top)).size;
  assert.deepEqual([tops([CELL, CELL], 900), tops([CELL, CELL], 200), tops(TWINS, 1800)], [1, 2, 2]);
});

test("presented, rows grow until the diagram fills the height", () => {
  const { height } = placed(TWINS, 900, measure, 500);
  assert.ok(Math.abs(height - 500) < 4, `${height}`);
  assert.ok(placed(TWINS, 900, measure, 10).height >= placed(TWINS, 900, measure).height);
});

test("a wire back runs between the cell and what stands under it", () => {
  const layout = placed([CELL], 600, measure);
  const low = (number) => layout.boxes[number].y + layout.boxes[number].height;
  assert.ok(layout.places[0].turn > low(2) && layout.places[0].turn < layout.boxes[4].y);
});

test("a click means the box under it, or one within a finger's reach", () => {
  const layout = placed(TWINS, 1000, measure);
  layout.boxes.forEach((box, at) => assert.equal(boxAt(layout, box.x + box.width / 2, box.y + box.height / 2), at));
  const [first] = layout.boxes;
  assert.equal(boxAt(layout, first.x - 6, first.y), 0);
  assert.equal(boxAt(layout, first.x, first.y - 40), undefined);
});

test("arrow keys lead along a network, to its twin and back, and end at its ends", () => {
  const layout = placed(TWINS, 1000, measure);
  assert.equal(boxAfter(layout, undefined, "ArrowRight"), 0);
  assert.deepEqual(["ArrowRight", "ArrowLeft", "ArrowDown", "Home", "End"].map((key) => boxAfter(layout, 5, key)), [6, 4, 21, 0, 15]);
  assert.equal(boxAfter(layout, 21, "ArrowUp"), 5);
  assert.equal(boxAfter(layout, 15, "ArrowRight"), undefined);
  assert.equal(boxAfter(layout, 0, "ArrowLeft"), undefined);
  assert.equal(boxAfter(layout, 5, "q"), undefined);
});

test("every box of a diagram can be reached by keys", () => {
  for (const parts of [TWINS, [CELL], [CELL, CELL]]) {
    const layout = placed(parts, 1000, measure);
    const [reached, ahead] = [new Set([0]), [0]];
    while (ahead.length)
      for (const key of ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"]) {
        const to = boxAfter(layout, ahead[0], key);
        if (to !== undefined && !reached.has(to)) ahead.push(to) && reached.add(to);
        if (key === "End") ahead.shift();
      }
    assert.equal(reached.size, layout.boxes.length);
  }
});

test("what is chosen is found in every network, and what stands nowhere is not", () => {
  const layout = placed(TWINS, 1000, measure);
  assert.deepEqual(placesOf(layout.boxes[3]), [{ of: "layer", value: 3 }]);
  assert.deepEqual(boxesAt(layout, [{ of: "layer", value: 3 }]), [3, 19]);
  assert.deepEqual(boxesAt(layout, [{ of: "epoch", value: 3 }, { of: "layer", value: 3 }]), [3, 19]);
  assert.deepEqual(boxesAt(layout, [{ of: "epoch", value: 3 }, { of: "layer", value: 99 }]), []);
  const heads = [1, 2].map((head) => ["", "", head, 0, 1, 1, "gate", { layer: 3, head }]);
  const encoder = placed([{ heading: "", row: 20, nodes: heads, wires: [] }], 300, measure);
  assert.deepEqual(boxesAt(encoder, placesOf(encoder.boxes[1])), [1], "a head is not all heads of its layer");
  assert.deepEqual(boxesAt(encoder, [{ of: "layer", value: 3 }]), [0, 1]);
  const cell = placed([CELL], 600, measure);
  assert.deepEqual(boxesAt(cell, [{ of: "gate", value: "forget" }]), [1]);
  assert.deepEqual(boxesAt(cell, placesOf(cell.boxes[0])), [], "an input is at no place");
});

test("numbers are said as a person would", () => {
  const said = [0, 1, -0.5, 0.01234, 123456, 3.1e-7, NaN, undefined, null, Infinity].map((one) => numberInWords(one));
  assert.deepEqual(said, [
    "0", "1", "−0.5", "0.0123", "1.2 × 10⁵", "3.1 × 10⁻⁷", "no number", "no number", "no number", "not a finite number",
  ]);
  assert.deepEqual([0.123, 0.004, 1].map((one) => numberInWords(one, { scale: "share" })), ["12 %", "0.4 %", "100 %"]);
  assert.equal(numberInWords(-50.3, { scale: "log10" }), "5.0 × 10⁻⁵¹");
  assert.equal(numberInWords(0, { scale: "log10" }), "1");
  assert.equal(numberInWords(2, { unit: "nat" }), "2 nat");
});

test("a number stands between its colour's limits; what a log scale has no place for stands nowhere", () => {
  const log = { scale: "log", limits: [-4, 0] };
  assert.deepEqual([1e-4, 1e-2, 1, 100].map((one) => shareOf(one, log)), [0, 0.5, 1, 1]);
  assert.deepEqual([0, NaN, Infinity, null, undefined].map((one) => shareOf(one, log)), Array(5).fill(undefined));
  assert.equal(shareOf(-50, { scale: "log10", limits: [-100, 0] }), 0.5);
  assert.equal(shareOf(0, { scale: "share", limits: [0, 1] }), 0);
});

test("the colour bar has its numbers within its ends", () => {
  const words = (colour) => ticksOf(colour).map((tick) => tick.words);
  assert.deepEqual(words({ scale: "log", limits: [-6, 3] }), ["10⁻⁶", "10⁻³", "1", "10³"]);
  assert.deepEqual(words({ scale: "share", limits: [0, 1] }), ["0 %", "50 %", "100 %"]);
  assert.deepEqual(words({ scale: "linear", limits: [1, 3], unit: "nat" }), ["1 nat", "2 nat", "3 nat"]);
  assert.equal(words({ scale: "log", limits: [-0.3, 0.4] }).length, 2);
  for (const limits of [[-6, 3], [-300, 2], [0, 1.5]])
    for (const { share } of ticksOf({ scale: "log", limits })) assert.ok(share >= -1e-9 && share <= 1 + 1e-9);
});

const COLOUR = { words: "Gradient norm", scale: "log", limits: [-6, 0], at: 7, values: new Float32Array(32).fill(0.5) };

test("the label says the number of what is chosen, of both twins in one sentence", () => {
  const diagram = { parts: TWINS, step: "epoch", noun: "layer" };
  const layout = placed(TWINS, 1000, measure);
  COLOUR.values[3] = 1e-5;
  const said = told(diagram, layout, [3, 19], COLOUR);
  assert.equal(said, "Layer 3: plain network 1.0 × 10⁻⁵, residual network 0.5. Gradient norm at epoch 7.");
  assert.equal(told(diagram, layout, [], COLOUR), "Choose a layer: the figures mark it.");
  const cell = { parts: [CELL], step: "step", noun: "gate" };
  const one = told(cell, placed([CELL], 600, measure), [1], { ...COLOUR, at: null });
  assert.equal(one, "Forget gate: 0.5. Gradient norm.");
});

const SCALE = [[0, "#000000"], [0.5, "#808080"], [1, "#ffff00"]];

test("colours lie between the scale's stops, and what stands on them can be read", () => {
  assert.deepEqual([0, 0.25, 0.5, 1].map((share) => colourAt(SCALE, share)), [[0, 0, 0], [64, 64, 64], [128, 128, 128], [255, 255, 0]]);
  assert.deepEqual([inkOn([0, 0, 0]), inkOn([255, 255, 0])], ["#ffffff", "#1e1e1c"]);
});

// A pen that notes what is filled with which style.
function pen() {
  const done = [];
  const methods = { measureText: (text) => ({ width: measure(text) }), fillText: (text, x, y) => done.push({ text, x, y }) };
  return new Proxy({ done }, {
    get: (target, name) => (name in target ? target[name] : (methods[name] ?? (() => name === "fill" && done.push({ fill: target.fillStyle })))),
  });
}

const INK = { text: "#111111", muted: "#222222", surface: "#333333", gap: "#444444", accent: "#555555" };
const NOTHING = { ink: INK, font: "sans-serif", chosen: [], pointed: [], focused: undefined };

test("every box gets its colour, a number without a place none, and the labels below do not touch", () => {
  const parts = [layers(60, "Deep", true)];
  const layout = placed(parts, 340, measure);
  const values = Float32Array.from({ length: 60 }, (_, l) => 10 ** (-l / 10));
  values[4] = 0;
  const noted = pen();
  paintDiagram(noted, { parts, scale: SCALE }, layout, { ...COLOUR, values }, NOTHING);
  const fills = noted.done.filter(({ fill }) => fill?.startsWith("rgb")).map(({ fill }) => fill);
  assert.equal(fills.length, 59);
  assert.equal(fills[0], "rgb(255,255,0)");
  const below = noted.done.filter(({ text, y }) => text !== undefined && y > layout.places[0].low).sort((one, other) => one.x - other.x);
  assert.deepEqual([below[0].text, below.at(-1).text], ["0", "59"]);
  below.slice(1).forEach((one, at) => assert.ok(one.x - below[at].x >= (measure(one.text) + measure(below[at].text)) / 2));
});
