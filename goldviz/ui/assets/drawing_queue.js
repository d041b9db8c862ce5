// Plotly draws in steps, and a step that finds its figure purged throws: whatever is done to a figure waits its turn.
// All figures of the page share one queue. What is in sight goes first, the rest when that has come to rest. Figures that
// are only moved to a step are moved together; after a longer draw the page may answer a person.

const DRAW_AT_MOST_MS = 5000;
const REST_MS = 120;
// A task that takes longer is felt.
const TOGETHER_MS = 50;

export const queue = { waiting: [], changes: [], busy: false, seen: 0, wake: () => undefined };

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function distance(host) {
  const { top, bottom } = host.getBoundingClientRect();
  return Math.max(0, -bottom, top - window.innerHeight);
}

// Streamlit colours the border between two buttons of a choice by rules with `:has(+ button…)`. For these Chromium looks
// through the page whenever Plotly measures a text that it has just added: 2 to 4 ms each time, dozens of times a draw.
const BORDERS = /:has\(\+ button/;
const looked = new WeakMap();

function withoutBorderRules() {
  for (const sheet of document.styleSheets) {
    const rules = sheet.ownerNode?.dataset?.emotion ? sheet.cssRules : [];
    for (let index = rules.length - 1; index >= (looked.get(sheet) ?? 0); index--)
      if (BORDERS.test(rules[index].selectorText)) sheet.deleteRule(index);
    looked.set(sheet, rules.length);
  }
}

// What changes the page waits until all that draw together have measured it: to measure after a change is to have the
// browser lay out the page anew.
export const whenMeasured = (change) => queue.changes.push(change);

function changeAll() {
  for (const change of queue.changes.splice(0)) {
    try {
      change();
    } catch (error) {
      reportError(error);
    }
  }
}

async function drawn(task) {
  try {
    // A draw that Plotly never ends keeps no other figure waiting for good.
    await Promise.race([task.work(), pause(DRAW_AT_MOST_MS)]);
  } catch (error) {
    reportError(error);
  }
  whenMeasured(task.done);
}

// What comes into sight, or moves there, does not wait for the rest of the others.
const wokenAfter = (milliseconds) => Promise.race([pause(milliseconds), new Promise((woken) => (queue.wake = () => woken(undefined)))]);

async function work() {
  queue.busy = true;
  withoutBorderRules();
  // Whoever asks where a figure is has the browser lay out what the draw before has changed: once is enough for several.
  const away = new Map();
  let began = performance.now();
  while (queue.waiting.length) {
    for (const task of queue.waiting) if (!away.has(task)) away.set(task, distance(task.host));
    const nearest = Math.min(...queue.waiting.map((task) => away.get(task)));
    const rest = nearest > 0 ? queue.seen + REST_MS - performance.now() : 0;
    if (rest <= 0) {
      const next = queue.waiting.find((task) => away.get(task) <= nearest);
      queue.waiting.splice(queue.waiting.indexOf(next), 1);
      await drawn(next);
      if (nearest === 0) queue.seen = performance.now();
      if (nearest === 0 && queue.seen - began < TOGETHER_MS) continue;
    }
    changeAll();
    await (rest > 0 ? wokenAfter(Math.min(rest, 20)) : pause(0));
    away.clear();
    began = performance.now();
  }
  changeAll();
  queue.busy = false;
}

export function inTurn(host, task) {
  host.goldvizTurn = new Promise((done) => queue.waiting.push({ host, work: task, done }));
  if (!queue.busy) work();
  else queue.wake();
}
