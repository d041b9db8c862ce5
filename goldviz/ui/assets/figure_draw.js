// A figure's place on the page: its picture stands there, fitted to the place, and anew where either changes. Plotly comes
// when somebody touches it, draws the same, and stays.

import { inTurn } from "./drawing_queue.js";
import { watchDrags } from "./figure_drag.js";
import { lettersCome, lettersOf } from "./figure_fit.js";
import { beginAnew, clear, handed, lacksRoom, laidOut, leaveRoom, PICTURE, pictured, PLOTLY } from "./figure_laid.js";
import { roomAt } from "./figure_height.js";
import { relink, watchLinks } from "./figure_link.js";
import { frameOf } from "./figure_picture.js";
import { heightFor, PRESENT_BUTTON, presentIfAsked, presenting } from "./figure_present.js";
import { themeUnder, watchTheme } from "./figure_theme.js";
import { oneStop } from "./figure_toolbar.js";
import { tellWords } from "./figure_words.js";

const TOUCHES = ["pointermove", "click", "focusin"];
const TURNS_OF_PAPER = ["beforeprint", "afterprint"];
const UNSEEN_MS = 100;
const IDLE_AT_MOST_MS = 5000;
const CONFIG = {
  displaylogo: false,
  displayModeBar: window.matchMedia("(hover: none)").matches ? false : "hover",
  // What is drawn here stays here: no button sends a figure to Plotly's servers.
  plotlyServerURL: "",
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "sendChartToCloud"],
  modeBarButtonsToAdd: [PRESENT_BUTTON],
  toImageButtonOptions: { format: "svg", filename: "goldviz" },
};

let plotly;

// Until what stands on the page is on screen; in a tab that nobody sees, for a while.
const onScreen = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, UNSEEN_MS);
  });

// Until what stands on the page is on screen and nothing else is to be done; not every browser says when that is.
export async function idle() {
  await onScreen();
  const ask = globalThis.requestIdleCallback ?? ((act) => setTimeout(act));
  await new Promise((resolve) => ask(resolve, { timeout: IDLE_AT_MOST_MS }));
}

// One copy of Plotly for all figures of the page, whoever asks first. To read its script keeps the page from painting: what
// stands there is painted before.
async function loadPlotly(address) {
  const source = await address;
  if (!plotly) await onScreen();
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    // What asks for it draws in a task of its own: to read the script has taken long already.
    script.onload = () => setTimeout(() => resolve(window.Plotly));
    script.onerror = () => {
      plotly = undefined;
      reject(new Error("Plotly could not be loaded"));
    };
    document.head.appendChild(script);
  });
  return plotly;
}

// Whoever touches a figure finds Plotly there: it is fetched when the first pictures stand and the page has nothing to do.
let isFetched = false;
function fetchAhead(address) {
  if (isFetched || !address) return;
  isFetched = true;
  idle()
    .then(() => loadPlotly(address))
    .catch(() => (isFetched = false));
}

// While a run grows its axes grow too, so Plotly's own memory of a zoom does not hold: the person's ranges are kept here.
function watchHand(host) {
  host.on("plotly_relayout", (changed) => {
    const place = host.goldvizPlace;
    for (const key of Object.keys(changed)) {
      const axis = key.match(/^([xy]axis\d*)\.range/)?.[1];
      if (axis && place) place.zoom[axis] = [...host.layout[axis].range];
    }
  });
  // A figure that chooses among a page's positions has them as its points' ids.
  host.on("plotly_click", ({ points }) => {
    const id = points?.[0]?.id;
    if (host.layout.meta?.chooses && id !== undefined) host.goldvizPlace?.choose?.(Number(id));
  });
  host.on("plotly_doubleclick", () => {
    if (host.goldvizPlace) host.goldvizPlace.zoom = {};
  });
  watchLinks(host);
}

// What a figure is drawn for.
const fitOf = (host) => ({ width: host.clientWidth, least: roomAt(host).least, theme: themeUnder(host), presented: presenting.host === host, letters: lettersCome() });

const fits = (host, place) => Object.entries(fitOf(host)).every(([name, value]) => place[name] === value);

// Whether what stands in a place is what is wanted there, whoever drew it.
const isThere = (host, place, { figure, subject, veiled }) =>
  place.drawn === figure && place.subject === subject && place.veiled === Boolean(veiled) && fits(host, place);

// Plotly draws over the place of the picture: its axes, where the picture knows them.
async function plotted(host, place, wanted, high) {
  const { figure, movable, description = "", veiled } = wanted;
  beginAnew(place, wanted, host.clientWidth);
  const lay = laidOut(host, place, wanted, high);
  // What the picture was laid out as stays where it is.
  place.now ??= lay();
  const react = async () => {
    const { layout, traces } = place.now;
    const frame = frameOf(traces, layout, lettersOf(layout));
    leaveRoom(host, traces, layout);
    host.style.height = `${layout.height}px`;
    await window.Plotly.react(host, traces, handed(layout, frame.size), { ...CONFIG, edits: { shapePosition: movable } });
    return frame.axes;
  };
  const byKey = host.dataset.drawn === PICTURE && host.matches(":focus-visible");
  if (host.dataset.drawn === PICTURE) host.querySelector(":scope > .goldviz-picture").remove();
  else if (!host.dataset.drawn) clear(host);
  const first = host.dataset.drawn !== PLOTLY;
  host.dataset.drawn = PLOTLY;
  host.tabIndex = -1;
  let axes = await react();
  const { height, _size: size } = host._fullLayout;
  if (lacksRoom(host, place, place.now, { layout: place.now.layout, height, size })) {
    place.now = lay();
    axes = await react();
  }
  const { l, r } = host._fullLayout._size;
  place.room = { l, r };
  tellWords(host, figure, { ...place.now.layout, ...axes }, description, veiled);
  oneStop(host);
  if (byKey) host.querySelector(".modebar-btn")?.focus();
  if (first) watchHand(host);
  if (first && movable) watchDrags(host);
  return axes;
}

