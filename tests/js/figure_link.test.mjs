import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { framesIn, isAt, marksIn, placesAt } from "../../goldviz/ui/assets/figure_link.js";
import { frameOf } from "../../goldviz/ui/assets/figure_picture.js";
import { metaOf, panelsOf } from "../../goldviz/ui/assets/figure_panels.js";

// An axis as Plotly leaves it after a draw: `pixel` gives the place of a number on it.
function axis(id, offset, length, pixel, more = {}) {
  return { _id: id, type: "linear", _offset: offset, _length: length, d2p: pixel, ...more };
}

const tenfold = (value) => 10 * value;

function layoutOf(panels, linked) {
  const plots = panels.map(([xaxis, yaxis]) => [xaxis._id + yaxis._id, { xaxis, yaxis }]);
  const meta = { notes: ["A note."], linked };
  const painted = { figure: { layout: { meta } } };
  return { dataset: { drawn: "plotly" }, goldvizPlace: { painted }, _fullLayout: { _plots: Object.fromEntries(plots) } };
}

const marksOf = (host, places) => marksIn(panelsOf(host), metaOf(host), places);
const framesOf = (host, places) => framesIn(panelsOf(host), metaOf(host), places);

function onePanel(linked, x = axis("x", 50, 200, tenfold), y = axis("y", 30, 100, tenfold)) {
  return layoutOf([[x, y]], linked);
}

const LAYER = [{ of: "layer", value: 7 }];

test("a point is at the values of its linked axes alone", () => {
  const point = { x: 12, y: 3, xaxis: { _id: "x2", type: "linear" }, yaxis: { _id: "y2", type: "linear" } };
  const both = [{ of: "epoch", value: 12 }, { of: "layer", value: 3 }];
  assert.deepEqual(placesAt(point, { x: "step", x2: "epoch", y2: "layer" }), both);
  assert.deepEqual(placesAt(point, { x2: "epoch" }), both.slice(0, 1));
  assert.deepEqual(placesAt(point, {}), []);
  assert.deepEqual(placesAt(point, undefined), []);
});

test("an axis of names is at a name, and a point without axes at no place", () => {
  const named = { x: "block 1", y: 3, xaxis: { _id: "x", type: "category" }, yaxis: { _id: "y", type: "linear" } };
  assert.deepEqual(placesAt(named, { x: "layer" }), [{ of: "layer", value: "block 1" }]);
  assert.deepEqual(placesAt({}, { x: "layer" }), []);
});

test("a name is marked where it stands, and a number never among names", () => {
  const names = axis("y", 30, 100, (value) => 20 * ["3", "block 1"].indexOf(value), { type: "category", _categories: ["3", "block 1"] });
  const marked = (value) => marksOf(onePanel({ y: "layer" }, undefined, names), [{ of: "layer", value }]);
  assert.equal(marked("block 1")[0].top, 49.5);
  assert.deepEqual([marked(3), marked("block 9")], [[], []]);
});

test("a panel that is of what is chosen is framed, and no other", () => {
  const layout = layoutOf([[axis("x", 50, 200, tenfold), axis("y", 30, 100, tenfold)], [axis("x2", 50, 200, tenfold), axis("y2", 160, 90, tenfold)]]);
  metaOf(layout).about = { y: { gate: "input" }, y2: { gate: "forget" } };
  assert.deepEqual(framesOf(layout, [{ of: "gate", value: "forget" }]), [{ left: 50, top: 160, width: 200, height: 90 }]);
  assert.deepEqual([framesOf(layout, []), framesOf(layout, LAYER), framesOf({ dataset: {} }, LAYER)], [[], [], []]);
});

test("a line is at a place where all that both say agrees", () => {
  assert.ok(isAt({ layer: 7 }, [{ of: "layer", value: 7 }, { of: "hidden", value: 7 }]));
  assert.ok(!isAt({ layer: 7, head: 1 }, [{ of: "layer", value: 7 }, { of: "head", value: 2 }]));
  assert.ok(!isAt(undefined, LAYER) && !isAt({ lag: 7 }, LAYER));
});

