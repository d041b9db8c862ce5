// A laboratory's network on a canvas, coloured by a quantity of the person's choice at the step in view. What is chosen
// here is marked in the page's figures, and what is pointed at in them is marked here.

import { sized } from "./canvas.js";
import { paintDiagram } from "./diagram_draw.js";
import { boxAfter, boxAt, boxesAt, placed, placesOf, ticksOf, told } from "./diagram_layout.js";
import { distance, inTurn } from "./drawing_queue.js";
import { ofBase64 } from "./figure_fill.js";
import { measureWith } from "./figure_fit.js";
import { choosePlaces, chosenPlaces, pointAtPlaces, pointing, samePlaces } from "./figure_link.js";
import { LARGER, present, PRESENT_BUTTON, presentedHeight, presentIfAsked, presenting } from "./figure_present.js";
import { themeUnder, watchTheme } from "./figure_theme.js";
import { visible } from "./figure_words.js";
import { framesPage, positionsPage, stepOf, watchStep } from "./frames_page.js";

// The quantity in view of each laboratory, and who draws it.
const colourings = { chosen: new Map(), listeners: new Set() };

const PRESENTED_AROUND = 130;
const { width: ICON_WIDTH, height: ICON_HEIGHT, path: ICON } = PRESENT_BUTTON.icon;
const PRESENT_ICON = `<svg viewBox="0 0 ${ICON_WIDTH} ${ICON_HEIGHT}" width="16" height="16" aria-hidden="true">
  <path fill="currentColor" d="${ICON}"/></svg>`;

function plain(text) {
  return visible(text ?? "").replaceAll("\u00a0", " ");
}

// The same words once more are no news to a screen reader, nor work for the browser.
function say(part, words) {
  if (part.textContent !== words) part.textContent = words;
}

function build(host, data, act) {
  host.innerHTML = `
    <div class="goldviz-diagram-head">
      <span class="goldviz-diagram-title"></span>
      <button type="button" data-act="why" aria-expanded="false" aria-label="What this shows">i</button>
      <button type="button" data-act="present" aria-label="Present" title="Present (P)">${PRESENT_ICON}</button>
    </div>
    <div class="goldviz-diagram-why" hidden></div>
    <div class="goldviz-diagram-notes"></div>
    <div class="goldviz-diagram-legend">
      <label><span>Colour</span> <select></select></label>
      <span class="goldviz-diagram-bar"><span class="goldviz-diagram-scale"></span><span class="goldviz-diagram-ticks"></span></span>
    </div>
    <canvas tabindex="0" role="application" aria-roledescription="network diagram"></canvas>
    <output aria-live="polite"></output>`;
  const part = (name) => host.querySelector(name);
  const shown = {
    canvas: part("canvas"), select: part("select"), said: part("output"), ticks: part(".goldviz-diagram-ticks"),
    title: part(".goldviz-diagram-title"), notes: part(".goldviz-diagram-notes"), why: part(".goldviz-diagram-why"),
    legend: part(".goldviz-diagram-legend"), bar: part(".goldviz-diagram-scale"),
  };
  shown.why.textContent = data.description;
  shown.select.setAttribute("aria-label", "Colour the diagram by");
  host.querySelector("[data-act=why]").onclick = ({ currentTarget }) => {
    shown.why.hidden = !shown.why.hidden;
    currentTarget.setAttribute("aria-expanded", String(!shown.why.hidden));
  };
  host.querySelector("[data-act=present]").onclick = () => present(presenting.host === host ? undefined : host);
  shown.select.onchange = () => act.colour(shown.select.value);
  const pointOf = ({ offsetX, offsetY }) => boxAt(shown.layout, offsetX, offsetY);
  shown.canvas.onpointermove = (event) => shown.layout && event.pointerType === "mouse" && act.point(pointOf(event));
  shown.canvas.onpointerleave = () => act.point(undefined);
  shown.canvas.onclick = (event) => shown.layout && act.choose(pointOf(event));
  shown.canvas.onkeydown = (event) => act.key(event);
  shown.canvas.onblur = () => act.blur();
  return shown;
}

