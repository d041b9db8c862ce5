import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Element, element, soon, until } from "./page.mjs";
import diagram from "../../goldviz/ui/assets/diagram.js";
import { leavePlace, placeOfFigure } from "../../goldviz/ui/assets/figure_draw.js";
import { PICTURED } from "../../goldviz/ui/assets/figure_laid.js";
import { chosenPlaces } from "../../goldviz/ui/assets/figure_link.js";
import { recoloured, themeUnder, wearInks } from "../../goldviz/ui/assets/figure_theme.js";

// What Plotly leaves of a draw, as far as the page looks at it.
const drawn = [];
globalThis.Plotly = {
  react: async (host, data, layout, config) => {
    drawn.push({ data, layout, config });
    Object.assign(host, { data, layout, _fullData: data, _fullLayout: { ...layout, _size: { l: 60, r: 20 }, _plots: {} } });
    host.on = (name, listener) => host.addEventListener(name, listener);
  },
  purge: (host) => drawn.push({ purged: host }),
};
document.head.appendChild = (script) => soon(1).then(() => script.onload());

const figureOf = (title) => ({
  data: [{ type: "scatter", mode: "lines", name: "loss", y: [2, 1] }],
  layout: { title: { text: title }, height: 400, margin: { l: 40, r: 20, t: 60, b: 40 }, xaxis: {}, meta: { notes: ["A note."] } },
});

let host;
beforeEach(() => {
  host = new Element("div", { class: "goldviz-figure" });
  drawn.length = 0;
});

// A place that is not left looks after its figure for good, and Node would wait for it.
afterEach(() => leavePlace(host));

async function put(wanted) {
  const place = placeOfFigure(host, "/plotly.js", () => wanted.now);
  host.goldvizPlace = place;
  place.draw();
  place.draw();
  await until(() => host.dataset.updates);
  return place;
}

test("wishes that wait are one draw, the same figure is drawn once, and a zoom outlasts a new one", async () => {
  const wanted = { now: { figure: figureOf("Loss"), subject: "a", description: "Does it learn?" } };
  const place = await put(wanted);
  assert.deepEqual([drawn.length, host.dataset.updates], [1, 1]);
  assert.equal(drawn[0].config.plotlyServerURL, "");
  assert.equal(host.attributes["aria-label"], "Loss. A note. loss ends at 1.");
  assert.equal(host.attributes["aria-description"], "Does it learn? curve (loss) from 1 to 2.");
  place.draw();
  await soon(20);
  assert.equal(drawn.length, 1);
  host.layout.xaxis.range = [1, 2];
  const [, zoomed] = host.listeners.find(([name]) => name === "plotly_relayout");
  zoomed({ "xaxis.range[0]": 1 });
  wanted.now = { ...wanted.now, figure: figureOf("Loss") };
  place.draw();
  await until(() => drawn.length > 1);
  assert.deepEqual(drawn[1].layout.xaxis, { range: [1, 2], autorange: false });
  wanted.now = { ...wanted.now, figure: figureOf("Loss"), subject: "b" };
  place.draw();
  await until(() => drawn.length > 2);
  assert.deepEqual(drawn[2].layout.xaxis, {});
  leavePlace(host);
  await until(() => !host.dataset.drawn);
  assert.equal(drawn.at(-1).purged, host);
  assert.equal(host.dataset.drawn, undefined);
});

test("while all figures are out of sight nobody asks for Plotly, and the first one in sight does for all", async () => {
  const sights = [];
  globalThis.IntersectionObserver = class {
    constructor(heard) {
      sights.push((isIntersecting) => heard([{ isIntersecting }]));
    }
    observe() {}
    disconnect() {}
  };
  const page = await import("../../goldviz/ui/assets/figure_draw.js?of-its-own");
  const hosts = [host, new Element("div", { class: "goldviz-figure" })];
  for (const [index, one] of hosts.entries()) {
    one.getBoundingClientRect = () => ({ top: 5000, bottom: 5400, left: 0, width: 600 });
    const place = page.placeOfFigure(one, "/plotly.js", () => ({ figure: figureOf("Loss"), subject: String(index) }));
    one.goldvizPlace = place;
    place.draw();
  }
  sights[1](false);
  await soon(40);
  assert.equal(drawn.length, 0);
  sights[1](true);
  await until(() => drawn.length > 1);
  await Promise.all(hosts.map((one) => one.goldvizTurn));
  assert.equal(drawn.length, 2);
  hosts.forEach((one) => page.leavePlace(one));
  await Promise.all(hosts.map((one) => one.goldvizTurn));
});

test("Plotly is handed margins that it need not find, axes of its own, and no room for an axis that is not there", async () => {
  const figure = figureOf("Loss");
  Object.assign(figure.layout, { xaxis: { range: [0, 1], automargin: true, title: { text: "Step" } }, yaxis: { range: [0, 1000], automargin: true, title: { text: "Loss" } } });
  await put({ now: { figure, subject: "a" } });
  const [{ layout }] = drawn;
  assert.ok(layout.margin.l > 40 && layout.margin.b > 40, JSON.stringify(layout.margin));
  layout.xaxis.range = [5, 6];
  assert.deepEqual(figure.layout.xaxis.range, [0, 1]);
  assert.equal(layout.yaxis.automargin, true);
  leavePlace(host);
  await soon(20);
  drawn.length = 0;
  host = new Element("div", { class: "goldviz-figure" });
  figure.layout.yaxis.visible = false;
  await put({ now: { figure: structuredClone(figure), subject: "a" } });
  assert.equal(drawn[0].layout.yaxis.automargin, false);
  assert.equal(drawn[0].layout.margin.l, 40);
  leavePlace(host);
});

