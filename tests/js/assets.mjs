// The page's scripts as modules: they are written to be joined, so each is loaded from its text.
import { readFile } from "node:fs/promises";

const FOLDER = new URL("../../goldviz/ui/assets/", import.meta.url);

export async function load(names, exported = []) {
  const texts = await Promise.all(names.map((name) => readFile(new URL(`${name}.js`, FOLDER), "utf8")));
  const joined = texts.map((text) => text.replace(/^export (?!default)/gm, "")).join("\n");
  const module = `${joined}\nexport { ${exported.join(", ")} };`;
  return import(`data:text/javascript;base64,${Buffer.from(module).toString("base64")}`);
}
