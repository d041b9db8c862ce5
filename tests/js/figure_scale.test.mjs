import assert from "node:assert/strict";
import { test } from "node:test";
import { toOneScale } from "../../goldviz/ui/assets/figure_scale.js";

// Two axes on which a unit is 10 pixels along x and 40 along y.
function axes(x = {}, y = {}) {
  const ends = { from: 0, to: 1, low: 0, high: 10, ends: [0, 10] };
  return { xaxis: { ...ends, length: 100, ...x }, yaxis: { ...ends, length: 400, scaleanchor: "x", ...y } };
}

function made(x, y) {
  const all = axes(x, y);
  toOneScale(all);
  return Object.values(all).map(({ from, to, low, high, length }) => [from, to, low, high, length].map((one) => Math.round(1000 * one) / 1000));
}

test("the axis with the shorter unit stays, and the other one reaches further on both sides", () => {
  assert.deepEqual(made(), [[0, 1, 0, 10, 100], [0, 1, -15, 25, 400]]);
  assert.deepEqual(made({}, { low: 10, high: 0 })[1], [0, 1, 25, -15, 400]);
});

test("an axis that gives way by its place has less of the plot, in the middle or at an end", () => {
  const domain = { constrain: "domain" };
  assert.deepEqual(made(domain, domain), [[0, 1, 0, 10, 100], [0.375, 0.625, 0, 10, 100]]);
  assert.deepEqual(made(domain, { ...domain, constraintoward: "bottom" })[1], [0, 0.25, 0, 10, 100]);
});

test("a unit may be so many times as long, an axis may follow one that follows another, and others stay as they are", () => {
  assert.deepEqual(made({}, { scaleratio: 4 }), made({}, { scaleanchor: undefined }));
  const all = { ...axes(), yaxis2: { ...axes().yaxis, scaleanchor: "y", scaleratio: 0.5 } };
  toOneScale(all);
  assert.deepEqual(Object.values(all).map(({ low, high, length }) => length / (high - low)), [10, 10, 5]);
});

test("what Plotly leaves as it is, or finds in another way, waits for it", () => {
  assert.throws(() => made({}, { fixedrange: true }), /may not change/);
  assert.throws(() => made({}, { scaleanchor: "x7" }), /on the scale of none/);
  assert.throws(() => made({ scaleanchor: "y" }), /may not change/);
  assert.throws(() => made({}, { constrain: "domain", ends: undefined }), /whose reach Plotly finds/);
});
