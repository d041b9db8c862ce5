import { test } from "node:test";
import assert from "node:assert/strict";
import { orderFor } from "../../goldviz/ui/assets/story_progress.js";

const said = { kept: "new", heard: null, longest: 10 };

test("what this page wrote is replaced, what it did not write is told first", () => {
  assert.equal(orderFor("", undefined, said), "write");
  assert.equal(orderFor("old", undefined, said), "tell");
  assert.equal(orderFor("old", undefined, { ...said, heard: "old" }), "write");
  assert.equal(orderFor("old", "old", said), "write");
  assert.equal(orderFor("new", undefined, said), "rest");
});

test("what is longer than the server hears is written over", () => {
  assert.equal(orderFor("x".repeat(11), undefined, said), "write");
});
