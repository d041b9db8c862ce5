import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../../goldviz/ui/assets/figure_fit.js";
import { recoloured, toneOf } from "../../goldviz/ui/assets/figure_theme.js";

const measureWith = () => (text) => text.length * 7;

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

test("ordered lines and the bar that explains them have the part of their scale that stands out from the paper", () => {
  const scale = ["#000000", "#640000", "#646400", "#646464", "#c86464"];
  const [light, dark] = [[0, 0.5], [0.5, 1]].map((part) => ({ tones: {}, depths: { scale, part } }));
  const drawn = {
    line: { color: ["rgb(0, 0, 0)", "rgb(50, 0, 0)", "rgba(100, 100, 0, 0.2)", "rgb(200, 100, 100)", "rgb(9, 9, 9)"] },
    colorscale: [[0, "rgb(0, 0, 0)"], [1, "rgb(100, 0, 0)"]],
  };
  const other = {
    line: { color: ["rgb(100, 100, 0)", "rgb(100, 100, 50)", "rgba(200, 100, 100, 0.2)", "rgb(200, 100, 100)", "rgb(9, 9, 9)"] },
    colorscale: [[0, "rgb(100, 100, 0)"], [1, "rgb(100, 100, 100)"]],
  };
  assert.deepEqual(recoloured(light, dark)(drawn), other);
  const maps = { fillcolor: "rgb(50, 0, 0)", colorscale: [[0, "#000000"], [1, "#c86464"]], template: { colorscale: { sequential: "Cividis" } } };
  assert.deepEqual(recoloured(light, dark)(maps), maps);
  const inks = [{ surface: "#eeeeee", text: "#111111" }, { surface: "#222222", text: "#dddddd" }];
  const share = { colorscale: [[0, "#eeeeee"], [1, "#111111"]] };
  assert.deepEqual(recoloured(...inks)(share), { colorscale: [[0, "#222222"], [1, "#dddddd"]] }, "from paper to ink in each theme");
});

test("a curve's name has its colour, or the nearest tone of it that can be read", () => {
  const ink = { text: "#1e1e1c", background: "#ffffff", surface: "#f6f4ee" };
  assert.equal(toneOf("#d55e00", ink), "rgb(180, 82, 5)");
  assert.equal(toneOf("rgba(30, 30, 28, 0.5)", ink), "rgb(30, 30, 28)");
});

test("a number that ends a question stands in the line of what it counts", () => {
  const layout = { title: { text: "Does the gradient reach layer 1?" }, height: 400, margin: { t: 60 } };
  assert.equal(fitted(layout, 246, 0, measureWith).title.text, "Does the gradient reach<br>layer\u00a01?");
});