// What was done to the picture is done again to what Plotly has drawn.
function pointAgain(host, { clientX, clientY }) {
  const under = host.getRootNode().elementFromPoint?.(clientX, clientY);
  if (host.contains(under)) under.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true, view: window }));
}

// A finger touches a figure by a tap, of which Plotly hears nothing that it could zoom by; one that moves scrolls the page.
// A pointer that rests while the page moves under it is no touch, nor is the focus that a press gives.
function isTouch(host, { type, target, pointerType, movementX, movementY }) {
  if (type === "focusin") return target === host && host.matches(":focus-visible");
  return type === "click" || (pointerType !== "touch" && Boolean(movementX || movementY));
}

// Whoever comes to the same place before the turn of this goes on with what is drawn there.
export function leavePlace(host) {
  const place = host.goldvizPlace;
  if (!place) return;
  place.leave();
  host.goldvizPlace = undefined;
  relink(host);
  inTurn(host, () => {
    if (!host.goldvizPlace && host.dataset.drawn) clear(host);
  });
}

// Words in the place of what is drawn there, until a figure comes.
export function emptyPlace(host, words) {
  const place = host.goldvizPlace;
  Object.assign(place, { painted: undefined, drawn: undefined, axes: undefined });
  inTurn(host, () => {
    if (host.goldvizPlace !== place || place.want()) return;
    clear(host);
    host.classList.add("goldviz-figure-waiting");
    host.textContent = words;
    host.setAttribute("aria-label", words);
  });
}

// A figure's place on the page. `want` gives what is to be drawn as of now, or nothing; one draw that waits stands for
// all that are asked for meanwhile. The column's width changes with the window and with the lanes beside it, the theme
// with the visitor's choice: then the figure is drawn anew, too. Without an address of Plotly the picture stays.
export function placeOfFigure(host, address, want) {
  const place = { zoom: {}, lift: 0, waits: false, want, touched: host.dataset.drawn === PLOTLY, pointer: undefined };
  place.touch = () => {
    if (place.touched || !address) return;
    place.touched = true;
    loadPlotly(address).then(
      place.draw,
      () => {
        // Whoever touches it once more asks once more.
        place.touched = false;
        if (!host.dataset.drawn) host.textContent = "The figure cannot be drawn: the server did not send Plotly. Reload the page.";
      },
    );
  };
  place.draw = () => {
    if (place.waits || host.goldvizPlace !== place) return;
    place.waits = true;
    inTurn(host, place.drawNow);
  };
  place.drawNow = async () => {
    place.waits = false;
    if (host.goldvizPlace !== place || !host.isConnected || !host.clientWidth) return;
    // While nothing newer has come, what is drawn is fitted to its place all the same.
    const wanted = place.want() ?? place.painted;
    if (!wanted) return;
    if (wanted.figure.layout.meta?.chooses) place.touch();
    // While a guess is open nobody is told the answer, by pointing at it neither.
    const drawer = place.touched && window.Plotly && !wanted.veiled ? PLOTLY : PICTURE;
    const same = isThere(host, place, wanted);
    // Where shapes are dragged, a hand may have changed what was drawn.
    if (same && host.dataset.drawn === drawer && !wanted.movable) return;
    Object.assign(place, { painted: wanted, now: same ? place.now : undefined });
    const fit = fitOf(host);
    const high = (layout) => heightFor(host, layout);
    const axes = drawer === PLOTLY ? await plotted(host, place, wanted, high) : pictured(host, place, wanted, high);
    // What the picture does not know waits for Plotly.
    if (drawer === PICTURE && !axes) return place.touch();
    Object.assign(place, fit, { axes, veiled: Boolean(wanted.veiled) });
    host.classList.toggle("goldviz-chooses", Boolean(wanted.figure.layout.meta?.chooses));
    host.classList.toggle("goldviz-movable", Boolean(wanted.movable));
    if (drawer === PICTURE) {
      host.tabIndex = 0;
      fetchAhead(address);
    }
    relink(host);
    place.drawnOver?.();
    presentIfAsked(host);
    if (drawer === PLOTLY && place.pointer) {
      pointAgain(host, place.pointer);
      place.pointer = undefined;
    }
    if (place.drawn === wanted.figure) return;
    place.drawn = wanted.figure;
    host.dataset.updates = Number(host.dataset.updates || 0) + 1;
  };
  const touched = (event) => {
    if (host.dataset.drawn !== PICTURE || place.veiled || !isTouch(host, event)) return;
    if (event.type !== "focusin") place.pointer = event;
    place.touch();
  };
  const away = () => (place.pointer = undefined);
  const unfit = () => {
    if (host.dataset.drawn && !fits(host, place)) place.draw();
  };
  // On paper all figures are in sight, at another width than on the screen.
  const printed = () => place.drawNow().catch(reportError);
  const heard = [
    ...TOUCHES.map((name) => [host, name, touched]),
    [host, "pointerleave", away],
    ...TURNS_OF_PAPER.map((name) => [globalThis, name, printed]),
    [globalThis, "resize", unfit],
  ];
  for (const [at, name, hears] of heard) at.addEventListener(name, hears);
  const widths = new ResizeObserver(unfit);
  const unheard = watchTheme(host, unfit);
  widths.observe(host);
  place.leave = () => {
    for (const [at, name, hears] of heard) at.removeEventListener(name, hears);
    widths.disconnect();
    unheard();
  };
  return place;
}
