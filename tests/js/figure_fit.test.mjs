import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../../goldviz/ui/assets/figure_fit.js";
import { recoloured } from "../../goldviz/ui/assets/figure_theme.js";

const measureWith = () => (text) => text.length * 7;
const name = { xref: "x domain", x: 1, xanchor: "left", xshift: 6, text: "residual 0.44" };
const other = { xref: "x domain", x: 0, xanchor: "left", text: "a reference" };
const layout = { height: 430, margin: { r: 104, t: 44 }, annotations: [name, other], title: { text: "Loss" } };

test("names at the ends of curves stand beside the plot where there is room", () => {
  const wide = fitted(layout, 362, 0, measureWith);
  assert.deepEqual(wide.annotations, layout.annotations);
  assert.equal(wide.margin.r, 104);
});

test("a plane of one scale is no higher than its width allows, and its legend stays where it was", () => {
  const axes = { xaxis: { range: [-2, 2] }, yaxis: { range: [-1, 1], scaleanchor: "x", constrain: "domain" } };
  const plane = { ...axes, height: 480, margin: { l: 12, r: 30, t: 60, b: 120 }, legend: { y: -0.15 } };
  const wide = fitted(plane, 690, 0, measureWith);
  assert.deepEqual([wide.height, wide.legend.y], [480, -0.15]);
  const narrow = fitted(plane, 390, 0, measureWith);
  assert.deepEqual([narrow.height, narrow.legend.y], [330, -0.36]);
  const free = fitted({ ...plane, yaxis: { range: [-1, 1] } }, 390, 0, measureWith);
  assert.equal(free.height, 480);
});

test("in a narrow column they stand inside, and the plot gets their room", () => {
  const narrow = fitted(layout, 220, 0, measureWith);
  assert.deepEqual(narrow.annotations, [{ ...name, xanchor: "right", xshift: -6 }, other]);
  assert.equal(narrow.margin.r, 30);
  assert.equal(layout.margin.r, 104, "the figure itself stays as it was sent");
});

test("words in a network's colour change their tone with the theme, lines keep their colour", () => {
  const light = { text: "#1e1e1c", grid: "#e3e0d6", tones: { "#d55e00": "#b45205", "#009e73": "#007a59" } };
  const dark = { text: "#eceae4", grid: "#33373f", tones: { "#d55e00": "#dd7b2c", "#009e73": "#009e73" } };
  const drawn = {
    annotations: [{ text: "plain", font: { color: "#B45205" } }, { text: "zero", font: { color: "#1e1e1c" } }],
    line: { color: "#b45205" },
    marker: { color: ["#d55e00", "rgba(227, 224, 214, 0.5)"] },
  };
  assert.deepEqual(recoloured(light, dark)(drawn), {
    annotations: [{ text: "plain", font: { color: "#dd7b2c" } }, { text: "zero", font: { color: "#eceae4" } }],
    line: { color: "#b45205" },
    marker: { color: ["#d55e00", "rgba(51, 55, 63, 0.5)"] },
  });
});
