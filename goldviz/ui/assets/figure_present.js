// One figure on the whole window, its text half as large again, for a projector. P, or a figure's toolbar, begins; arrows
// move the step, space plays, N and B change the figure and open the part in which it is, Esc leaves. The address ends in
// #present meanwhile, so a link may begin with it. Plotly knows figures that CSS has scaled: hovering, zooming and
// clicking work as before.

export const LARGER = 1.5;
const BELOW = 96;
const HASH = "#present";
const OPENING_MS = 8000;
const CALM_MS = 600;
const LOOK_MS = 50;

export const presenting = { host: undefined, asked: globalThis.location?.hash === HASH };

const KEYS = new Map([
  ["ArrowLeft", "back"],
  ["ArrowRight", "on"],
  [" ", "play"],
  ["n", "next"],
  ["b", "before"],
  ["p", "leave"],
  ["escape", "leave"],
]);

// What a key means where a figure is presented, or undefined.
export function orderOf(key) {
  return KEYS.get(key) ?? KEYS.get(key.toLowerCase());
}

// The place of the figure after or before this one, around the ends.
export function neighbour(at, count, by) {
  return (((at + by) % count) + count) % count;
}

// What a layout's height becomes so that the scaled figure fills the window above the timeline.
export function presentedHeight(inner, larger = LARGER, below = BELOW) {
  return Math.max(240, Math.floor((inner - below) / larger));
}

const FIGURES = ".goldviz-figure[data-drawn], .goldviz-diagram[data-drawn]";

const figuresInView = () => [...document.querySelectorAll(FIGURES)].filter((one) => one.clientWidth);

function boxOf(host) {
  return host.closest('[data-testid="stElementContainer"]') ?? host.parentElement;
}

// Whose figure it is, where several lanes are in view.
const laneOf = (host) => host.closest(".stColumn")?.querySelector(".goldviz-lane")?.textContent ?? "";

function nearestFigure() {
  const middle = window.innerHeight / 2;
  const away = (host) => {
    const { top, bottom } = host.getBoundingClientRect();
    return Math.abs((top + bottom) / 2 - middle);
  };
  return figuresInView().sort((one, other) => away(one) - away(other))[0];
}

// The page's colours are known to the components alone.
function paperUnder(host) {
  if (!host) return;
  const paper = getComputedStyle(host).getPropertyValue("--st-background-color");
  document.documentElement.style.setProperty("--goldviz-paper", paper);
}

export function present(host) {
  const before = presenting.host;
  if (before === host) return;
  presenting.host = host;
  for (const one of [before, host]) {
    if (!one) continue;
    // The page's script may set this element's classes anew; what else it carries stays.
    if (one === host) boxOf(one).setAttribute("data-goldviz-presented", laneOf(one));
    else boxOf(one).removeAttribute("data-goldviz-presented");
    one.goldvizPlace?.draw();
  }
  document.documentElement.classList.toggle("goldviz-presenting", Boolean(host));
  paperUnder(host);
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, "", pathname + search + (host ? HASH : ""));
  if (!host) before?.scrollIntoView({ block: "center" });
}

function timelineOf(name) {
  return document.querySelector(`.goldviz-timeline ${name}`);
}

function stepBy(by) {
  const slider = timelineOf("input");
  if (!slider) return;
  slider.value = Number(slider.value) + by;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
}

const ORDERS = {
  on: () => stepBy(1),
  back: () => stepBy(-1),
  play: () => timelineOf("button")?.click(),
  leave: () => present(undefined),
  next: () => turn(1),
  before: () => turn(-1),
};

// The next figure of the open part, or else the first one of the next part that has any, around the ends.
function turn(by) {
  const all = figuresInView();
  const at = all.indexOf(presenting.host);
  const choices = [...document.querySelectorAll('.st-key-strip [role="radio"]')];
  if (all[at + by] || (!choices.length && all.length)) return present(all[neighbour(at, all.length, by)]);
  if (!presenting.turning) openPart(by, choices);
}

async function openPart(by, choices) {
  presenting.turning = true;
  const open = choices.findIndex((one) => one.ariaChecked === "true");
  for (let tried = 1; tried <= choices.length; tried++) {
    const before = figuresInView();
    choices[neighbour(open, choices.length, by * tried)].click();
    const found = await figuresAfter(before);
    if (!found.length) continue;
    present(by > 0 ? found[0] : found.at(-1));
    break;
  }
  presenting.turning = false;
  leaveIfGone();
}

// The figures of a part that was opened, when all of them are drawn: none where the page has come to rest without one.
async function figuresAfter(before) {
  for (let waited = 0, calm = 0; waited < OPENING_MS && calm < CALM_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const busy = document.querySelector('.stApp[data-test-script-state="running"], .goldviz-figure-waiting');
    const found = newFigures(before);
    if (found.length && !busy) return found;
    calm = busy ? 0 : calm + LOOK_MS;
  }
  return newFigures(before);
}

const newFigures = (before) => figuresInView().filter((one) => !before.includes(one));

// While the next part is opened the figure of the one before may be gone already.
function leaveIfGone() {
  if (presenting.host && !presenting.host.isConnected && !presenting.turning) present(undefined);
}

function isTyping(target) {
  return Boolean(target?.closest?.('input:not([type="range"]), textarea, select, [contenteditable="true"], [role="combobox"]'));
}

function listen() {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      leaveIfGone();
      const order = presenting.host ? orderOf(event.key) : undefined;
      if (order) ORDERS[order]();
      else if (!presenting.host && (event.key === "p" || event.key === "P")) present(nearestFigure());
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}

if (globalThis.document) listen();

// The toolbar's button, with the same meaning as the key.
export const PRESENT_BUTTON = {
  name: "present",
  title: "Present (P)",
  icon: { width: 24, height: 24, path: "M4 4h7v2H6v5H4V4zm9 0h7v7h-2V6h-5V4zM4 13h2v5h5v2H4v-7zm14 0h2v7h-7v-2h5v-5z" },
  click: (host) => present(presenting.host === host ? undefined : host),
};

// A layout as high as the window has room for, where its figure is presented.
export function heightFor(host, layout) {
  return presenting.host === host ? { ...layout, height: presentedHeight(window.innerHeight) } : layout;
}

// Called after every draw: a figure that leaves the page is presented no longer, a link may ask for the first one.
export function presentIfAsked(host) {
  leaveIfGone();
  if (presenting.host === host) paperUnder(host);
  if (!presenting.asked || host !== document.querySelector(".goldviz-figure")) return;
  presenting.asked = false;
  present(host);
}
