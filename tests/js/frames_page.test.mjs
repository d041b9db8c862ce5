import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./page.mjs";
import { framesPage, goToStep, stepOf, watchStep } from "../../goldviz/ui/assets/frames_page.js";

const settled = (milliseconds = 40) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function answerOf(lanes) {
  const words = new TextEncoder().encode(JSON.stringify({ lanes }));
  const whole = new ArrayBuffer(4 + words.length);
  new DataView(whole).setUint32(0, words.length, true);
  new Uint8Array(whole, 4).set(words);
  return { status: 200, arrayBuffer: async () => whole };
}

function laneOf(figures, more = {}) {
  const drawn = Object.fromEntries(
    figures.map((name) => [name, { figure: { data: [], layout: { title: name } }, rows: [], kept: {}, redrawn: false }]),
  );
  return { id: "run", fresh: true, version: 5, run: false, sense: "s", last: 9, steps: {}, figures: drawn, ...more };
}

let asked;
let answers;
beforeEach(() => {
  asked = [];
  answers = [];
  globalThis.document.hidden = false;
  globalThis.fetch = (address, { signal } = {}) => {
    asked.push(decodeURIComponent(address));
    const answer = answers.shift();
    return answer
      ? Promise.resolve(answer)
      : new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  };
});

function watched(page, figure) {
  const watcher = { lane: "run", figure, told: 0, changed: () => (watcher.told += 1) };
  watcher.stop = page.watch(watcher);
  return watcher;
}

test("figures that are put up together are asked for in one question", async () => {
  const page = framesPage("/together");
  answers.push(answerOf([laneOf(["loss", "decay_rate"])]));
  const [one, two] = [watched(page, "loss"), watched(page, "decay_rate")];
  await settled();
  assert.equal(asked.length, 1);
  assert.deepEqual(JSON.parse(asked[0].split("has=")[1]).run.wants, ["loss", "decay_rate"]);
  assert.equal(page.figureAt("run", "loss", null).layout.title, "loss");
  assert.ok(one.told && two.told);
  one.stop();
  two.stop();
});

test("a report asks nobody, and its slider stops wherever any figure was recorded", async () => {
  const page = framesPage("");
  const kept = { epoch: { from: 0, places: [0, 1, 2] }, histogram_epoch: { from: 0, places: [0] } };
  const steps = { epoch: { from: 0, labels: [1, 2, 3] }, histogram_epoch: { from: 0, labels: [1] } };
  const lane = laneOf(["loss", "histogram"], { steps, last: 3 });
  lane.figures.loss.kept = { epoch: kept.epoch };
  lane.figures.histogram.kept = { histogram_epoch: kept.histogram_epoch };
  page.take({ header: { lanes: [lane] } });
  const watchers = [watched(page, "loss"), watched(page, "histogram"), watched(page, "not carried")];
  await settled();
  assert.deepEqual(asked, []);
  assert.equal(page.stepFor(2), 2);
  assert.equal(page.figureAt("run", "histogram", 2).layout.title, "histogram");
  watchers.forEach(({ stop }) => stop());
});

test("a timeline waits for the figures that come with it", async () => {
  const page = framesPage("/company");
  answers.push(answerOf([laneOf(["loss"])]));
  const timeline = watched(page, "");
  await settled(60);
  assert.equal(asked.length, 0);
  const loss = watched(page, "loss");
  await settled();
  assert.equal(asked.length, 1);
  assert.deepEqual(JSON.parse(asked[0].split("has=")[1]).run.wants, ["loss"]);
  timeline.stop();
  loss.stop();
});

test("a timeline without figures is told all the same", async () => {
  const page = framesPage("/alone");
  answers.push(answerOf([laneOf([])]));
  const timeline = watched(page, "");
  await settled(250);
  assert.equal(asked.length, 1);
  assert.equal(page.last(), 9);
  timeline.stop();
});

test("a run that has recorded nothing is asked about again at once, one that has after a pause", async () => {
  const page = framesPage("/first-record");
  answers.push(answerOf([laneOf(["loss"], { run: true, last: 0 })]), answerOf([laneOf(["loss"], { run: true, last: 1 })]));
  const loss = watched(page, "loss");
  await settled(120);
  assert.equal(asked.length, 2);
  assert.equal(page.last(), 1);
  await settled(300);
  assert.equal(asked.length, 3);
  loss.stop();
});

