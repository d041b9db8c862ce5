// What is chosen in the diagram, as formulas with the numbers in them, with every gradient found in three ways.

const WAITS = '<span class="unknown">…</span>';

// Parts are built anew when something else is chosen; otherwise only their words change, so that typing goes on.
class Details {
  constructor(host, told) {
    this.host = host;
    this.told = told;
    host.addEventListener("input", (event) => this.typed(event.target));
    host.addEventListener("change", (event) => event.target.matches("select") && told.change(event.target.dataset.place, Number(event.target.value)));
  }

  typed(input) {
    if (!input.matches("input[data-place]")) return;
    const value = allowedNumber(input.value);
    input.classList.toggle("refused", value === undefined);
    if (value !== undefined) this.told.change(input.dataset.place, value);
  }

  draw(view) {
    const parts = this.partsOf(view);
    const built = JSON.stringify([view.chosen, parts.map((part) => part.shape ?? part.key)]);
    if (built !== this.built) {
      this.host.innerHTML = parts.map((part) => part.frame ?? `<p class="formula" data-key="${part.key}"></p>`).join("");
      this.built = built;
    }
    const root = this.host.getRootNode();
    for (const part of parts) {
      for (const [key, words] of Object.entries(part.cells ?? { [part.key]: part.words })) {
        const cell = this.host.querySelector(`[data-key="${key}"]`);
        if (cell.innerHTML !== words) cell.innerHTML = words;
      }
      for (const [place, value] of Object.entries(part.inputs ?? {})) {
        const input = this.host.querySelector(`[data-place="${place}"]`);
        if (input !== root.activeElement || allowedNumber(input.value) !== value) {
          if (input === root.activeElement && input.classList.contains("refused")) continue;
          input.value = String(value);
          input.classList.remove("refused");
        }
      }
    }
  }

  partsOf(view) {
    const { chosen } = view;
    if (chosen.startsWith("loss")) return lossParts(view);
    if (chosen[0] === "x") return inputParts(view);
    const [layer, unit] = chosen.slice(1).split(".").map((one) => one - 1);
    return neuronParts(view, layer, unit);
  }
}

const inBrackets = (value) => (value < 0 ? `(${plain(value)})` : plain(value));
const line = (key, name, words, known) => ({ key, words: `${name} = ${known ? words : WAITS}` });
const field = (place, words) => `<input type="text" inputmode="decimal" autocomplete="off" data-place="${place}" aria-label="${words}">`;

function inputParts({ network, chosen }) {
  const [sample, unit] = chosen.slice(1).split(".").map((one) => one - 1);
  const place = chosen;
  return [
    { key: "input", shape: place, frame: `<h3>Input ${unit + 1}${network.inputs.length > 1 ? ` of sample ${sample + 1}` : ""}</h3><p>x = ${field(place, "input")}</p>`, cells: {}, inputs: { [place]: network.inputs[sample][unit] } },
    { key: "silent", words: network.inputs[sample][unit] === 0 && network.inputs.length === 1 ? "This input is 0: every weight that starts here has the gradient 0 (equation 4)." : "Equation 4 multiplies it into the gradient of every weight that starts here." },
  ];
}

// phi with a number in it.
function phiWords(name, z, slope) {
  const number = inBrackets(z);
  return {
    tanh: [`tanh ${number}`, `1 − tanh² ${number}`],
    sigmoid: [`σ(${plain(z)})`, `σ(${plain(z)}) · σ(${plain(-z)})`],
    relu: [`max(0, ${plain(z)})`, z > 0 ? "1, as z is above 0" : "0, as z is not above 0"],
    leaky_relu: [z > 0 ? `${plain(z)}, as z is above 0` : `${plain(slope)} · ${number}`, z > 0 ? "1, as z is above 0" : `${plain(slope)}, as z is not above 0`],
    gelu: [`GELU(${plain(z)})`, `Φ(${plain(z)}) + ${number} · N(${plain(z)})`],
    identity: [`${plain(z)}, as there is no φ`, "1, as there is no φ"],
  }[name];
}

function sumWords(pairs, rest = "") {
  return pairs.map(([a, b]) => `${inBrackets(a)} · ${inBrackets(b)}`).join(" + ") + rest;
}

function arrivingWords(view, layer, unit) {
  const { network, found, sample } = view;
  if (layer < network.weights.length - 1) {
    const pairs = found.delta[layer + 1][sample].map((delta, i) => [network.weights[layer + 1][i][unit], delta]);
    return [`Σ w δ of layer ${layer + 2} = ${sumWords(pairs)}`, "equation 2, first half"];
  }
  const y = network.targets[sample][unit];
  const output = network.loss === "squared" ? found.x[layer + 1][sample][unit] : found.shares[sample][unit];
  return [`${network.loss === "squared" ? "x" : "g"} − y = ${plain(output)} − ${inBrackets(y)}`, "equation 1, first half"];
}