test("a figure that came for one theme is drawn in the colours of the other under it", async () => {
  const inks = { light: { text: "#1e1e1c", tones: {} }, dark: { text: "#eceae4", tones: {} } };
  const figure = figureOf("Loss");
  figure.layout.font = { color: "#1e1e1c" };
  host.paper = "#101418";
  await put({ now: { figure, theme: "light", inks, subject: "a" } });
  assert.equal(drawn[0].layout.font.color, "#eceae4");
  assert.equal(figure.layout.font.color, "#1e1e1c");
  leavePlace(host);
});

test("a theme is read off the paper, and a part wears its colours", () => {
  const of = (paper) => themeUnder({ paper });
  assert.deepEqual(["#ffffff", "#101418", "rgb(20, 20, 30)", "rgb(250, 250, 250)", ""].map(of), ["light", "dark", "dark", "light", "light"]);
  assert.equal(themeUnder({ paper: "" }, "dark"), "dark");
  const worn = wearInks(Object.assign(host, { paper: "#101418" }), { inks: { light: { text: "#000" }, dark: { text: "#fff" } }, theme: "light" });
  assert.deepEqual([worn, host.style["--ink-text"]], [{ text: "#fff" }, "#fff"]);
  const inks = { grid: "#e3e0d6", tones: {} };
  assert.equal(recoloured(inks, { grid: "#33373f", tones: {} })("rgba(227, 224, 214, 0.5)"), "rgba(51, 55, 63, 0.5)");
});

const PARTS = [{ heading: "Plain", colour: "", row: 44, wires: [[0, 1, "line"]], nodes: [0, 1].map((l) => [`${l}`, `layer ${l}`, l, 0, 1, 1, "layer", { layer: l }]) }];
const colour = (name, values) => ({ name, words: `The ${name}`, values, scale: "linear", unit: "", limits: [0, 1] });

test("a diagram says what is chosen in it by key or press, in the colour that a person chose", async () => {
  const part = element('<div><div class="goldviz-diagram"></div></div>');
  const told = [];
  const shown = { parts: PARTS, noun: "layer", step: "epoch", scale: [[0, "#000000"], [1, "#ffffff"]], colours: [colour("norm", [0.25, 0.5]), colour("loss", [1, 0])] };
  const figure = JSON.stringify({ layout: { title: { text: "The network" }, meta: { diagram: shown, notes: [] } } });
  const data = { figure, subject: "lab", description: "What it shows", inks: { light: { text: "#000000" } }, chosen: { layer: 1 } };
  const leave = diagram({ data, parentElement: part, setTriggerValue: (name, value) => told.push([name, value]) });
  const said = () => part.querySelector("output")?.textContent;
  await until(() => said()?.startsWith("Layer 1"));
  assert.equal(said(), "Layer 1: 0.5. The norm.");
  const canvas = part.querySelector("canvas");
  canvas.focus();
  assert.ok(canvas.hear("keydown", { key: "ArrowLeft" }).prevented);
  await until(() => said().startsWith("Layer 0"));
  assert.deepEqual([said(), told], ["Layer 0: 0.25. The norm.", [["chosen", { layer: 0 }]]]);
  const menu = part.querySelector("select");
  assert.deepEqual(menu.options.map(({ value }) => value), ["norm", "loss"]);
  menu.value = "loss";
  menu.hear("change");
  await until(() => said().endsWith("loss."));
  assert.equal(said(), "Layer 0: 1. The loss.");
  canvas.hear("keydown", { key: "Escape" });
  await until(() => said().startsWith("Choose"));
  assert.deepEqual([said(), chosenPlaces()], ["Choose a layer: the figures mark it.", []]);
  leave();
});

test("a first picture stands in a figure's place until Plotly has come, and readers hear its words", async () => {
  const { placeOfFigure: placed } = await import("../../goldviz/ui/assets/figure_draw.js?with-a-picture");
  const sent = figureOf("Loss");
  Object.assign(sent.layout, { xaxis: { range: [0, 1] }, yaxis: { range: [1, 2] } });
  sent.data[0].x = [0, 1];
  host.classList.add("goldviz-figure-waiting");
  host.getAttribute ??= (name) => host.attributes[name];
  const place = placed(host, "/plotly.js", () => ({ figure: sent, subject: "a", description: "Does it learn?" }));
  host.goldvizPlace = place;
  place.draw();
  assert.ok(host.classList.contains(PICTURED));
  assert.match(host.innerHTML, /class="goldviz-picture"/);
  assert.match(host.attributes["aria-label"], /Loss\. A note\. loss ends at 1\./);
  assert.equal(drawn.length, 0);
  await until(() => host.dataset.updates);
  assert.ok(drawn.length > 0);
  assert.deepEqual([host.classList.contains(PICTURED), host.classList.contains("goldviz-figure-waiting")], [false, false]);
  place.leave();
});
