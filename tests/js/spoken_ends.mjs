// Says figures as a page says them to readers. Called with a file of [[traces, logarithms], ...] and one for the words.
import { readFile, writeFile } from "node:fs/promises";
import { endsOf } from "../../goldviz/ui/assets/figure_words.js";

const [, , from, to] = process.argv;
const figures = JSON.parse(await readFile(from, "utf8"));
await writeFile(to, JSON.stringify(figures.map(([traces, logarithms]) => endsOf(traces, logarithms))));
