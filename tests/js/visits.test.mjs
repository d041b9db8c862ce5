import assert from "node:assert/strict";
import { test } from "node:test";
import { shareLinks } from "../../goldviz/ui/assets/share.js";
import { keepClicks } from "../../goldviz/ui/assets/steady_clicks.js";
import { nameWaits } from "../../goldviz/ui/assets/waits.js";
import { isDeed, keepVisits } from "../../goldviz/ui/assets/visits.js";

const HOST = "http://host/";

// A window with a history, whose listeners hear in the order in which a browser calls them at the window.
function visited(start) {
  const entries = [HOST + start];
  const heard = { true: [], false: [] };
  let at = 0;
  const page = {
    get location() {
      return { href: entries[at] };
    },
    history: {
      state: null,
      pushState: (_state, _title, address) => entries.splice(++at, entries.length, new URL(address, entries[at - 1]).href),
      replaceState: (_state, _title, address) => (entries[at] = new URL(address, entries[at]).href),
    },
    addEventListener: (type, hear, options) => heard[!!options?.capture].push([type, hear]),
  };
  const tell = (type) => [...heard.true, ...heard.false].forEach(([name, hear]) => name === type && hear());
  const streamlit = [];
  page.addEventListener("popstate", () => streamlit.push(page.location.href));
  keepVisits(page);
  return {
    entries,
    streamlit,
    write: (address) => page.history.pushState({}, "", address),
    act: () => tell("pointerdown"),
    back: () => {
      at -= 1;
      tell("popstate");
    },
  };
}

test("another page, run, part or step is a deed, a knob's way is none, and a preset changes several settings", () => {
  const before = `${HOST}depth?depth=3`;
  for (const after of ["bert?depth=3", "depth?depth=3&runs=a", "depth?depth=3&shown=why", "depth?story=skip.2", "depth?a=1&b=2"]) {
    assert.ok(isDeed(before, HOST + after), after);
  }
  for (const after of ["depth?depth=4", "depth", "depth?depth=3&rate=1"]) {
    assert.ok(!isDeed(before, HOST + after), after);
  }
});

test("one deed is one entry, however often the address is written, and a slider's way is none", () => {
  const person = visited("depth");
  person.act();
  person.write("?runs=a");
  person.write("?runs=a&depth=4&rate=1");
  assert.deepEqual(person.entries, [`${HOST}depth`, `${HOST}depth?runs=a&depth=4&rate=1`]);
  for (let key = 5; key < 60; key += 1) {
    person.act();
    person.write(`?runs=a&depth=${key}&rate=1`);
  }
  assert.equal(person.entries.length, 2);
  person.write("?runs=b");
  assert.equal(person.entries.length, 3, "the gesture of the last key was not used up");
});

test("what the server writes without a person is no entry", () => {
  const person = visited("depth");
  person.write("?runs=a&shown=why");
  assert.deepEqual(person.entries, [`${HOST}depth?runs=a&shown=why`]);
});

test("Forward still leads somewhere after Back and what the server writes then", () => {
  const person = visited("depth");
  person.act();
  person.write("?shown=why");
  person.back();
  assert.deepEqual(person.streamlit, [`${HOST}depth`]);
  person.write("?");
  assert.deepEqual(person.entries, [`${HOST}depth?`, `${HOST}depth?shown=why`]);
});

// A document with one button, of which `stand` puts another in its place; `wait` comes after the browser's own click.
function pressed() {
  const heard = {};
  const clicks = [];
  const due = [];
  const element = (name, key) => {
    const place = { classList: ["stElementContainer", key] };
    return { name, closest: () => ({ closest: () => place }), click: () => clicks.push(name) };
  };
  let button = element("old", "st-key-Stop-7");
  const page = { addEventListener: (type, hear) => (heard[type] = hear), querySelector: () => button };
  globalThis.CSS = { escape: (text) => text };
  keepClicks(page, (then) => due.push(then));
  const at = { isPrimary: true, button: 0, pointerType: "mouse", clientX: 5, clientY: 5 };
  return {
    clicks,
    down: () => heard.pointerdown({ ...at, target: button }),
    stand: (name) => (button = name && element(name, "st-key-Stop-7")),
    up: (clientX = 5) => heard.pointerup({ ...at, clientX }),
    browserClicks: () => heard.click({ target: button }),
    rest: () => due.splice(0).forEach((then) => then()),
  };
}

test("a press on a button that is drawn anew before the pointer is up is a click on the new one, once", () => {
  const page = pressed();
  page.down();
  page.stand("new");
  page.up();
  page.rest();
  assert.deepEqual(page.clicks, ["new"]);
  page.rest();
  page.up();
  page.rest();
  assert.deepEqual(page.clicks, ["new"]);
});

