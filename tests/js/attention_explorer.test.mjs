import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { Element, element, soon } from "./page.mjs";
import explorer from "../../goldviz/labs/inside_bert/assets/attention_explorer.js";
import { Captions } from "../../goldviz/labs/inside_bert/assets/captions.js";
import { colourTable, fitted, levelsOf, paintCells } from "../../goldviz/labs/inside_bert/assets/cells.js";
import { HeadLines } from "../../goldviz/labs/inside_bert/assets/head_lines.js";
import { HeadMap } from "../../goldviz/labs/inside_bert/assets/head_map.js";
import { extent, halfFloats, percent, shortly, written } from "../../goldviz/labs/inside_bert/assets/numbers.js";
import { notice, writeNotice } from "../../goldviz/labs/inside_bert/assets/notice.js";
import { workedOut } from "../../goldviz/labs/inside_bert/assets/one_weight.js";
import { Overview } from "../../goldviz/labs/inside_bert/assets/overview.js";
import { TokenStrip } from "../../goldviz/labs/inside_bert/assets/token_strip.js";
import { Tip } from "../../goldviz/labs/inside_bert/assets/tip.js";
import { sized } from "../../goldviz/ui/assets/canvas.js";
import { positionsPage } from "../../goldviz/ui/assets/frames_page.js";

const HTML = readFileSync(new URL("../../goldviz/labs/inside_bert/assets/attention_explorer.html", import.meta.url), "utf8");
const INK = { text: "#000000", muted: "#777777", accent: "#d55e00", background: "#ffffff", surface: "#eeeeee", grid: "#eeeeee", gap: "#888888" };
const COLOURS = ["#000000", "#ffffff"];

test("numbers are read and written so that none is rounded away", () => {
  assert.deepEqual([...halfFloats(Uint16Array.of(0x3c00, 0xb800, 0x7c00, 0x0001).buffer, 0)], [1, -0.5, Infinity, 2 ** -24]);
  assert.deepEqual([0, 1, 0.99995, 1e-7, null].map((one) => written(one)), ["0", "1", "1.000", "1.000e-7", "–"]);
  assert.deepEqual([0.5, 0.99999, 1e-7, null].map(percent), ["50.0 %", "100.0 %", "under 0.001 %", "–"]);
  assert.deepEqual([0, 1, 0.25, 0.003232, 1e-7].map(shortly), ["0.000", "1.000", "0.250", "0.003", "< 0.001"]);
  assert.deepEqual(extent([0, 0.5, 0.25]), { low: 0.25, high: 0.5, zeros: 1 });
  assert.deepEqual(extent([0, 0]), { low: 1, high: 1, zeros: 2 });
});

test("a value is a level of the colour scale, and a logarithm has none of zero", () => {
  const linear = { kind: "linear", low: 0, high: 1 };
  assert.deepEqual([...levelsOf([0, 0.5, 1, 2], 0, 2, 2, linear, false)], [1, 128, 255, 255]);
  assert.deepEqual([...levelsOf([0, 0.5, 1, 2], 0, 2, 2, linear, true)], [1, 255, 128, 255]);
  assert.deepEqual([...levelsOf([0, 0.01, 0.1, 1], 0, 2, 2, { kind: "log", low: 0.01, high: 1 }, false)], [0, 1, 128, 255]);
  assert.deepEqual([...levelsOf([0, 0.5], 0, 1, 2, { kind: "log", low: 0.5, high: 0.5 }, false)], [0, 255]);
});

test("a picture shows every cell where it is large, and the largest of several where it is small", () => {
  const table = colourTable(COLOURS, "#123456");
  const [red, green, blue] = [table[0] & 255, (table[0] >> 8) & 255, (table[0] >> 16) & 255];
  assert.deepEqual([red, green, blue], [0x12, 0x34, 0x56]);
  const levels = Uint8Array.of(1, 255, 1, 1);
  const whole = { row: 0, column: 0, rows: 2, columns: 2 };
  const pixels = (side) => [...new Uint32Array(paintCells(levels, 2, 2, whole, side, side, table).data.buffer)];
  assert.deepEqual(pixels(1), [table[255]]);
  assert.deepEqual(pixels(2), [table[1], table[255], table[1], table[1]]);
  assert.equal(pixels(4).filter((one) => one === table[255]).length, 4);
});

