// A figure's place on the page: Plotly draws it there, fitted to the place, and anew where either changes.

import { distance, inTurn, pause } from "./drawing_queue.js";
import { watchDrags } from "./figure_drag.js";
import { fitted, lettersCome, lettersOf, measureWith } from "./figure_fit.js";
import { relink, watchLinks } from "./figure_link.js";
import "./figure_narrow.js";
import { clearOfCurves, namedAtEnds } from "./figure_names.js";
import { marginsOf, pictureOf } from "./figure_picture.js";
import { heightFor, PRESENT_BUTTON, presentIfAsked, presenting } from "./figure_present.js";
import { movedTo } from "./figure_step.js";
import { stroked, strokesOf } from "./figure_strokes.js";
import { recoloured, themeUnder, toneOf } from "./figure_theme.js";
import { oneStop } from "./figure_toolbar.js";
import { tellWords } from "./figure_words.js";

export const THEME_EVERY_MS = 150;
// So long after the last step a figure that was only moved is drawn whole.
const SETTLED_MS = 350;
// The class of a figure of which a first picture stands in its place.
export const PICTURED = "goldviz-figure-pictured";
const TURNS_OF_PAPER = ["beforeprint", "afterprint"];
// Plotly adds to what an axis takes as much as the smallest margin, at most so many pixels: that must not change.
const LEAST = 12;
const UNSEEN_MS = 100;
const NUMBERS_MS = 300;
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

let begin;
const begun = new Promise((resolve) => (begin = resolve));

// To read Plotly's script takes long: while all figures are out of sight, the page answers a person meanwhile.
function inSight(host) {
  if (distance(host) === 0) return Promise.resolve();
  let sight;
  const comes = new Promise((resolve) => {
    sight = new IntersectionObserver(([entry]) => entry.isIntersecting && resolve());
    sight.observe(host);
  });
  return Promise.race([begun, comes]).finally(() => sight.disconnect());
}

// Until what stands on the page is on screen; in a tab that nobody sees, for a while.
export const onScreen = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, UNSEEN_MS);
  });

let sketched;
const firstSketch = new Promise((resolve) => (sketched = resolve));

