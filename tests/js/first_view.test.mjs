import assert from "node:assert/strict";
import test from "node:test";

import { hasCome } from "../../goldviz/ui/assets/first_view.js";

const figure = (top, { drawn = false } = {}) => ({
  dataset: drawn ? { updates: "1" } : {},
  getBoundingClientRect: () => ({ top }),
});

test("a page has come when its first figures in sight stand there, as pictures or live", () => {
  const [pictured, drawn] = [figure(300, { drawn: true }), figure(300, { drawn: true })];
  assert.equal(hasCome([], 2, 900), false);
  assert.equal(hasCome([pictured], 2, 900), false);
  assert.equal(hasCome([pictured, figure(300)], 2, 900), false);
  assert.equal(hasCome([figure(300), drawn], 2, 900), false);
  assert.equal(hasCome([pictured, drawn], 2, 900), true);
  assert.equal(hasCome([drawn], 1, 900), true);
});

test("what is below the window's end keeps no figure waiting", () => {
  assert.equal(hasCome([figure(300, { drawn: true }), figure(950)], 2, 900), true);
  assert.equal(hasCome([figure(950), figure(1500)], 2, 900), false);
});
