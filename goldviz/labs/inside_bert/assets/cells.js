// Cells of colour. A value becomes a number from 1 to 255 on the colour scale; 0 is a gap, where a logarithm has none.

const LEVELS = 254;

export function colourTable(colours, gap) {
  const channels = (colour) => {
    const hex = colour.match(/^#(..)(..)(..)$/);
    return hex ? hex.slice(1).map((part) => parseInt(part, 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  };
  const stops = colours.map(channels);
  const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  const table = new Uint32Array(256);
  table[0] = packed(channels(gap));
  for (let level = 0; level <= LEVELS; level += 1) {
    const place = (level / LEVELS) * (stops.length - 1);
    const stop = Math.min(Math.floor(place), stops.length - 2);
    const share = place - stop;
    table[level + 1] = packed(stops[stop].map((from, i) => Math.round(from + share * (stops[stop + 1][i] - from))));
  }
  return table;
}

// `values` from `start`, `rows` x `columns`, as levels; read column by column where `turned`.
export function levelsOf(values, start, rows, columns, scale, turned) {
  const levels = new Uint8Array(rows * columns);
  const log = scale.kind === "log";
  const from = log ? Math.log(scale.low) : 0;
  const step = LEVELS / ((log ? Math.log(scale.high) : scale.high) - from || 1);
  let cell = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, cell += 1) {
      const value = values[start + (turned ? column * rows + row : cell)];
      if (log) levels[cell] = value > 0 ? 1 + Math.round(Math.max(0, (Math.log(value) - from) * step)) : 0;
      else levels[cell] = 1 + Math.round(Math.min(LEVELS, Math.max(0, value * step)));
    }
  }
  if (log && scale.low === scale.high) levels.forEach((level, i) => (levels[i] = level ? 255 : 0));
  return levels;
}

// Where the picture's pixels begin and end among the cells: crisp when large, and no cell left out when small.
function cellRanges(from, span, pixels, count) {
  const begin = new Int32Array(pixels);
  const end = new Int32Array(pixels);
  const per = span / pixels;
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const first = per < 1 ? Math.floor(from + (pixel + 0.5) * per) : Math.floor(from + pixel * per);
    begin[pixel] = Math.min(count - 1, Math.max(0, first));
    end[pixel] = Math.min(count, Math.max(begin[pixel] + 1, per < 1 ? 0 : Math.floor(from + (pixel + 1) * per)));
  }
  return { begin, end };
}

// A part of the cells on an image of width x height pixels. A pixel with several cells shows the largest of them.
export function paintCells(levels, rows, columns, view, width, height, table) {
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const across = cellRanges(view.column, view.columns, width, columns);
  const down = cellRanges(view.row, view.rows, height, rows);
  const line = new Uint8Array(columns);
  const left = across.begin[0];
  const right = across.end[width - 1];
  for (let y = 0; y < height; y += 1) {
    const at = y * width;
    if (y && down.begin[y] === down.begin[y - 1] && down.end[y] === down.end[y - 1]) {
      pixels.copyWithin(at, at - width, at);
      continue;
    }
    line.fill(0, left, right);
    for (let row = down.begin[y]; row < down.end[y]; row += 1) {
      const base = row * columns;
      for (let column = left; column < right; column += 1) {
        if (levels[base + column] > line[column]) line[column] = levels[base + column];
      }
    }
    for (let x = 0; x < width; x += 1) {
      let level = line[across.begin[x]];
      for (let column = across.begin[x] + 1; column < across.end[x]; column += 1) {
        if (line[column] > level) level = line[column];
      }
      pixels[at + x] = table[level];
    }
  }
  return image;
}

// A text that fits into a width, cut between what a reader takes for letters.
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = Intl.Segmenter ? [...new Intl.Segmenter().segment(text)].map((part) => part.segment) : [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > width) letters.pop();
  return `${letters.join("")}…`;
}

export function spanOf(text, kind = "") {
  const span = document.createElement("span");
  span.textContent = text;
  if (kind) span.className = kind;
  return span;
}
