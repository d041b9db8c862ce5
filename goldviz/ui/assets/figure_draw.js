// A figure's place on the page: Plotly draws it there, fitted to the place, and anew where either changes.

import { distance, inTurn, pause, whenMeasured } from "./drawing_queue.js";
import { watchDrags } from "./figure_drag.js";
import { lettersCome, lettersOf } from "./figure_fit.js";
import { beginAnew, handed, lacksRoom, laidOut, leaveRoom, PICTURED, pictured } from "./figure_laid.js";
import { relink, watchLinks } from "./figure_link.js";
import { marginsOf } from "./figure_picture.js";
import { heightFor, PRESENT_BUTTON, presentIfAsked, presenting } from "./figure_present.js";
import { movedTo } from "./figure_step.js";
import { strokesOf } from "./figure_strokes.js";
import { themeUnder } from "./figure_theme.js";
import { oneStop } from "./figure_toolbar.js";
import { tellWords } from "./figure_words.js";

export const THEME_EVERY_MS = 150;
// So long after the last step a figure that was only moved is drawn whole.
const SETTLED_MS = 350;
const TURNS_OF_PAPER = ["beforeprint", "afterprint"];
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

// Whether a draw would change nothing. Where shapes are dragged, a hand may have changed what was drawn.
function isDrawn(host, place, { figure, subject, movable, veiled }) {
  const same = place.drawn === figure && place.subject === subject && place.veiled === Boolean(veiled);
  return host.dataset.drawn && same && !movable && !place.moved && fits(host, place);
}

function fits(host, { width, theme, presented }) {
  return host.clientWidth === width && themeUnder(host) === theme && (presenting.host === host) === presented;
}

// What stands in a figure's place until Plotly has come.
function sketch(host, place, wanted) {
  const { figure, veiled } = wanted;
  const fit = { width: host.clientWidth, theme: themeUnder(host), presented: presenting.host === host };
  const letters = lettersCome();
  place.ahead = { ...fit, figure, veiled, letters, ...pictured(host, place, wanted, (layout) => heightFor(host, layout)) };
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
  const lay = ahead?.lay ?? laidOut(host, place, wanted, (layout) => heightFor(host, layout));
  let now = ahead?.now ?? lay();
  const steps = !another && place.drawn && place.drawn !== figure && !movable && !veiled && !place.veiled;
  const move = steps && fits(host, place) && strokesOf(now.traces) === place.strokes && movedTo(host, place, figure, now.laid);
  if (move) {
    place.moved = true;
    whenMeasured(() => {
      move();
      tellWords(host, figure, now.layout, description);
    });
    clearTimeout(place.settles);
    place.settles = setTimeout(place.draw, SETTLED_MS);
    return;
  }
  const react = () => {
    const { laid, layout, traces } = now;
    Object.assign(place, { laid, strokes: strokesOf(traces) });
    leaveRoom(host, traces, layout);
    host.style.height = `${layout.height}px`;
    return Plotly.react(host, traces, handed(layout, now.size ?? marginsOf(traces, layout, lettersOf(layout))), config);
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

// Words in the place of what is drawn there, until a figure comes.
export function emptyPlace(host, words) {
  const place = host.goldvizPlace;
  Object.assign(place, { painted: undefined, drawn: undefined, sketched: undefined, ahead: undefined });
  inTurn(host, () => {
    if (host.goldvizPlace !== place || place.want()) return;
    if (host.dataset.drawn) window.Plotly.purge(host);
    delete host.dataset.drawn;
    host.classList.remove(PICTURED);
    host.classList.add("goldviz-figure-waiting");
    host.textContent = words;
    host.setAttribute("aria-label", words);
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
    const loading = plotly ?? inSight(host).then(() => loadPlotly(address));
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
