// A network's diagram: where its boxes stand at a width, what numbers are called, and where arrow keys lead. Without the
// page: all of this is tested by itself.

const EDGE = 10;
const HEADING = 22;
const ARCS = 24;
const BACK = 12;
const LABELS = 18;
const BETWEEN = 12;
const WIDEST = 110;
const BESIDE = { columns: 9, pitch: 34 };
const REACH = 14;
const OUTLINE = 6;

const widthOf = (nodes) => Math.max(...nodes.map(([, , column, , wide]) => column + wide));
const heightOf = (nodes) => Math.max(...nodes.map(([, , , row, , high]) => row + high));
// A wire back runs right below the boxes that have wires; there may be others under them.
const wiredHeight = ({ nodes, wires }) => Math.max(...wires.flatMap(([start, end]) => [start, end]).map((at) => nodes[at][3] + nodes[at][5]));
const has = ({ wires }, way) => wires.some((wire) => wire[2] === way);

// Networks of few columns stand side by side where there is room.
function besideOneAnother(parts, width) {
  const columns = Math.max(...parts.map(({ nodes }) => widthOf(nodes)));
  return parts.length > 1 && columns <= BESIDE.columns && width / parts.length >= columns * BESIDE.pitch + 2 * EDGE;
}

function boxesOf(part, left, top, pitch, row) {
  const [gap, slit] = [Math.min(10, 0.22 * pitch), heightOf(part.nodes) > 1 ? Math.min(6, 0.14 * row) : 0];
  return part.nodes.map(([, , column, at, wide, high, kind]) => {
    // Pieces of one state touch.
    const between = kind === "state" && wide < 1 ? Math.min(1, 0.15 * wide * pitch) : gap;
    return {
      x: left + column * pitch + between / 2,
      y: top + at * row + slit / 2,
      width: Math.max(0.5, wide * pitch - between),
      height: high * row - slit,
    };
  });
}

// Every network's place, and every node's box in the order of their numbers. `height` is that of a presented diagram.
export function placed(parts, width, measure, height) {
  const beside = besideOneAnother(parts, width);
  const room = beside ? width / parts.length : width;
  const frames = parts.map((part) => {
    const pitch = Math.min(WIDEST, (room - 2 * EDGE) / widthOf(part.nodes));
    const over = HEADING + (has(part, "skip") ? ARCS : 4);
    const lowestRow = part.nodes.filter(([, , , row, , high]) => row + high > heightOf(part.nodes) - 0.1);
    const fits = lowestRow.every(([label, , , , wide]) => !label || measure(label) + 6 <= wide * pitch);
    const lowest = has(part, "back") && wiredHeight(part) === heightOf(part.nodes);
    return { pitch, over, under: (lowest ? BACK : 0) + (fits ? 0 : LABELS), back: lowest ? BACK : 0 };
  });
  const rows = parts.map(({ nodes, row }) => heightOf(nodes) * row);
  const most = (values) => (beside ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0));
  const spare = beside ? 0 : BETWEEN * (parts.length - 1);
  const fixed = most(frames.map(({ over, under }) => over + under)) + spare;
  const larger = height ? Math.max(1, (height - fixed - OUTLINE) / most(rows)) : 1;
  let [left, top] = [0, 0];
  const boxes = [];
  const places = parts.map((part, number) => {
    const { pitch, over, under } = frames[number];
    const row = part.row * larger;
    const own = boxesOf(part, left + EDGE, top + over, pitch, row);
    const place = { left: left + EDGE, top, over, pitch, first: boxes.length, count: own.length };
    Object.assign(place, { low: top + over + rows[number] * larger, back: frames[number].back });
    place.turn = has(part, "back") ? top + over + wiredHeight(part) * row + BACK / 2 : undefined;
    own.forEach((box, at) => boxes.push({ ...box, part: number, node: part.nodes[at] }));
    if (beside) left += room;
    else top = place.low + under + BETWEEN;
    return place;
  });
  const lowest = Math.max(...places.map(({ low }, number) => low + frames[number].under));
  return { width, height: Math.ceil(lowest) + OUTLINE, places, boxes };
}

// Which box is at a point, or so near that a finger means it.
export function boxAt({ boxes }, x, y) {
  const away = boxes.map((box) =>
    Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)),
  );
  const nearest = away.indexOf(Math.min(...away));
  return away[nearest] <= REACH ? nearest : undefined;
}

const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

