// The network as a diagram: a box for each neuron with its numbers, a curve for each weight.

import { eachWeight, placeOf } from "./numbers.js";
import { isFlat, plain, short } from "./steps.js";

const BOX = { height: 84, small: 26, loss: 46 };
const WIDTHS = [{ box: 92, gap: 46 }, { box: 80, gap: 34 }]; // The second where the first finds no room.
const GAP = { row: 14, side: 14, top: 30 };
const THICKEST = 9;
const CROWDED = 5; // The thickest curve where a layer has many neurons.

const signOf = (value) => (value > 0 ? "plus" : value < 0 ? "minus" : "zero");

function put(element, attributes, words) {
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  if (words !== undefined && element.textContent !== words) element.textContent = words;
}

export class Diagram {
  constructor(stage, told) {
    this.stage = stage;
    this.told = told;
    const from = (event) => event.target.closest?.("[data-id]")?.dataset.id;
    stage.addEventListener("click", (event) => from(event) && told.choose(from(event)));
    stage.addEventListener("pointerover", ({ target }) => {
      if (target.matches?.(".touch")) target.firstElementChild.textContent = this.wordsOf(target.dataset.id);
    });
    stage.addEventListener("keydown", (event) => {
      const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (down && from(event)) {
        event.preventDefault();
        this.walk(event.target, down);
      }
      if ((event.key !== "Enter" && event.key !== " ") || !from(event)) return;
      event.preventDefault();
      told.choose(from(event));
    });
  }

  // Places of all boxes: columns of input, layers and loss, rows centred.
  place(network, room) {
    const counts = [network.inputs[0].length, ...network.weights.map((weight) => weight.length)];
    const columns = counts.length + 1;
    const high = Math.max(counts[0] * (BOX.small + GAP.row), ...counts.slice(1).map((one) => one * (BOX.height + GAP.row)));
    const least = ({ box, gap }) => 2 * GAP.side + columns * box + (columns - 1) * gap;
    const chosen = WIDTHS.find((one) => least(one) <= room) ?? WIDTHS[1];
    const width = Math.max(room, least(chosen));
    this.wide = chosen.box;
    this.thickest = Math.max(...counts) > 5 ? CROWDED : THICKEST;
    const pitch = (width - 2 * GAP.side - this.wide) / (columns - 1);
    const box = (column, row, rows, height) => ({
      x: GAP.side + column * pitch,
      y: GAP.top + high / 2 + (row - (rows - 1) / 2) * Math.min(high / rows, height + 2 * GAP.row) - height / 2,
      height,
    });
    const last = counts.length - 1;
    this.layout = {
      width,
      height: GAP.top + high + 8,
      pitch,
      input: network.inputs[0].map((_, k) => box(0, k, counts[0], BOX.small)),
      layers: counts.slice(1).map((rows, l) => Array.from({ length: rows }, (_, j) => box(l + 1, j, rows, BOX.height))),
    };
    this.layout.targets = this.layout.layers[last - 1].map(({ y }) => ({
      x: GAP.side + (last + 1) * pitch,
      y: y + (BOX.height - BOX.loss) / 2,
      height: BOX.loss,
    }));
  }

  // The skeleton is built for a network's shape and the page's width; a draw touches what is different only.
  draw(view) {
    const { network, step } = view;
    this.view = view;
    const room = this.stage.clientWidth - 2;
    const counts = network.weights.map((weight) => weight.length);
    const built = JSON.stringify([room, network.inputs[0].length, counts, network.loss]);
    if (built !== this.built) {
      this.built = built;
      this.place(network, room);
      this.build();
      this.stage.toggleAttribute("data-wider", this.layout.width > room + 2);
    }
    this.headings();
    this.edges();
    this.nodes();
    this.scroll(step);
  }

