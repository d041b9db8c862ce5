import assert from "node:assert/strict";
import { test } from "node:test";
import { filledFigure } from "../../goldviz/ui/assets/figure_fill.js";
import { movedTo } from "../../goldviz/ui/assets/figure_step.js";

// A curve with two points that a step moves, and a line at the step in view, as a lane has them.
function lane(more = {}) {
  const rows = [
    { dim: "epoch", shape: [2], width: 2, values: new Float64Array([1, 2, 3, NaN]) },
    { dim: "epoch", shape: [], width: 1, values: new Float64Array([10, 20]) },
  ];
  const template = {
    data: [{ type: "scatter", mode: "lines+markers", x: [0, 1], y: { $: 0 } }],
    layout: { shapes: [{ type: "line", x0: { $: 1 }, x1: { $: 1 }, y0: 0, y1: 1, xref: "x", yref: "y domain" }], ...more },
  };
  return { steps: { epoch: [1, 2] }, look: {}, figures: { loss: { template, rows, kept: { epoch: [0, 1] } } } };
}

const at = (own, step) => filledFigure(own, "loss", step).figure;
const laidOut = (figure) => ({ ...figure.layout, width: 400, height: 300, margin: { t: 20 } });

// What Plotly leaves of a figure: elements with their attributes, and axes of ten pixels a unit.
function drawn(figure) {
  const part = (own = {}) => {
    const attributes = { d: "M9,9Z" };
    return { ...own, attributes, getAttribute: (name) => attributes[name], setAttribute: (name, value) => (attributes[name] = String(value)) };
  };
  const marks = [0, 1].map((i) => part({ __data__: { i } }));
  const [line, shape] = [part(), part()];
  const trace = {
    __data__: [{ trace: { index: 0 } }],
    querySelectorAll: (names) => (names.includes("point") ? marks : names.includes("line") ? [line] : []),
  };
  const axis = { type: "linear", _offset: 50, _length: 100, d2p: (value) => value * 10 };
  const host = {
    _fullData: figure.data,
    _fullLayout: { xaxis: axis, yaxis: axis, shapes: figure.layout.shapes },
    querySelector: (name) => (name.startsWith(".shapelayer") ? shape : undefined),
    querySelectorAll: (name) => (name.startsWith(".scatterlayer") ? [trace] : []),
  };
  return { host, place: { drawn: figure, laid: laidOut(figure) }, marks, line, shape };
}

test("a step moves a curve, its points and the line of the step, and what has no number any more has no mark", () => {
  const own = lane();
  const { host, place, marks, line, shape } = drawn(at(own, 1));
  const next = at(own, 2);
  const move = movedTo(host, place, next, laidOut(next));
  assert.equal(line.attributes.d, "M9,9Z");
  move();
  assert.equal(line.attributes.d, "M0,30");
  assert.deepEqual(marks.map((mark) => mark.attributes.d), ["M9,9Z", "M0,0"]);
  assert.equal(marks[0].attributes.transform, "translate(0,30)");
  assert.equal(shape.attributes.d, "M250,150L250,50");
  movedTo(host, { ...place, drawn: next }, at(own, 1), laidOut(at(own, 1)))();
  assert.deepEqual([line.attributes.d, marks[1].attributes.d], ["M0,10L10,20", "M9,9Z"]);
});

test("nothing is changed where anything else differs: another run, another size, an axis that moves, a bare place", () => {
  const own = lane();
  const { host, place, line } = drawn(at(own, 1));
  const next = at(own, 2);
  assert.equal(movedTo(host, place, at(lane(), 2), laidOut(next)), undefined);
  assert.equal(movedTo(host, place, next, { ...laidOut(next), height: 310 }), undefined);
  assert.equal(movedTo({ ...host, querySelectorAll: () => [] }, place, next, laidOut(next)), undefined);
  const other = lane({ xaxis: { range: [0, { $: 1 }] } });
  const moving = drawn(at(other, 1));
  assert.equal(movedTo(moving.host, moving.place, at(other, 2), laidOut(at(other, 2))), undefined);
  assert.equal(line.attributes.d, "M9,9Z");
});

test("a name that changes with the step is no reason to draw anew where it stands nowhere on the figure", () => {
  const moves = (showlegend) => {
    const own = lane();
    const { template, rows } = own.figures.loss;
    Object.assign(template.data[0], { name: { $: 2 }, showlegend });
    rows.push({ dim: "epoch", words: ["mean of 1", "mean of 1 to 2"] });
    const { host, place } = drawn(at(own, 1));
    return Boolean(movedTo(host, place, at(own, 2), laidOut(at(own, 2))));
  };
  assert.deepEqual([moves(false), moves(true)], [true, false]);
});