test("a mark stands at the value, across the panel, upright or level", () => {
  assert.deepEqual(marksOf(onePanel({ x: "layer" }), LAYER), [{ left: 119.5, top: 30, width: 1, height: 100 }]);
  assert.deepEqual(marksOf(onePanel({ y: "layer" }), LAYER), [{ left: 50, top: 99.5, width: 200, height: 1 }]);
  assert.equal(marksOf(onePanel({ x: "layer", y: "layer" }), LAYER).length, 2);
});

test("every panel of a linked axis gets a mark, and one panel no two at the same place", () => {
  const [x, x2] = [axis("x", 50, 200, tenfold), axis("x2", 50, 200, tenfold)];
  const [y, y2, over] = [axis("y", 30, 100, tenfold), axis("y2", 160, 100, tenfold), axis("y3", 160, 100, tenfold)];
  const layout = layoutOf([[x, y], [x2, y2], [x2, over]], { x: "layer", x2: "layer" });
  assert.deepEqual(marksOf(layout, LAYER).map(({ top }) => top), [30, 160]);
});

test("another coordinate, a figure without links and one that is not drawn get none", () => {
  assert.deepEqual(marksOf(onePanel({ x: "lag" }), LAYER), []);
  assert.deepEqual(marksOf(onePanel(undefined), LAYER), []);
  assert.deepEqual(marksOf({ dataset: { drawn: "plotly" } }, LAYER), []);
  assert.deepEqual(marksOf({ dataset: {} }, LAYER), []);
  assert.deepEqual(marksOf(onePanel({ x: "layer" }), []), []);
});

test("a value outside the axis' range, or that it has no place for, is not marked", () => {
  const marked = (value) => marksOf(onePanel({ x: "layer" }), [{ of: "layer", value }]).length;
  assert.deepEqual([-0.1, 0, 20, 20.1, Number.NaN, undefined].map(marked), [0, 1, 1, 0, 0, 0]);
  const log = axis("x", 50, 200, (value) => (value > 0 ? 100 * Math.log10(value) : undefined), { type: "log" });
  const onLog = (value) => marksOf(onePanel({ x: "gap" }, log), [{ of: "gap", value }]);
  assert.equal(onLog(10)[0].left, 149.5);
  assert.deepEqual([0, -5, 0.1, 1000].map((value) => onLog(value).length), [0, 0, 0, 0]);
});

test("an axis that is hidden, of names, or not laid out yet is not marked", () => {
  for (const more of [{ visible: false }, { type: "category" }, { d2p: undefined }, { _length: undefined }])
    assert.deepEqual(marksOf(onePanel({ x: "layer" }, axis("x", 50, 200, tenfold, more)), LAYER), []);
  assert.deepEqual(marksOf(onePanel({ x: "layer" }, undefined, { _id: "y" }), LAYER), []);
});

test("a picture is marked where its own axes have the value", () => {
  const figure = { data: [{ x: [0, 10], y: [1, 2] }], layout: { meta: { linked: { x: "layer" } }, xaxis: { range: [0, 10] }, yaxis: { range: [0, 4] } } };
  const letters = () => ({ measure: (words) => 7 * words.length, ink: () => ({ before: 0, after: 0 }), over: 9, below: 3 });
  const { axes } = frameOf(figure.data, { ...figure.layout, width: 400, height: 300, margin: { l: 50, r: 50, t: 20, b: 30 } }, letters);
  const host = { dataset: { drawn: "picture" }, goldvizPlace: { axes, painted: { figure } } };
  const [{ xaxis, yaxis }] = panelsOf(host);
  const [mark] = marksOf(host, LAYER);
  assert.ok(Math.abs(mark.left + 0.5 - (xaxis.start + 0.7 * xaxis.length)) < 1e-9);
  assert.deepEqual([mark.top, mark.height], [yaxis.start, yaxis.length]);
  assert.deepEqual([yaxis.at(4), yaxis.at(0)].map(yaxis.valueAt), [4, 0]);
});
