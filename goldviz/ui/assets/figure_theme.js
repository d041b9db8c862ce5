// The colours of a visitor's theme: which one is in view, and a figure's colours for it.

function channels(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16)).join(", ");
}

const numbersOf = (colour) =>
  colour.startsWith("#") ? channels(colour).split(", ").map(Number) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);

const between = (low, high, share) => low.map((own, at) => own + share * (high[at] - own));

// Where a colour stands on a scale of evenly spaced ones, from 0 to 1; undefined for one that is not on it.
function placeOn(scale, colour) {
  const [own, stops] = [numbersOf(colour), scale.map(numbersOf)];
  for (const [at, high] of stops.slice(1).entries()) {
    const low = stops[at];
    const gaps = high.map((one, channel) => Math.abs(one - low[channel]));
    const widest = gaps.indexOf(Math.max(...gaps));
    const share = (own[widest] - low[widest]) / (high[widest] - low[widest]);
    const near = between(low, high, share).every((one, channel) => Math.abs(one - own[channel]) <= 1);
    if (near && share > -0.05 && share < 1.05) return (at + share) / (stops.length - 1);
  }
}

function colourOn(scale, place) {
  const along = Math.min(1, Math.max(0, place)) * (scale.length - 1);
  const at = Math.min(scale.length - 2, Math.floor(along));
  return between(numbersOf(scale[at]), numbersOf(scale[at + 1]), along - at).map(Math.round).join(", ");
}

// Ordered lines have the part of a scale that stands out from the paper: a colour of one theme's part becomes that of the
// other's at the same place.
function deepened(from, to, colour) {
  const [start, numbers, rest] = colour.match(/^(rgba?\()(\d+, \d+, \d+)(.*)$/)?.slice(1) ?? [];
  const place = start && placeOn(from.scale, numbers);
  const [first, last] = from.part;
  const share = (place - first) / (last - first);
  if (!(share > -0.01 && share < 1.01)) return colour;
  return start + colourOn(to.scale, to.part[0] + share * (to.part[1] - to.part[0])) + rest;
}

// What turns a colour that stands for a part of the page in one theme into that of the other; others stay. Words in a
// network's colour have a tone of it that can be read on each theme's paper; its lines keep the colour.
export function recoloured(from, to) {
  const names = Object.keys(from).filter((name) => typeof from[name] === "string");
  const tones = new Map(Object.entries(from.tones ?? {}).map(([colour, tone]) => [tone.toLowerCase(), to.tones[colour]]));
  const plain = new Map(names.map((name) => [from[name].toLowerCase(), to[name]]));
  const mixed = names.map((name) => [`rgba(${channels(from[name])}, `, `rgba(${channels(to[name])}, `]);
  const deep = (colour) => (from.depths ? deepened(from.depths, to.depths, colour) : colour);
  const of = (colour, key, words) => {
    const found = (words && tones.get(colour.toLowerCase())) || plain.get(colour.toLowerCase());
    if (found) return found;
    const [start, other] = mixed.find(([begin]) => colour.startsWith(begin)) ?? [];
    if (start) return other + colour.slice(start.length);
    // A box that is filled whole is a number's on the whole scale; the band around an ordered line can be seen through.
    return key === "fillcolor" && colour.startsWith("rgb(") ? colour : deep(colour);
  };
  const all = (value, key, words) => {
    if (key === "colorscale" && Array.isArray(value)) return value.map(([at, colour]) => [at, of(colour, key)]);
    if (key === "colorscale" || key === "bdata" || ArrayBuffer.isView(value)) return value;
    if (typeof value === "string") return of(value, key, words);
    if (Array.isArray(value)) return value.map((one) => all(one, key, words));
    if (value && typeof value === "object")
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, all(one, name, words || name === "font" || name === "textfont")]),
      );
    return value;
  };
  return (value) => all(value);
}

const READABLE = 4.5;

function luminance(colour) {
  const linear = (share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = colour.map((own) => linear(own / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [darker, brighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}

// A colour for words: itself, or as little nearer to the theme's text as makes it readable on its papers, as `tone` in
// goldviz/figures/theme.py.
export function toneOf(colour, { text, background, surface }) {
  const [own, ink, ...papers] = [colour, text, background, surface].map(numbersOf);
  for (let share = 0; ; share++) {
    const mixed = own.map((channel, at) => Math.round(channel + ((ink[at] - channel) * share) / 50));
    const readable = papers.every((paper) => contrast(mixed, paper) >= READABLE);
    if (share === 50 || readable) return `rgb(${mixed.join(", ")})`;
  }
}

const PAPER = "--st-background-color";

// Light or dark: by the paper under the figure, whoever chose it.
export function themeUnder(host, otherwise = "light") {
  const paper = getComputedStyle(host).getPropertyValue(PAPER).trim();
  if (!paper) return otherwise;
  const [red, green, blue] = /^#[0-9a-f]{6}$/i.test(paper)
    ? channels(paper).split(", ").map(Number)
    : (paper.match(/\d+/g) ?? [255, 255, 255]).map(Number);
  return 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
}

// Hear of each change of the paper under a part of the page, whatever changed it: a transition that nobody sees ends then.
// Returns what ends the hearing.
export function watchTheme(host, hear) {
  host.style.transition = `${PAPER} 1ms step-start allow-discrete`;
  const changed = ({ target, propertyName }) => target === host && propertyName === PAPER && hear();
  host.addEventListener("transitionend", changed);
  return () => host.removeEventListener("transitionend", changed);
}

// Give a part of the page that stands by itself the colours of the theme under it, which Python hears of at its next run
// only; returns them.
export function wearInks(host, { inks, theme }) {
  const worn = inks[themeUnder(host, theme)];
  for (const [name, colour] of Object.entries(worn)) host.style.setProperty(`--ink-${name}`, colour);
  return worn;
}
