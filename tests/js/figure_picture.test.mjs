import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { listed } from "../../goldviz/ui/assets/figure_axes.js";
import { markerPath } from "../../goldviz/ui/assets/figure_marks.js";
import { pictureOf } from "../../goldviz/ui/assets/figure_picture.js";
import { tag } from "../../goldviz/ui/assets/figure_svg.js";

// Letters of 6 pixels, 10 over their line and 3 below it.
const letters = () => ({ measure: (text) => 6 * text.length, over: 10, below: 3 });

const axis = { automargin: true, ticks: "outside", ticklen: 4, title: { standoff: 8, font: { size: 14 } } };
const look = { xaxis: axis, yaxis: axis, title: { pad: { l: 12, t: 14 }, font: { size: 17 } }, annotationdefaults: { font: { size: 13 } } };

function layoutOf(more = {}) {
  return {
    width: 600,
    height: 400,
    margin: { l: 12, r: 20, t: 60, b: 44 },
    template: { layout: look },
    title: { text: "Loss" },
    xaxis: { range: [0, 10], tickvals: [0, 5, 10], ticktext: ["0", "5", "10"] },
    yaxis: { range: [0, 1], tickvals: [0, 1], ticktext: ["0", "1"] },
    ...more,
  };
}

const curve = { type: "scatter", mode: "lines", x: [0, 5, 10], y: [0, null, 1], line: { color: "#000000" } };

// Where attributes of the first element of this class stand.
function found(svg, kind, name) {
  const [, own] = new RegExp(`<\\w+ class="${kind}"([^>]*)>`).exec(svg);
  return new RegExp(` ${name}="([^"]*)"`).exec(own)?.[1];
}

test("a curve goes from corner to corner of its panel with a gap where it has no number", () => {
  const svg = pictureOf([curve], layoutOf(), letters);
  const path = found(svg, "line", "d");
  const [x0, y0, x1, y1] = path.match(/[\d.]+/g).map(Number);
  assert.equal((path.match(/M/g) ?? []).length, 2);
  assert.deepEqual([x1, y1], [600 - 20, 60]);
  // Left of the plot stand a tick, a number of six pixels and twelve of margin; under it numbers.
  assert.ok(x0 === Math.round(4 + 2.8 + 1 + 6 + 12));
  assert.ok(Math.abs(y0 - (400 - 44)) < 0.01);
  for (const words of ["Loss", "10", "5", "1"]) assert.ok(svg.includes(`>${words}</text>`), words);
});

test("words are text: only known tags become letters of another kind", () => {
  const title = { text: 'a<sup>2</sup> &lt;b <img src=x onerror="alert(1)"> <b>c' };
  const svg = pictureOf([curve], layoutOf({ title }), letters);
  assert.ok(!svg.includes("<img"));
  assert.match(svg, /a<tspan style="font-size:70%" dy="-0\.6em">2<\/tspan><tspan dy="0\.42em">\u200b<\/tspan> &lt;b/);
  assert.match(svg, /<tspan style="font-weight:bold">c<\/tspan><\/text>/);
  const quoted = pictureOf([{ ...curve, line: { color: '"><script>' } }], layoutOf(), letters);
  assert.ok(!quoted.includes("<script>"));
});

test("numbers at an axis are Plotly's: round steps, powers of ten, shares", () => {
  const numbers = (yaxis) => [...pictureOf([curve], layoutOf({ yaxis }), letters).matchAll(/class="tick"[^>]*text-anchor="end"[^>]*>(.*?)<\/text>/g)].map(([, words]) => words.replaceAll(/<[^>]*>/g, "").replaceAll("\u200b", ""));
  assert.deepEqual(numbers({ range: [-0.5, 1], nticks: 3 }), ["−0.5", "0", "0.5", "1"]);
  assert.deepEqual(numbers({ range: [0, 1], tickformat: ".0%", nticks: 2 }), ["0%", "50%", "100%"]);
  assert.deepEqual(numbers({ range: [0, 1], tickvals: [0, 0.25, 1] }), ["0", "0.25", "1"]);
  assert.deepEqual(numbers({ range: [-2, 3], type: "log", dtick: 1 }), ["10−2", "10−1", "1", "10", "102", "103"]);
});

test("dates stand at the beginnings of years or of months, as many as have room", () => {
  const dates = (range) => [...pictureOf([{ ...curve, x: range, y: [0, 1] }], layoutOf({ xaxis: { range, nticks: 5 } }), letters).matchAll(/class="tick"[^>]*text-anchor="middle"[^>]*>(.*?)<\/text>/g)].map(([, words]) => words);
  assert.deepEqual(dates(["2015-03-01", "2019-02-01"]), ["2016", "2017", "2018", "2019"]);
  assert.deepEqual(dates(["2018-11-20", "2019-12-01"]), ["Jan 2019", "Apr 2019", "Jul 2019", "Oct 2019"]);
});

test("bars stand on their axis, and lines and words where the layout says", () => {
  const bar = { type: "bar", x: ["a", "b"], y: [0.5, 1], marker: { color: "#112233" } };
  const layout = layoutOf({
    xaxis: {},
    shapes: [{ type: "line", x0: 0, x1: 1, xref: "x domain", y0: 0.5, y1: 0.5, yref: "y", line: { color: "#000" } }],
    annotations: [{ text: "half", x: 1, xref: "x domain", xanchor: "right", y: 0.5, yref: "y", yanchor: "bottom" }],
  });
  const svg = pictureOf([bar], layout, letters);
  const middle = 60 + (400 - 44 - 60) / 2;
  assert.match(found(svg, "bar", "d"), new RegExp(`V${middle}H`));
  assert.match(found(svg, "shape", "d"), new RegExp(`,${middle}L580,${middle}$`));
  assert.equal(Number(found(svg, "words", "y")), middle - 2 - 3);
});

test("a figure with anything that only Plotly draws waits for Plotly", () => {
  const whole = [[curve], layoutOf(), letters];
  assert.ok(pictureOf(...whole));
  for (const more of [{ type: "contour" }, { mode: "lines+text" }, { connectgaps: true }, { line: { shape: "hvh" } }, { fill: "tozeroy" }])
    assert.equal(pictureOf([{ ...curve, ...more }], layoutOf(), letters), undefined);
  for (const more of [{ xaxis: {} }, { yaxis: { range: [0, 1], tickformat: ".2~g" } }, { shapes: [{ type: "path", path: "M0,0Z" }] }])
    assert.equal(pictureOf([curve], layoutOf(more), letters), undefined);
  assert.equal(pictureOf([], layoutOf(), letters), undefined);
});

test("points have the outlines of their symbols, open or not, and unknown ones none", () => {
  assert.equal(markerPath("square-open", 2), markerPath("square", 2));
  assert.equal(markerPath("square", 2), "M2,2L-2,2L-2,-2L2,-2Z");
  for (const symbol of ["circle", "diamond", "cross", "x", "star", "triangle-up", "triangle-down"]) assert.match(markerPath(symbol, 3), /^M.*Z$/);
  assert.equal(markerPath("arrow", 3), undefined);
});

test("numbers are read from arrays and from bytes, and what stands in an element cannot end it", () => {
  assert.deepEqual(listed({ dtype: "u1", bdata: "AQI=" }), [1, 2]);
  assert.deepEqual([listed(undefined), listed([1, null])], [[], [1, null]]);
  assert.equal(tag("text", { fill: '"<', x: 1, y: undefined }, "a"), '<text fill="&quot;&lt;" x="1">a</text>');
});
