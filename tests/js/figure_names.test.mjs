import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, clearOfCurves, namedAtEnds } from "../../goldviz/ui/assets/figure_names.js";
import { stroked } from "../../goldviz/ui/assets/figure_strokes.js";

const measure = (text) => text.length * 7;
const layout = {
  showlegend: true, height: 430, margin: { l: 12, r: 30, t: 78, b: 52 }, legend: { y: 1 },
  xaxis: { range: [0, 10] }, yaxis: { range: [0, 3] },
};
const curve = (name, ...y) => ({
  type: "scatter", mode: "lines", name, x: y.map((_, at) => (10 * at) / (y.length - 1)), y, line: { color: "#d55e00", width: 2 },
});
const named = (data, width = 600, given = layout) => namedAtEnds(given, data, width, measure, (colour) => colour);

test("places that would touch spread around their middle", () => {
  assert.deepEqual(apart([10, 100, 12], 16), [3, 100, 19]);
  assert.deepEqual(apart([0, 1, 2], 10), [-9, 1, 11]);
});

test("a curve has its name at its last value in place of a legend, beside the plot", () => {
  const fit = named([curve("plain", 2, 1, 2), curve("residual", 1, 1, NaN), { ...curve("band", 0, 0, 0), showlegend: false }]);
  assert.equal(fit, layout, "the second ends in the middle, so the legend stays");
  const both = named([curve("plain", 2, 1, 2), curve("residual", 0, 3, 1)]);
  assert.equal(both.showlegend, false);
  assert.deepEqual(both.annotations.map(({ text, y, showarrow }) => [text, y, showarrow]), [["plain", 2, false], ["residual", 1, false]]);
  assert.ok(both.margin.r >= 8 * 7 + 12 && both.margin.t < layout.margin.t);
  assert.equal(layout.annotations, undefined, "the figure itself stays as it was sent");
});

test("names that would touch are led to their curves, one line apart and within the panel", () => {
  const { annotations } = named([curve("one", 1, 0), curve("two", 1, 0.01), curve("three", 1, 0)]);
  const height = 430 - 66 - 52;
  const places = annotations.map(({ y, ay }) => (y / 3) * height - ay).sort((one, other) => one - other);
  assert.ok(annotations.every(({ showarrow }) => showarrow));
  assert.ok(places[1] - places[0] > 16.9 && places[2] - places[1] > 16.9 && places[0] >= -0.1, String(places));
});

test("a curve on a log axis, of dates, or that ends a little before the edge is named at its end, too", () => {
  const log = named([{ ...curve("loss", 100, 10), x: ["2024-01-01", "2024-02-10"] }], 600, {
    ...layout, yaxis: { type: "log", range: [0, 2] }, xaxis: { type: "date", range: ["2024-01-01", "2024-02-11"] },
  });
  assert.equal(log.annotations[0].y, 1);
  const early = named([{ ...curve("short", 1, 2), x: [0, 8] }]);
  assert.deepEqual(early.shapes.map(({ x0, x1, y0, y1 }) => [x0, x1, y0, y1]), [[8, 10, 2, 2]]);
});

test("the legend stays where a name has no room, is of no curve, or names are many", () => {
  assert.equal(named([curve("a name that is long", 1, 2)], 224), layout);
  assert.equal(named([curve("plain", 1, 2), { ...curve("points", 1, 2), mode: "markers" }]), layout);
  assert.equal(named(Array.from("abcdefg", (name) => curve(name, 1, 2))), layout);
  assert.equal(named([{ ...curve("a way", 1, 2, 1), x: [9, 3, 8] }]), layout);
});

test("a legend under the plot leaves its room", () => {
  const under = { ...layout, height: 470, margin: { ...layout.margin, t: 54, b: 126 }, legend: { y: -56 / 290 } };
  const free = named([curve("plain", 1, 2)], 600, under);
  assert.deepEqual([free.height, free.margin.b], [410, 66]);
});

const reference = { text: "1: nothing lost", x: 1, xref: "x domain", xanchor: "right", y: 1, yref: "y", yanchor: "bottom", bgcolor: "#fff", showarrow: false };
const placed = (...data) => clearOfCurves({ ...layout, annotations: [reference] }, data, 600, measure).annotations[0];

test("words of a reference line stand where no curve goes through them", () => {
  assert.deepEqual(placed(curve("far", 2, 2)), reference, "they stay where they were");
  assert.equal(placed(curve("above", 1.1, 1.1)).yanchor, "top");
  const left = placed(curve("above", 2, 2, 1.1), curve("under", 0, 0, 0.9));
  assert.deepEqual([left.x, left.xanchor], [0, "left"]);
  const away = placed(curve("above", 1.1, 1.1), curve("under", 0.9, 0.9));
  assert.ok(Math.abs(away.yshift) > 10);
});

test("words that would leave the figure are moved into it", () => {
  const words = { text: "Share of the entries in a bin", x: 0.5, xref: "paper", y: 0, yref: "paper", showarrow: false };
  const moved = clearOfCurves({ ...layout, annotations: [words] }, [], 224, measure).annotations[0];
  const wide = (measure(words.text) * moved.font.size) / 13;
  const begin = 62 + (224 - 62 - 30) / 2 - wide / 2 + moved.xshift;
  assert.ok(begin >= 2 && begin + wide <= 222, `${begin} ${wide}`);
});

test("of curves that lie on each other the lower one is wider, and dashes have short gaps", () => {
  const drawn = stroked([curve("plain", 1, 2, 3), { ...curve("residual", 1, 2, 3), line: { dash: "longdash", width: 2 } }, curve("other", 1, 2, 2.5)], layout);
  assert.deepEqual(drawn.map(({ line }) => line.width), [6, 2, 2]);
  assert.equal(drawn[1].line.dash, "14px,4px");
});