// One copy of Plotly for all figures of the page, whoever asks first. To read its script keeps the page from painting:
// a first picture whose numbers come soon is painted before.
async function loadPlotly(address) {
  begin();
  if (!plotly) {
    await Promise.race([firstSketch, pause(NUMBERS_MS)]);
    await onScreen();
  }
  const source = await address;
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

function keepZoom(zoom, layout) {
  for (const [axis, range] of Object.entries(zoom)) {
    if (layout[axis]) layout[axis] = { ...layout[axis], range, autorange: false };
  }
}

// How far the legend reaches up into the words over it, on a figure of this height whose plot has this size.
function overprinted(host, { layout, height, size: { h } }) {
  const legend = host.querySelector(".legend")?.getBoundingClientRect();
  if (!legend?.height) return 0;
  const words = [...host.querySelectorAll(".gtitle, .gtitle-subtitle, .heading, .subtitle")].map((one) => one.getBoundingClientRect().bottom);
  if (!words.length) return 0;
  const { top } = host.getBoundingClientRect();
  const lowest = Math.max(...words);
  if (legend.top >= top + height / 2 || legend.top >= lowest) return 0;
  // Plotly keeps a legend within its figure and makes it room that the layout does not have.
  const { y } = { ...layout.template?.layout?.legend, ...layout.legend };
  return Math.ceil(Math.max(lowest - legend.top, lowest - top + legend.height + Math.max(0, y - 1) * h - layout.margin.t));
}

// Where names beside a plot get longer or shorter, Plotly draws the whole figure a second time for its new margins. A
// place keeps the widest margins that it needed: most draws then need one pass, and the axes stay where they are.
function withRoom({ room }, layout) {
  const { l, r } = layout.margin;
  if (!room || !(Math.min(l, r) >= LEAST)) return layout;
  return { ...layout, margin: { ...layout.margin, l: Math.max(l, room.l), r: Math.max(r, room.r) } };
}

// Margins as wide as axes and legend will make them: Plotly, which finds that by drawing, need not draw a second time.
function withMargins(layout, size) {
  return size && Math.min(...Object.values(layout.margin)) >= LEAST ? { ...layout, margin: { ...layout.margin, ...size } } : layout;
}

// While a guess is open, where a curve ends is not told by its name.
function withNames(layout, data, { room }, width, { veiled, ink }) {
  const measure = measureWith(layout)(13, 400);
  const tone = (colour) => (ink && colour ? toneOf(colour, ink) : layout.font?.color);
  const named = veiled ? layout : namedAtEnds(layout, data, width, measure, tone);
  return clearOfCurves(named, data, width, measure, room);
}

// Whether a draw would change nothing. Where shapes are dragged, a hand may have changed what was drawn.
function isDrawn(host, place, { figure, subject, movable, veiled }) {
  const same = place.drawn === figure && place.subject === subject && place.veiled === Boolean(veiled);
  return host.dataset.drawn && same && !movable && !place.moved && fits(host, place);
}

function fits(host, { width, theme, presented }) {
  return host.clientWidth === width && themeUnder(host) === theme && (presenting.host === host) === presented;
}

// A figure in its place's colours and at its width: its layout as it is laid out, with the room that it needed before, and
// its traces.
function laidOut(host, place, { figure, theme, inks, veiled }) {
  const [width, under] = [host.clientWidth, themeUnder(host)];
  const colour = inks && under !== theme ? recoloured(inks[theme], inks[under]) : (same) => same;
  const [data, given] = [colour(figure.data), colour(figure.layout)];
  return () => {
    const layout = heightFor(host, fitted(given, width, place.lift, measureWith(given)));
    keepZoom(place.zoom, layout);
    const laid = withNames(layout, data, place, width, { veiled, ink: inks?.[under] });
    const roomy = withRoom(place, laid);
    return { laid, layout: roomy, traces: stroked(data, roomy) };
  };
}

// What stands in a figure's place until Plotly has come. A guess that is open is not answered by it, and a hand that may
// move something finds all of it or nothing.
function sketch(host, place, wanted) {
  const { figure, movable, veiled, description = "" } = wanted;
  beginAnew(place, wanted, host.clientWidth);
  const lay = laidOut(host, place, wanted);
  const fit = { width: host.clientWidth, theme: themeUnder(host), presented: presenting.host === host };
  const ahead = { ...fit, figure, veiled, letters: lettersCome(), lay, now: lay() };
  const show = () => {
    const { layout, traces } = ahead.now;
    host.style.height = `${layout.height}px`;
    const picture = veiled || movable ? {} : pictureOf(traces, layout, lettersOf(layout));
    host.classList.toggle(PICTURED, Boolean(picture.svg));
    if (picture.svg) host.innerHTML = picture.svg;
    if (picture.waits) host.dataset.waits = picture.waits;
    const { size } = picture;
    ahead.now.size = size;
    return size && { layout, height: layout.height, size: { ...size, h: layout.height - size.t - size.b } };
  };
  place.ahead = ahead;
  let drawn = show();
  if (drawn && lacksRoom(host, place, ahead.now, drawn)) {
    ahead.now = lay();
    drawn = show();
  }
  if (drawn) tellWords(host, figure, ahead.now.layout, description);
}

// What a place has of another figure, or of one of other words, is none of this one's.
function beginAnew(place, { figure, subject }, width) {
  if (place.subject !== subject) Object.assign(place, { subject, zoom: {} });
  const named = figure.data.filter(({ showlegend }) => showlegend !== false);
  const about = JSON.stringify([width, figure.layout.title, named.map(({ name }) => name)]);
  if (place.about !== about) Object.assign(place, { about, lift: 0, room: undefined });
}

// Whether what was drawn found too little room: words over the plot that a legend reaches into, or words that were moved
// for a plot which begins elsewhere than was thought. The place knows then.
function lacksRoom(host, place, { laid }, drawn) {
  const { l, r } = drawn.size;
  const missing = overprinted(host, drawn);
  place.lift += missing;
  const isMoved = Math.abs((laid.meta?.beside ?? l) - l) > LEAST / 3;
  if (isMoved) place.room = { l, r };
  return missing > 0 || isMoved;
}

// How a figure was laid out for its first picture, where it is still right.
function asSketched(host, { ahead }, { figure, veiled }) {
  const holds = ahead?.figure === figure && ahead.veiled === veiled && ahead.letters === lettersCome() && fits(host, ahead);
  return holds ? ahead : undefined;
}

async function paint(Plotly, host, place, wanted) {
  const { figure, movable, subject, veiled, description = "" } = wanted;
  const width = host.clientWidth;
  const theme = themeUnder(host);
  const config = { ...CONFIG, edits: { shapePosition: movable } };
  const another = place.subject !== subject;
  beginAnew(place, wanted, width);
  const ahead = asSketched(host, place, wanted);
  place.ahead = undefined;
  const lay = ahead?.lay ?? laidOut(host, place, wanted);
  let now = ahead?.now ?? lay();
  const steps = !another && place.drawn && place.drawn !== figure && !movable && !veiled && !place.veiled;
  if (steps && fits(host, place) && strokesOf(now.traces) === place.strokes && movedTo(host, place, figure, now.laid)) {
    place.moved = true;
    tellWords(host, figure, now.layout, description);
    clearTimeout(place.settles);
    place.settles = setTimeout(place.draw, SETTLED_MS);
    return;
  }
  const react = () => {
    const { laid, layout, traces } = now;
    Object.assign(place, { laid, strokes: strokesOf(traces) });
    host.style.height = `${layout.height}px`;
    return Plotly.react(host, traces, withMargins(layout, now.size ?? marginsOf(traces, layout, lettersOf(layout))), config);
  };
  await react();
  const { height, _size: size } = host._fullLayout;
  if (lacksRoom(host, place, place, { layout: now.layout, height, size })) {
    now = lay();
    await react();
  }
  const { l, r } = host._fullLayout._size;
  place.moved = false;
  Object.assign(place, { width, theme, room: { l, r }, presented: presenting.host === host, veiled: Boolean(veiled) });
  host.classList.toggle("goldviz-chooses", Boolean(figure.layout.meta?.chooses));
  host.classList.toggle("goldviz-movable", Boolean(movable));
  relink(host);
  tellWords(host, figure, now.layout, description, veiled);
  place.drawnOver?.();
  oneStop(host);
  presentIfAsked(host);
}

// Whoever comes to the same place before the purge's turn goes on with what is drawn there.
export function leavePlace(host) {
  const place = host.goldvizPlace;
  if (!place) return;
  place.leave();
  host.goldvizPlace = undefined;
  relink(host);
  inTurn(host, () => {
    if (host.goldvizPlace || !host.dataset.drawn) return;
    window.Plotly.purge(host);
    delete host.dataset.drawn;
  });
}

// A figure's place on the page. `want` gives what is to be drawn as of now, or nothing; one draw that waits stands for
// all that are asked for meanwhile. The column's width changes with the window and with the lanes beside it, the theme
// with the visitor's choice: then the figure is drawn anew, too.
export function placeOfFigure(host, address, want) {
  const place = { zoom: {}, lift: 0, ahead: undefined, waits: false, want, tell: undefined, width: 0, theme: undefined, presented: false };
  // On paper all figures are in sight, at another width than on the screen.
  place.sketch = (onPaper = false) => {
    const wanted = host.dataset.drawn || host.goldvizPlace !== place ? undefined : place.want();
    if (!wanted || (place.sketched === wanted.figure && (!onPaper || asSketched(host, place, wanted)))) return;
    place.sketched = wanted.figure;
    try {
      if (host.clientWidth && (onPaper || distance(host) === 0)) sketch(host, place, wanted);
    } catch (error) {
      reportError(error);
    }
    sketched();
  };
  place.draw = () => {
    place.sketch();
    if (place.waits || host.goldvizPlace !== place) return;
    place.waits = true;
    const loading = inSight(host).then(() => loadPlotly(address));
    loading.then(
      (Plotly) => inTurn(host, () => place.drawNow(Plotly)),
      () => {
        place.waits = false;
        host.textContent = "The figure cannot be drawn: the server did not send Plotly. Reload the page.";
      },
    );
  };
  place.drawNow = async (Plotly) => {
    place.waits = false;
    if (host.goldvizPlace !== place || !host.isConnected || !host.clientWidth) return;
    // While nothing newer has come, what is drawn is fitted to its place all the same.
    const wanted = place.want() ?? place.painted;
    if (!wanted || isDrawn(host, place, wanted)) return;
    place.painted = wanted;
    const first = !host.dataset.drawn;
    if (first) {
      host.classList.remove("goldviz-figure-waiting", PICTURED);
      delete host.dataset.waits;
      host.textContent = "";
      host.dataset.drawn = "yes";
    }
    await paint(Plotly, host, place, wanted);
    if (first) watchHand(host);
    if (first && wanted.movable) watchDrags(host);
    if (place.drawn === wanted.figure) return;
    place.drawn = wanted.figure;
    host.dataset.updates = Number(host.dataset.updates || 0) + 1;
  };
  const unfit = () => {
    if (host.dataset.drawn && !fits(host, place)) place.draw();
  };
  const widths = new ResizeObserver(unfit);
  const themes = setInterval(unfit, THEME_EVERY_MS);
  widths.observe(host);
  const printed = () => place.sketch(true);
  for (const turn of TURNS_OF_PAPER) addEventListener(turn, printed);
  place.leave = () => {
    for (const turn of TURNS_OF_PAPER) removeEventListener(turn, printed);
    widths.disconnect();
    clearInterval(themes);
    clearTimeout(place.settles);
  };
  return place;
}
