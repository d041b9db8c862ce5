import assert from "node:assert/strict";
import { test } from "node:test";
import { otherBase, whyRefused } from "../../goldviz/ui/assets/connection.js";

test("a page that was opened where the server was asked for it has no other base path", () => {
  assert.equal(otherBase("/", "/", "/"), undefined);
  assert.equal(otherBase("/lab/", "/lab/runs", "/lab/runs"), undefined);
});

test("the base path that a proxy takes away is found, at a page's address too", () => {
  assert.equal(otherBase("/", "/", "/lab/"), "/lab");
  assert.equal(otherBase("/", "/", "/lab"), "/lab");
  assert.equal(otherBase("/", "/runs", "/user/anna/lab/runs"), "/user/anna/lab");
});

test("a proxy that puts one base path into another's place, or adds one, is seen", () => {
  assert.equal(otherBase("/lab/", "/lab/runs", "/other/runs"), "/other");
  assert.equal(otherBase("/lab/", "/lab/", "/"), "");
});

test("a file that did not arrive is told of in a sentence, the server's own where it has one", () => {
  assert.match(whyRefused(413, ""), /too large/);
  assert.match(whyRefused(403, ""), /tab of its own/);
  assert.equal(whyRefused(403, "This page is of another site."), "This page is of another site.");
  for (const status of [0, 500]) assert.match(whyRefused(status, ""), /Choose it again/);
});
