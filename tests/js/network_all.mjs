// What the page's network computes for networks that Python wrote down; read and written as lists in a file.
import { readFile, writeFile } from "node:fs/promises";
import * as page from "../../goldviz/labs/backpropagation_steps/assets/numbers.js";

const [, , from, to] = process.argv;

function computed({ network: drawn, edits }) {
  const network = page.changedNetwork(drawn, page.editsOf(edits));
  const found = page.passes(network);
  const nudge = (place) => page.nudged(network, place);
  const states = (name) =>
    found.delta.map((samples, l) => samples.map((units, s) => units.map((_, j) => page.nudgedState(network, found, l, s, j, name))));
  return {
    ...found,
    weightNudges: network.weights.map((weight, l) => weight.map((row, j) => row.map((_, k) => nudge(`w${l + 1}.${j + 1}.${k + 1}`)))),
    biasNudges: network.biases.map((bias, l) => bias.map((_, j) => nudge(`b${l + 1}.${j + 1}`))),
    deltaNudges: states("z"),
    arrivingNudges: states("x"),
    lossAfter: page.totalLoss(page.updatedNetwork(network, found)),
    jacobians: found.shares?.map(page.softmaxJacobian) ?? null,
    costs: page.costsOf(network),
  };
}

await writeFile(to, JSON.stringify(JSON.parse(await readFile(from, "utf8")).map(computed)));