function neuronParts(view, layer, unit) {
  const { network, found, known, sample } = view;
  const z = found.z[layer][sample][unit];
  const slope = found.slope[layer][sample][unit];
  const arriving = found.arriving[layer][sample][unit];
  const delta = found.delta[layer][sample][unit];
  const before = found.x[layer][sample];
  const name = layer < network.weights.length - 1 ? network.activation : network.last;
  const [phi, derivative] = phiWords(name, z, network.slope);
  const pairs = network.weights[layer][unit].map((w, k) => [w, before[k]]);
  const [arrives, equation] = arrivingWords(view, layer, unit);
  const forward = known.forward > layer;
  const flat = Math.abs(slope) < STALL;
  const stalls = flat ? ` <b>The slope is ${slope === 0 ? "0: no error gets through." : "nearly 0: hardly any error gets through."}</b>` : "";
  const worked = (words, value) => (words.includes(", as") ? words : `${words} = ${plain(value)}`);
  return [
    { key: "head", frame: '<h3 data-key="head"></h3>', words: `Neuron ${unit + 1} of layer ${layer + 1}${network.inputs.length > 1 ? `, sample ${sample + 1}` : ""}` },
    line("z", "z = Σ w x + b", `${sumWords(pairs, ` + ${inBrackets(network.biases[layer][unit])}`)} = ${plain(z)}`, forward),
    line("x", "x = φ(z)", worked(phi, found.x[layer + 1][sample][unit]), forward),
    line("slope", "φ′(z)", worked(derivative, slope), forward),
    line("arriving", "dL/dx", `${arrives} = ${plain(arriving)} (${equation})`, known.arriving <= layer),
    line("delta", "δ = dL/dx · φ′(z)", `${inBrackets(arriving)} · ${inBrackets(slope)} = <b>${plain(delta)}</b>.${stalls}`, known.delta <= layer),
    ...(view.chosen[0] === "w" ? [weightLine(view, layer, unit, view.chosen.split(".")[2] - 1)] : []),
    gradientTable(view, layer, unit),
  ];
}

// A chosen weight's gradient with its numbers: equation 4 over the samples, and the penalty.
function weightLine({ network, found, known }, layer, unit, from) {
  const pairs = found.delta[layer].map((delta, s) => [delta[unit], found.x[layer][s][from]]);
  const penalty = network.penalty ? ` + ${plain(network.penalty)} · ${inBrackets(network.weights[layer][unit][from])}` : "";
  const name = `dL/dw from ${from + 1} = ${pairs.length > 1 ? "Σ " : ""}δ x${penalty && " + λ w"}`;
  const gradient = found.weightGradients[layer][unit][from];
  const silent = pairs.every(([delta, x]) => delta === 0 || x === 0) ? " A silent neuron or a dead one: this weight learns nothing from the data." : "";
  return line("weight", name, `${sumWords(pairs, penalty)} = <b>${plain(gradient)}</b> (equation 4).${silent}`, known.gradients <= layer);
}

// A row for delta, the bias and each weight: the number itself, and its gradient by hand, by autograd and nudged.
function gradientTable(view, layer, unit) {
  const { network, found, known, sample, chosen, autograd } = view;
  const l = layer + 1;
  const j = unit + 1;
  const samples = network.inputs.length;
  const rows = [
    { key: "rowx", name: "its x", known: known.arriving <= layer, hand: found.arriving[layer][sample][unit], auto: autograd?.arriving[layer][sample][unit], nudge: () => nudgedState(network, found, layer, sample, unit, "x"), number: found.x[layer + 1][sample][unit], from: "" },
    { key: "rowd", name: "its z", known: known.delta <= layer, hand: found.delta[layer][sample][unit], auto: autograd?.delta[layer][sample][unit], nudge: () => nudgedState(network, found, layer, sample, unit, "z"), number: found.z[layer][sample][unit], from: "" },
    { key: "rowb", place: `b${l}.${j}`, name: "bias b", known: known.gradients <= layer, hand: found.biasGradients[layer][unit], auto: autograd?.biases[layer][unit], number: network.biases[layer][unit], from: "1" },
    ...network.weights[layer][unit].map((w, k) => ({ key: `roww${k}`, place: `w${l}.${j}.${k + 1}`, name: `w from ${k + 1}`, known: known.gradients <= layer, hand: found.weightGradients[layer][unit][k], auto: autograd?.weights[layer][unit][k], number: w, from: samples > 1 ? "its x of each" : plain(found.x[layer][sample][k]) })),
  ];
  const cells = {};
  const inputs = {};
  for (const row of rows) {
    const nudge = row.nudge ?? (() => nudged(network, row.place));
    Object.assign(cells, {
      [`${row.key}-from`]: known.forward >= layer ? row.from : WAITS,
      [`${row.key}-hand`]: row.known ? plain(row.hand, 6) : WAITS,
      [`${row.key}-auto`]: row.known && row.auto !== undefined ? plain(row.auto, 6) : WAITS,
      [`${row.key}-nudge`]: row.known ? plain(nudge(), 6) : WAITS,
    });
    if (row.place) inputs[row.place] = row.number;
    else cells[`${row.key}-number`] = known.forward > layer ? plain(row.number) : WAITS;
  }
  const penalty = network.penalty ? ", plus λw" : "";
  const frame = `<div class="wide"><table><thead><tr><th></th><th>number</th><th>is multiplied by</th><th>dL/d… by hand</th><th>autograd</th><th>nudged ±1e−5</th></tr></thead><tbody>${rows
    .map((row) => `<tr class="${row.place === chosen ? "chosen" : ""}"><td>${row.name}</td><td${row.place ? "" : ` data-key="${row.key}-number"`}>${row.place ? field(row.place, row.name) : ""}</td>${["from", "hand", "auto", "nudge"].map((way) => `<td data-key="${row.key}-${way}"></td>`).join("")}</tr>`)
    .join("")}</tbody></table></div><p class="note">By hand: the gradient of a weight is δ times what the weight is multiplied by${samples > 1 ? ", added up over the samples" : ""}${penalty}. A nudge changes one number up and down and takes the loss anew; at a ReLU's corner it gives the mean of both sides.</p>`;
  return { key: "table", shape: `table${rows.length}${samples > 1}${penalty}`, frame, cells, inputs };
}

