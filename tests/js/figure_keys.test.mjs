import assert from "node:assert/strict";
import { test } from "node:test";
import { element, Element } from "./page.mjs";
import "../../goldviz/ui/assets/narrow.js";
import { oneStop, toolAfter } from "../../goldviz/ui/assets/figure_toolbar.js";

test("arrow keys go from tool to tool around the ends, other keys nowhere", () => {
  const to = (key, at) => toolAfter(key, at, 4);
  assert.deepEqual([to("ArrowRight", 3), to("ArrowLeft", 0), to("Home", 2), to("End", 1), to("Enter", 1)], [0, 3, 0, 3, undefined]);
});

test("a toolbar is one stop of the keyboard", () => {
  const host = element('<div><div class="modebar"><a class="modebar-btn"></a><a class="modebar-btn"></a></div></div>');
  oneStop(host);
  oneStop(host);
  const [first, second] = host.querySelectorAll(".modebar-btn");
  assert.deepEqual([first.tabIndex, second.tabIndex], [0, -1]);
  const event = first.hear("keydown", { key: "ArrowRight" });
  assert.deepEqual([first.tabIndex, second.tabIndex, document.activeElement === second, event.prevented], [-1, 0, true, true]);
  assert.ok(!second.hear("keydown", { key: "a" }).prevented);
  assert.equal(host.querySelector(".modebar").ariaLabel, "Tools of this figure");
  // A figure without a toolbar has none to walk through.
  oneStop(new Element("div"));
});

test("on a narrow screen settings open and close as a sheet, and Train leads to the figures", () => {
  document.body.innerHTML = `<button class="goldviz-sheet"></button><div class="st-key-timeline"></div>
    <div class="st-key-knobs"><input></div><div class="st-key-train-lab"><button></button></div>`;
  const [sheet, train] = [".goldviz-sheet", ".st-key-train-lab button"].map((name) => document.querySelector(name));
  const press = (target) => document.hear("click", { target });
  const open = () => document.documentElement.classList.contains("goldviz-sheet-open");
  press(sheet);
  assert.deepEqual([open(), sheet.textContent, sheet.attributes["aria-expanded"]], [true, "Close", "true"]);
  press(document.querySelector(".st-key-knobs input"));
  assert.equal(open(), true);
  globalThis.matchMedia = (query) => ({ matches: query.includes("max-width") });
  press(train);
  assert.deepEqual([open(), document.querySelector(".st-key-timeline").inView], [false, true]);
  press(sheet);
  document.hear("keydown", { key: "a" });
  assert.equal(open(), true);
  document.hear("keydown", { key: "Escape" });
  assert.deepEqual([open(), document.activeElement], [false, sheet]);
});

test("who goes by keyboard skips the settings, to the question that is open", () => {
  document.body.innerHTML = `<button class="goldviz-skip"></button>
    <div class="st-key-strip"><button role="radio" aria-checked="false"></button><button role="radio" aria-checked="true"></button></div>`;
  document.hear("click", { target: document.querySelector(".goldviz-skip") });
  assert.equal(document.activeElement, document.querySelectorAll(".st-key-strip button")[1]);
});