function menu(shown, diagram, chosen) {
  const options = JSON.stringify(diagram.colours.map(({ name, words }) => [name, words]));
  if (shown.options !== options) {
    shown.options = options;
    shown.select.replaceChildren(...diagram.colours.map(({ name, words }) => new Option(words, name)));
  }
  if (shown.select.value !== chosen.name) shown.select.value = chosen.name;
}

function legend(shown, { scale }, colour) {
  const about = JSON.stringify([colour.name, colour.limits]);
  if (shown.about === about) return;
  shown.about = about;
  shown.bar.style.background = `linear-gradient(to right, ${scale.map(([at, one]) => `${one} ${100 * at}%`).join()})`;
  const ticks = ticksOf(colour).map(({ share, words }) => {
    const tick = document.createElement("span");
    tick.style.left = `${100 * share}%`;
    tick.textContent = words;
    return tick;
  });
  shown.ticks.replaceChildren(...ticks);
  shown.ticks.parentElement.title = `${colour.words}${colour.unit ? ` (${colour.unit})` : ""}`;
}

function colourInView(place, colours) {
  return colours.find(({ name }) => name === colourings.chosen.get(place.data.key)) ?? colours[0];
}

// A diagram's place on the page; `want` gives the figure as of now, or nothing.
function placeOfDiagram(host, want) {
  const place = { want, frame: 0, keyed: undefined };
  const act = {
    colour: (name) => {
      colourings.chosen.set(place.data.key, name);
      for (const listener of colourings.listeners) listener();
    },
    point: (number) => pointAtPlaces(host, number === undefined ? undefined : placesOf(shown.layout.boxes[number])),
    choose: (number) => {
      place.keyed = undefined;
      if (number === undefined) return choosePlaces([]);
      const places = placesOf(shown.layout.boxes[number]);
      place.keyed = number;
      choosePlaces(samePlaces(places, chosenPlaces()) ? [] : places);
      place.tell?.(places);
    },
    key: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !shown.layout) return;
      if (event.key === "Escape") {
        choosePlaces([]);
      } else {
        const from = place.keyed ?? boxesAt(shown.layout, chosenPlaces())[0];
        const to = boxAfter(shown.layout, from, event.key);
        if (to === undefined) return;
        act.point(undefined);
        place.keyed = to;
        const places = placesOf(shown.layout.boxes[to]);
        choosePlaces(places);
        place.tell?.(places);
      }
      event.preventDefault();
    },
    blur: () => {
      place.keyed = undefined;
      place.draw();
    },
  };
  const shown = build(host, place.data ?? { description: "" }, act);
  place.shown = shown;
  const drawHere = () => {
    if (host.goldvizPlace === place && host.isConnected && host.clientWidth) place.drawNow();
  };
  place.draw = () => {
    place.frame ||= requestAnimationFrame(() => {
      place.frame = 0;
      drawHere();
    });
  };
  // A step in view is drawn at once, which takes a millisecond or two: in the next frame figures would come first. Out of
  // sight it waits until what is in sight has come to rest.
  place.step = () => {
    if (distance(host) === 0) return drawHere();
    if (place.waits) return;
    place.waits = true;
    inTurn(host, async () => {
      place.waits = false;
      drawHere();
    });
  };
  place.drawNow = () => {
    const figure = place.want();
    if (!figure) return;
    const { title, meta, annotations } = figure.layout;
    const diagram = meta?.diagram;
    say(shown.title, plain(title?.text));
    if (host.ariaLabel !== shown.title.textContent) host.ariaLabel = shown.title.textContent;
    const empty = !diagram;
    shown.canvas.hidden = shown.legend.hidden = empty;
    host.dataset.drawn = "yes";
    host.classList.remove("goldviz-figure-waiting");
    if (empty) {
      say(shown.said, plain((annotations ?? []).map(({ text }) => text.replaceAll("<br>", " ")).join(" ")));
      return;
    }
    say(shown.notes, plain((meta.notes ?? []).filter(Boolean).join(" ")));
    place.paint(diagram);
    host.dataset.updates = Number(host.dataset.updates || 0) + 1;
    presentIfAsked(host);
  };
  place.paint = (diagram) => {
    const { colours } = diagram;
    const colour = colourInView(place, colours);
    const styles = getComputedStyle(host);
    const [theme, font] = [themeUnder(host), styles.fontFamily];
    menu(shown, diagram, colour);
    legend(shown, diagram, colour);
    const width = Math.floor(shown.canvas.parentElement.clientWidth);
    const measure = measureWith({ font: { family: font } })(12, 400);
    const height = presenting.host === host ? presentedHeight(window.innerHeight) - PRESENTED_AROUND : undefined;
    shown.layout = placed(diagram.parts, width, measure, height);
    const [chosen, pointed] = [chosenPlaces(), pointing.places].map((places) => boxesAt(shown.layout, places));
    const focused = document.activeElement === shown.canvas ? place.keyed : undefined;
    const canvas = sized(shown.canvas, width, shown.layout.height, presenting.host === host ? LARGER : 1);
    paintDiagram(canvas, diagram, shown.layout, colour, { ink: place.data.inks[theme], font, chosen, pointed, focused });
    const said = told(diagram, shown.layout, pointed.length ? pointed : chosen, colour);
    say(shown.said, said);
    const label = `${shown.title.textContent} Arrow keys choose. ${said}`;
    if (shown.canvas.ariaLabel !== label) shown.canvas.ariaLabel = label;
    Object.assign(place, { width: host.clientWidth, theme });
  };
  const unfit = () => {
    if (host.clientWidth !== place.width || themeUnder(host) !== place.theme) place.draw();
  };
  const widths = new ResizeObserver(unfit);
  const unheard = watchTheme(host, unfit);
  widths.observe(host);
  pointing.watchers.add(place.draw);
  colourings.listeners.add(place.draw);
  place.leave = () => {
    widths.disconnect();
    unheard();
    pointing.watchers.delete(place.draw);
    colourings.listeners.delete(place.draw);
    place.unfollow?.();
    if (pointing.host === host) pointAtPlaces(host, undefined);
  };
  return place;
}

