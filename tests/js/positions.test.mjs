import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { soon } from "./page.mjs";
import weight from "../../goldviz/labs/inside_bert/assets/weight_by_hand.js";
import timeline from "../../goldviz/ui/assets/timeline.js";
import { asking } from "../../goldviz/ui/assets/live_figure.js";
import { positionsPage, stepOf } from "../../goldviz/ui/assets/frames_page.js";

// What the server sends of one figure: a title and an axis at positions 0, 1 and 2; the axis is not there at the last.
function sent(titles) {
  const row = (words) => ({ dim: "position", from: 0, words, index: [0, 1, 2] });
  const header = {
    fresh: true,
    look: {},
    steps: { position: { from: 0, labels: [0, 1, 2] } },
    figures: {
      one: {
        figure: { data: [], layout: { title: { $: 0 }, xaxis2: { $: 1 } } },
        rows: [row(titles), row([{}, {}, null])],
        kept: { position: { from: 0, places: [0, 1, 2] } },
        redrawn: false,
      },
    },
  };
  const words = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(words.length);
  return Buffer.concat([length, words]).toString("base64");
}

test("a page knows the figures of the settings that were sent last", () => {
  const page = positionsPage("lens");
  let told = 0;
  const stop = page.watch({ changed: () => (told += 1) });
  assert.equal(page.figureAt("a", "one", 1), undefined);
  page.take({ lane: "a", figures: { one: sent(["x", "y", "z"]) } });
  assert.equal(page.figureAt("a", "one", 1).layout.title, "y");
  assert.deepEqual(page.figureAt("a", "one", 1).layout.xaxis2, {});
  assert.ok(!("xaxis2" in page.figureAt("a", "one", 2).layout));
  assert.equal(page.figureAt("b", "one", 1), undefined);
  page.take({ lane: "b", figures: {} });
  assert.equal(page.moves(), false);
  assert.equal(told, 2);
  stop();
  page.take({ lane: "b", figures: { one: sent(["u", "v", "w"]) } });
  assert.equal(page.figureAt("b", "one", 0).layout.title, "u");
  assert.equal(told, 2);
});

test("words in their places are those that came ahead, until the page's script has come to the same", () => {
  const page = positionsPage("bert");
  const places = ["key", "weight", "key"].map((word) => ({ dataset: { word }, textContent: "" }));
  const host = { querySelectorAll: () => places };
  const said = () => places.map(({ textContent }) => textContent);
  const show = (subject, words) => weight({
    data: { page: "bert", name: "weight", subject, words }, parentElement: { querySelector: () => host },
  });
  let stop = show("head 1", { key: "gold", weight: "0.5" });
  assert.deepEqual(said(), ["gold", "0.5", "gold"]);
  page.answer({ subject: "head 2", figures: { weight: JSON.stringify({ key: "<b>", weight: "0.7" }) } });
  assert.deepEqual(said(), ["<b>", "0.7", "<b>"]);
  // The script is one head behind the hand.
  stop();
  stop = show("head 1b", { key: "old", weight: "0.1" });
  assert.deepEqual(said(), ["<b>", "0.7", "<b>"]);
  stop();
  stop = show("head 2", { key: "same", weight: "0.7" });
  assert.deepEqual(said(), ["same", "0.7", "same"]);
  page.answer(undefined);
  stop();
});

// Three moves of a hand that is faster than the page's script.
test("what was moved is answered ahead of the script, which hears of every move in turn", async () => {
  const page = positionsPage("explore");
  const questions = [];
  const told = [];
  const subjects = ["b", "c", "b2"];
  globalThis.fetch = async (_address, { body }) => {
    questions.push(JSON.parse(body));
    const subject = subjects[questions.length - 1];
    return { ok: Boolean(subject), json: async () => ({ subject, figures: { path: `"${subject}"` } }) };
  };
  const place = {};
  const script = (state, edits) =>
    asking(place, { place: { page: "explore", state }, asks: { address: "/here", about: { edits } } }, (_, { x }) => told.push(x));
  let moved = script("a", "");
  await Promise.all([moved("moved", { index: 1, x: 1, y: 0 }), moved("moved", { index: 2, x: 2, y: 0 })]);
  assert.deepEqual(questions, [{ edits: "", moved: [[1, 1, 0]] }, { edits: "", moved: [[1, 1, 0], [2, 2, 0]] }]);
  assert.equal(page.aheadOf("a", "path").figure, "c");
  // The script has come to the first move: the second stands, and is asked about with the next.
  moved = script("b", "1");
  assert.equal(page.aheadOf("b", "path").figure, "c");
  await moved("moved", { index: 3, x: 3, y: 0 });
  assert.deepEqual(questions[2], { edits: "1", moved: [[2, 2, 0], [3, 3, 0]] });
  // It has come to something else, such as a slider's place: nothing is ahead of it.
  moved = script("z", "2");
  assert.equal(page.aheadOf("z", "path"), undefined);
  // What the server does not answer, the script does.
  await moved("moved", { index: 4, x: 4, y: 0 });
  assert.equal(page.aheadOf("z", "path"), undefined);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [1, 2, 3, 4]);
  assert.equal(questions.length, 4);
});

