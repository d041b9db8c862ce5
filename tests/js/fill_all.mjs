// Fills every figure of a message at some steps, for the test that holds Python's filling and this one equal.
// Called with a message's file and the steps; writes {figure: {step: filled}} to a file.
import { readFile, writeFile } from "node:fs/promises";
import { load } from "./assets.mjs";

const [, , from, to, steps] = process.argv;
const { decoded, merged, filledFigure } = await load(["figure_fill"], ["decoded", "merged", "filledFigure"]);

const bytes = await readFile(from);
const message = decoded(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const lane = merged(undefined, message.header, message);
const plain = (key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const found = {};
for (const name of Object.keys(lane.figures)) {
  found[name] = {};
  for (const step of JSON.parse(steps)) found[name][step] = filledFigure(lane, name, step);
}
await writeFile(to, JSON.stringify(found, plain));
