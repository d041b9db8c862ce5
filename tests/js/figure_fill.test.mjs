import assert from "node:assert/strict";
import { test } from "node:test";
import { decoded, merged, filledFigure, placeOf, countUpTo } from "../../goldviz/ui/assets/figure_fill.js";

// A message as the server packs it.
function packed(header, ...arrays) {
  let words = new TextEncoder().encode(JSON.stringify(header));
  words = new Uint8Array([...words, ...new Array((8 - ((4 + words.length) % 8)) % 8).fill(32)]);
  const parts = arrays.map((array) => {
    const bytes = new Uint8Array(array.buffer);
    return new Uint8Array([...bytes, ...new Array((8 - (bytes.length % 8)) % 8).fill(0)]);
  });
  const bytes = [...words, ...parts.flatMap((part) => [...part])];
  const whole = new ArrayBuffer(4 + bytes.length);
  new DataView(whole).setUint32(0, words.length, true);
  new Uint8Array(whole, 4).set(bytes);
  return whole;
}

const TEMPLATE = {
  data: [{ x: { $: 1 }, y: { $: 0 } }],
  layout: { meta: { notes: [{ $: ["Steps:", { $: 2 }, { $: 3 }] }] }, shapes: [{ x0: { $: 4 } }] },
};

function first() {
  const header = {
    id: "a", fresh: true, version: 1, steps: { epoch: { from: 0, labels: [1, 2, 4] }, look: { from: 0, labels: [2] } },
    figures: {
      loss: {
        figure: TEMPLATE, redrawn: false,
        kept: { epoch: { from: 0, places: [0, 1, 2] }, look: { from: 0, places: [0] } },
        rows: [
          { dim: "epoch", from: 0, shape: [2], dtype: "f4", at: 0, count: 6 },
          { dim: null, from: 0, shape: [], dtype: "i4", at: 24, count: 2 },
          { dim: "epoch", from: 0, words: ["one", ""], index: [0, 1, 0] },
          { dim: "look", from: 0, words: ["look"], index: [0] },
          { dim: "epoch", from: 0, shape: [], dtype: "i4", at: 32, count: 3 },
        ],
      },
    },
  };
  const message = decoded(packed(header, new Float32Array([1, 2, 3, 4, 5, NaN]), new Int32Array([7, 8]), new Int32Array([1, 2, 4])));
  return merged(undefined, message.header, message);
}

test("the last number that is not above a value", () => {
  assert.deepEqual([0, 1, 2.5, 9].map((value) => countUpTo([1, 2, 4], value)), [0, 1, 2, 3]);
  assert.deepEqual([null, 0, 1, 3, 9].map((step) => placeOf([1, 2, 4], step)), [2, 0, 0, 1, 2]);
  assert.equal(placeOf([], null), 0);
});

test("as long as nothing new comes, a step's figure is the same one", () => {
  const lane = first();
  const { figure } = filledFigure(lane, "loss", 2);
  assert.equal(filledFigure(lane, "loss", 2).figure, figure);
  assert.equal(filledFigure(lane, "loss", 3).figure, figure, "no other was recorded by then");
  assert.notEqual(filledFigure(lane, "loss", 4).figure, figure);
  const other = { ...lane, look: { layout: { font: { size: 20 } } } };
  assert.equal(filledFigure(other, "loss", 4).figure.layout.template, other.look);
  const news = { ...lane.figures.loss, rows: [...lane.figures.loss.rows], filled: undefined };
  assert.notEqual(filledFigure({ ...lane, figures: { loss: news } }, "loss", 2).figure, figure);
});

test("a figure is filled with the values of its step", () => {
  const lane = first();
  const { figure, exact } = filledFigure(lane, "loss", 2);
  assert.deepEqual([...figure.data[0].y], [3, 4]);
  assert.deepEqual([...figure.data[0].x], [7, 8]);
  assert.equal(figure.layout.shapes[0].x0, 2);
  assert.deepEqual(figure.layout.meta.notes, ["Steps: look"]);
  assert.equal(exact, true);
  const last = filledFigure(lane, "loss", null).figure;
  assert.equal(last.data[0].y[0], 5);
  assert.ok(Number.isNaN(last.data[0].y[1]));
  assert.deepEqual(last.layout.meta.notes, ["Steps: one look"]);
});

test("filling leaves the template as it is", () => {
  const lane = first();
  filledFigure(lane, "loss", 1);
  assert.deepEqual(lane.figures.loss.template, TEMPLATE);
});

test("news are appended, and what was there stays", () => {
  const lane = first();
  const header = {
    id: "a", fresh: false, version: 2, steps: { epoch: { from: 3, labels: [5] }, look: { from: 1, labels: [] } },
    figures: {
      loss: {
        redrawn: false, kept: { epoch: { from: 3, places: [3] }, look: { from: 1, places: [] } },
        rows: [
          { dim: "epoch", from: 3, shape: [2], dtype: "f4", at: 0, count: 2 },
          { dim: null, from: 2, shape: [], dtype: "i4", at: 8, count: 1 },
          { dim: "epoch", from: 3, words: ["four"], index: [0] },
          { dim: "look", from: 1, words: [], index: [] },
          { dim: "epoch", from: 3, shape: [], dtype: "i4", at: 16, count: 1 },
        ],
      },
    },
  };
  const message = decoded(packed(header, new Float32Array([10, 11]), new Int32Array([9]), new Int32Array([5])));
  const grown = merged(lane, message.header, message);
  assert.deepEqual([...filledFigure(grown, "loss", null).figure.data[0].y], [10, 11]);
  assert.deepEqual([...filledFigure(grown, "loss", 1).figure.data[0].x], [7, 8, 9]);
  assert.deepEqual([...filledFigure(grown, "loss", 2).figure.data[0].y], [3, 4]);
  assert.deepEqual(filledFigure(grown, "loss", null).figure.layout.meta.notes, ["Steps: four look"]);
  assert.deepEqual(grown.steps.epoch, [1, 2, 4, 5]);
});

test("of thinned frames the one before stands in, and says so", () => {
  const lane = first();
  lane.figures.loss.kept.epoch = [0, 2];
  lane.figures.loss.rows[0].values = new Float32Array([1, 2, 5, 6]);
  const { figure, exact } = filledFigure(lane, "loss", 2);
  assert.deepEqual([...figure.data[0].y], [1, 2]);
  assert.equal(exact, false);
});

test("a map has its rows", () => {
  const lane = first();
  lane.figures.loss.rows[0] = { dim: "epoch", shape: [2, 2], width: 4, values: new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]) };
  const { y } = filledFigure(lane, "loss", 2).figure.data[0];
  assert.deepEqual(y.map((row) => [...row]), [[5, 6], [7, 8]]);
});
