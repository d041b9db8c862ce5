// Where a person points at a place in one figure, the page's other figures are marked at the same layer, step or lag.
// `layout.meta.linked` says which coordinate an axis is of. The marks are lines of our own that lie over the plot:
// Plotly would draw a figure anew for each. They are put up in one frame, in which nothing of the page is measured.

const NAMED = ["category", "multicategory"];

const pointing = (window.goldvizPointing ??= { host: undefined, places: [], frame: 0 });

// What a point is at: the coordinate and the value of each of its axes that is linked to one.
export function placesAt({ xaxis, yaxis, x, y }, linked) {
  const found = [
    { axis: xaxis, value: x },
    { axis: yaxis, value: y },
  ].filter(({ axis }) => axis && linked?.[axis._id] && !NAMED.includes(axis.type));
  return found.map(({ axis, value }) => ({ of: linked[axis._id], value }));
}

function markIn(axis, across, value) {
  const at = axis.d2p?.(value);
  const ends = across._offset + across._length;
  if (axis.visible === false || NAMED.includes(axis.type) || !(at >= 0 && at <= axis._length) || !(ends > 0)) return [];
  const place = axis._offset + at - 0.5;
  return axis._id.startsWith("x")
    ? [{ left: place, top: across._offset, width: 1, height: across._length }]
    : [{ left: across._offset, top: place, width: across._length, height: 1 }];
}

// Boxes in pixels, one in each panel of every axis of a drawn figure that is linked to the coordinate of a place.
export function marksIn(layout, places) {
  const linked = layout?.meta?.linked ?? {};
  const marks = Object.values(layout?._plots ?? {}).flatMap(({ xaxis, yaxis }) =>
    places.flatMap(({ of, value }) => [
      ...(linked[xaxis._id] === of ? markIn(xaxis, yaxis, value) : []),
      ...(linked[yaxis._id] === of ? markIn(yaxis, xaxis, value) : []),
    ]),
  );
  return [...new Map(marks.map((mark) => [Object.values(mark).join(), mark])).values()];
}

function mark(host) {
  const others = pointing.host && pointing.host !== host && host.goldvizPlace;
  const marks = others ? marksIn(host._fullLayout, pointing.places) : [];
  let sheet = [...host.children].find((child) => child.className === "goldviz-marks");
  if (!marks.length) return sheet?.remove();
  if (!sheet) {
    sheet = document.createElement("div");
    sheet.className = "goldviz-marks";
    host.append(sheet);
  }
  const lines = marks.map((box) => {
    const line = document.createElement("div");
    for (const [side, pixels] of Object.entries(box)) line.style[side] = `${pixels}px`;
    return line;
  });
  sheet.replaceChildren(...lines);
}

function markAll() {
  pointing.frame = 0;
  for (const host of document.querySelectorAll(".goldviz-figure[data-drawn]")) mark(host);
}

function pointAt(host, point) {
  if (!point && pointing.host !== host) return;
  pointing.host = point && host;
  pointing.places = point ? placesAt(point, host._fullLayout?.meta?.linked) : [];
  pointing.frame ||= requestAnimationFrame(markAll);
}

// Plotly forgets who listens to a figure that is purged.
function watchLinks(host) {
  host.on("plotly_hover", ({ points }) => pointAt(host, points?.[0]));
  host.on("plotly_unhover", () => pointAt(host, undefined));
}

// A figure was drawn anew or left: its marks stand where they belong now, and where it was the one that is pointed at,
// so do all others'.
function relink(host) {
  if (pointing.host === host) pointAt(host, host.goldvizPlace && host._hoverdata?.[0]);
  mark(host);
}
