import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Element, element, soon, until } from "./page.mjs";
import diagram from "../../goldviz/ui/assets/diagram.js";
import { leavePlace, placeOfFigure } from "../../goldviz/ui/assets/figure_draw.js";
import { laidOut } from "../../goldviz/ui/assets/figure_laid.js";
import { chosenPlaces } from "../../goldviz/ui/assets/figure_link.js";
import { recoloured, themeUnder, watchTheme, wearInks } from "../../goldviz/ui/assets/figure_theme.js";

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

function pictured(wanted) {
  const place = placeOfFigure(host, "/plotly.js", () => wanted.now);
  host.goldvizPlace = place;
  place.draw();
  place.draw();
  return place;
}

async function put(wanted) {
  const place = pictured(wanted);
  place.touch();
  await until(() => drawn.length);
  return place;
}

test("wishes that wait are one draw, the same figure is drawn once, and a zoom outlasts a new one", async () => {
  const wanted = { now: { figure: figureOf("Loss"), subject: "a", description: "Does it learn?" } };
  const place = await put(wanted);
  await host.goldvizTurn;
  assert.deepEqual([drawn.length, host.dataset.updates, host.dataset.drawn], [1, 1, "plotly"]);
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

test("a figure is its picture at every step until somebody touches it, and Plotly's from then on", async () => {
  const wanted = { now: { figure: figureOf("Loss"), subject: "a", description: "Does it learn?" } };
  const place = pictured(wanted);
  assert.deepEqual([host.dataset.drawn, host.tabIndex], ["picture", 0]);
  assert.equal(host.attributes["aria-label"], "Loss. A note. loss ends at 1.");
  const [picture] = host.querySelectorAll(".goldviz-picture");
  const marks = new Element("div", { class: "goldviz-marks" });
  host.append(marks);
  wanted.now = { ...wanted.now, figure: figureOf("Loss later") };
  place.draw();
  await host.goldvizTurn;
  const [next, ...others] = host.querySelectorAll(".goldviz-picture");
  assert.match(next.html, /Loss later/);
  assert.ok(next !== picture && !others.length && host.contains(marks));
  await soon(50);
  assert.deepEqual([drawn.length, host.dataset.updates], [0, 2]);

  // What moves under a pointer that rests, a finger that scrolls, and the focus that a press gives are no touch.
  host.hear("pointermove", { pointerType: "mouse", movementX: 0, movementY: 0 });
  host.hear("pointermove", { pointerType: "touch", movementX: 3, movementY: 30 });
  host.hear("focusin", { target: marks });
  await soon(50);
  assert.equal(drawn.length, 0);
  host.hear("pointermove", { pointerType: "mouse", movementX: 1, movementY: 0, clientX: 70, clientY: 80 });
  await until(() => drawn.length);
  await host.goldvizTurn;
  assert.deepEqual([host.dataset.drawn, host.dataset.updates, host.tabIndex, host.querySelectorAll(".goldviz-picture").length], ["plotly", 2, -1, 0]);
  wanted.now = { ...wanted.now, figure: figureOf("Loss") };
  place.draw();
  await host.goldvizTurn;
  assert.deepEqual([drawn.length, host.dataset.updates], [2, 3]);
});

test("a picture keeps the widest margins that a step needed", async () => {
  const wide = figureOf("Loss");
  wide.layout.yaxis = { automargin: true, title: { text: "Loss" } };
  wide.data[0].y = [0, 0.00375];
  const wanted = { now: { figure: wide, subject: "a" } };
  const place = pictured(wanted);
  await host.goldvizTurn;
  const { l } = place.room;
  wanted.now = { ...wanted.now, figure: { ...wide, data: [{ ...wide.data[0], y: [0, 1] }] } };
  place.draw();
  await host.goldvizTurn;
  assert.equal(place.room.l, l);
  assert.ok(laidOut(host, place, wanted.now, (layout) => layout)().layout.margin.l >= l);
});

test("a tap touches a figure, and a pointer that has gone is not told of", async () => {
  for (const [gesture, told] of [["click", 1], ["pointerleave", 0]]) {
    host = new Element("div", { class: "goldviz-figure" });
    drawn.length = 0;
    const moves = [];
    const drag = new Element("rect");
    drag.dispatchEvent = (event) => moves.push([event.type, event.clientX]);
    document.elementFromPoint = () => drag;
    globalThis.MouseEvent ??= class {
      constructor(type, given) {
        Object.assign(this, { type }, given);
      }
    };
    pictured({ now: { figure: figureOf("Loss"), subject: "a" } });
    // What the test before has left to be drawn has its turn first.
    await until(() => host.dataset.drawn === "picture");
    host.append(drag);
    host.hear("click", { clientX: 70, clientY: 80 });
    if (gesture === "pointerleave") host.hear(gesture);
    await until(() => drawn.length);
    await host.goldvizTurn;
    assert.deepEqual(moves, [["mousemove", 70]].slice(0, told));
    leavePlace(host);
    await host.goldvizTurn;
  }
});

test("whose shapes are dragged, what chooses and what no picture shows is Plotly's at once", async () => {
  const unknown = figureOf("Loss");
  unknown.data[0].type = "violin";
  const chooses = figureOf("Loss");
  chooses.layout.meta.chooses = true;
  const those = [{ figure: figureOf("Loss"), movable: true }, { figure: chooses }, { figure: unknown }];
  for (const [at, now] of those.entries()) {
    host = new Element("div", { class: "goldviz-figure" });
    drawn.length = 0;
    pictured({ now: { ...now, subject: "a" } });
    await until(() => drawn.length);
    await host.goldvizTurn;
    assert.deepEqual([host.dataset.drawn, host.dataset.waits], ["plotly", at === 2 ? "a violin" : undefined]);
    leavePlace(host);
    await host.goldvizTurn;
  }
});

test("a veiled figure is a picture without its answer, whoever touches it, and Plotly's again without the veil", async () => {
  const wanted = { now: { figure: figureOf("Loss"), subject: "a", description: "Does it learn?" } };
  const place = await put(wanted);
  await host.goldvizTurn;
  wanted.now = { ...wanted.now, veiled: true };
  place.draw();
  await host.goldvizTurn;
  const [picture] = host.querySelectorAll(".goldviz-picture");
  assert.deepEqual([host.dataset.drawn, drawn.at(-1).purged, host.attributes["aria-label"]], ["picture", host, "Does it learn?"]);
  assert.match(picture.html ?? host.innerHTML, /Loss/);
  assert.doesNotMatch(picture.html ?? host.innerHTML, /class="(trace|line|subtitle)"/);
  wanted.now = { ...wanted.now, veiled: false };
  place.draw();
  await host.goldvizTurn;
  assert.equal(host.dataset.drawn, "plotly");
});

test("where Plotly does not come the picture stays, and a touch asks once more", async () => {
  const page = await import("../../goldviz/ui/assets/figure_draw.js?without-plotly");
  const { Plotly } = globalThis;
  const { appendChild } = document.head;
  const asked = [];
  delete globalThis.Plotly;
  document.head.appendChild = (script) => asked.push(script);
  const place = page.placeOfFigure(host, "/plotly.js", () => ({ figure: figureOf("Loss"), subject: "a" }));
  host.goldvizPlace = place;
  place.draw();
  for (const count of [1, 2]) {
    host.hear("click", { clientX: 1, clientY: 1 });
    await until(() => asked.length === count);
    asked.at(-1).onerror();
    await soon(20);
    assert.equal(host.dataset.drawn, "picture");
  }
  place.draw();
  await host.goldvizTurn;
  Object.assign(globalThis, { Plotly });
  document.head.appendChild = appendChild;
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

test("a change of the paper is heard of until it is left, and no other transition is", () => {
  const [part, heard] = [new Element("div"), []];
  const leave = watchTheme(part, () => heard.push("paper"));
  const end = (propertyName) => part.hear("transitionend", { propertyName });
  for (const name of ["opacity", "--st-background-color"]) end(name);
  leave();
  end("--st-background-color");
  assert.deepEqual(heard, ["paper"]);
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
  const data = { figure, subject: "lab", description: "What it shows", inks: { light: { text: "#000000" } }, chosen: { layer: 1 }, chooses: true };
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
