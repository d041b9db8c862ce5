// A run's frames as they arrive, and its figures filled with the values of one step. The same three rules as in
// goldviz/figures/frames.py: a row of steps gives the value at the step in view, a line of parts is joined by blanks,
// and everything else stands as it is, whole.

const KINDS = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  f4: Float32Array,
  f8: Float64Array,
};

export function bytesOf(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

// An array that came in base64; whatever else stands there stays.
export const ofBase64 = (sent) => (sent?.bdata ? new KINDS[sent.dtype](bytesOf(sent.bdata).buffer) : sent);

// What the server sends: four bytes with the length of a JSON header, the header, then arrays at multiples of eight.
export function decoded(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { header, buffer, start: 4 + length };
}

function arrayOf({ dtype, at, count }, { buffer, start }) {
  return new KINDS[dtype](buffer, start + at, count);
}

export function joined(old, more) {
  const both = new old.constructor(old.length + more.length);
  both.set(old);
  both.set(more, old.length);
  return both;
}

// A row: numbers in one array of `width` a step, or one word a step; `dim` is null where it holds for every step.
function rowOf(sent, message, before) {
  const { dim, shape } = sent;
  if (sent.words) {
    const values = sent.index.map((place) => sent.words[place]);
    return { dim, words: sent.from ? [...before.words.slice(0, sent.from), ...values] : values };
  }
  const width = shape.reduce((size, side) => size * side, 1);
  const values = arrayOf(sent, message);
  const kept = sent.from ? joined(before.values.subarray(0, sent.from * width), values) : values;
  return { dim, shape, width, values: kept };
}

// A lane as it is known in this page, brought up to date with what was sent of it.
export function merged(lane, sent, message) {
  const fresh = !lane || sent.fresh;
  const steps = fresh ? {} : { ...lane.steps };
  for (const [dim, { from, labels }] of Object.entries(sent.steps))
    steps[dim] = from ? [...steps[dim].slice(0, from), ...labels] : labels;
  const figures = fresh ? {} : { ...lane.figures };
  for (const [name, figure] of Object.entries(sent.figures)) {
    const before = figures[name];
    const rows = (figure.rows ?? []).map((row, number) => rowOf(row, message, before?.rows[number]));
    const kept = { ...before?.kept };
    for (const [dim, { from, places }] of Object.entries(figure.kept ?? {}))
      kept[dim] = from ? [...kept[dim].slice(0, from), ...places] : places;
    figures[name] = { template: figure.figure ?? before.template, rows, kept, redrawn: figure.redrawn };
  }
  const { id, version, run, sense, progress, last, apart } = sent;
  const look = sent.look ?? lane?.look;
  return { id, version, run, sense, progress, last, apart, look, steps, figures };
}

// How many of these sorted numbers are at most `value`.
export function countUpTo(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Where a step stands along one dimension: the last that was recorded and is not after it, else the first.
export function placeOf(labels, step) {
  const upTo = step === null ? labels.length : countUpTo(labels, step);
  return Math.max(0, upTo - 1);
}

function nested(values, shape) {
  if (!shape.length) return values[0];
  if (shape.length === 1) return values;
  const width = values.length / shape[0];
  return Array.from({ length: shape[0] }, (_, place) => values.subarray(place * width, (place + 1) * width));
}

function valueOf(row, number) {
  if (row.words) return row.words[number];
  const { dim, shape, width, values } = row;
  if (dim === null) return nested(values, [values.length / width, ...shape]);
  return nested(values.subarray(number * width, (number + 1) * width), shape);
}

// One of a lane's figures at a step (null: the last one), and whether it is exactly that step's. As long as nothing new
// comes, it is the same object at the same step.
export function filledFigure(lane, name, step) {
  const own = lane.figures[name];
  let exact = true;
  const numbers = {};
  for (const [dim, places] of Object.entries(own.kept)) {
    const wanted = placeOf(lane.steps[dim], step);
    numbers[dim] = Math.max(0, countUpTo(places, wanted) - 1);
    exact &&= places[numbers[dim]] === wanted;
  }
  const at = JSON.stringify(numbers);
  if (own.filled?.at !== at || own.filled.look !== lane.look) {
    own.filled = { at, look: lane.look, figure: withValues(own, numbers, lane.look) };
  }
  return { figure: own.filled.figure, exact };
}

function withValues({ template, rows }, numbers, look) {
  const fill = (value) => {
    if (Array.isArray(value)) return value.map(fill);
    if (!value || typeof value !== "object") return value;
    if ("$" in value) {
      if (Array.isArray(value.$)) return value.$.map(fill).filter(Boolean).join(" ");
      const row = rows[value.$];
      return valueOf(row, row.dim === null ? 0 : numbers[row.dim]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)]));
  };
  const figure = fill(template);
  // An axis, a shape or a note that is not there at this step.
  for (const [part, value] of Object.entries(figure.layout)) if (value === null) delete figure.layout[part];
  return { ...figure, layout: { ...figure.layout, template: look } };
}
