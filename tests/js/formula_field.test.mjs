import assert from "node:assert/strict";
import { test } from "node:test";
import { latest } from "../../goldviz/ui/assets/latest.js";
import { colourOf, placeNames, largest } from "../../goldviz/labs/backward_by_hand/assets/formula_field.js";

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

test("while an answer is on its way only the last text waits", async () => {
  const asked = [];
  const taken = [];
  const open = [];
  const ask = latest(
    (text) => {
      asked.push(text);
      return new Promise((resolve) => open.push(() => resolve(`answer to ${text}`)));
    },
    (found) => taken.push(found),
  );
  ask("a");
  ask("ab");
  ask("abc");
  assert.deepEqual(asked, ["a"]);
  open[0]();
  await soon();
  assert.deepEqual(asked, ["a", "abc"]);
  assert.deepEqual(taken, [], "an answer to an older text is not shown");
  open[1]();
  await soon();
  assert.deepEqual(taken, ["answer to abc"]);
  ask("abc");
  assert.equal(asked.length, 3, "asked again when it is judged again");
});

test("a server that does not answer is told in words, and the next text is asked", async () => {
  const taken = [];
  const ask = latest(
    async (text) => {
      if (text === "bad") throw new Error("No answer.");
      return { kind: "equal" };
    },
    (found) => taken.push(found.kind),
    ({ message }) => taken.push(message),
  );
  ask("bad");
  await soon();
  ask("good");
  await soon();
  assert.deepEqual(taken, ["No answer.", "equal"]);
});

test("a cell is as strong as its number is large", () => {
  assert.equal(colourOf(2, 4), "rgba(213, 94, 0, 0.500)");
  assert.equal(colourOf(-4, 4), "rgba(14, 122, 192, 1.000)");
  assert.match(colourOf(0, 0), /, 0\)$/);
  assert.equal(colourOf(null, 4), "#838383");
  assert.equal(largest([[1, null], [-3, 2]]), 3);
});

test("rows and columns are named, the last two of three axes side by side", () => {
  const labels = { sample: ["go→l"], place: ["-2", "-1"], feature: ["1", "2"], row: [""], symbol: ["a", "b"] };
  assert.deepEqual(placeNames(["sample", "place", "feature"], labels).columns, ["-2 1", "-2 2", "-1 1", "-1 2"]);
  assert.deepEqual(placeNames(["row", "symbol"], labels), { rows: [""], columns: ["a", "b"] });
});
