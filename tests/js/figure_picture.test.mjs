import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";
import { listed } from "../../goldviz/ui/assets/figure_axes.js";
import { heatMap } from "../../goldviz/ui/assets/figure_cells.js";
import { legendOf } from "../../goldviz/ui/assets/figure_legend.js";
import { drawnTrace } from "../../goldviz/ui/assets/figure_marks.js";
import { markerOf } from "../../goldviz/ui/assets/figure_symbols.js";
import { pictureOf } from "../../goldviz/ui/assets/figure_picture.js";
import { reachOf } from "../../goldviz/ui/assets/figure_reach.js";
import { spaceOf } from "../../goldviz/ui/assets/figure_space.js";
import { tag } from "../../goldviz/ui/assets/figure_svg.js";

// Letters of 6 pixels, 10 over their line and 3 below it.
const measure = (text) => 6 * text.length;
const letters = () => ({ measure, ink: () => ({ before: 0, after: 0 }), over: 10, below: 3 });

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
  const { svg } = pictureOf([{ ...curve, x: [0, 4, 5, 6, 10, 10, 5, 5], y: [0, 0.4, null, 0.6, 1, null, 1, 1] }], layoutOf(), letters);
  const path = found(svg, "line", "d");
  const [x0, y0] = path.match(/[\d.]+/g).map(Number);
  // What would stay at one place is not drawn.
  assert.equal((path.match(/M/g) ?? []).length, 2);
  assert.deepEqual(path.match(/[\d.]+/g).slice(-2).map(Number), [600 - 20, 60]);
  // Left of the plot stand a tick, a number of six pixels and twelve of margin; under it numbers.
  assert.ok(x0 === Math.round(4 + 2.8 + 1 + 6 + 12));
  assert.ok(Math.abs(y0 - (400 - 44)) < 0.01);
  for (const words of ["Loss", "10", "5", "1"]) assert.ok(svg.includes(`>${words}</text>`), words);
  // What reaches beyond the panel is cut off there.
  const [, id, x, y, width, height] = /<clipPath id="([\w-]+)"><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)">/.exec(svg);
  assert.deepEqual([x, y, width, height].map(Number), [x0, 60, 600 - 20 - x0, 400 - 44 - 60]);
  assert.ok(svg.includes(`<g class="trace" data-index="0" clip-path="url(#${id})"><path class="line"`));
});

test("words are text: only known tags become letters of another kind", () => {
  const title = { text: 'a<sup>2</sup> &lt;b <img src=x onerror="alert(1)"> <b>c' };
  const { svg } = pictureOf([curve], layoutOf({ title }), letters);
  assert.ok(!svg.includes("<img"));
  assert.match(svg, /a<tspan style="font-size:70%" dy="-0\.6em">2<\/tspan><tspan dy="0\.42em">\u200b<\/tspan> &lt;b/);
  assert.match(svg, /<tspan style="font-weight:bold">c<\/tspan><\/text>/);
  const { svg: quoted } = pictureOf([{ ...curve, line: { color: '"><script>' } }], layoutOf(), letters);
  assert.ok(!quoted.includes("<script>"));
});

test("numbers at an axis are Plotly's: round steps, powers of ten, shares", () => {
  const numbers = (yaxis) => [...pictureOf([{ ...curve, x: [0], y: [0] }], layoutOf({ yaxis }), letters).svg.matchAll(/class="tick"[^>]*text-anchor="end"[^>]*>(.*?)<\/text>/g)].map(([, words]) => words.replaceAll(/<[^>]*>/g, "").replaceAll("\u200b", ""));
  assert.deepEqual(numbers({ range: [-0.5, 1], nticks: 4 }), ["−0.5", "0", "0.5", "1"]);
  // Where they are large or small, each is so many times one power, which the template must ask for.
  assert.deepEqual(numbers({ range: [0, 0.00033], exponentformat: "power" }), ["0", "0.5×10−4", "1×10−4", "1.5×10−4", "2×10−4", "2.5×10−4", "3×10−4"]);
  assert.deepEqual(numbers({ range: [-2e16, 2e16], nticks: 5, exponentformat: "power" }), ["−2×1016", "−1×1016", "0", "1×1016", "2×1016"]);
  assert.equal(pictureOf([curve], layoutOf({ yaxis: { range: [0, 2e16] } }), letters).waits, "numbers with a power that is not written as one");
  // Numbers of a choice on an axis of powers are plain.
  assert.deepEqual(numbers({ range: [-1, 2], type: "log", tickvals: [0.5, 8, 64] }), ["0.5", "8", "64"]);
  assert.equal(pictureOf([{ ...curve, y: ["2020-01-01", "2021-01-01"] }], layoutOf({ yaxis: { range: ["2020-01-01", "2021-01-01"], tickvals: ["2020-06-01"] } }), letters).waits, "dates of a choice");
  // A step that is round already gives way to the next one.
  assert.deepEqual(numbers({ range: [-0.5, 1], nticks: 3 }), ["0", "1"]);
  assert.deepEqual(numbers({ range: [0, 1], tickformat: ".0%", nticks: 3 }), ["0%", "50%", "100%"]);
  assert.deepEqual(numbers({ range: [0, 1], tickvals: [0, 0.25, 1] }), ["0", "0.25", "1"]);
  assert.deepEqual(numbers({ range: [-2, 3], type: "log", dtick: 1 }), ["10−2", "10−1", "1", "10", "102", "103"]);
});