test("a word that has no room is cut between letters, and a canvas is as fine as the screen", () => {
  const pen = { measureText: (text) => ({ width: 10 * text.length }) };
  assert.deepEqual([fitted(pen, "gold", 40), fitted(pen, "golden", 40)], ["gold", "gol…"]);
  globalThis.devicePixelRatio = 2;
  const canvas = new Element("canvas");
  sized(canvas, 100, 50, 1.5);
  assert.deepEqual([canvas.width, canvas.height, canvas.style.width], [300, 150, "100px"]);
  globalThis.devicePixelRatio = 1;
});

test("a tip stands beside the pointer, and on its other side where there is no room", () => {
  const box = Object.assign(new Element("div"), { offsetWidth: 100, offsetHeight: 40 });
  const tip = new Tip(box, new Element("div"));
  tip.show(["0.5", "query", "key", "more"], 10, 10);
  assert.equal(box.style.transform, "translate(26px, 26px)");
  assert.deepEqual(box.children.map(({ className }) => className), ["", "", "", "quiet"]);
  tip.show(["0.5"], 590, 390);
  assert.equal(box.style.transform, "translate(474px, 334px)");
  tip.hide();
  assert.equal(box.hidden, true);
});

let parts;
let told;
let said;
let weighed;
beforeEach(() => {
  const host = element(HTML);
  parts = Object.fromEntries(host.querySelectorAll("[data-part]").map((part) => [part.dataset.part, part]));
  said = [];
  const tip = { show: (lines) => said.push(lines), hide: () => said.push(undefined) };
  told = {
    tip, ink: () => INK, font: () => "sans-serif", table: () => colourTable(COLOURS, INK.gap), say: () => undefined,
    choose: (...head) => said.push(["choose", ...head]), query: (unit) => said.push(["query", unit]),
    chosenUnit: () => null, hiddenWords: () => [], shown: () => "key", weigh: (units) => (weighed = units), overlays: () => false,
    overlay: (...head) => said.push(["overlay", ...head]),
  };
});

const HEADER = {
  layers: 2, heads: 2, tile: 2, edges: [0, 1, 2], tokens: ["gold", "rose"], special: [false, false],
  ids: [7, 8], second: [],
  summaries: { entropy: [[0.4, 0.1], [0.3, 0.2]], distance: [[1, 2], [3, 4]] },
};
// Halves: 1 and 0.5, a head's four cells each.
const TILES = Uint16Array.from({ length: 16 }, (_, cell) => (cell % 4 === 1 ? 0x3c00 : 0x3800));

function overviewOf() {
  const overview = new Overview(parts, told);
  overview.order = "place";
  overview.show({ header: HEADER, buffer: TILES.buffer, start: 0 });
  overview.layout(600, 400);
  return overview;
}

test("heads stand by place or in order of a summary, and a key or a press chooses one", () => {
  const overview = overviewOf();
  assert.deepEqual(overview.shown, [0, 1, 2, 3]);
  overview.order = "all:entropy";
  overview.arrange();
  assert.deepEqual(overview.shown, [1, 3, 2, 0]);
  overview.order = "layer:entropy";
  overview.arrange();
  assert.deepEqual(overview.shown, [1, 0, 3, 2]);
  overview.layout(600, 400);
  parts.overview.hear("keydown", { key: "Home" });
  assert.equal(said.at(-1)[0], "Layer 1, head 2");
  parts.overview.hear("keydown", { key: "ArrowDown" });
  parts.overview.hear("keydown", { key: "Enter" });
  assert.deepEqual(said.at(-1), ["choose", 1, 1]);
  assert.ok(!parts.overview.hear("keydown", { key: "a" }).prevented);
  const { x, y } = overview.placeOf(3);
  parts.overview.hear("click", { clientX: x + 2, clientY: y + 2 });
  assert.deepEqual(said.at(-1), ["choose", 1, 0]);
  parts.overview.hear("click", { clientX: x + 2, clientY: y + 2, shiftKey: true });
  assert.deepEqual(said.at(-1), ["overlay", 1, 0]);
});

