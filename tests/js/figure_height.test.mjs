import assert from "node:assert/strict";
import { test } from "node:test";
import { highAs, ofHeight, roomAt, roomOf } from "../../goldviz/ui/assets/figure_height.js";

test("a first figure ends above the window's foot, and those of lanes both do", () => {
  const { least, most } = roomOf(900, 1);
  assert.ok(least > 540 && 320 + least < 900 && most === Infinity);
  assert.equal(roomOf(1440, 1).least, 720, "a large window's figure stays a figure");
  const lanes = roomOf(900, 3);
  assert.equal(lanes.least, lanes.most, "all lanes have one box");
  assert.ok(2 * lanes.least < 900 - 380);
});

test("a figure is never lower than it was drawn for, and what stands under its plot keeps its distance", () => {
  const drawn = { height: 430, margin: { t: 60, b: 70 }, legend: { y: -0.2 }, annotations: [{ y: -0.1, yref: "paper" }, { y: 7, yref: "y" }] };
  assert.equal(highAs({ least: 300, most: Infinity, brief: false }, drawn, 17).height, 430);
  assert.equal(highAs({ least: 564, most: Infinity, brief: false }, drawn, 17).height, 547);
  const high = ofHeight(drawn, 730);
  assert.deepEqual([high.legend.y, high.annotations[0].y, high.annotations[1].y], [-0.1, -0.05, 7]);
  assert.equal(ofHeight({ ...drawn, legend: { y: 1.2 } }, 730).legend.y, 1.1);
});

test("where no window is known, a figure stays as it is", () => {
  assert.deepEqual(roomAt({ closest: () => undefined }), { least: 0, most: Infinity, brief: false });
});
