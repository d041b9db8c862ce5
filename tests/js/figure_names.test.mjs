import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, clearOfCurves, namedAtEnds } from "../../goldviz/ui/assets/figure_names.js";
import { widthOf } from "../../goldviz/ui/assets/figure_room.js";
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
  assert.ok(away.showarrow && Math.abs(away.ay) > 10, "a line leads from them to their own");
});

test("words of a line for which curves leave no room stand over their panel", () => {
  const zigzag = curve("everywhere", ...Array.from({ length: 200 }, (_, at) => (at % 2 ? 3 : 0)));
  const { y, yref, yanchor, x } = placed(zigzag);
  assert.deepEqual([x, y, yref, yanchor], [1, 1, "y domain", "bottom"]);
});

test("numbers at an axis and under colours are as many as have room", () => {
  const ticks = { tickvals: [0, 1, 2, 3, 4, 5], ticktext: ["0", "1000", "2000", "3000", "4000", "5000"] };
  const numbers = (width) => clearOfCurves({ ...layout, xaxis: { ...layout.xaxis, ...ticks }, coloraxis: { colorbar: ticks } }, [], width, measure);
  assert.deepEqual(numbers(600).xaxis.tickvals, ticks.tickvals);
  const narrow = numbers(230);
  assert.deepEqual([narrow.xaxis.tickvals, narrow.coloraxis.colorbar.ticktext], [[0, 2, 4], ["0", "2000", "4000"]]);
  const everySecond = { tickvals: [1, 2, 3, 4], ticktext: ["", "128", "", "512"] };
  const thinned = clearOfCurves({ ...layout, xaxis: { ...layout.xaxis, ...everySecond } }, [], 150, measure);
  assert.deepEqual(thinned.xaxis.ticktext.filter(Boolean), ["128", "512"], "marks without a number give way first");
  const dates = clearOfCurves({ ...layout, xaxis: { type: "date", nticks: 6 } }, [], 200, measure);
  assert.equal(dates.xaxis.nticks, 2);
});

test("titles of axes that are longer than their axis are broken, and what is below moves down", () => {
  const colours = { text: "Share", x: 0.5, xref: "paper", y: 0, yref: "paper", yshift: -56, showarrow: false };
  const titled = { ...layout, xaxis: { title: { text: "Size of an entry of the gradient of a layer" } }, annotations: [colours] };
  const narrow = clearOfCurves(titled, [], 224, measure);
  assert.deepEqual([narrow.xaxis.title.text.split("<br>").length, narrow.height, narrow.margin.b], [2, 448, 70]);
  assert.equal(narrow.annotations[0].yshift, -74);
  assert.equal(clearOfCurves(titled, [], 600, measure).height, 430);
});

test("what is below names that have no room beside one another moves down as far as these reach", () => {
  const colours = { text: "Share", x: 0.5, xref: "paper", y: 0, yref: "paper", yshift: -56, showarrow: false };
  const tones = [{ type: "heatmap", x: ["negative", "neutral", "positive"], y: ["a"] }];
  const below = (width) => clearOfCurves({ ...layout, annotations: [colours] }, tones, width, measure);
  const narrow = below(200);
  const down = Math.ceil(measure("negative") / 2);
  assert.deepEqual([narrow.annotations[0].yshift, narrow.height], [-56 - down, layout.height + down]);
  assert.deepEqual([below(600).annotations[0].yshift, below(600).height], [-56, layout.height]);
});