function lossParts(view) {
  const { network, found, sample, known } = view;
  const outputs = found.x.at(-1)[sample];
  const targets = network.targets[sample];
  const place = (i) => `y${sample + 1}.${i + 1}`;
  const head = { key: "head", frame: '<h3 data-key="head"></h3>', words: `Loss${network.inputs.length > 1 ? ` of sample ${sample + 1}` : ""}` };
  if (network.loss === "squared") {
    const terms = outputs.map((x, i) => `(${plain(x)} − ${inBrackets(targets[i])})²`).join(" + ");
    return [
      head,
      line("loss", "½ Σ (x − y)²", `½ (${terms}) = ${plain(found.losses[sample])}`, known.loss),
      { key: "fields", shape: `fields${targets.length}.${sample}`, frame: `<p>Targets: ${targets.map((_, i) => `y of ${i + 1} ${field(place(i), `target ${i + 1}`)}`).join(" ")}</p>`, cells: {}, inputs: Object.fromEntries(targets.map((y, i) => [place(i), y])) },
    ];
  }
  const target = targets.indexOf(1);
  const options = targets.map((_, i) => `<option value="${i + 1}"${i === target ? " selected" : ""}>${i + 1}</option>`).join("");
  return [
    head,
    { key: "class", shape: `class${targets.length}.${sample}.${target}`, frame: `<p><label>The right class <select data-place="t${sample + 1}">${options}</select></label></p>`, cells: {} },
    line("loss", `L = −log g of class ${target + 1}`, `−log ${plain(found.shares[sample][target])} = ${plain(found.losses[sample])}`, known.loss),
    ...(known.loss ? [softmaxTable(found.shares[sample], target)] : []),
  ];
}

// dg_i/do_j as a matrix; the row of the right class times -1/g is what is left of it: g - y.
function softmaxTable(shares, target) {
  const matrix = softmaxJacobian(shares);
  const count = shares.length;
  const cells = {};
  const row = (key, words, values) => {
    values.forEach((value, j) => (cells[`${key}.${j}`] = value));
    return `<tr><td>${words}</td>${values.map((_, j) => `<td data-key="${key}.${j}"></td>`).join("")}</tr>`;
  };
  const shade = (value) => `<span style="${tint(value)}">${plain(value, 3)}</span>`;
  const rows = matrix.map((values, i) => row(`s${i}`, `dg of ${i + 1}`, values.map(shade)));
  const long = shares[target] === 0 ? shares.map(() => "0 / 0") : matrix[target].map((value) => plain(-value / shares[target], 4));
  const short = shares.map((g, j) => plain(g - (j === target ? 1 : 0), 4));
  const frame = `<p>The softmax's matrix, dg<sub>i</sub>/do<sub>j</sub> = g<sub>i</sub>(δ<sub>ij</sub> − g<sub>j</sub>):</p><div class="wide"><table class="matrix"><thead><tr><th></th>${shares.map((_, j) => `<th>do of ${j + 1}</th>`).join("")}</tr></thead><tbody>${rows.join("")}${row("long", `−1/g × row ${target + 1}`, long)}${row("short", "<b>g − y</b>", short)}</tbody></table></div><p class="note">dL/dg is −1/g for the right class and 0 for the others, so one row of the matrix counts. Its g cancels: the two last rows are equal.${count === 1 ? " With one class g is always 1, and nothing is left to learn." : ""}</p>`;
  return { key: "softmax", shape: `softmax${count}.${target}`, frame, cells };
}

function tint(value) {
  const share = Math.round(100 * Math.min(1, Math.abs(value) / 0.25));
  return `display:block;border-radius:4px;padding:0 4px;background:color-mix(in srgb, var(--${value < 0 ? "minus" : "plus"}) ${Math.round(share * 0.45)}%, transparent)`;
}