test("a click that the browser tells is left alone, and so is a pointer that went away or a button that has gone", () => {
  for (const way of ["told", "far", "gone"]) {
    const page = pressed();
    page.down();
    page.up(way === "far" ? 60 : 5);
    if (way === "told") page.browserClicks();
    if (way === "gone") page.stand(null);
    page.rest();
    assert.deepEqual(page.clicks, []);
  }
});

// A page with a button to share it, in a browser that can do these things; `press` comes back when all is done.
function shared(navigator, hoverless, copies = true) {
  const heard = {};
  const did = [];
  const words = { textContent: "Share" };
  const button = { dataset: {}, lastElementChild: words };
  const box = { select: () => did.push(box.value), remove: () => did.push("removed") };
  const page = {
    title: "Depth",
    body: { append: () => undefined },
    addEventListener: (type, hear) => (heard[type] = hear),
    createElement: () => box,
    execCommand: () => copies,
  };
  const matchMedia = () => ({ matches: hoverless });
  const due = [];
  shareLinks({ document: page, navigator, location: { href: HOST }, matchMedia }, (then) => due.push(then));
  const press = () => heard.click({ target: { closest: () => button } });
  return { did, words, button, press, rest: () => due.splice(0).forEach((then) => then()) };
}

test("a link is copied and said so for a while, by the clipboard or without one, and a phone opens its own sheet", async () => {
  const sent = [];
  const clipboard = { writeText: async (text) => sent.push(text) };
  const share = async ({ url }) => sent.push(`sheet ${url}`);
  const desk = shared({ clipboard, share }, false);
  await desk.press();
  assert.deepEqual([sent.splice(0), desk.words.textContent, "told" in desk.button.dataset], [[HOST], "Link copied", true]);
  desk.rest();
  assert.deepEqual([desk.words.textContent, "told" in desk.button.dataset], ["Share", false]);
  const insecure = shared({}, false);
  await insecure.press();
  assert.deepEqual([insecure.did, insecure.words.textContent], [[HOST, "removed"], "Link copied"]);
  const refused = shared({}, false, false);
  await refused.press();
  assert.match(refused.words.textContent, /address/);
  const phone = shared({ clipboard, share }, true);
  await phone.press();
  assert.deepEqual([sent, phone.words.textContent], [[`sheet ${HOST}`], "Share"]);
  const closed = shared({ share: () => Promise.reject(new Error("AbortError")) }, true);
  await closed.press();
  assert.equal(closed.words.textContent, "Share");
});

// A page on which a link was pressed; `busy` and `named` say whether its app runs and whether something on it says so, and
// `figure` whether one is in view that says nothing and is not drawn.
function waited() {
  const heard = {};
  const due = [];
  const on = { busy: true, named: false, figure: false, told: undefined };
  const plate = { setAttribute: () => undefined, remove: () => (on.told = undefined) };
  const page = {
    addEventListener: (type, hear) => (heard[type] = hear),
    createElement: () => plate,
    body: { append: () => (on.told = plate.textContent) },
    querySelector: () => (on.busy ? {} : null),
    querySelectorAll: (selector) => {
      const says = selector.includes(":not(") ? on.figure && " " : on.named && "Epoch 3 of 9";
      return says ? [{ checkVisibility: () => true, textContent: says }] : [];
    },
  };
  nameWaits(page, (then) => due.push(then));
  const press = (words, link = false) => {
    const one = { querySelector: () => words && { innerText: words }, getAttribute: () => null, matches: () => link };
    heard.click({ target: { closest: () => one } });
  };
  return { on, press, pass: () => due.splice(0).forEach((then) => then()) };
}

test("a press that takes long is named by its words until the page has answered, and not where the page names it", () => {
  const { on, press, pass } = waited();
  press("ODE-RNN", true);
  assert.equal(on.told, undefined, "not before it is late");
  pass();
  assert.equal(on.told, "Opening ODE-RNN …");
  on.busy = false;
  pass();
  assert.equal(on.told, undefined);
  Object.assign(on, { busy: true, named: true });
  press("Train");
  pass();
  assert.equal(on.told, undefined, "the run's progress says it");
  on.named = false;
  press("Look closer");
  pass();
  assert.equal(on.told, "Look closer …");
  press("");
  pass();
  assert.equal(on.told, "Look closer …", "what has no words names nothing new");
  Object.assign(on, { busy: false, figure: true });
  pass();
  assert.equal(on.told, "Look closer …", "a figure that is there and says nothing is waited for");
  on.figure = false;
  pass();
  assert.equal(on.told, undefined);
});
