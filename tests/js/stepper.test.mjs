import assert from "node:assert/strict";
import { test } from "node:test";
import { element, soon } from "./page.mjs";
import { partsOf, Player, Stepper } from "../../goldviz/ui/assets/stepper.js";

const WORDS = { first: "To the start", last: "To the end", place: "Step", counted: "step " };

function stepped(last, more = {}) {
  const host = element('<div><p data-part="words"></p><input data-part="typed"></div>');
  const moves = [];
  const rests = [];
  const stepper = new Stepper(host, WORDS, { every: 5, moved: () => moves.push(stepper.at), rested: () => rests.push(stepper.at), ...more });
  stepper.show(last);
  const press = (move) => stepper.button(move).click();
  return { host, stepper, moves, rests, press };
}

test("buttons, the slider and keys lead to a step, and never beyond the ends", () => {
  const { host, stepper, moves, press } = stepped(3);
  for (const move of ["step", "last", "step", "back", "first", "back"]) press(move);
  assert.deepEqual(moves, [1, 3, 3, 2, 0, 0]);
  stepper.slider.value = "2";
  stepper.slider.hear("input");
  for (const key of ["ArrowRight", "ArrowLeft", "Home", "End"]) assert.ok(host.hear("keydown", { key }).prevented);
  assert.deepEqual(moves.slice(6), [2, 3, 2, 0, 3]);
});

test("keys that mean something else are left alone", () => {
  const { host, moves } = stepped(3);
  assert.ok(!host.hear("keydown", { key: "ArrowRight", ctrlKey: true }).prevented);
  assert.ok(!host.hear("keydown", { key: "a" }).prevented);
  assert.ok(!partsOf(host).typed.hear("keydown", { key: "ArrowRight" }).prevented);
  assert.deepEqual(moves, []);
});

test("the bar says which step is in view, and which buttons lead nowhere", () => {
  const { stepper, press } = stepped(2);
  const words = () => stepper.bar.querySelector("output").textContent;
  const off = () => ["first", "back", "step", "last"].filter((move) => stepper.button(move).disabled);
  assert.deepEqual([words(), off()], ["step 0 of 2", ["first", "back"]]);
  press("last");
  stepper.show(2);
  assert.deepEqual([words(), off()], ["step 2 of 2", ["step", "last"]]);
  stepper.show(1);
  assert.deepEqual([words(), stepper.slider.max], ["step 1 of 1", 1]);
});

test("playing begins anew after the end, and rests there", async () => {
  const { stepper, moves, rests, press } = stepped(3, { stride: (at) => at + 1 });
  stepper.at = 3;
  press("play");
  assert.equal(stepper.button("play").textContent, "Pause");
  await soon(60);
  assert.deepEqual(moves, [1, 3]);
  assert.deepEqual(rests, [3]);
  assert.equal(stepper.button("play").textContent, "Play");
});

test("a hand stops what plays", async () => {
  const { stepper, moves, press } = stepped(500);
  press("play");
  press("first");
  const soFar = moves.length;
  await soon(30);
  assert.deepEqual([moves.length, stepper.at, stepper.player.plays], [soFar, 0, false]);
});

test("a player that is halted tells nobody that it rests", async () => {
  let [ticks, rests] = [0, 0];
  const player = new Player({ every: 2, atEnd: () => false, tick: () => (ticks += 1), turned: () => {}, rested: () => (rests += 1) });
  player.toggle();
  await soon(20);
  player.halt();
  const [known] = [ticks];
  await soon(10);
  assert.ok(known > 0);
  assert.deepEqual([ticks, rests], [known, 0]);
  player.toggle();
  player.toggle();
  assert.equal(rests, 1);
});

test("parts are known by their names, and a second bar takes the place of the first", () => {
  const { host } = stepped(1);
  new Stepper(host, WORDS, { every: 5, moved: () => {} });
  assert.equal(host.querySelectorAll(".bar").length, 1);
  assert.deepEqual(Object.keys(partsOf(host)), ["words", "typed"]);
});