test("while a hand moves the server is asked about its last place, one question at a time", async () => {
  const questions = [];
  const shown = [];
  const waiting = [];
  globalThis.fetch = (_address, { body }) => {
    questions.push(JSON.parse(body));
    return new Promise((answer) => waiting.push((figures) => answer({ ok: true, json: async () => ({ figures }) })));
  };
  const place = { showAim: (hand, figure) => shown.push([hand.x, figure]) };
  const where = { page: "aimed", state: "a", name: "path" };
  asking(place, { place: where, asks: { address: "/here", about: {} } }, () => {});
  const hand = { index: 3, x: 0, y: 0 };
  const asked = [1, 2, 3].map((x) => place.aim(Object.assign(hand, { x })));
  assert.deepEqual(questions, [{ moved: [[3, 1, 0]], aims: true }]);
  waiting[0]({ path: '"first"' });
  await soon(80);
  assert.deepEqual(questions[1], { moved: [[3, 3, 0]], aims: true });
  place.aim(Object.assign(hand, { x: 4 }));
  // It takes too long: the hand is alone until it lets go.
  waiting[1]({});
  await Promise.all(asked);
  place.aim(Object.assign(hand, { x: 5 }));
  assert.equal(questions.length, 2);
  assert.deepEqual(shown, [[3, "first"]]);
});

let key = 0;
let part;
let told;
beforeEach(() => {
  key += 1;
  told = [];
  const element = () => ({ attributes: {}, setAttribute(name, value) { this.attributes[name] = value; } });
  const inside = { input: element(), button: element(), output: element() };
  const host = { ...inside, classList: { toggle: () => undefined }, querySelector: (name) => inside[name] };
  part = { ...inside, over: element(), querySelector: (name) => (name === ".goldviz-position" ? part.over : host) };
});

function show(step, more = {}) {
  const data = { key: `lens-${key}`, first: 0, last: 2, words: ["nil", "one", "two"], step, meaning: "", ...more };
  return timeline({ data, parentElement: part, setTriggerValue: (_name, { to }) => told.push(to) });
}

function move(to, rest = true) {
  part.input.value = to;
  part.input.oninput();
  if (rest) part.input.onchange();
}

test("the words follow the slider, and the server hears of it at rest", () => {
  show(0);
  assert.equal(part.over.textContent, "nil");
  move(1, false);
  move(2, false);
  assert.equal(part.over.textContent, "two");
  assert.equal(part.input.attributes["aria-label"], "two");
  assert.deepEqual(told, []);
  part.input.onchange();
  part.input.onchange();
  assert.deepEqual(told, [2]);
});

test("the server's answer does not take back what the hand has done since", () => {
  show(0);
  move(1);
  move(2);
  show(0);
  show(1);
  assert.equal(stepOf(`lens-${key}`), 2);
  show(2);
  assert.equal(stepOf(`lens-${key}`), 2);
  assert.deepEqual(told, [1, 2]);
});

test("a link or a preset moves the slider, and then the hand may go back", () => {
  show(0);
  move(2);
  show(2);
  show(0);
  assert.equal(stepOf(`lens-${key}`), 0);
  assert.equal(part.over.textContent, "nil");
  move(2);
  assert.deepEqual(told, [2, 2]);
});

test("one sentence may do for all positions, and a page without frames has nothing to play", () => {
  show(1, { words: ["Step k"], plays: false });
  assert.equal(part.over.textContent, "Step k");
  assert.equal(part.button.hidden, true);
  assert.equal(part.button.disabled, true);
});