test("under the pointer a tile says its head, its weight and its pieces", () => {
  const overview = overviewOf();
  const { x, y } = overview.placeOf(0);
  parts.overview.hear("pointermove", { clientX: x + overview.tile - 1, clientY: y + 1 });
  const lines = said.at(-1).map((line) => line.replace(/[\u2068\u2069]/g, ""));
  assert.deepEqual(lines, ["Layer 1, head 1", "1 from query to key", "query: gold", "key: rose", "Entropy 0.400 bits", "Distance 1 pieces"]);
  parts.overview.hear("pointermove", { clientX: 1, clientY: 1 });
  assert.equal(said.at(-1), undefined);
});

const ONE = { labels: ["gold", "did", "rise"], special: [false, false, true], second: [], values: Float32Array.of(0.2, 0.7, 0.1, 1, 0, 0, 0.3, 0.3, 0.4), hidden: [] };

test("a map says the weight under the pointer, turns, zooms, and chooses a query by key", () => {
  const map = new HeadMap(parts, told);
  map.show(ONE);
  map.layout(400, 300);
  const middle = (row, column) => ({
    clientX: map.gutter + ((column + 0.5) * map.side) / 3, clientY: map.gutter + ((row + 0.5) * map.side) / 3, pointerId: 1,
  });
  parts.map.hear("pointermove", middle(0, 1));
  assert.equal(said.at(-1)[0], "0.7000");
  map.turn(true);
  map.paint();
  parts.map.hear("pointermove", middle(0, 1));
  assert.equal(said.at(-1)[0], "1");
  map.turn(false);
  parts.map.hear("pointerleave", {});
  parts.map.hear("keydown", { key: "ArrowDown" });
  parts.map.hear("keydown", { key: "ArrowRight" });
  parts.map.hear("keydown", { key: "Enter" });
  assert.deepEqual(said.at(-1), ["query", 0]);
  parts.map.hear("pointerdown", middle(2, 0));
  parts.map.hear("pointerup", middle(2, 0));
  assert.deepEqual(said.at(-1), ["query", 2]);
  map.show({ ...ONE, labels: Array.from({ length: 20 }, (_, at) => `p${at}`), values: new Float32Array(400) });
  map.zoom(2);
  assert.deepEqual([map.view.rows, map.view.row], [10, 5]);
  parts.map.hear("keydown", { key: "0" });
  assert.equal(map.view.rows, 20);
});

test("lines lead to the keys that a query weighs most, and a chosen key may be pinned", () => {
  const lines = new HeadLines(parts, told);
  lines.top = 2;
  lines.show(ONE);
  lines.layout(300, false);
  assert.deepEqual(lines.links.slice(0, 2).map(({ key }) => key), [1, 0]);
  assert.equal(lines.heaviest, 1);
  const row = (side, index) => parts[side].querySelectorAll(".unit")[index];
  row("queries", 0).hear("pointerover");
  const chips = parts.strongest.querySelectorAll("button").map(({ textContent }) => textContent);
  assert.deepEqual(chips, ["did 0.700", "gold 0.200"]);
  assert.deepEqual(weighed, { query: 0, key: 1 });
  parts.flow.scrollTo = () => undefined;
  parts.strongest.querySelectorAll("button")[0].click();
  parts.queries.hear("pointerleave");
  assert.deepEqual(lines.subject(), { side: "key", index: 1, alone: true });
  row("queries", 1).hear("keydown", { key: "Enter" });
  assert.deepEqual(said.at(-1), ["query", 1]);
  row("keys", 0).click();
  parts.queries.hear("pointerleave");
  assert.deepEqual(lines.subject(), { side: "key", index: 0, alone: true });
  row("keys", 0).click();
  assert.equal(lines.subject(), null);
});

