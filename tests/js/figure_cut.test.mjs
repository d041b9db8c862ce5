import assert from "node:assert/strict";
import { test } from "node:test";
import { cutArea, cutLine } from "../../goldviz/ui/assets/figure_cut.js";

// A panel of 10 pixels each way: what is drawn reaches from -200 to 210.
const xaxis = { length: 10, pixel: (share) => 10 * share };
const yaxis = { length: 10, pixel: (share) => 10 - 10 * share };

test("a line is cut where it is far from its panel, goes on where it comes back, and keeps its gaps", () => {
  const near = [[0, 0], [NaN, 5], [10, 200]];
  assert.equal(cutLine(near, xaxis, yaxis), near);
  assert.deepEqual(cutLine([[0, 0], [4000, 0], [4000, 9], [0, 9]], xaxis, yaxis), [[0, 0], [210, 0], [NaN, NaN], [NaN, NaN], [210, 9], [0, 9]]);
  assert.deepEqual(cutLine([[-1e12, 5], [1e12, 5]], xaxis, yaxis), [[NaN, NaN], [NaN, NaN], [-200, 5], [210, 5]]);
  assert.deepEqual(cutLine([[0, 0], [NaN, NaN], [0, 1e9], [0, 110]], xaxis, yaxis).map(([, y]) => y), [0, NaN, NaN, NaN, 210, 110]);
});

test("an area keeps its corners that are near and has others where it is cut", () => {
  const near = [[0, 0], [10, 0], [10, 10]];
  assert.equal(cutArea(near, xaxis, yaxis), near);
  assert.deepEqual(cutArea([[0, 0], [1e6, 0], [1e6, 10], [0, 10]], xaxis, yaxis).sort(), [[0, 0], [0, 10], [210, 0], [210, 10]]);
  assert.deepEqual(cutArea([[500, 0], [600, 0], [600, 10]], xaxis, yaxis), []);
});
