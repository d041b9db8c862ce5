// Fills every figure of a message at some steps, for the test that holds Python's filling and this one equal; and puts
// figures together as parts of a page do, for the test that all in view are of the step that the slider names.
// Called with a message's file, the steps and the parts; writes {figure: {step: filled}} to a file, and prints
// [[part, slider's step, {figure: steps it names}]].
import { readFile, writeFile } from "node:fs/promises";
import "./page.mjs";
import { decoded, merged, filledFigure } from "../../goldviz/ui/assets/figure_fill.js";
import { framesPage } from "../../goldviz/ui/assets/frames_page.js";

// Nothing is asked of a server.
document.hidden = true;
const [, , from, to, steps, parts] = process.argv;

const bytes = await readFile(from);
const message = decoded(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const lane = merged(undefined, message.header, message);
const plain = (_name, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const found = {};
for (const name of Object.keys(lane.figures)) {
  found[name] = {};
  for (const step of JSON.parse(steps)) found[name][step] = filledFigure(lane, name, step);
}
await writeFile(to, JSON.stringify(found, plain));

const NAMED = /\b(?:At step|Step|Epoch) ([\d,]+)/g;
lane.last = Math.max(...Object.values(lane.steps).flat());
const said = [];
for (const part of JSON.parse(parts)) {
  const page = framesPage(part.join());
  page.lanes.set("run", lane);
  const stops = part.map((figure) => page.watch({ lane: "run", figure, changed: () => undefined }));
  const positions = new Set(Array.from({ length: 41 }, (_, place) => page.stepFor(Math.round((place * lane.last) / 40))));
  for (const step of positions) {
    const named = {};
    for (const name of part.filter((one) => !lane.figures[one].redrawn)) {
      const notes = (page.figureAt("run", name, step).layout.meta?.notes ?? []).join(" ");
      named[name] = [...notes.matchAll(NAMED)].map(([, number]) => Number(number.replaceAll(",", "")));
    }
    said.push([part, step, named]);
  }
  stops.forEach((stop) => stop());
}
process.stdout.write(JSON.stringify(said));
