import assert from "node:assert/strict";
import { test } from "node:test";
import { inTwoLines, marksOf, rangesOf, resultOf, tellWords } from "../../goldviz/ui/assets/figure_words.js";

test("a label says the notes and where the curves end, and the question only where there is no result", () => {
  const curves = [
    { type: "scatter", mode: "lines", name: "plain<b>", y: [3, 0.8912, null] },
    { type: "scatter", mode: "lines+markers", name: "residual", y: [2, 1.2e-5] },
    { type: "scatter", mode: "lines", name: "band", y: [1], showlegend: false },
    { type: "bar", name: "bars", y: [7] },
  ];
  assert.equal(
    resultOf(["Epoch 20.", "Thin: <i>training</i> loss"], curves, "Does it learn?"),
    "Epoch 20. Thin: training loss. plain ends at 0.891, residual ends at 1.2e-5.",
  );
  assert.equal(resultOf([], [], "Does it learn?"), "Does it learn?");
});

test("a curve over an axis of logarithms ends at a number, not at its exponent", () => {
  const along = { type: "scatter", mode: "lines" };
  const curves = [
    { ...along, name: "kept", y: [0, -15.8], yaxis: "y" },
    { ...along, name: "beside", y: [0, -15.8], yaxis: "y2" },
    { ...along, name: "near one", y: [0, -0.301] },
    { ...along, name: "none left", y: [0, -400.0000001] },
  ];
  assert.equal(
    resultOf([], curves, "", { y: true }),
    "kept ends at 1.6e-16, beside ends at -15.8, near one ends at 0.5, none left ends at 1.0e-400.",
  );
  assert.equal(resultOf([], [{ ...along, name: "bound", y: [412.5] }], "", { y: true }), "bound ends at 3.2e+412.");
});

test("notes of more than two lines are cut, and others are not", () => {
  assert.deepEqual(inTwoLines(["a", "b"]), ["a", "b"]);
  assert.deepEqual(inTwoLines(["a", "b", "c", "d"]), ["a", "b …"]);
});

test("axes say what they reach over, on any scale and each once", () => {
  const layout = {
    meta: { logarithms: { y2: true } },
    xaxis: { title: { text: "Epoch" }, type: "linear", range: [20.5, 0.5] },
    xaxis2: { title: { text: "Epoch" }, type: "linear", range: [0.5, 20.5] },
    yaxis: { title: { text: "Norm of dL/dW<sub>1</sub>" }, type: "log", range: [-6, 2] },
    yaxis2: { title: { text: "Bound" }, type: "linear", range: [-400, 0] },
    yaxis3: { title: { text: "Network" }, type: "category", names: ["plain", "a &lt; b"], range: [-0.5, 1.5] },
    xaxis3: { title: { text: "Day" }, type: "date", range: ["2018-04-25 12:00", "2024-12-31"] },
    xaxis4: { title: { text: "Hidden" }, visible: false, range: [0, 1] },
    xaxis5: { title: { text: "" }, range: [0, 1] },
  };
  assert.deepEqual(rangesOf(layout), [
    "Epoch from 0.5 to 20.5",
    "Norm of dL/dW1 from 1.0e-6 to 100",
    "Bound from 1.0e-400 to 1",
    "Network from plain to a < b",
    "Day from 2018-04-25 to 2024-12-31",
  ]);
});

test("colours say what they reach over by the words beside them", () => {
  const coloraxis = { cmin: -6, cmax: 0, colorbar: { title: { text: "Share" } } };
  assert.deepEqual(rangesOf({ coloraxis, meta: { logarithms: { color: true } } }), ["Share from 1.0e-6 to 1"]);
});

test("what is drawn is said quantity by quantity with the range of its numbers, bands and what is hidden left out", () => {
  const curve = { type: "scatter", mode: "lines" };
  const data = [
    { ...curve, name: "plain", y: [3, 0.5, null] },
    { ...curve, name: "residual", y: new Float32Array([2, 0.25]) },
    { ...curve, name: "band", y: [99], hoverinfo: "skip" },
    { ...curve, name: "hidden", y: [99], visible: false },
    { type: "bar", orientation: "h", x: [1, 7], y: ["a", "b"], xaxis: "x2" },
    { type: "heatmap", z: [[-2, null], new Float64Array([-5, NaN])] },
  ];
  const layout = {
    meta: { logarithms: { color: true } },
    yaxis: { title: { text: "Loss<br>of both" } },
    xaxis2: { title: { text: "Days" } },
    coloraxis: { colorbar: { title: { text: "Share" } } },
  };
  assert.deepEqual(marksOf(data, layout), [
    "Loss of both: 2 curves (plain, residual) from 0.25 to 3",
    "Days: row of bars from 1 to 7",
    "Share: heat map from 1.0e-5 to 0.01",
  ]);
  const many = "abcdefgh".split("").map((name) => ({ ...curve, name, y: [1] }));
  assert.deepEqual(marksOf(many, {}), ["8 curves (a, b, c, d, e, f, 2 more) at 1"]);
});

test("a figure is named by its title and result, and a veiled one by its question alone", () => {
  const attributes = {};
  const host = { children: [], closest: () => true, getAttribute: (name) => attributes[name], setAttribute: (name, words) => (attributes[name] = words) };
  const layout = { title: { text: "Loss<br>by step" }, meta: { notes: ["Epoch 3."] }, yaxis: { title: { text: "Loss" }, range: [0, 4] } };
  const figure = { layout, data: [{ mode: "lines", name: "plain", y: [3, 1] }] };
  tellWords(host, figure, layout, "Does it learn?");
  assert.deepEqual(attributes, {
    "aria-label": "Loss by step. Epoch 3. plain ends at 1.",
    "aria-description": "Does it learn? Loss: curve (plain) from 1 to 3. Loss from 0 to 4.",
  });
  tellWords(host, figure, layout, "Loss by step The loss of both.");
  assert.match(attributes["aria-description"], /^The loss of both\. Loss: curve/);
  const empty = { data: [], layout: { title: { text: "Loss" }, annotations: [{ text: "Nothing was<br>recorded." }] } };
  tellWords(host, empty, empty.layout, "Does it learn?");
  assert.equal(attributes["aria-label"], "Loss. Nothing was recorded.");
  tellWords(host, figure, layout, "Does it learn?", true);
  assert.deepEqual(Object.values(attributes), ["Does it learn?", "Does it learn?"]);
});