test("of names that have no room every second one stands, or every third, and slanting ones end under their marks", () => {
  const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const drawn = (yaxis) => pictureOf([{ ...curve, y: names, x: names.map((_, at) => at) }], layoutOf({ yaxis }), letters).svg;
  const said = (yaxis) => [...drawn(yaxis).matchAll(/>(n\d+)<\/text>/g)].map(([, words]) => words);
  assert.deepEqual(said({ range: [-0.5, 29.5] }), names.filter((_, at) => at % 2 === 0));
  assert.deepEqual(said({ range: [-0.5, 29.5], tickfont: { size: 7 } }), names);
  const xaxis = { range: [0, 10], tickvals: [0, 5], ticktext: ["low", "high"], tickangle: -35 };
  const marked = pictureOf([curve], layoutOf({ xaxis }), letters);
  const [, x, turn] = /class="tick" x="([\d.]+)"[^>]*text-anchor="end" transform="rotate\((-35),[^>]*>low</.exec(marked.svg);
  assert.deepEqual([Number(x), Number(turn)], [marked.size.l, -35]);
});

test("dates stand at the beginnings of years or of months, as many as have room", () => {
  const dates = (range) => [...pictureOf([{ ...curve, x: range, y: [0, 1] }], layoutOf({ xaxis: { range, nticks: 5 } }), letters).svg.matchAll(/class="tick"[^>]*text-anchor="middle"[^>]*>(.*?)<\/text>/g)].map(([, words]) => words);
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
  const { svg } = pictureOf([bar], layout, letters);
  const middle = 60 + (400 - 44 - 60) / 2;
  assert.match(found(svg, "bar", "d"), new RegExp(`V${middle}H`));
  assert.match(found(svg, "shape", "d"), new RegExp(`,${middle}L580,${middle}$`));
  assert.equal(Number(found(svg, "words", "y")), middle - 2 - 3);
});

