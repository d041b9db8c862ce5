// The network as a diagram: a box for each neuron with its numbers, a curve for each weight.

const BOX = { height: 84, small: 26, loss: 46 };
const WIDTHS = [{ box: 92, gap: 46 }, { box: 80, gap: 34 }]; // The second where the first finds no room.
const GAP = { row: 14, side: 14, top: 30 };
const THICKEST = 9;
const CROWDED = 5; // The thickest curve where a layer has many neurons.

const signOf = (value) => (value > 0 ? "plus" : value < 0 ? "minus" : "zero");

class Diagram {
  constructor(stage, told) {
    this.stage = stage;
    this.told = told;
    const from = (event) => event.target.closest?.("[data-id]")?.dataset.id;
    stage.addEventListener("click", (event) => from(event) && told.choose(from(event)));
    stage.addEventListener("keydown", (event) => {
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
    this.layout.targets = this.layout.layers[last - 1].map((one) => ({ x: GAP.side + (last + 1) * pitch, y: one.y + (BOX.height - BOX.loss) / 2, height: BOX.loss }));
  }

  draw(view) {
    const { network, found, step, known } = view;
    this.view = view;
    this.place(network, this.stage.clientWidth - 2);
    const focused = this.stage.getRootNode().activeElement?.dataset?.id;
    const { width, height } = this.layout;
    this.stage.innerHTML = `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="The network">${this.headings()}${this.edges()}${this.nodes(network, found, known, step)}</svg>`;
    if (focused) this.stage.querySelector(`.node[data-id="${focused}"]`)?.focus({ preventScroll: true });
    this.scroll(step);
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
    if (left < this.stage.scrollLeft || right > this.stage.scrollLeft + room) this.stage.scrollLeft = left + (right - left - room) / 2;
  }

  headings() {
    const { network, step } = this.view;
    const last = network.weights.length;
    const phi = (layer) => (layer < last - 1 || network.last !== "identity" ? ` · ${network.words}` : "");
    const words = ["input x", ...network.weights.map((_, layer) => `layer ${layer + 1}${phi(layer)}`), network.loss === "squared" ? "loss" : "softmax, loss"];
    const now = step.kind === "update" ? -1 : this.columnOf(step);
    return words
      .map((said, column) => {
        const x = GAP.side + column * this.layout.pitch;
        const rect = `<rect class="column${column === now ? " now" : ""}" x="${x - 8}" y="4" width="${this.wide + 16}" height="${this.layout.height - 8}" rx="8"/>`;
        return `${rect}<text class="heading" x="${x + this.wide / 2}" y="20">${said}</text>`;
      })
      .join("");
  }

  // The value whose size and sign a weight's curve shows, and whether the step is about it.
  shownOf(layer) {
    const { edges, step, known, network, found } = this.view;
    const gradient = edges === "gradient" || (edges === "step" && known.gradients <= layer);
    const about = { forward: step.layer === layer, arriving: step.layer === layer - 1, gradients: step.layer === layer, update: true, start: true }[step.kind];
    const ready = edges !== "gradient" || known.gradients <= layer;
    return { values: gradient ? found.weightGradients[layer] : network.weights[layer], gradient, ready, quiet: !about };
  }

  edges() {
    const { network, found, chosen } = this.view;
    const most = (layers) => Math.max(...layers.flat(2).map(Math.abs), 1e-300);
    const scale = { true: most(found.weightGradients), false: most(network.weights) };
    const parts = network.weights.map((weight, layer) => {
      const { values, gradient, ready, quiet } = this.shownOf(layer);
      if (!ready) return "";
      return weight
        .map((row, j) =>
          row
            .map((w, k) => {
              const id = `w${layer + 1}.${j + 1}.${k + 1}`;
              const value = values[j][k];
              const wide = value === 0 ? 1 : Math.max(0.5, (this.thickest * Math.abs(value)) / scale[gradient]);
              const path = this.curve(layer, j, k);
              const classes = `edge ${signOf(value)}${quiet ? " quiet" : ""}${chosen === id ? " chosen" : ""}`;
              const title = `w from ${k + 1} to ${j + 1} of layer ${layer + 1}: ${plain(w)}${this.view.known.gradients <= layer ? `, dL/dw ${plain(found.weightGradients[layer][j][k])}` : ""}`;
              return `<path class="${classes}" data-edge="${id}" d="${path}" stroke-width="${wide.toFixed(2)}"/><path class="touch" data-id="${id}" d="${path}"><title>${title}</title></path>`;
            })
            .join(""),
        )
        .join("");
    });
    return parts.join("");
  }

  curve(layer, j, k) {
    const from = (layer ? this.layout.layers[layer - 1] : this.layout.input)[k];
    const to = this.layout.layers[layer][j];
    const [x1, y1, x2] = [from.x + this.wide, from.y + from.height / 2, to.x];
    // Weights of one neuron end beside each other, not on one spot.
    const count = this.view.network.weights[layer][j].length;
    const y2 = to.y + to.height / 2 + (count > 1 ? ((k / (count - 1)) - 0.5) * to.height * 0.6 : 0);
    const bend = (x2 - x1) * 0.4;
    return `M${x1.toFixed(1)} ${y1.toFixed(1)}C${(x1 + bend).toFixed(1)} ${y1.toFixed(1)} ${(x2 - bend).toFixed(1)} ${y2.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
  }

  nodes(network, found, known, step) {
    const { sample } = this.view;
    const biggest = (layers) => Math.max(...layers.flat(2).map(Math.abs), 1e-300);
    const most = { x: biggest(found.x), delta: biggest(found.delta), arriving: biggest(found.arriving) };
    const input = this.layout.input.map((place, k) =>
      this.node(`x${sample + 1}.${k + 1}`, place, `input ${k + 1}`, [["x", found.x[0][sample][k], true, most.x]], step.kind === "start"),
    );
    const layers = this.layout.layers.map((places, l) =>
      places.map((place, j) => {
        const forward = known.forward > l;
        const slope = found.slope[l][sample][j];
        const rows = [
          ["z", found.z[l][sample][j], forward],
          ["x", found.x[l + 1][sample][j], forward, most.x],
          ["φ′(z)", slope, forward, 0, Math.abs(slope) < STALL],
          ["dL/dx", found.arriving[l][sample][j], known.arriving <= l, most.arriving],
          ["δ", found.delta[l][sample][j], known.delta <= l, most.delta],
        ];
        const now = step.layer === l && step.kind !== "start";
        return this.node(`n${l + 1}.${j + 1}`, place, `neuron ${j + 1} of layer ${l + 1}`, rows, now, forward && Math.abs(slope) < STALL);
      }),
    );
    const squared = network.loss === "squared";
    const targets = this.layout.targets.map((place, i) => {
      const rows = squared
        ? [["y", network.targets[sample][i], true], ["x−y", found.arriving.at(-1)[sample][i], known.loss]]
        : [["y", network.targets[sample][i], true], ["g", found.shares[sample][i], known.loss, 1]];
      return this.node(`loss.${i + 1}`, place, `target ${i + 1}`, rows, step.kind === "loss");
    });
    return [...input, ...layers.flat(), ...targets, this.lossWords(found, known)].join("");
  }

  lossWords(found, known) {
    const place = this.layout.targets.at(-1);
    const words = known.update ? `L ${plain(found.loss, 3)} → ${plain(this.view.after, 3)}` : `L = ${known.loss ? plain(found.loss) : "…"}`;
    return `<text class="heading" data-said="loss" x="${place.x + this.wide / 2}" y="${place.y + place.height + 18}">${words}</text>`;
  }

  // Rows of [name, value, whether it is known, the largest of its kind, whether it is worth a warning].
  node(id, place, words, rows, now, flat = false) {
    const { chosen } = this.view;
    const line = (place.height - 6) / rows.length;
    const parts = rows.map(([name, value, known, most, warn], i) => {
      const y = place.y + 3 + i * line;
      const wide = known && most ? (this.wide - 4) * Math.min(1, Math.abs(value) / most) : 0;
      const size = wide ? `<rect class="size ${signOf(value)}" x="${place.x + 2}" y="${y + 1}" width="${wide.toFixed(1)}" height="${line - 2}" rx="2"/>` : "";
      const said = known ? short(value) : "·";
      return `${size}<text class="name" x="${place.x + 6}" y="${y + line / 2 + 4}">${name}</text><text class="value${known && warn ? " warn" : ""}" x="${place.x + this.wide - 6}" y="${y + line / 2 + 4.5}">${said}</text>`;
    });
    const spoken = rows.filter((row) => row[2]).map(([name, value]) => `${name} ${short(value)}`);
    const classes = ["node", now && "now", flat && "flat", this.isChosen(id, chosen) && "chosen"].filter(Boolean).join(" ");
    return `<g class="${classes}" data-id="${id}" tabindex="0" role="button" aria-label="${[words, ...spoken].join(", ")}"><rect class="box" x="${place.x}" y="${place.y}" width="${this.wide}" height="${place.height}" rx="6"/>${parts.join("")}</g>`;
  }

  isChosen(id, chosen) {
    if (id === chosen || (id.startsWith("loss") && chosen.startsWith("loss"))) return true;
    // A chosen weight marks the neuron that it leads into.
    return chosen[0] === "w" && id === `n${chosen.slice(1).split(".").slice(0, 2).join(".")}`;
  }
}
