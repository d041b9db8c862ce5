import assert from "node:assert/strict";
import { test } from "node:test";
import { putInto } from "../../goldviz/ui/assets/figure_drag.js";
import { ofBase64 } from "../../goldviz/ui/assets/figure_fill.js";

test("a trace's numbers come as a list or in base64", () => {
  const bdata = Buffer.from(new Float32Array([1.5, -2]).buffer).toString("base64");
  assert.deepEqual([...ofBase64({ dtype: "f4", bdata })], [1.5, -2]);
  assert.deepEqual(ofBase64([1, null]), [1, null]);
  assert.equal(ofBase64(undefined), undefined);
});

test("only traces that change are drawn, and what is missing leaves a gap", () => {
  const axes = [{ d2c: (value) => value }, { d2c: Math.log10 }];
  const points = [{ x: 0, y: 0, kept: "a" }, { x: undefined, y: undefined }];
  assert.equal(putInto(points, [0, 1], [1, NaN], axes), false);
  assert.equal(putInto(points, [0, null], [100, 1], axes), true);
  assert.deepEqual(points, [{ x: 0, y: 2, kept: "a" }, { x: undefined, y: undefined }]);
});
