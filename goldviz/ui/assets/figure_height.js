// How high a figure stands. The first ones of a page take what the window has left below a page's head; those of several
// lanes share it in two rows. It is known before anything is drawn, so a run that begins or ends moves nothing.

const HEAD = 336;
const LANES_HEAD = 400;
const HIGHEST = 720;
const LOWEST_OF_LANES = 230;
const FIRST = ".st-key-first-look";
const ANY = { least: 0, most: Infinity, brief: false };

const isWide = () => globalThis.matchMedia?.("(min-width: 641px)").matches;

// The least and the most pixels of a figure that stands first, among so many lanes, and whether its notes stand behind
// its i alone.
export function roomOf(inner, lanes) {
  if (lanes < 2) return { ...ANY, least: Math.min(HIGHEST, inner - HEAD) };
  const half = Math.max(LOWEST_OF_LANES, Math.floor((inner - LANES_HEAD) / 2));
  return { least: half, most: half, brief: true };
}

// The same of a page before Streamlit has drawn it.
export const roomAtFirst = () => (isWide() ? roomOf(globalThis.innerHeight, 1) : ANY);

// The same of a figure at its place: those of the first row stand first, and of several lanes those of the first two.
export function roomAt(host) {
  const look = isWide() && host.closest(FIRST);
  if (!look) return ANY;
  const lanes = document.querySelectorAll(".st-key-lanes > * > .stHorizontalBlock > .stColumn").length;
  const rowOf = (figure) => figure.closest(`${FIRST} .stHorizontalBlock`) ?? figure;
  const rows = new Set([...look.querySelectorAll(".goldviz-figure")].map(rowOf));
  const at = [...rows].indexOf(rowOf(host));
  return at < (lanes > 1 ? 2 : 1) ? roomOf(globalThis.innerHeight, lanes) : ANY;
}

// A layout of another height: what stands over or under the plot, at a share of it, keeps its pixels.
export function ofHeight(layout, height) {
  const { t = 0, b = 0 } = layout.margin ?? {};
  const plot = layout.height - t - b;
  const share = plot / (plot + height - layout.height);
  if (!(share > 0) || share === 1) return layout;
  const kept = (one) => {
    const { y } = one;
    if (!(y < 0 || y > 1) || (one.yref ?? "paper") !== "paper") return one;
    return { ...one, y: y < 0 ? y * share : 1 + (y - 1) * share };
  };
  const legend = layout.legend && { legend: kept(layout.legend) };
  const annotations = layout.annotations && { annotations: layout.annotations.map((one) => (one.yref === "paper" ? kept(one) : one)) };
  return { ...layout, height, ...legend, ...annotations };
}

// A layout as high as its place asks for, with so many pixels `more` that its words will take.
export const highAs = ({ least, most }, layout, more) => ofHeight(layout, Math.min(most, Math.max(least, layout.height + more)) - more);