test("bars stand on their own feet, hatched ones are strokes in the legend too, and a curve of steps turns halfway", () => {
  const bar = { type: "bar", name: "left", x: [2, 8], y: [0.25, null], base: [0.5, 0.5], marker: { color: "#e69f00", pattern: { shape: "/" } } };
  const legend = { orientation: "h", font: { size: 13 } };
  const { svg } = pictureOf([bar], layoutOf({ showlegend: true, template: { layout: { ...look, legend } } }), letters);
  const tall = ([, top, foot]) => [(356 - top) / 296, (356 - foot) / 296].map((share) => Number(share.toFixed(2)));
  assert.deepEqual(tall(/class="bar" d="M[\d.]+,([\d.]+)V([\d.]+)H/.exec(svg)), [0.5, 0.75]);
  assert.equal((svg.match(/class="bar"/g) ?? []).length, 2);
  const hatches = [...svg.matchAll(/<pattern id="([\w-]+)" width="11\.31\d*"[^>]* patternTransform="translate\([\d.,]+\) scale\(([\d.]+)\)"><path d="[^"]*" stroke="#e69f00" stroke-width="2.4">/g)];
  assert.deepEqual(hatches.map(([, , scale]) => scale), ["1", "0.8"]);
  assert.deepEqual(["bar", "sample-point"].map((kind) => found(svg, kind, "fill")), hatches.map(([, id]) => `url(#${id})`));
  const waits = (more) => pictureOf([{ ...bar, ...more }], layoutOf(), letters).waits;
  assert.deepEqual([waits({ error_y: { array: [1] } }), waits({ marker: { color: "#000000", pattern: { shape: "x" } } })], ["bars with error bars", "bars hatched with x"]);
  const steps = pictureOf([{ ...curve, x: [0, 2, 4, 6, 8], y: [0, 1, null, 1, 0], line: { color: "#000000", shape: "hvh" } }], layoutOf(), letters).svg;
  const [first, second] = found(steps, "line", "d").split("M").slice(1).map((run) => run.match(/[\d.]+,[\d.]+/g).map((place) => place.split(",").map(Number)));
  const left = first[0][0];
  const unit = (580 - left) / 10;
  const near = (points) => points.map(([x, y]) => [Math.round(((x - left) / unit) * 10) / 10, Math.round((356 - y) / 296)]);
  assert.deepEqual([near(first), near(second)], [[[0, 0], [1, 0], [1, 1], [2, 1]], [[6, 1], [7, 1], [7, 0], [8, 0]]]);
});

test("a figure with anything that only Plotly draws waits for Plotly, and says with what", () => {
  const waits = (more, layout) => pictureOf([{ ...curve, ...more }], layoutOf(layout), letters).waits;
  assert.equal(waits(), undefined);
  assert.equal(waits({ type: "contour" }), "a contour");
  assert.equal(waits({ connectgaps: true }), "curves across gaps");
  assert.equal(waits({ line: { shape: "vh" } }), "curves of steps");
  assert.equal(waits({ fill: "tozeroy" }), "the filling tozeroy");
  assert.equal(waits({}, { yaxis: { range: [0, 1], tickformat: ".2~g" } }), "numbers in the format .2~g");
  assert.equal(waits({}, { yaxis: { scaleanchor: "x", constrain: "domain" } }), "axes of one scale whose reach Plotly finds");
  assert.equal(waits({ mode: "markers", marker: { angle: 30, angleref: "previous" } }), "points turned to the one before");
  assert.equal(waits({}, { shapes: [{ type: "path", path: "M0,0Z" }] }), "a shape that is a path");
  assert.equal(waits({}, { meta: { diagram: {} } }), "a diagram");
});

test("words and errors stand where Plotly has them, and a plot without traces has its words alone", () => {
  const said = pictureOf([{ ...curve, mode: "markers+text", text: ["a", "b", "c"], textposition: "top center", marker: { size: 8, color: "#000000" } }], layoutOf(), letters).svg;
  const [x, y] = ["x", "y"].map((name) => Number(found(said, "said", name)));
  const [left, foot] = found(said, "point", "transform").match(/[\d.]+/g).map(Number);
  assert.ok(Math.abs(x - left) < 0.01 && Math.abs(foot - y - (4 / 0.8 + 1 + 13 / 4)) < 0.1, `${foot - y}`);
  const errors = { ...curve, y: [0.5, null, 0.5], error_y: { array: [0.25, 0, 0.25], width: 3 } };
  assert.match(found(pictureOf([errors], layoutOf(), letters).svg, "error", "d"), /h6M[\d.]+,[\d.]+V[\d.]+M[\d.]+,[\d.]+h6$/);
  const words = { text: "Nothing yet.", x: 0.5, y: 0.5, xref: "paper", yref: "paper", font: { size: 15 } };
  assert.match(pictureOf([], layoutOf({ xaxis: { visible: false }, yaxis: { visible: false }, annotations: [words] }), letters).svg, /Nothing yet\./);
});

test("a legend has its entries in rows, each as wide as the widest where one row does not hold them", () => {
  const legend = { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", font: { size: 13 } };
  const traces = ["one", "another", "a third"].map((name) => ({ ...curve, name }));
  const layout = layoutOf({ showlegend: true });
  const places = (across, given = traces) => legendOf(given, layout, { legend }, across, letters).entries.map(({ name, x, y }) => [name, x, Math.round(y)]);
  assert.deepEqual(places(600), [["one", 0, 15], ["another", 63, 15], ["a third", 150, 15]]);
  assert.deepEqual(places(170), [["one", 0, 15], ["another", 87, 15], ["a third", 0, 35]]);
  assert.deepEqual(places(600, [...traces, { ...curve, name: "band", fill: "tonexty" }]).map(([name]) => name), ["band", "a third", "another", "one"]);
  // Groups stand in their own order, what is in one in the other.
  const grouped = [...traces.map((one, at) => ({ ...one, legendgroup: at ? "late" : "early" })), { ...curve, fill: "tonexty", showlegend: false }];
  assert.deepEqual(places(600, grouped).map(([name]) => name), ["one", "a third", "another"]);
  const { size, legend: drawn } = spaceOf(traces, layout, { ...look, legend }, letters);
  assert.deepEqual([size.t, drawn.height], [60, 30]);
  assert.match(pictureOf(traces, { ...layout, template: { layout: { ...look, legend } } }, letters).svg, /<g class="legend">/);
});

test("a legend at the figure's foot stands there, and its room is under the numbers at the axis", () => {
  const legend = { orientation: "h", x: 0.02, xref: "container", xanchor: "left", y: 0.01, yref: "container", yanchor: "bottom", font: { size: 13 } };
  const template = { layout: { ...look, legend } };
  const drawn = (margin) => pictureOf([{ ...curve, name: "one" }], layoutOf({ showlegend: true, template, margin: { l: 12, r: 20, t: 60, ...margin } }), letters);
  const { svg, size } = drawn({ b: 12 });
  assert.match(svg, /<g class="legend"><rect x="12" y="366" width="\d+" height="30"/);
  const { size: bare } = pictureOf([curve], layoutOf({ margin: { l: 12, r: 20, t: 60, b: 12 } }), letters);
  assert.equal(size.b, bare.b + 34);
  assert.equal(drawn({ b: 122 }).size.b, 122);
  assert.equal(pictureOf([curve], layoutOf({ showlegend: true, template: { layout: { ...look, legend: { ...legend, orientation: "v" } } } }), letters).waits, "a legend beside the plot");
});

test("an axis without a range reaches as far as its traces, with room for points, and bars stand on zero", () => {
  const axis = { key: "yaxis", letter: "y", length: 100, numberOf: Number };
  const round = (ends) => ends.map((end) => Number(end.toFixed(3)));
  assert.deepEqual(round(reachOf({ ...axis, own: [{ ...curve, y: [0, 9] }] }, {})), [-0.5, 9.5]);
  assert.deepEqual(round(reachOf({ ...axis, key: "xaxis", letter: "x", own: [curve] }, {})), [0, 10]);
  assert.deepEqual(round(reachOf({ ...axis, own: [{ type: "bar", x: [1, 2], y: [5, 9.5] }] }, {})), [0, 10]);
  assert.deepEqual(round(reachOf({ ...axis, autorange: "reversed", own: [{ type: "heatmap", y: [0, 1, 4], z: [[1], [2], [3]] }] }, {})), [5.5, -0.5]);
  assert.deepEqual(reachOf({ ...axis, own: [] }, {}), [-1, 4]);
});

test("cells of other sizes stand on their own edges, and their words are as light as can be read", () => {
  const line = (letter, from) => ({ letter, low: -0.5, high: 5.5, numberOf: Number, pixel: (share) => from + 60 * share });
  const cells = { x: [0, 1, 4], y: [2.5], z: [[0, 1, 2]], zmin: 0, zmax: 2, colorscale: [[0, "#000000"], [1, "#ffffff"]], text: [["a", "", "b"]], texttemplate: "%{text}", textfont: { size: 10 } };
  const svg = heatMap(cells, line("x", 100), line("y", 0), { layout: {}, look: {} });
  assert.match(svg, /<image x="100" y="25" width="60" height="10"/);
  assert.deepEqual([...svg.matchAll(/fill="(#\w+)"[^>]*>(\w)</g)].map(([, fill, words]) => [fill, words]), [["#fff", "a"], ["#444", "b"]]);
  // Without a size their letters are as large as the longest and the lowest of them allow, at most as those of the figure.
  const sized = (most) => heatMap({ ...cells, x: [0, 1, 2], text: [["abcd", "", "b"], ["", "b<br>c", ""]], y: [0, 1], z: [[0, 1, 2], [0, 1, 2]], textfont: {} }, line("x", 0), { ...line("y", 0), pixel: (share) => 600 * share }, { layout: {}, look: {}, fontSize: most });
  const sizeOf = (most) => /class="cell"[^>]*font-size="(\d+)px"/.exec(sized(most))[1];
  assert.deepEqual([sizeOf(14), sizeOf(2)], ["3", "2"]);
  assert.throws(() => drawnTrace({ type: "contour" }, 0, [], { axes: { xaxis: {}, yaxis: {} } }), /a contour/);
});

test("points have the outlines of their symbols, open or not, and unknown ones none", () => {
  const square = "M2,2L-2,2L-2,-2L2,-2Z";
  assert.deepEqual(["square", "square-open"].map((name) => markerOf(name, 2)), [{ path: square, open: false }, { path: square, open: true }]);
  assert.deepEqual(markerOf("line-ns-open", 1), { path: "M0,1.4L0,-1.4", open: true, bare: true });
  assert.deepEqual(markerOf("x-thin", 2), { path: "M2,2L-2,-2M2,-2L-2,2", open: false, bare: true });
  for (const symbol of ["circle", "diamond", "cross", "x", "star", "triangle-up", "star-square", "hexagram"]) assert.match(markerOf(symbol, 3).path, /^M.*Z$/);
  assert.deepEqual(["arrow", "square", "star-square"].map((symbol) => markerOf(symbol, 1, 90)?.path), ["M0,0L-1.902,-0.618L-1.902,0.618Z", "M-1,1L-1,-1L1,-1L1,1Z", undefined]);
  assert.equal(markerOf("arrow-wide", 3), undefined);
});

test("numbers are read from arrays and from bytes, and what stands in an element cannot end it", () => {
  assert.deepEqual(listed({ dtype: "u1", bdata: "AQI=" }), [1, 2]);
  assert.deepEqual([listed(undefined), listed([1, null])], [[], [1, null]]);
  assert.equal(tag("text", { fill: '"<', x: 1, y: undefined }, "a"), '<text fill="&quot;&lt;" x="1">a</text>');
});