// The box that a key leads to from another one; undefined where the key means nothing here, or leads nowhere.
export function boxAfter(layout, at, key) {
  const { boxes, places } = layout;
  if (at === undefined) return key in STEPS || key === "Home" ? 0 : key === "End" ? boxes.length - 1 : undefined;
  const { first, count } = places[boxes[at].part];
  if (key === "Home") return first;
  if (key === "End") return first + count - 1;
  if (!(key in STEPS)) return undefined;
  const [right, down] = STEPS[key];
  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const [fromX, fromY] = middle(boxes[at]);
  const cost = (box) => {
    const [x, y] = middle(box);
    const [along, across] = right ? [(x - fromX) * right, Math.abs(y - fromY)] : [(y - fromY) * down, Math.abs(x - fromX)];
    return along > 0.5 ? along + (right ? 4 * across : 2 * across) : Infinity;
  };
  const costs = boxes.map((box, number) => (number === at ? Infinity : cost(box)));
  const best = Math.min(...costs);
  return Number.isFinite(best) ? costs.indexOf(best) : undefined;
}

const alike = (one, other) => one === other || (typeof one === "number" && Math.abs(one - other) < 1e-9);

// The numbers of all boxes that are at these places, as far as they are along the same coordinates.
export function boxesAt({ boxes }, places) {
  const at = ({ node }) => {
    const shared = places.filter(({ of }) => node[7][of] !== undefined);
    return shared.length > 0 && shared.every(({ of, value }) => alike(node[7][of], value));
  };
  return boxes.flatMap((box, number) => (at(box) ? [number] : []));
}

export function placesOf({ node }) {
  return Object.entries(node[7]).map(([of, value]) => ({ of, value }));
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = (exponent) => (exponent === 0 ? "1" : exponent === 1 ? "10" : `10${[...String(exponent)].map((digit) => RAISED[digit]).join("")}`);

export function numberInWords(value, { scale = "", unit = "" } = {}) {
  if (value === undefined || value === null || Number.isNaN(value)) return "no number";
  if (!Number.isFinite(value)) return "not a finite number";
  if (scale === "log10") {
    const exponent = Math.floor(value);
    return exponent > -4 && exponent < 4 ? numberInWords(10 ** value) : `${(10 ** (value - exponent)).toFixed(1)} × ${power(exponent)}`;
  }
  if (scale === "share") return `${Number((100 * value).toPrecision(value < 0.1 ? 1 : 2))} %`;
  const size = Math.abs(value);
  const plain = size === 0 || (size >= 1e-3 && size < 1e4);
  const [digits, exponent] = value.toExponential(1).split("e");
  const said = plain ? String(Number(value.toPrecision(3))) : `${digits} × ${power(Number(exponent))}`;
  return `${said.replace("-", "−")}${unit ? ` ${unit}` : ""}`;
}

// Where a number stands between a colour's limits, from 0 to 1; undefined where it has no place there.
export function shareOf(value, { scale, limits: [low, high] }) {
  const along = scale === "log" ? Math.log10(value) : value;
  return Number.isFinite(along) && value !== null ? Math.min(1, Math.max(0, (along - low) / (high - low))) : undefined;
}

// What stands at the colour bar: places from 0 to 1 with their words.
export function ticksOf({ scale, unit, limits: [low, high] }) {
  const at = (value, words) => ({ share: (value - low) / (high - low), words });
  if (!scale.startsWith("log")) return [low, (low + high) / 2, high].map((value) => at(value, numberInWords(Number(value.toPrecision(2)), { scale, unit })));
  const [first, last] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)];
  if (last - first < 1) return [low, high].map((value) => at(value, numberInWords(10 ** value)));
  const by = Math.max(1, Math.ceil((last - first) / 3));
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, k) => at(first + k * by, power(first + k * by)));
}

const lowered = (words) => (/^[A-Z][a-z]/.test(words) ? words[0].toLowerCase() + words.slice(1) : words);
const raised = (words) => words[0].toUpperCase() + words.slice(1);
const MOST_TOLD = 4;

// What is known of these boxes, in words: one thing in several networks is one sentence.
export function told({ parts, step, noun }, { boxes }, numbers, colour) {
  const groups = new Map();
  for (const number of numbers) {
    const { part, node } = boxes[number];
    if (!groups.has(node[1])) groups.set(node[1], []);
    groups.get(node[1]).push([parts[part].heading, colour.values[number]]);
  }
  if (!groups.size) return `Choose a ${noun}: the figures mark it.`;
  const when = colour.at === null || colour.at === undefined ? "" : ` at ${step} ${colour.at}`;
  const sentences = [...groups].slice(0, MOST_TOLD).map(([words, found]) => {
    const each = found.map(([heading, value]) => {
      const said = numberInWords(value, colour);
      return parts.length > 1 && heading ? `${lowered(heading)} ${said}` : said;
    });
    return `${raised(words)}: ${each.join(", ")}`;
  });
  const more = groups.size > MOST_TOLD ? `; and ${groups.size - MOST_TOLD} more` : "";
  return `${sentences.join("; ")}${more}. ${colour.words}${when}.`;
}