test("what was in view stays until a run that begins has its first record, but not for long", async () => {
  const soon = framesPage("/begins");
  const nothing = laneOf(["loss"], { run: true, last: 0 });
  answers.push(answerOf([nothing]));
  const loss = watched(soon, "loss");
  await settled(30);
  assert.equal(soon.figureAt("run", "loss", null), undefined);
  assert.ok(soon.begins("run"));
  soon.take({ header: { lanes: [{ ...nothing, fresh: false, last: 1, version: 6 }] } });
  assert.equal(soon.figureAt("run", "loss", null).layout.title, "loss");
  assert.ok(!soon.begins("run"));
  loss.stop();
  const late = framesPage("/begins-late");
  answers.push(answerOf([nothing]), answerOf([{ ...nothing, fresh: false, version: 6 }]));
  const waiting = watched(late, "loss");
  await settled(300);
  assert.equal(answers.length, 0, "answered twice meanwhile");
  assert.equal(late.figureAt("run", "loss", null), undefined);
  const told = waiting.told;
  await settled(800);
  assert.equal(late.figureAt("run", "loss", null).layout.title, "loss");
  assert.ok(waiting.told > told, "and it is drawn");
  waiting.stop();
});

test("a recorded example is asked for once, a run again and again from its edition on", async () => {
  const example = framesPage("/example");
  answers.push(answerOf([laneOf(["loss"])]));
  const still = watched(example, "loss");
  await settled(400);
  assert.equal(asked.length, 1);
  still.stop();
  const page = framesPage("/run");
  answers.push(answerOf([laneOf(["loss"], { run: true })]), { status: 204 });
  const growing = watched(page, "loss");
  await settled(700);
  assert.ok(asked.length >= 3);
  assert.equal(JSON.parse(asked[2].split("has=")[1]).run.edition, 5);
  growing.stop();
});

test("a figure that comes later is asked for at once, though a question waits", async () => {
  const page = framesPage("/later");
  answers.push(answerOf([laneOf(["loss"], { run: true })]));
  const one = watched(page, "loss");
  await settled(350);
  assert.equal(asked.length, 2, "the second question waits");
  answers.push(answerOf([laneOf(["decay_rate"], { run: true, fresh: false })]));
  const two = watched(page, "decay_rate");
  await settled();
  assert.equal(asked.length, 3);
  assert.ok(page.figureAt("run", "decay_rate", null));
  assert.ok(page.figureAt("run", "loss", null), "what was there stays");
  one.stop();
  two.stop();
});

test("nobody watches: nobody asks", async () => {
  const page = framesPage("/nobody");
  answers.push(answerOf([laneOf(["loss"], { run: true })]));
  watched(page, "loss").stop();
  await settled(400);
  assert.ok(asked.length <= 1);
});

test("a page out of sight asks nothing, and asks when it is seen again", async () => {
  globalThis.document.hidden = true;
  const page = framesPage("/hidden");
  const watcher = watched(page, "loss");
  await settled(50);
  assert.equal(asked.length, 0);
  globalThis.document.hidden = false;
  answers.push(answerOf([laneOf(["loss"])]));
  document.hear("visibilitychange");
  await settled();
  assert.equal(asked.length, 1);
  watcher.stop();
});

test("a server that is away is asked again, and said to be away", async () => {
  const page = framesPage("/away");
  globalThis.fetch = async () => {
    asked.push("");
    throw new TypeError("Failed to fetch");
  };
  const watcher = watched(page, "loss");
  await settled(1200);
  assert.ok(asked.length >= 2);
  assert.match(page.trouble, /does not answer/);
  watcher.stop();
});

test("what the server refuses is told, and not asked again", async () => {
  const page = framesPage("/refused");
  answers.push({ status: 404, text: async () => "Reload it." });
  const watcher = watched(page, "loss");
  await settled(400);
  assert.equal(page.trouble, "Reload it.");
  assert.equal(asked.length, 1);
  watcher.stop();
});

test("a run that is gone keeps its page from asking for its figures", async () => {
  const page = framesPage("/gone");
  answers.push(answerOf([{ id: "run", gone: "There is no run." }]));
  const watcher = watched(page, "loss");
  await settled(400);
  assert.equal(page.lanes.get("run").gone, "There is no run.");
  assert.equal(page.figureAt("run", "loss", null), undefined);
  assert.equal(asked.length, 1);
  watcher.stop();
});

test("the step in view is one for all who watch it", () => {
  const seen = [];
  const stop = watchStep("lab", (step) => seen.push(step));
  goToStep("lab", 3);
  goToStep("lab", 3);
  goToStep("lab", null);
  stop();
  goToStep("lab", 5);
  assert.deepEqual(seen, [3, null]);
  assert.equal(stepOf("lab"), 5);
});

