// A line shorter than this is not seen, and not drawn in a first picture.
const NEAR = 0.2;

// What stands on a figure, by kind and with its box, whoever drew it: the first picture or Plotly.
window.partsOf = (host, names) => {
  const { left, top } = host.getBoundingClientRect();
  const boxed = (kind, drawn, words = "") => {
    const boxes = drawn.filter((one) => !/^M0,0Z?$/.test(one.getAttribute("d")) && !(["line", "sample"].includes(kind) && one.classList.contains("js-line") && one.style.strokeWidth === "0px")).map((one) => one.getBoundingClientRect()).filter(({ width, height }) => Math.max(width, height) > (kind === "line" ? NEAR : 0));
    const least = (side) => Math.min(...boxes.map((box) => box[side]));
    const most = (side) => Math.max(...boxes.map((box) => box[side]));
    const box = [least("left") - left, least("top") - top, most("right") - left, most("bottom") - top];
    return box.every(Number.isFinite) ? [{ kind, words, box: box.map((end) => Math.round(10 * end) / 10) }] : [];
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
      const away = ({ words, box }) => (words === part.words ? Math.max(...part.box.map((end, side) => Math.abs(end - box[side]))) : Infinity);
      const nearest = its.reduce((best, one) => (away(one) < away(best) ? one : best));
      its.splice(its.indexOf(nearest), 1);
      // Plotly leaves out points of a line that are nearer to it than a fifth of a pixel.
      return away(nearest) > within + (kind === "line" ? 0.2 : 0) ? [`${kind} ${part.words}: ${part.box} not ${nearest.box}`] : [];
    });
  });
};
