// Says figures as a page says them to readers. Called with a file of [[traces, logarithms], ...] and one for the words.
import { readFile, writeFile } from "node:fs/promises";
import { load } from "./assets.mjs";

const [, , from, to] = process.argv;
const { endsOf } = await load(["figure_words", "figure_fit"], ["endsOf"]);
const figures = JSON.parse(await readFile(from, "utf8"));
await writeFile(to, JSON.stringify(figures.map(([traces, logarithms]) => endsOf(traces, logarithms))));
