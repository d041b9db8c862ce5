// Plotly draws in steps, and a step that finds its figure purged throws: whatever is done to a figure waits its turn.
// All figures of the page share one queue. What is in sight goes first, the rest when that has come to rest. Pictures are
// drawn together; after a longer draw the page may answer a person.

const DRAW_AT_MOST_MS = 5000;
const REST_MS = 120;
// A task that takes longer is felt.
const TOGETHER_MS = 50;

export const queue = { waiting: [], busy: false, seen: 0, wake: () => undefined };

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function distance(host) {
  const { top, bottom } = host.getBoundingClientRect();
  return Math.max(0, -bottom, top - window.innerHeight);
}

async function drawn(task) {
  try {
    // A draw that Plotly never ends keeps no other figure waiting for good.
    await Promise.race([task.work(), pause(DRAW_AT_MOST_MS)]);
  } catch (error) {
    reportError(error);
  }
  task.done();
}

// What comes into sight, or moves there, does not wait for the rest of the others.
const wokenAfter = (milliseconds) => Promise.race([pause(milliseconds), new Promise((woken) => (queue.wake = () => woken(undefined)))]);

async function work() {
  queue.busy = true;
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
    await (rest > 0 ? wokenAfter(Math.min(rest, 20)) : pause(0));
    away.clear();
    began = performance.now();
  }
  queue.busy = false;
}

export function inTurn(host, task) {
  host.goldvizTurn = new Promise((done) => queue.waiting.push({ host, work: task, done }));
  if (!queue.busy) work();
  else queue.wake();
}