test("a step that is not among the frames is fetched once the person rests, and kept", async () => {
  const page = framesPage("/rest");
  answers.push(answerOf([laneOf(["fan"])]));
  const watcher = watched(page, "fan");
  await settled();
  page.lanes.get("run").figures.fan.redrawn = true;
  for (const step of [3, 4, 5]) page.figureAt("run", "fan", step, watcher.changed);
  const exact = laneOf(["fan"]);
  exact.figures.fan.figure.layout.title = "fan at 5";
  answers.push(answerOf([exact]));
  await settled(200);
  assert.equal(asked.length, 2);
  assert.ok(asked[1].endsWith("/run/fan/5"));
  assert.equal(page.figureAt("run", "fan", 5).layout.title, "fan at 5");
  assert.equal(page.figureAt("run", "fan", null).layout.title, "fan");
  watcher.stop();
});

test("a page says how thinned its figures are, and nothing of figures that have every step", async () => {
  const page = framesPage("/thinned");
  const labels = [...Array(100).keys()];
  const thin = { figure: { data: [], layout: {} }, rows: [], redrawn: false };
  const kept = { epoch: { from: 0, places: labels.filter((step) => step % 4 === 0) } };
  const lane = laneOf(["loss"], { steps: { epoch: { from: 0, labels } } });
  answers.push(answerOf([{ ...lane, figures: { ...lane.figures, thin: { ...thin, kept } } }]));
  const watcher = watched(page, "loss");
  assert.equal(page.oneIn(), 1);
  await settled();
  assert.equal(page.oneIn(), 4);
  watcher.stop();
});

function recordedAt(dims, steps, last) {
  const drawn = { figure: { data: [], layout: {} }, rows: [], kept: {}, redrawn: false };
  for (const dim of dims) drawn.kept[dim] = { from: 0, places: steps[dim].map((_, place) => place) };
  const labels = Object.fromEntries(Object.entries(steps).map(([dim, all]) => [dim, { from: 0, labels: all }]));
  return { id: "run", fresh: true, version: 5, run: false, sense: "s", last, steps: labels, figures: { one: drawn } };
}

const upTo = (last, every = 1) => [...Array(last + 1).keys()].filter((step) => step === 1 || (step && step % every === 0));

test("the step in view is one at which every figure in view was recorded", async () => {
  const page = framesPage("/common");
  const steps = { step: [...Array(199).keys()].map((step) => step + 1), look: upTo(199, 10), close_look: upTo(199, 40) };
  const sent = recordedAt(["step"], steps, 199);
  sent.figures.two = { ...recordedAt(["look"], steps, 199).figures.one };
  sent.figures.three = { ...recordedAt(["look", "close_look"], steps, 199).figures.one };
  answers.push(answerOf([sent]));
  const one = watched(page, "one");
  await settled();
  assert.deepEqual([null, 57, 199].map((step) => page.stepFor(step)), [199, 57, 199]);
  answers.push(answerOf([sent]));
  const two = watched(page, "two");
  const told = one.told;
  await settled(30);
  assert.deepEqual([null, 57, 199, 1, 9].map((step) => page.stepFor(step)), [190, 50, 190, 1, 1]);
  assert.ok(one.told > told, "what was in view hears of it");
  assert.equal(page.stepTowards(51, 50), 60);
  assert.equal(page.stepTowards(49, 50), 40);
  assert.equal(page.stepTowards(199, 190), 190);
  const three = watched(page, "three");
  await settled(30);
  assert.equal(page.stepFor(null), 160);
  three.stop();
  two.stop();
  await settled(30);
  assert.equal(page.stepFor(null), 199);
  one.stop();
});

test("a lane that ended earlier does not hold back a longer one", async () => {
  const page = framesPage("/lanes");
  const long = { step: upTo(400), look: upTo(400, 10) };
  const short = { ...recordedAt(["look"], { step: upTo(125), look: upTo(125, 10) }, 125), id: "short" };
  answers.push(answerOf([recordedAt(["look"], long, 400), short]));
  const stops = ["run", "short"].map((lane) => page.watch({ lane, figure: "one", changed: () => undefined }));
  await settled();
  assert.deepEqual([null, 305, 124].map((step) => page.stepFor(step)), [400, 300, 120]);
  stops.forEach((stop) => stop());
});