test("of a pair the lines from one sentence to the other can stand alone, and special pieces are of neither", () => {
  const lines = new HeadLines(parts, told);
  const labels = ["[CLS]", "gold", "rose"];
  const values = Float32Array.of(1, 0, 0, 0.5, 0.2, 0.3, 0.1, 0.6, 0.3);
  lines.show({ labels, special: [true, false, false], second: [false, false, true], values, hidden: [] });
  lines.layout(300, false);
  const ways = {};
  for (const way of ["all", "ab", "ba", "within"]) {
    lines.way = way;
    lines.rank();
    ways[way] = lines.links.map(({ query, key }) => `${query}${key}`).sort().join(" ");
  }
  assert.deepEqual(ways, { all: "00 01 02 10 11 12 20 21 22", ab: "12", ba: "21", within: "11 22" });
  lines.way = "ab";
  assert.equal(lines.share().toFixed(2), "0.30");
  assert.deepEqual(parts.queries.querySelectorAll(".begins").map((row) => row.textContent), ["rose"]);
});

test("heads lie over one another, each named beside its weights", () => {
  const lines = new HeadLines(parts, told);
  lines.top = 1;
  lines.show(ONE);
  lines.layout(300, false);
  lines.overlay([
    { name: "1·1", colour: "#0e7ac0", values: ONE.values },
    { name: "2·1", colour: "#d55e00", values: Float32Array.of(0, 0, 1, 0, 1, 0, 0, 1, 0) },
  ]);
  parts.queries.querySelectorAll(".unit")[0].hear("pointerover");
  const chips = parts.strongest.querySelectorAll("button").map(({ textContent }) => textContent);
  assert.deepEqual(chips, ["2·1 rise 1.000", "1·1 did 0.700"]);
});

test("heads of notice are those of the text in view, and a press chooses one", () => {
  const words = (header) => notice(header).map((part) => part.words ?? part).join("").replace(/[\u2068\u2069]/g, "");
  const header = {
    tokens: ["[CLS]", "gold"], special: [true, false], second: [],
    summaries: { word_before: [[0.1, 1], [0.2, 0]], word_after: [[0.1, 0], [0.2, 0.67]], other_sentence: [[0, 0], [0, 0]], first_piece: [[0.5, 0.1], [0.41, 0.4]] },
  };
  assert.equal(
    words(header),
    "Layer 1, head 2 gives the word before 1.00 of its attention, layer 2, head 2 the word after 0.67; 2 of 4 heads give [CLS] more than 0.4.",
  );
  const even = { ...header, summaries: { ...header.summaries, word_before: [[0.1, 0.1], [0.2, 0]], word_after: [[0, 0], [0, 0.3]], first_piece: [[0, 0], [0, 0]] } };
  assert.equal(words(even), "Layer 2, head 2 gives the word after 0.30 of its attention, and no head gives a neighbour more. No head gives [CLS] more than 0.4.");
  const pressed = [];
  writeNotice(parts.notice, header, (...head) => pressed.push(head));
  for (const button of parts.notice.querySelectorAll("button")) button.click();
  assert.deepEqual(pressed, [[0, 1], [1, 1], [0, 0]]);
});

test("tokens stand in a strip with their numbers, as letters and no HTML", () => {
  const strip = new TokenStrip(parts, told);
  strip.show({ tokens: ["[CLS]", "<b>"], ids: [101, 7], special: [true, false], second: [false, true] });
  strip.mark(1);
  const chips = parts.tokens.querySelectorAll("button");
  assert.deepEqual(chips.map((chip) => [chip.textContent, chip.getAttribute("aria-pressed")]), [["[CLS]101", "false"], ["<b>7", "true"]]);
  assert.equal(chips[1].getAttribute("aria-label"), "token 2: <b>, number 7, sentence B");
  assert.equal(parts["tokens-title"].textContent, "2 tokens");
});

test("one weight is the softmax of the scaled sum of q times k", () => {
  // Two pieces of width 2: queries, then keys.
  const vectors = Float32Array.of(1, 2, 0, 0, 3, 1, 1, -1);
  const { product, sum, score, total, weight } = workedOut(vectors, 2, 2, 0, 0);
  assert.deepEqual([[...product], sum], [[3, 2], 5]);
  assert.equal(score.toFixed(4), (5 / Math.SQRT2).toFixed(4));
  const scores = [5 / Math.SQRT2, -1 / Math.SQRT2];
  assert.equal(total.toFixed(6), (1 + Math.exp(scores[1] - scores[0])).toFixed(6));
  assert.equal(weight.toFixed(6), (1 / total).toFixed(6));
});

