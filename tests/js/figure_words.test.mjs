import assert from "node:assert/strict";
import { test } from "node:test";
import { inTwoLines, resultOf } from "../../goldviz/ui/assets/figure_words.js";

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