function followedDiagram(place, data) {
  const page = framesPage(data.frames.address);
  const { lane, name, key } = data.frames;
  place.want = () => page.figureAt(lane, name, stepOf(key));
  // A colour may be recorded more seldom than another: what counts is the one in view.
  const shows = () => {
    const { template, rows } = page.lanes.get(lane).figures[name];
    const colour = colourInView(place, template.layout.meta?.diagram?.colours ?? []);
    const row = rows[colour?.values?.$];
    return row?.dim ? [row.dim] : [];
  };
  const tell = () => page.tellOthersSoon();
  colourings.listeners.add(tell);
  const stops = [
    page.watch({ lane, figure: name, changed: place.draw, shows }),
    watchStep(key, place.step),
    () => colourings.listeners.delete(tell),
  ];
  return () => stops.forEach((stop) => stop());
}

// What the page's script says is chosen is so, once: until it says something else, the person's choice holds.
function heed(place, chosen) {
  const asked = JSON.stringify(chosen);
  if (!chosen || place.asked === asked) return;
  place.asked = asked;
  choosePlaces(Object.entries(chosen).map(([of, value]) => ({ of, value })));
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-diagram");
  const place = (host.goldvizPlace ??= placeOfDiagram(host, () => undefined));
  place.data = { ...data, key: data.frames?.key ?? data.subject };
  say(place.shown.why, data.description);
  const tell = (places) => setTriggerValue("chosen", Object.fromEntries(places.map(({ of, value }) => [of, value])));
  place.tell = data.chooses ? tell : undefined;
  const source = JSON.stringify(data.frames ?? data.figure);
  if (place.source !== source) {
    place.source = source;
    place.unfollow?.();
    if (data.frames) {
      place.unfollow = followedDiagram(place, data);
    } else {
      const figure = JSON.parse(data.figure, (_name, value) => ofBase64(value));
      place.want = () => figure;
    }
  }
  const page = data.ahead ? positionsPage(data.ahead) : undefined;
  const heedNow = () => heed(place, page?.ahead?.figures.get("network")?.figure ?? data.chosen);
  const unwatch = page?.watch({ host, changed: () => undefined, answered: heedNow });
  heedNow();
  place.draw();
  return () => {
    unwatch?.();
    place.leave();
    host.goldvizPlace = undefined;
    delete host.dataset.drawn;
  };
}