test("captions say what is drawn: the measure, the share of what is hidden and the scale's ends", () => {
  const overview = overviewOf();
  const map = new HeadMap(parts, told);
  map.show(ONE);
  const view = { choice: { layer: 1, head: 0 }, header: HEADER, one: ONE, overview, map, lines: { heaviest: 0.7 }, view: "map", colours: COLOURS };
  parts.measure.value = "norms";
  const captions = new Captions(parts);
  captions.write(view);
  assert.equal(parts["one-title"].textContent, "Layer 2, head 1");
  assert.match(parts["map-note"].textContent, /lengths of weighted values do not sum to 1/);
  assert.equal(parts.facts.textContent, "entropy 0.300 bits · distance 3.00 pieces");
  captions.write({ ...view, by: "word", one: { ...ONE, habit: { name: "previous", share: 0.914 } } });
  assert.equal(parts.facts.textContent, "91 % of the weight goes to the word before.");
  captions.write({ ...view, by: "word", one: { ...ONE, habit: { name: "", share: 0.3 } } });
  assert.match(parts.facts.textContent, /^entropy/);
  parts.measure.value = "weights";
  parts.special.value = "hidden";
  map.kind = "log";
  captions.write({ ...view, one: { ...ONE, hidden: [0.5, 0.1, 0] } });
  assert.match(parts["map-note"].textContent, /Hidden pieces had 20\.0 % of the weight/);
  assert.match(parts["map-scale"].textContent, /zero \(2\)/);
  captions.write({ ...view, view: "lines" });
  assert.match(parts["map-note"].textContent, /The thickest line is 0\.7000/);
});

function payload(header, array) {
  const words = Buffer.from(JSON.stringify(header));
  const start = 4 + words.length + ((4 - (words.length % 4)) % 4);
  const whole = Buffer.alloc(start + array.byteLength, " ");
  whole.writeUInt32LE(start - 4);
  words.copy(whole, 4);
  Buffer.from(array.buffer).copy(whole, start);
  return whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length);
}

test("the explorer fetches the overview once and each head that is chosen, and tells the page of it", async () => {
  const asked = [];
  const heard = [];
  globalThis.fetch = async (address) => {
    asked.push(address);
    if (address.includes("/ahead/")) return { ok: true, json: async () => ({ subject: "ahead", figures: { weight: "7" } }) };
    const whole = address.endsWith("/overview") ? payload(HEADER, TILES) : payload(ONE_HEADER, ONE.values);
    return { ok: true, arrayBuffer: async () => whole };
  };
  const ONE_HEADER = { ...ONE, values: undefined, first: [0, 1, 2] };
  const host = element(HTML);
  const data = {
    address: "/x", exhibit: "secret", choice: { layer: 0, head: 0, token: null }, height: 400, theme: "light",
    inks: { light: INK, dark: INK }, overlay: ["#0e7ac0"], ahead: "bert-page", view: "map", by: "piece",
  };
  const tell = (name, value) => heard.push([name, value]);
  const leave = explorer({ data, parentElement: { querySelector: () => host }, setStateValue: tell, setTriggerValue: tell });
  for (let turn = 0; turn < 100 && !host.dataset.drawn; turn += 1) await soon(30);
  assert.deepEqual(asked, ["/x/head/0/0?by=piece&special=shown&measure=weights", "/x/overview"]);
  const overview = host.querySelector("[data-part=overview]");
  overview.hear("keydown", { key: "End" });
  overview.hear("keydown", { key: "Enter" });
  await soon(200);
  assert.deepEqual(asked.slice(2).sort(), ["/x/ahead/1/1/null?theme=light", "/x/head/1/1?by=piece&special=shown&measure=weights"]);
  assert.deepEqual(heard, [["choice", { layer: 1, head: 1, token: null, exhibit: "secret", asked: data.choice }]]);
  assert.equal(positionsPage("bert-page").aheadOf("before", "weight").figure, 7);
  leave();
  assert.equal(positionsPage("bert-page").aheadOf("before", "weight"), undefined);
});
