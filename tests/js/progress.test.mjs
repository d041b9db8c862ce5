import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import progress from "../../goldviz/ui/assets/progress.js";
import { framesPage } from "../../goldviz/ui/assets/frames_page.js";

const settled = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A progress bar of a run whose page knows the sense "queued", and what it told the server since.
function shownAt(address) {
  const told = [];
  const classList = { toggle: () => undefined };
  const host = { style: {}, classList, setAttribute: () => undefined, querySelector: () => (host.part ??= { style: {} }) };
  const parentElement = { querySelector: () => host };
  const data = { address, lane: "run", sense: "queued", share: 0, words: "Waiting" };
  const stop = progress({ data, parentElement, setTriggerValue: (_, sense) => told.push(sense) });
  const take = (lane) =>
    framesPage(address).take({ header: { lanes: [{ id: "run", run: true, steps: {}, figures: {}, ...lane }] } });
  return { told, stop, take };
}

test("a page hears once of all that changes as a run begins, when it has its first record", async () => {
  const { told, stop, take } = shownAt("/soon");
  take({ fresh: true, version: 1, sense: "queued", last: 0 });
  take({ version: 2, sense: "running", last: 0 });
  await settled(250);
  assert.deepEqual(told, []);
  take({ version: 3, sense: "recorded", last: 1 });
  take({ version: 4, sense: "complained", last: 2 });
  assert.deepEqual(told, []);
  await settled(250);
  assert.deepEqual(told, ["complained"]);
  take({ version: 5, sense: "finished", last: 3 });
  await settled(250);
  assert.deepEqual(told, ["complained", "finished"]);
  stop();
});

test("a page hears of a run that begins late, and nothing after it was left", async () => {
  const { told, stop, take } = shownAt("/late");
  take({ fresh: true, version: 1, sense: "running", last: 0 });
  await settled(1300);
  assert.deepEqual(told, ["running"]);
  take({ version: 2, sense: "failed", last: 0 });
  stop();
  await settled(250);
  assert.deepEqual(told, ["running"]);
});
