import assert from "node:assert/strict";
import { test } from "node:test";
import { element } from "./page.mjs";
import { field, WAITS } from "../../goldviz/labs/backpropagation_steps/assets/fields.js";

test("a field says where its number belongs and what it is, and what is not known yet is three dots", () => {
  const [input] = element(`<p>${field("target/0", "target 1")}</p>`).querySelectorAll("input");
  assert.deepEqual([input.dataset.place, input.attributes["aria-label"], input.attributes.inputmode], ["target/0", "target 1", "decimal"]);
  assert.equal(element(`<p>${WAITS}</p>`).querySelector(".unknown").textContent, "…");
});