  build() {
    const { network } = this.view;
    const { width, height, input, layers, targets } = this.layout;
    const columns = Array.from({ length: layers.length + 2 }, (_, column) => {
      const x = GAP.side + column * this.layout.pitch;
      const rect = `<rect class="column" x="${x - 8}" y="4" width="${this.wide + 16}" height="${height - 8}" rx="8"/>`;
      return `${rect}<text class="heading" x="${x + this.wide / 2}" y="20"></text>`;
    });
    const ids = eachWeight(network, (_, l, j, k) => ({ id: placeOf(l, j, k), path: this.curve(l, j, k) })).flat(2);
    const edges = ids.map(({ id, path }) => `<path data-edge="${id}" d="${path}"/>`);
    const touches = ids.map(({ id, path }) => `<path class="touch" data-id="${id}" d="${path}"><title></title></path>`);
    const nodes = [
      ...input.map((place, k) => this.node(`x.${k + 1}`, place, 1)),
      ...layers.flatMap((places, l) => places.map((place, j) => this.node(`n${l + 1}.${j + 1}`, place, 5))),
      ...targets.map((place, i) => this.node(`loss.${i + 1}`, place, 2)),
    ];
    const last = targets.at(-1);
    const below = `x="${last.x + this.wide / 2}" y="${last.y + last.height + 18}"`;
    const loss = `<text class="heading" data-said="loss" ${below}></text>`;
    const inside = [...columns, ...edges, ...touches, ...nodes, loss].join("");
    const sides = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    this.stage.innerHTML = `<svg ${sides} role="group" aria-label="The network">${inside}</svg>`;
    const all = (selector) => [...this.stage.querySelectorAll(selector)];
    this.columns = all(".column").map((rect) => [rect, rect.nextElementSibling]);
    this.paths = all("[data-edge]");
    this.said = this.stage.querySelector("[data-said]");
    this.boxes = new Map(all(".node").map((node) => [node.dataset.key, { node, rows: [...node.querySelectorAll(".value")] }]));
  }

  // A box with so many empty rows.
  node(key, place, count) {
    const line = (place.height - 6) / count;
    const rows = Array.from({ length: count }, (_, i) => {
      const y = place.y + 3 + i * line;
      const middle = (y + line / 2 + 4).toFixed(1);
      const size = `<rect x="${place.x + 2}" y="${(y + 1).toFixed(1)}" width="0" height="${(line - 2).toFixed(1)}" rx="2"/>`;
      const name = `<text class="name" x="${place.x + 6}" y="${middle}"></text>`;
      return `${size}${name}<text class="value" x="${place.x + this.wide - 6}" y="${middle}"></text>`;
    });
    const sides = `x="${place.x}" y="${place.y}" width="${this.wide}" height="${place.height}"`;
    return `<g class="node" data-key="${key}" role="button"><rect class="box" ${sides} rx="6"/>${rows.join("")}</g>`;
  }

  // The boxes are one stop of the keyboard; arrows go from one to the next.
  walk(node, by) {
    const nodes = [...this.boxes.values()].map((box) => box.node);
    nodes[nodes.indexOf(node) + by]?.focus();
  }

  // The column that the step is about; a narrow screen moves to it.
  columnOf({ kind, layer }) {
    if (kind === "start") return 0;
    return kind === "loss" || kind === "update" ? this.layout.layers.length + 1 : layer + 1;
  }

  scroll(step) {
    const room = this.stage.clientWidth;
    const left = GAP.side + (this.columnOf(step) - 0.5) * this.layout.pitch;
    const right = left + this.layout.pitch + this.wide;
    if (step === this.scrolledFor || this.layout.width <= room + 2) return;
    this.scrolledFor = step;
    const { scrollLeft } = this.stage;
    if (left < scrollLeft || right > scrollLeft + room) this.stage.scrollLeft = left + (right - left - room) / 2;
  }

  headings() {
    const { network, step } = this.view;
    const layers = network.activations.map(({ words }, layer) => `layer ${layer + 1}${words && ` · ${words}`}`);
    const words = ["input x", ...layers, network.loss === "squared" ? "loss" : "softmax, loss"];
    const now = step.kind === "update" ? -1 : this.columnOf(step);
    this.columns.forEach(([rect, heading], column) => {
      put(rect, { class: column === now ? "column now" : "column" });
      put(heading, {}, words[column]);
    });
  }

  // The value whose size and sign a weight's curve shows, and whether the step is about it.
  shownOf(layer) {
    const { edges, step, known, network, found } = this.view;
    const gradient = edges === "gradient" || (edges === "step" && known.gradients <= layer);
    const here = step.layer === layer;
    const about = { forward: here, arriving: step.layer === layer - 1, gradients: here, update: true, start: true };
    const ready = edges !== "gradient" || known.gradients <= layer;
    return { values: gradient ? found.weightGradients[layer] : network.weights[layer], gradient, ready, quiet: !about[step.kind] };
  }

  edges() {
    const { network, found, chosen } = this.view;
    const most = (layers) => Math.max(...layers.flat(2).map(Math.abs), 1e-300);
    const scale = { true: most(found.weightGradients), false: most(network.weights) };
    let at = 0;
    network.weights.forEach((_, layer) => {
      const { values, gradient, ready, quiet } = this.shownOf(layer);
      for (const value of values.flat()) {
        const path = this.paths[at++];
        const wide = value === 0 ? 1 : Math.max(0.5, (this.thickest * Math.abs(value)) / scale[gradient]);
        const held = chosen === path.dataset.edge;
        put(path, {
          class: `edge ${signOf(value)}${quiet ? " quiet" : ""}${held ? " chosen" : ""}`,
          "stroke-width": wide.toFixed(1),
          visibility: ready ? "visible" : "hidden",
        });
      }
    });
  }

