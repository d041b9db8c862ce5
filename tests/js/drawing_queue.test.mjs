import assert from "node:assert/strict";
import { test } from "node:test";
import { Element, soon } from "./page.mjs";
import { distance, inTurn, queue } from "../../goldviz/ui/assets/drawing_queue.js";

function at(top) {
  const host = new Element("div");
  host.getBoundingClientRect = () => ({ top, bottom: top + 100 });
  return host;
}

test("how far a part is out of sight", () => {
  assert.deepEqual([-300, -50, 10, 850, 1000].map((top) => distance(at(top))), [200, 0, 0, 0, 100]);
});

test("what is in sight is drawn first, the rest when that has come to rest", async () => {
  const drawn = [];
  const [far, near, other] = [at(3000), at(10), at(50)];
  inTurn(near, async () => drawn.push("near"));
  inTurn(far, async () => drawn.push("far"));
  inTurn(other, async () => drawn.push("other"));
  await Promise.all([near.goldvizTurn, other.goldvizTurn]);
  assert.deepEqual(drawn, ["near", "other"]);
  await far.goldvizTurn;
  assert.deepEqual(drawn, ["near", "other", "far"]);
  await soon(5);
  assert.equal(queue.busy, false);
});

test("figures that are drawn in no time are drawn together, and a long draw lets the page answer", async (context) => {
  await soon(20);
  let clock = performance.now();
  context.mock.method(performance, "now", () => clock);
  const done = [];
  setTimeout(() => done.push("answered"));
  const hosts = [at(10), at(10), at(10)];
  for (const host of hosts) inTurn(host, async () => done.push("drawn"));
  await Promise.all(hosts.map((host) => host.goldvizTurn));
  assert.deepEqual(done, ["drawn", "drawn", "drawn"]);
  await soon(20);
  done.length = 0;
  const long = async () => {
    done.push("drawn");
    clock += 60;
  };
  setTimeout(() => done.push("answered"));
  for (const host of hosts) inTurn(host, long);
  await Promise.all(hosts.map((host) => host.goldvizTurn));
  assert.deepEqual(done.slice(0, 3), ["drawn", "answered", "drawn"]);
});

test("what comes into sight does not wait for the rest of what is out of it", async () => {
  await soon(20);
  const drawn = [];
  const [near, far, next] = [at(10), at(3000), at(10)];
  inTurn(near, async () => drawn.push("near"));
  inTurn(far, async () => drawn.push("far"));
  await near.goldvizTurn;
  await soon(10);
  inTurn(next, async () => drawn.push("next"));
  for (let turn = 0; turn < 20; turn++) await undefined;
  assert.deepEqual(drawn, ["near", "next"]);
  await far.goldvizTurn;
});

test("a draw that fails is told, and keeps no other one waiting", async () => {
  const told = [];
  globalThis.reportError = (error) => told.push(error.message);
  const [one, other] = [at(0), at(0)];
  inTurn(one, () => Promise.reject(new Error("no canvas")));
  inTurn(other, async () => told.push("drawn"));
  await Promise.all([one.goldvizTurn, other.goldvizTurn]);
  assert.deepEqual(told, ["no canvas", "drawn"]);
});
