// What the search answers to several queries over the whole list: numbers of entries, the best first.

import { readFileSync } from "node:fs";
import { found, prepared } from "../../goldviz/ui/assets/search.js";

const entries = prepared(JSON.parse(readFileSync(process.argv[3], "utf8")));
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((typed) => found(entries, typed).map(({ number }) => number))));