  // What a weight's curve says where the pointer rests on it.
  wordsOf(id) {
    const { network, found, known } = this.view;
    const [layer, j, k] = id.slice(1).split(".").map((one) => one - 1);
    const gradient = known.gradients <= layer ? `, dL/dw ${plain(found.weightGradients[layer][j][k])}` : "";
    return `w from ${k + 1} to ${j + 1} of layer ${layer + 1}: ${plain(network.weights[layer][j][k])}${gradient}`;
  }

  curve(layer, j, k) {
    const from = (layer ? this.layout.layers[layer - 1] : this.layout.input)[k];
    const to = this.layout.layers[layer][j];
    const [x1, y1, x2] = [from.x + this.wide, from.y + from.height / 2, to.x];
    // Weights of one neuron end beside each other, not on one spot.
    const count = this.view.network.weights[layer][j].length;
    const y2 = to.y + to.height / 2 + (count > 1 ? ((k / (count - 1)) - 0.5) * to.height * 0.6 : 0);
    const bend = (x2 - x1) * 0.4;
    const [from1, toward1, toward2, to2] = [[x1, y1], [x1 + bend, y1], [x2 - bend, y2], [x2, y2]].map(
      (point) => point.map((one) => one.toFixed(1)).join(" "),
    );
    return `M${from1}C${toward1} ${toward2} ${to2}`;
  }

  nodes() {
    const { network, found, known, step, sample, after } = this.view;
    const biggest = (layers) => Math.max(...layers.flat(2).map(Math.abs), 1e-300);
    const most = { x: biggest(found.x), delta: biggest(found.delta), arriving: biggest(found.arriving) };
    found.x[0][sample].forEach((x, k) =>
      this.fill(`x.${k + 1}`, `x${sample + 1}.${k + 1}`, `input ${k + 1}`, [["x", x, true, most.x]], step.kind === "start"),
    );
    network.weights.forEach((weight, l) =>
      weight.forEach((_, j) => {
        const forward = known.forward > l;
        const slope = found.slope[l][sample][j];
        const flat = forward && isFlat(slope);
        const rows = [
          ["z", found.z[l][sample][j], forward],
          ["x", found.x[l + 1][sample][j], forward, most.x],
          ["φ′(z)", slope, forward, 0, flat],
          ["dL/dx", found.arriving[l][sample][j], known.arriving <= l, most.arriving],
          ["δ", found.delta[l][sample][j], known.delta <= l, most.delta],
        ];
        const id = `n${l + 1}.${j + 1}`;
        this.fill(id, id, `neuron ${j + 1} of layer ${l + 1}`, rows, step.layer === l, flat);
      }),
    );
    network.targets[sample].forEach((y, i) => {
      const error = () => ["x−y", found.arriving.at(-1)[sample][i], known.loss];
      const output = network.loss === "squared" ? error() : ["g", found.shares[sample][i], known.loss, 1];
      const id = `loss.${i + 1}`;
      this.fill(id, id, `target ${i + 1}`, [["y", y, true], output], step.kind === "loss");
    });
    const loss = `L = ${known.loss ? plain(found.loss) : "…"}`;
    put(this.said, {}, known.update ? `L ${plain(found.loss, 3)} → ${plain(after, 3)}` : loss);
  }

  // Rows of [name, value, whether it is known, the largest of its kind, whether it is worth a warning].
  fill(key, id, words, rows, now, flat = false) {
    const { node, rows: values } = this.boxes.get(key);
    const spoken = rows.filter((row) => row[2]).map(([name, value]) => `${name} ${short(value)}`);
    const chosen = this.isChosen(id, this.view.chosen);
    const classes = ["node", now && "now", flat && "flat", chosen && "chosen"];
    put(node, {
      class: classes.filter(Boolean).join(" "),
      "data-id": id,
      tabindex: chosen ? "0" : "-1",
      "aria-label": [words, ...spoken].join(", "),
    });
    rows.forEach(([name, value, known, most, warn], i) => {
      const share = known && most ? Math.min(1, Math.abs(value) / most) : 0;
      const label = values[i].previousElementSibling;
      put(label.previousElementSibling, { class: `size ${signOf(value)}`, width: ((this.wide - 4) * share).toFixed(1) });
      put(label, {}, name);
      put(values[i], { class: known && warn ? "value warn" : "value" }, known ? short(value) : "·");
    });
  }

  isChosen(id, chosen) {
    if (id === chosen || (id.startsWith("loss") && chosen.startsWith("loss"))) return true;
    // A chosen weight marks the neuron that it leads into.
    return chosen[0] === "w" && id === `n${chosen.slice(1).split(".").slice(0, 2).join(".")}`;
  }
}
