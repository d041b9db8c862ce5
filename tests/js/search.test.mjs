import assert from "node:assert/strict";
import { test } from "node:test";
import { Element, soon } from "./page.mjs";
import drawPicture from "../../goldviz/ui/assets/picture.js";
import { found, placeOfSearch, prepared, slips, wordsOf } from "../../goldviz/ui/assets/search.js";

const LIST = [
  ["Memory through time", "Laboratory", "Memory", "RNN LSTM GRU vanishing gradient"],
  ["vanishing gradient", "Term", "", "It shrinks on its way back"],
  ["Dropout", "Setting", "Gradient flow", "Share of units that are left out"],
  ["Öztürk's équation 27", "Equation", "", "eq. 27"],
];
const titles = (typed) => found(prepared(LIST), typed).map(({ title }) => title);

test("words are told apart from signs, cases and accents", () => {
  assert.deepEqual(wordsOf("Öztürk's eq. 27, (GPT)"), ["ozturk", "s", "eq", "27", "gpt"]);
});

test("a slip is a letter too many, too few, another one, or two that changed places", () => {
  assert.deepEqual(["vanishing", "vanihsing", "vanshing", "vanisshing", "vanixhing", "vani"].map((typed) => slips(typed, "vanishing")), [0, 1, 1, 1, 1, 0]);
});

test("titles come before what stands below them, and every word is wanted", () => {
  assert.deepEqual(titles("vanishing gradient"), ["vanishing gradient", "Memory through time"]);
  assert.deepEqual(titles("vanishing LSTM"), ["Memory through time"]);
  assert.deepEqual(titles("eq 27"), ["Öztürk's équation 27"]);
  assert.deepEqual(titles("vanihsing"), ["vanishing gradient", "Memory through time"]);
  assert.deepEqual([titles(""), titles("dropout LSTM")], [[], []]);
  assert.deepEqual(titles("dropuot"), ["Dropout"]);
});

test("a picture is put in once, and anew where it is another", () => {
  const parent = new Element("div");
  parent.innerHTML = '<div class="goldviz-door-picture"></div>';
  const draw = (svg) => drawPicture({ parentElement: parent, data: { svg } });
  draw("<svg></svg>");
  const first = parent.querySelector("svg");
  draw("<svg></svg>");
  assert.equal(parent.querySelector("svg"), first);
  draw("<svg><g></g></svg>");
  assert.ok(parent.querySelector("g"));
});

async function opened(isOver = false, address = "/list.json", answer = async () => ({ ok: true, json: async () => LIST })) {
  const [host, chosen] = [new Element("div"), []];
  globalThis.fetch = answer;
  const leave = placeOfSearch(host, { address, isOver }, (number) => chosen.push(number));
  const field = host.querySelector("input");
  field.focus = () => field.hear("focus");
  field.blur = () => field.hear("blur");
  const type = async (words) => {
    field.value = words;
    field.hear("input");
    await soon(5);
  };
  return { host, chosen, leave, field, type, key: (name) => field.hear("keydown", { key: name }) };
}

test("what was typed is chosen by arrows and Enter", async () => {
  const { host, chosen, field, type, key } = await opened();
  await type("vanishing");
  const list = host.querySelector("ul");
  assert.equal(list.hidden, false);
  assert.deepEqual(list.children.map((row) => row.textContent), ["vanishing gradientTerm", "Memory through timeLaboratory · Memory"]);
  key("ArrowDown");
  assert.equal(field.getAttribute("aria-activedescendant"), "goldviz-found-1");
  key("Enter");
  assert.deepEqual([chosen, field.value, list.hidden], [[0], "", true]);
});

test("nothing that is called so is said, and Enter goes nowhere", async () => {
  const { host, chosen, type, key } = await opened();
  await type("xqzv");
  assert.equal(host.querySelector("ul").textContent, "Nothing is called like that.");
  key("Enter");
  assert.deepEqual(chosen, []);
});

test("a list that does not come is told", async () => {
  const { host, type } = await opened(false, "/lost.json", async () => ({ ok: false, statusText: "Not Found" }));
  await type("vanishing");
  assert.match(host.querySelector("ul").textContent, /did not come/);
});

test("a slash opens the field over a page, but not while somebody types", async () => {
  const { host, leave, key } = await opened(true);
  document.hear("keydown", { key: "/", target: new Element("input") });
  assert.equal(host.classList.contains("goldviz-open"), false);
  document.hear("keydown", { key: "/", target: new Element("div") });
  assert.equal(host.classList.contains("goldviz-open"), true);
  key("Escape");
  assert.equal(host.classList.contains("goldviz-open"), false);
  leave();
  document.hear("keydown", { key: "/", target: new Element("div") });
  assert.equal(host.classList.contains("goldviz-open"), false);
});
