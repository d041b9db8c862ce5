import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { neighbour, orderOf, presentedHeight } from "../../goldviz/ui/assets/figure_present.js";

test("keys mean what the page says, and others nothing", () => {
  const keys = { ArrowLeft: "back", ArrowRight: "on", " ": "play", n: "next", B: "before", Escape: "leave", p: "leave" };
  for (const [key, order] of Object.entries(keys)) assert.equal(orderOf(key), order);
  for (const key of ["Tab", "a", "Enter", "constructor"]) assert.equal(orderOf(key), undefined);
});

test("after the last figure comes the first, and before it the last", () => {
  assert.equal(neighbour(0, 3, 1), 1);
  assert.equal(neighbour(2, 3, 1), 0);
  assert.equal(neighbour(0, 3, -1), 2);
  assert.equal(neighbour(-1, 3, 1), 0);
});

test("a presented figure fills the window above the timeline, and is never flat", () => {
  assert.equal(presentedHeight(996, 1.5, 96), 600);
  assert.equal(presentedHeight(200, 1.5, 96), 240);
});
