// A line shorter than this is not seen, and not drawn in a first picture.
const NEAR = 0.2;
const EDGE = 0.1;

// The panel that shows a part, on the page; all of the page where there is none.
const panelOf = (one) => {
  let panel = [-Infinity, -Infinity, Infinity, Infinity];
  for (let at = one; at?.ownerSVGElement; at = at.parentElement) {
    const [, id] = /#([^"')]+)/.exec(at.getAttribute("clip-path") ?? "") ?? [];
    const rect = id && at.getRootNode().getElementById(id)?.querySelector("rect");
    if (!rect) continue;
    const { a, d, e, f } = at.getScreenCTM();
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
    const [left, top, right, bottom] = panel;
    panel = [Math.max(left, e + a * x), Math.max(top, f + d * y), Math.min(right, e + a * (x + width)), Math.min(bottom, f + d * (y + height))];
  }
  return panel;
};

// The ends of a path's straight strokes on the page.
const strokesOf = (path) => {
  const { e, f } = path.getScreenCTM();
  let [x, y] = [0, 0];
  return [...(path.getAttribute("d") ?? "").matchAll(/([MLHV])([^MLHVZ]*)/g)].flatMap(([, kind, given]) => {
    const [one, other] = given.split(/[ ,]+/).map(Number);
    const from = [x + e, y + f];
    [x, y] = [kind === "V" ? x : one, kind === "H" ? y : kind === "V" ? one : other];
    return kind === "M" ? [] : [[from, [x + e, y + f]]];
  });
};

// The part of a stroke that a panel shows, as a box.
const shownOf = ([from, to], panel) => {
  let [begin, end] = [0, 1];
  for (const at of [0, 1]) {
    const way = to[at] - from[at];
    const [enters, leaves] = [panel[at], panel[at + 2]].map((edge) => (edge - from[at]) / way).sort((one, other) => one - other);
    if (way) [begin, end] = [Math.max(begin, enters), Math.min(end, leaves)];
    else if (from[at] < panel[at] || from[at] > panel[at + 2]) end = -1;
  }
  const ends = [begin, end].map((share) => from.map((start, at) => start + share * (to[at] - start)));
  return begin < end ? [0, 1].flatMap((low) => [0, 1].map((at) => Math[low ? "max" : "min"](ends[0][at], ends[1][at]))) : [];
};

const around = (boxes) => [0, 1, 2, 3].map((side) => Math[side < 2 ? "min" : "max"](...boxes.map((box) => box[side])));

// The box of what is seen of a part, if anything is: of a line that leaves its panel, that of its strokes.
const seenOf = (one, kind) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  const [box, panel] = [[left, top, right, bottom], panelOf(one)];
  const cut = box.map((end, side) => Math[side < 2 ? "max" : "min"](end, panel[side]));
  const leaves = kind === "line" && cut.some((end, side) => end !== box[side]);
  const shown = leaves ? strokesOf(one).map((stroke) => shownOf(stroke, panel)).filter(({ length }) => length) : [cut];
  const seen = around(shown);
  // What is flat at the panel's edge is seen.
  const [wide, tall] = [seen[2] - seen[0], seen[3] - seen[1]];
  return Math.min(wide, tall) > -EDGE && Math.max(wide, tall) > 0 ? [seen] : [];
};

// What stands on a figure, by kind and with its box, whoever drew it: the first picture or Plotly.
window.partsOf = (host, names) => {
  const { left, top } = host.getBoundingClientRect();
  const boxed = (kind, drawn, words = "") => {
    const isBare = (one) => ["line", "sample"].includes(kind) && one.classList.contains("js-line") && one.style.strokeWidth === "0px";
    const boxes = drawn.filter((one) => !/^M0,0Z?$/.test(one.getAttribute("d")) && !isBare(one)).flatMap((one) => seenOf(one, kind));
    // What is about as short as that is drawn by one and not by the other.
    const [box, most] = (kind === "line" ? [1.5, 0.5] : [0, 0]).map((times) => {
      const large = boxes.filter((one) => Math.max(one[2] - one[0], one[3] - one[1]) > times * NEAR);
      return around(large).map((end, side) => Math.round(10 * (end - (side % 2 ? top : left))) / 10);
    });
    return box.every(Number.isFinite) ? [{ kind, words, box, most }] : [];
  };
  // A curve with gaps is several lines with Plotly.
  const curves = [...host.querySelectorAll(".scatterlayer > .trace")].flatMap((one) => boxed("line", [...one.querySelectorAll(names.line)]));
  const found = Object.entries(names).flatMap(([kind, name]) =>
    kind === "line" && curves.length ? curves : [...host.querySelectorAll(name)].flatMap((one) => {
      const words = kind === "words" ? one.textContent.replaceAll("\u200b", "").trim() : "";
      return kind === "words" && !words ? [] : boxed(kind, [one], words);
    }),
  );
  const order = ({ kind, words, box }) => [kind, words, box[0] + 3 * box[1]];
  return found.sort((one, other) => {
    const [a, b] = [order(one), order(other)];
    return a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]) || a[2] - b[2];
  });
};

window.PICTURE = {
  words: "text",
  line: ".line",
  point: ".point",
  bar: ".bar",
  image: "image",
  shape: ".shape",
  fill: ".fill",
  error: ".error",
  sample: ".sample-line, .sample-point, .sample-fill",
};
window.LIVE = {
  words: ".main-svg text",
  line: ".scatterlayer .js-line",
  point: ".scatterlayer .point",
  bar: ".barlayer .point path",
  image: ".heatmaplayer image",
  shape: ".shapelayer path",
  fill: ".scatterlayer .js-fill",
  error: ".errorbar path",
  sample: ".legendlines path, .legendpoints path, .legendfill path",
};

// In what the two differ by more than `within` pixels.
window.differencesOf = (picture, live, within) => {
  const kinds = [...new Set([...picture, ...live].map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const [own, its] = [picture, live].map((parts) => parts.filter((part) => part.kind === kind));
    const names = (parts) => parts.map(({ words }) => words).join(" | ");
    if (own.length !== its.length || names(own) !== names(its)) return [`${kind}: ${own.length} ${names(own)} not ${its.length} ${names(its)}`];
    return own.flatMap((part) => {
      const apart = (one, other) => Math.max(Math.min(...one) - Math.max(...other), Math.min(...other) - Math.max(...one), 0);
      const side = (one, at) => [one.box[at], one.most[at]];
      const away = (one) => (one.words === part.words ? Math.max(...part.box.map((_, at) => apart(side(part, at), side(one, at)))) : Infinity);
      const nearest = its.reduce((best, one) => (away(one) < away(best) ? one : best));
      its.splice(its.indexOf(nearest), 1);
      // Plotly leaves out points of a line that are nearer to it than a fifth of a pixel.
      return away(nearest) > within + (kind === "line" ? 0.2 : 0) ? [`${kind} ${part.words}: ${part.box} not ${nearest.box}`] : [];
    });
  });
};
