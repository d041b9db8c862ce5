// The outlines of points by their names with Plotly.

// Corners in radii around a point's place.
const CORNERS = {
  square: [[1, 1], [-1, 1], [-1, -1], [1, -1]],
  diamond: [[1.3, 0], [0, 1.3], [-1.3, 0], [0, -1.3]],
  "diamond-tall": [[0.7, 0], [0, 1.4], [-0.7, 0], [0, -1.4]],
  "triangle-up": [[-1.155, 0.5], [1.155, 0.5], [0, -1]],
  "triangle-down": [[-1.155, -0.5], [1.155, -0.5], [0, 1]],
  "triangle-left": [[0.5, -1.155], [0.5, 1.155], [-1, 0]],
  "triangle-right": [[-0.5, -1.155], [-0.5, 1.155], [1, 0]],
  "triangle-ne": [[-1.2, -0.6], [0.6, -0.6], [0.6, 1.2]],
  "triangle-se": [[0.6, -1.2], [0.6, 0.6], [-1.2, 0.6]],
  "triangle-sw": [[1.2, 0.6], [-0.6, 0.6], [-0.6, -1.2]],
  "triangle-nw": [[-0.6, 1.2], [-0.6, -0.6], [1.2, -0.6]],
  pentagon: [[0.951, -0.309], [0.588, 0.809], [-0.588, 0.809], [-0.951, -0.309], [0, -1]],
  hexagon: [[0.866, -0.5], [0.866, 0.5], [0, 1], [-0.866, 0.5], [-0.866, -0.5], [0, -1]],
  octagon: [[-0.383, -0.924], [0.383, -0.924], [0.924, -0.383], [0.924, 0.383], [0.383, 0.924], [-0.383, 0.924], [-0.924, 0.383], [-0.924, -0.383]],
  hexagram: [[-0.76, 0], [-1.14, -0.66], [-0.38, -0.66], [0, -1.32], [0.38, -0.66], [1.14, -0.66], [0.76, 0], [1.14, 0.66], [0.38, 0.66], [0, 1.32], [-0.38, 0.66], [-1.14, 0.66]],
  hourglass: [[1, 1], [-1, 1], [1, -1], [-1, -1]],
  bowtie: [[1, 1], [1, -1], [-1, 1], [-1, -1]],
  cross: [[1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4], [-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4]],
  star: Array.from({ length: 10 }, (_, at) => {
    const [far, angle] = [at % 2 ? 0.535 : 1.4, (Math.PI * at) / 5];
    return [far * Math.sin(angle), -far * Math.cos(angle)];
  }),
};
// An arrow's head, whose tip is in its place.
CORNERS.arrow = [[0, 0], ...[-1, 1].map((side) => [side * 2 * Math.cos(Math.PI / 2.5), 2 * Math.sin(Math.PI / 2.5)])];
// A cross turned by an eighth.
CORNERS.x = CORNERS.cross.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);

// Corners that arcs of a radius join, inwards.
const ARCS = {
  "star-triangle-up": [4, [[-1.386, 0.8], [1.386, 0.8], [0, -1.6]]],
  "star-triangle-down": [4, [[1.386, -0.8], [-1.386, -0.8], [0, 1.6]]],
  "star-square": [2, [[-1.1, -1.1], [-1.1, 1.1], [1.1, 1.1], [1.1, -1.1]]],
  "star-diamond": [1.9, [[-1.4, 0], [0, 1.4], [1.4, 0], [0, -1.4]]],
};
// Strokes alone, which have no filling.
const STROKES = {
  "line-ew": [[[1.4, 0], [-1.4, 0]]],
  "line-ns": [[[0, 1.4], [0, -1.4]]],
  "x-thin": [[[1, 1], [-1, -1]], [[1, -1], [-1, 1]]],
  "y-down": [[[-1.2, -0.8], [0, 0]], [[1.2, -0.8], [0, 0]], [[0, 1.6], [0, 0]]],
  "y-up": [[[-1.2, 0.8], [0, 0]], [[1.2, 0.8], [0, 0]], [[0, -1.6], [0, 0]]],
  "y-left": [[[0.8, 1.2], [0, 0]], [[0.8, -1.2], [0, 0]], [[-1.6, 0], [0, 0]]],
  "y-right": [[[-0.8, 1.2], [0, 0]], [[-0.8, -1.2], [0, 0]], [[1.6, 0], [0, 0]]],
};

// The outline of a symbol of this radius around 0, whether it is stroked alone, in the colour of the point, and whether it is
// `bare`, with nothing to fill; nothing where it is none of these. `-open` ones have the same outline without its filling,
// and `-cross` ones a cross in it. One that has corners alone may be turned by so many degrees.
export function markerOf(symbol, radius, turn = 0) {
  const [, name, crossed] = /^(.*?)(-cross)?(?:-open)?$/.exec(symbol);
  const open = symbol.endsWith("-open");
  if (turn && (crossed || !CORNERS[name])) return undefined;
  const number = (value) => Number((value * radius).toFixed(3));
  const reach = number(name === "diamond" ? 1.3 : 1);
  const cross = crossed ? `M0,${reach}V-${reach}M${reach},0H-${reach}` : "";
  const r = number(1);
  const through = (corners) => corners.map((corner) => corner.map(number));
  if (name === "circle") return { path: `M${r},0A${r},${r} 0 1,1 0,-${r}A${r},${r} 0 0,1 ${r},0Z${cross}`, open };
  if (STROKES[name]) return { path: STROKES[name].map((ends) => `M${through(ends).join("L")}`).join(""), open, bare: true };
  if (ARCS[name]) {
    const [bend, corners] = ARCS[name];
    const [first, ...others] = through(corners);
    return { path: `M${first}${[...others, first].map((corner) => `A${number(bend)},${number(bend)} 0 0 1 ${corner}`).join("")}Z`, open };
  }
  const [sine, cosine] = [Math.sin, Math.cos].map((of) => of((turn * Math.PI) / 180));
  const turned = CORNERS[name]?.map(([x, y]) => [x * cosine - y * sine, x * sine + y * cosine]);
  return turned && { path: `M${through(turned).join("L")}Z${cross}`, open };
}
