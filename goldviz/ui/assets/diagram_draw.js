// Paints a network's diagram on a canvas: wires, boxes in their colours, what stands in them, and what is chosen.

import { shareOf } from "./diagram_layout.js";

const LETTERS = 12;

const parsed = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));

// A colour between the stops of a scale, as red, green and blue.
export function colourAt(scale, share) {
  const upper = Math.max(1, scale.findIndex(([at]) => at >= share));
  const [[low, from], [high, to]] = [scale[upper - 1], scale[upper]];
  const along = (share - low) / (high - low);
  const [start, end] = [parsed(from), parsed(to)];
  return start.map((value, channel) => Math.round(value + along * (end[channel] - value)));
}

// Black or white, whichever is read more easily on a colour.
export function inkOn(colour) {
  const [red, green, blue] = colour;
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#1e1e1c" : "#ffffff";
}

function traced(pen, from, to, way, place) {
  const middle = (box) => box.y + box.height / 2;
  const right = (box) => box.x + box.width;
  pen.beginPath();
  if (way === "skip") {
    const gap = Math.min(5, 0.11 * place.pitch);
    const [start, end, top] = [right(from) + gap, right(to) + gap, Math.min(from.y, to.y)];
    const high = Math.min(20, 0.55 * (end - start) + 4);
    pen.moveTo(start, middle(from));
    pen.lineTo(start, top - 1);
    pen.bezierCurveTo(start, top - 1 - high, end, top - 1 - high, end, top - 1);
    pen.lineTo(end, middle(to));
  } else if (way === "back") {
    const [start, end, low] = [right(from) + 3, to.x - 3, place.turn];
    pen.moveTo(right(from), middle(from));
    pen.lineTo(start, middle(from));
    pen.lineTo(start, low);
    pen.lineTo(end, low);
    pen.lineTo(end, middle(to));
    pen.lineTo(to.x, middle(to));
  } else {
    const half = (to.x - right(from)) / 2;
    pen.moveTo(right(from), middle(from));
    pen.bezierCurveTo(right(from) + half, middle(from), to.x - half, middle(to), to.x, middle(to));
  }
  pen.stroke();
}

function wires(pen, { parts }, layout, ink) {
  pen.lineWidth = 1.5;
  parts.forEach((part, number) => {
    const place = layout.places[number];
    for (const [start, end, way] of part.wires) {
      pen.strokeStyle = way === "line" ? ink.muted : part.colour || ink.text;
      const [from, to] = [layout.boxes[place.first + start], layout.boxes[place.first + end]];
      traced(pen, from, to, way, place);
    }
  });
}

function rounded(pen, { x, y, width, height }, by = 0) {
  const radius = Math.min(4, width / 3);
  pen.beginPath();
  pen.roundRect(x - by, y - by, width + 2 * by, height + 2 * by, radius + by / 2);
}

// A number that the scale has no place for is hatched; a box without a number is empty.
function filled(pen, box, value, share, scale, ink) {
  rounded(pen, box);
  pen.fillStyle = ink.surface;
  pen.fill();
  const known = value !== undefined && value !== null && !Number.isNaN(value);
  if (share !== undefined) {
    const colour = colourAt(scale, share);
    pen.fillStyle = `rgb(${colour.join()})`;
    pen.fill();
    return inkOn(colour);
  }
  if (known) {
    pen.save();
    pen.clip();
    pen.strokeStyle = ink.gap;
    pen.lineWidth = 2;
    for (let x = box.x - box.height; x < box.x + box.width; x += 6) {
      pen.beginPath();
      pen.moveTo(x, box.y + box.height);
      pen.lineTo(x + box.height, box.y);
      pen.stroke();
    }
    pen.restore();
  }
  rounded(pen, box);
  pen.strokeStyle = ink.muted;
  pen.lineWidth = 1;
  pen.stroke();
  return ink.text;
}

// Labels stand in their boxes. Where one of a network's lowest row does not fit, as many of that row as have room stand
// below it, the first and the last first: a row is read one way.
function labels(pen, layout, inks, ink) {
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const { first, count, low, back } of layout.places) {
    const boxes = layout.boxes.slice(first, first + count).map((box, at) => ({ box, ink: inks[first + at] }));
    const named = boxes.filter(({ box }) => box.node[0]);
    const isNarrow = ({ box }) => pen.measureText(box.node[0]).width + 3 > box.width;
    const lowest = named.filter(({ box }) => box.y + box.height > low - 6);
    const below = lowest.some(isNarrow) ? lowest : [];
    for (const one of named.filter((other) => !below.includes(other) && !isNarrow(other))) {
      pen.fillStyle = one.ink;
      pen.fillText(one.box.node[0], one.box.x + one.box.width / 2, one.box.y + one.box.height / 2);
    }
    pen.fillStyle = ink.muted;
    const taken = [];
    for (const { box } of [below[0], below.at(-1), ...below].filter(Boolean)) {
      const [middle, half] = [box.x + box.width / 2, pen.measureText(box.node[0]).width / 2 + 4];
      const at = Math.min(Math.max(middle, half), layout.width - half);
      if (taken.some(([left, right]) => at - half < right && at + half > left)) continue;
      taken.push([at - half, at + half]);
      pen.fillText(box.node[0], at, low + back + 10);
    }
  }
}

export function paintDiagram(pen, diagram, layout, colour, { ink, font, chosen, pointed, focused }) {
  pen.font = `600 13px ${font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  diagram.parts.forEach(({ heading, colour: own }, number) => {
    pen.fillStyle = ink.tones?.[own] ?? (own || ink.text);
    pen.fillText(heading, layout.places[number].left, layout.places[number].top + 10);
  });
  wires(pen, diagram, layout, ink);
  const inks = layout.boxes.map((box, number) => {
    const value = colour.values[number];
    return filled(pen, box, value, shareOf(value, colour), diagram.scale, ink);
  });
  pen.font = `${LETTERS}px ${font}`;
  labels(pen, layout, inks, ink);
  const outline = (numbers, width, by, style) => {
    pen.lineWidth = width;
    pen.strokeStyle = style;
    for (const number of numbers) {
      rounded(pen, layout.boxes[number], by);
      pen.stroke();
    }
  };
  outline(pointed, 1.5, 1.5, ink.text);
  outline(chosen, 3, 2, ink.accent);
  if (focused !== undefined) outline([focused], 1, 4, ink.text);
}
