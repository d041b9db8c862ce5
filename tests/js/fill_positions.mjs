// Fills the figures that an instant page sends at some positions, for the test that holds them and the server's equal.
// Called with a file of what the page sends and the positions; writes {figure: {position: filled}} to a file.
import { readFile, writeFile } from "node:fs/promises";
import "./page.mjs";
import { positionsPage } from "../../goldviz/ui/assets/frames_page.js";

const [, , from, to, positions] = process.argv;
const sent = JSON.parse(await readFile(from));
const page = positionsPage(sent.page);
page.take(sent);
const plain = (_name, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const found = {};
for (const name of Object.keys(sent.figures)) {
  found[name] = {};
  for (const position of JSON.parse(positions)) found[name][position] = page.figureAt(sent.lane, name, position);
}
await writeFile(to, JSON.stringify(found, plain));
