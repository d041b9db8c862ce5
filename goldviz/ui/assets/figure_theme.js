// The colours of a visitor's theme: which one is in view, and a figure's colours for it.

function channels(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16)).join(", ");
}

// What turns a colour that stands for a part of the page in one theme into that of the other; others stay. Words in a
// network's colour have a tone of it that can be read on each theme's paper; its lines keep the colour.
export function recoloured(from, to) {
  const names = Object.keys(from).filter((name) => typeof from[name] === "string");
  const tones = new Map(Object.entries(from.tones ?? {}).map(([colour, tone]) => [tone.toLowerCase(), to.tones[colour]]));
  const plain = new Map(names.map((name) => [from[name].toLowerCase(), to[name]]));
  const mixed = names.map((name) => [`rgba(${channels(from[name])}, `, `rgba(${channels(to[name])}, `]);
  const of = (colour, words) => {
    const found = (words && tones.get(colour.toLowerCase())) || plain.get(colour.toLowerCase());
    if (found) return found;
    const [start, other] = mixed.find(([begin]) => colour.startsWith(begin)) ?? [];
    return start ? other + colour.slice(start.length) : colour;
  };
  const all = (value, key, words) => {
    if (key === "colorscale" || key === "bdata" || ArrayBuffer.isView(value)) return value;
    if (typeof value === "string") return of(value, words);
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

const numbersOf = (colour) =>
  colour.startsWith("#") ? channels(colour).split(", ").map(Number) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);

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

// Light or dark: by the paper under the figure, whoever chose it.
export function themeUnder(host, otherwise = "light") {
  const paper = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  if (!paper) return otherwise;
  const [red, green, blue] = /^#[0-9a-f]{6}$/i.test(paper)
    ? channels(paper).split(", ").map(Number)
    : (paper.match(/\d+/g) ?? [255, 255, 255]).map(Number);
  return 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
}

// Give a part of the page that stands by itself the colours of the theme under it, which Python hears of at its next run
// only; returns them.
export function wearInks(host, { inks, theme }) {
  const worn = inks[themeUnder(host, theme)];
  for (const [name, colour] of Object.entries(worn)) host.style.setProperty(`--ink-${name}`, colour);
  return worn;
}
