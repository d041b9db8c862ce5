// Lines and areas that leave their panel, cut where Plotly cuts them: so many panels away that nobody sees it. Greater
// numbers are drawn less exactly than a pixel.

const FAR = 20;
const GAP = [NaN, NaN];

// From where to where something is drawn along both axes.
function boundsOf(xaxis, yaxis) {
  return [xaxis, yaxis].map((axis) => {
    const ends = [axis.pixel(0), axis.pixel(1)].sort((one, other) => one - other);
    return [ends[0] - FAR * axis.length, ends[1] + FAR * axis.length];
  });
}

const isWithin = (bounds) => (point) => point.every((one, at) => !Number.isFinite(one) || (one >= bounds[at][0] && one <= bounds[at][1]));
const between = (one, other, share) => one.map((from, at) => from + share * (other[at] - from));

// Which shares of the way between two points are within, if any.
function shares(one, other, bounds) {
  let [from, to] = [0, 1];
  bounds.forEach((ends, at) => {
    const way = other[at] - one[at];
    const [enters, leaves] = ends.map((end) => (end - one[at]) / way).sort((a, b) => a - b);
    if (way) [from, to] = [Math.max(from, enters), Math.min(to, leaves)];
    else if (one[at] < ends[0] || one[at] > ends[1]) to = -1;
  });
  return from < to ? [from, to] : undefined;
}

// A line's points, with a gap where it is far away.
export function cutLine(points, xaxis, yaxis) {
  const bounds = boundsOf(xaxis, yaxis);
  if (points.every(isWithin(bounds))) return points;
  return points.flatMap((point, at) => {
    const before = points[at - 1] ?? GAP;
    if (![...before, ...point].every(Number.isFinite)) return [isWithin(bounds)(point) ? point : GAP];
    const seen = shares(before, point, bounds);
    if (!seen) return [GAP];
    const [start, end] = seen.map((share) => between(before, point, share));
    return seen[0] > 0 ? [GAP, start, end] : [end];
  });
}

// An area's corners, without what is far away.
export function cutArea(corners, xaxis, yaxis) {
  const bounds = boundsOf(xaxis, yaxis);
  if (corners.every(isWithin(bounds))) return corners;
  const edges = bounds.flatMap(([low, high], at) => [[at, low, 1], [at, high, -1]]);
  return edges.reduce((left, [at, end, sign]) => left.flatMap((corner, index) => {
    const before = left.at(index - 1);
    const [was, is] = [before, corner].map((one) => sign * (one[at] - end) >= 0);
    const crossing = was === is ? [] : [between(before, corner, (end - before[at]) / (corner[at] - before[at]))];
    return is ? [...crossing, corner] : crossing;
  }), corners);
}