test("each of a map's few columns has its name, upright and cut where it has no room; of many every so-manieth", () => {
  const colours = { text: "Weight", x: 0.5, xref: "paper", y: 0, yref: "paper", yshift: -56, showarrow: false };
  const map = [{ type: "heatmap", z: [[0, 1]] }];
  const mapOf = (count, width, data = map) => {
    const places = [...Array(count).keys()];
    const axis = { tickvals: places, ticktext: places.map((one) => (one ? `word ${one}` : "a word that is much too long")) };
    return clearOfCurves({ ...layout, xaxis: axis, annotations: [colours] }, data, width, measure);
  };
  const few = mapOf(12, 400);
  assert.deepEqual([few.xaxis.tickangle, few.xaxis.tickvals.length], [-90, 12]);
  assert.match(few.xaxis.ticktext[0], /^a word.*…$/);
  assert.ok(few.annotations[0].yshift < -56 && few.height > layout.height);
  assert.ok(mapOf(30, 600).xaxis.ticktext.length < 30);
  assert.ok(mapOf(12, 400, []).xaxis.ticktext.length < 12, "numbers under curves are thinned");
  const rows = [...Array(20).keys()];
  const tall = (height) => clearOfCurves({ ...layout, height, yaxis: { tickvals: rows, ticktext: rows.map(String) } }, map, 400, measure);
  assert.deepEqual([tall(600), tall(240)].map(({ yaxis }) => yaxis.ticktext.length), [20, 7]);
});

test("names at the side are broken where they take more than their part, and upright ones have one line", () => {
  const rows = [{ type: "bar", orientation: "h", x: [1, 2], y: ["stopped by the test part", "best"] }];
  assert.deepEqual(clearOfCurves(layout, rows, 224, measure).yaxis.ticktext, ["stopped by<br>the test<br>part", "best"]);
  assert.equal(clearOfCurves(layout, rows, 600, measure).yaxis.ticktext, undefined);
  const columns = [{ type: "bar", x: ["sum<br>all rows", "print<br>all rows"], y: [1, 2] }];
  assert.deepEqual(clearOfCurves(layout, columns, 150, measure).xaxis.ticktext, ["sum, all rows", "print, all rows"]);
});

test("words over both ends of a panel that would meet stand over each other, and the figure is as much higher", () => {
  const over = (text, x, xanchor) => ({ text, x, xanchor, xref: "x domain", y: 1, yref: "y domain", yanchor: "bottom", showarrow: false });
  const both = { ...layout, annotations: [over("<b>3. Shift</b>", 0, "left"), over("ahead 0.03, stay 0.26", 1, "right")] };
  const narrow = clearOfCurves(both, [], 240, measure);
  assert.deepEqual([narrow.annotations[0].yshift, narrow.height, narrow.margin.t], [17, 447, 95]);
  assert.equal(clearOfCurves(both, [], 600, measure).height, 430);
});

test("words that would leave the figure are moved into it", () => {
  const words = { text: "Share of the entries in a bin", x: 0.5, xref: "paper", y: 0, yref: "paper", showarrow: false };
  const moved = clearOfCurves({ ...layout, annotations: [words] }, [], 224, measure).annotations[0];
  const wide = (measure(words.text) * moved.font.size) / 13;
  const begin = 47 + (224 - 47 - 30) / 2 - wide / 2 + moved.xshift;
  assert.ok(begin >= 2 && begin + wide <= 222, `${begin} ${wide}`);
  const said = (text, size) => clearOfCurves({ ...layout, annotations: [{ ...words, text, font: { size } }] }, [], 224, measure).annotations[0];
  assert.equal(said("A sentence that is much longer than its figure is wide", 14).text.split("<br>").length, 2);
  assert.equal(said("a".repeat(60), 9).text, "a".repeat(60), "a word stays whole");
});

test("of curves that lie on each other the lower one is wider, and dashes have short gaps", () => {
  const drawn = stroked([curve("plain", 1, 2, 3), { ...curve("residual", 1, 2, 3), line: { dash: "longdash", width: 2 } }, curve("other", 1, 2, 2.5)], layout);
  assert.deepEqual(drawn.map(({ line }) => line.width), [6, 2, 2]);
  assert.equal(drawn[1].line.dash, "14px,4px");
});

test("bold words take more room, and of several lines the longest counts", () => {
  assert.equal(widthOf("one<br>three", measure), 35);
  assert.ok(widthOf("<b>three</b>", measure) > 35);
});
