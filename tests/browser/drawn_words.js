// Faults of the words on figures that Plotly has drawn: what is cut by the figure's edge, what lies on other words, and
// what lies on a curve. `window.faultsOf(host)` says them, each in a few words.

const SLACK = 2;
// A text's box has room above its letters and under them.
const LEADING = 5;
const WORDS =
  ".gtitle, .gtitle-subtitle, .legendtext, .annotation-text-g text, .xtick text, .ytick text, .xtitle, .ytitle, " +
  ".colorbar text, [class*='title'] > text";

const boxOf = (one, place) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return { left: left - place.left, right: right - place.left, top: top - place.top, bottom: bottom - place.top };
};

// The corners of a text without the room around its letters, as it is turned.
function cornersOf(one) {
  const { x, y, width, height } = one.getBBox();
  const turn = one.getScreenCTM();
  const [left, right, top, bottom] = [x + SLACK / 2, x + width - SLACK / 2, y + LEADING / 2, y + height - LEADING / 2];
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([across, down]) => new DOMPoint(across, down).matrixTransform(turn));
}

// Two turned boxes overlap where none of their sides' directions separates them.
function overlap(one, other) {
  return [one, other].every((box) =>
    [[0, 1], [1, 2]].every(([from, to]) => {
      const [across, down] = [box[to].x - box[from].x, box[to].y - box[from].y];
      const [own, its] = [one, other].map((corners) => corners.map(({ x, y }) => x * across + y * down));
      return Math.min(Math.max(...own), Math.max(...its)) > Math.max(Math.min(...own), Math.min(...its));
    }),
  );
}

// Lines of diagrams have no name, and lead to what is written at them.
const isNamed = ({ name = "" }) => name && !/^trace \d+$/.test(name);

// Whether a line from one place to the next goes through a box (Liang and Barsky 1984).
function crosses([x0, y0], [x1, y1], { left, right, top, bottom }) {
  let [from, to] = [0, 1];
  for (const [step, room] of [[x0 - x1, x0 - left], [x1 - x0, right - x0], [y0 - y1, y0 - top], [y1 - y0, bottom - y0]]) {
    if (step === 0 && room < 0) return false;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  return from <= to;
}

function curvesOf(host) {
  const place = host.getBoundingClientRect();
  const { left, top } = host.querySelector(".main-svg").getBoundingClientRect();
  return (host.calcdata ?? []).flatMap((points) => {
    const { trace } = points[0];
    if (!isNamed(trace) || trace.type !== "scatter" || !trace.mode?.includes("lines") || !trace.line.width || trace.visible !== true) return [];
    const [xaxis, yaxis] = [trace.xaxis, trace.yaxis].map((id) => host._fullLayout[`${id[0]}axis${id.slice(1)}`]);
    const [across, down] = [left - place.left + xaxis._offset, top - place.top + yaxis._offset];
    const inside = { left: across, right: across + xaxis._length, top: down, bottom: down + yaxis._length };
    const places = points.map(({ x, y }) => [across + xaxis.c2p(x), down + yaxis.c2p(y)]);
    return [{ name: trace.name ?? "", places, inside }];
  });
}

function lies(box, { places, inside }) {
  const within = {
    left: Math.max(box.left + SLACK, inside.left), right: Math.min(box.right - SLACK, inside.right),
    top: Math.max(box.top + SLACK, inside.top), bottom: Math.min(box.bottom - SLACK, inside.bottom),
  };
  if (within.left >= within.right || within.top >= within.bottom) return false;
  return places.some((here, at) => {
    const before = places[at - 1] ?? here;
    return [...here, ...before].every(Number.isFinite) && crosses(before, here, within);
  });
}

window.faultsOf = (host) => {
  const place = host.getBoundingClientRect();
  const texts = [...new Set(host.querySelectorAll(WORDS))].filter(
    (one) => one.textContent.trim() && one.getBoundingClientRect().width && !one.closest(".modebar, .hoverlayer"),
  );
  const words = texts.map((one) => ({ said: one.textContent.trim().slice(0, 40), box: boxOf(one, place), corners: cornersOf(one), one }));
  const cut = words.filter(({ box }) => {
    return box.left < -SLACK || box.right > place.width + SLACK || box.top < -SLACK || box.bottom > place.height + SLACK;
  });
  const faults = cut.map(({ said }) => `cut: ${said}`);
  words.forEach(({ said, corners, one }, at) => {
    for (const other of words.slice(at + 1))
      if (!one.contains(other.one) && !other.one.contains(one) && overlap(corners, other.corners))
        faults.push(`on each other: ${said} | ${other.said}`);
  });
  const curves = curvesOf(host);
  for (const { said, box, one } of words) {
    if (!one.closest(".annotation, .legend")) continue;
    for (const curve of curves) if (lies(box, curve)) faults.push(`on a curve: ${said} | ${curve.name}`);
  }
  return [...new Set(faults)];
};
