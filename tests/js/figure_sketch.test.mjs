import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, stroked, whole } from "../../goldviz/ui/assets/figure_sketch.js";

test("a stroke leaves a straight line between its points, whichever way the hand went", () => {
  const blank = [null, null, null, null, null];
  const [left, right] = [{ at: 1, height: 0 }, { at: 3, height: 1 }];
  for (const [from, to] of [[left, right], [right, left]]) {
    assert.deepEqual(stroked(blank, from, to), [null, 0, 0.5, 1, null]);
  }
  assert.deepEqual(stroked([1, 1, 1], { at: 1, height: 0.2 }, { at: 1, height: 0.4 }), [1, 0.4, 1]);
});

test("a curve that was drawn in part has no gaps in the end", () => {
  assert.deepEqual(whole([null, 0.2, null, 0.6, null]), [0.2, 0.2, 0.2, 0.6, 0.6]);
  assert.deepEqual(whole([null, null]), [0.5, 0.5]);
});

test("a hand draws at the nearest point across", () => {
  assert.deepEqual([-5, 0, 4, 6, 99].map((x) => nearest([0, 10, 20], x)), [0, 0, 0, 1, 2]);
});
