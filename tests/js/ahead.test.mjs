import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { soon } from "./page.mjs";
import ahead, { shownBy } from "../../goldviz/ui/assets/ahead.js";
import { goToStep, positionsPage } from "../../goldviz/ui/assets/frames_page.js";
import positions from "../../goldviz/ui/assets/positions.js";

const well = { rangeUnderflow: false, rangeOverflow: false };

test("what a knob shows is a number, a word or a choice, or nothing that could be set", () => {
  assert.equal(shownBy({ validity: well, type: "range", value: "3" }), 3);
  assert.equal(shownBy({ validity: well, type: "text", value: "abc" }), "abc");
  assert.equal(shownBy({ validity: well, type: "checkbox", checked: true }), true);
  assert.equal(shownBy({ validity: well, value: "ReLU" }, { ReLU: "relu" }), "relu");
  assert.equal(shownBy({ validity: well, value: "other" }, { ReLU: "relu" }), undefined);
  assert.equal(shownBy({ validity: well, type: "number", value: "" }), undefined);
  assert.equal(shownBy({ validity: { ...well, rangeOverflow: true }, value: "9" }), undefined);
});

let number = 0;
let asked;
let name;
beforeEach(() => {
  number += 1;
  name = `page-${number}`;
  asked = [];
  document.body.innerHTML = `<div class="st-key-setting-${name}-depth"><input type="range" value="3"></div>`;
  document.querySelector("input").validity = well;
  globalThis.fetch = async (address, { body }) => {
    asked.push([address, JSON.parse(body)]);
    return { ok: true, json: async () => ({ subject: body, figures: { plane: '"drawn"' } }) };
  };
});

const dataOf = (settings) => ({
  page: name, address: "/queries", settings: JSON.stringify(settings), position: "place", knobs: { depth: null },
  figures: ["plane"], theme: "dark",
});

function turn(value) {
  document.querySelector("input").value = String(value);
  document.hear("input", { target: document.querySelector("input") });
  return soon(20);
}

test("a knob that moves asks for the figures in sight with what the knobs show", async () => {
  const page = positionsPage(name);
  const host = { getBoundingClientRect: () => ({ top: 0, bottom: 10 }) };
  const stop = page.watch({ figure: "plane", host, changed: () => undefined });
  const parentElement = {};
  const leave = ahead({ data: dataOf({ depth: 3, place: 0 }), parentElement });
  await turn(3);
  await turn(4);
  const last = asked.at(-1);
  assert.equal(last[0], "/queries");
  assert.deepEqual(last[1], { settings: { depth: 4, place: 0 }, question: { figures: ["plane"], theme: "dark" } });
  assert.equal(page.aheadOf("before", "plane").figure, "drawn");
  // The page's script has come to the same settings: nothing is ahead of it any more.
  ahead({ data: dataOf({ depth: 4, place: 0 }), parentElement });
  assert.equal(page.aheadOf("before", "plane"), undefined);
  leave();
  const soFar = asked.length;
  await turn(5);
  assert.equal(asked.length, soFar);
  stop();
});

test("a place that is in view is asked about with the knobs", async () => {
  const leave = ahead({ data: dataOf({ depth: 3, place: 0 }), parentElement: {} });
  await turn(4);
  goToStep(name, 7);
  await soon(20);
  assert.deepEqual(asked.at(-1)[1].settings, { depth: 4, place: 7 });
  leave();
});

test("what comes with the page is known to its figures", () => {
  const figures = [];
  const stop = positionsPage(name).watch({ changed: () => figures.push("told") });
  positions({ data: { page: name, lane: "a", figures: {} } });
  assert.deepEqual(figures, ["told"]);
  assert.equal(positionsPage(name).moves(), false);
  stop();
});
