// Heads of notice: what stands out among all heads on the text in view, in a sentence whose heads can be pressed.

import { isolated } from "./overview.js";

const MOST_OF_IT = 0.5;
const MUCH = 0.4;
/** @type {[string, string][]} */
const PLACES = [
  ["word_before", "the word before"],
  ["word_after", "the word after"],
  ["other_sentence", "the other sentence"],
];

// The head with the largest number of a summary, from 0.
export function foremost(summary) {
  let best = { layer: 0, head: 0, share: -1 };
  summary.forEach((heads, layer) =>
    heads.forEach((share, head) => {
      if (share !== null && share > best.share) best = { layer, head, share };
    }),
  );
  return best;
}

// Parts of a sentence: words, or a head with the words that name it.
export function notice({ summaries, tokens, special, second }) {
  const places = PLACES.filter(([name]) => name in summaries && (name !== "other_sentence" || second?.length));
  const best = places.map(([name, words]) => ({ ...foremost(summaries[name]), words }));
  const found = best.filter((one) => one.share > MOST_OF_IT);
  const told = found.length ? found : best.sort((a, b) => b.share - a.share).slice(0, 1);
  /** @type {(string | {layer: number, head: number, words: string})[]} */
  const parts = [];
  told.forEach(({ layer, head, share, words }, at) => {
    const named = `${at ? "layer" : "Layer"} ${layer + 1}, head ${head + 1}`;
    const gives = at ? ` ${words} ${share.toFixed(2)}` : ` gives ${words} ${share.toFixed(2)} of its attention`;
    if (at) parts.push(", ");
    parts.push({ layer, head, words: named }, gives);
  });
  if (told.length && !found.length) parts.push(", and no head gives a neighbour more");
  if (special[0] && summaries.first_piece) {
    const shares = summaries.first_piece.flat();
    const many = shares.filter((share) => share > MUCH).length;
    const most = foremost(summaries.first_piece);
    const heads = `${many} of ${shares.length} heads`;
    if (parts.length) parts.push(many ? "; " : ". ");
    if (many) parts.push({ ...most, words: heads }, ` give ${isolated(tokens[0])} more than ${MUCH}`);
    else parts.push(`No head gives ${isolated(tokens[0])} more than ${MUCH}`);
  }
  return parts.length ? [...parts, "."] : [];
}

export function writeNotice(host, header, choose) {
  const elements = notice(header).map((part) => {
    if (typeof part === "string") return part;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = part.words;
    button.title = `Show layer ${part.layer + 1}, head ${part.head + 1}`;
    button.addEventListener("click", () => choose(part.layer, part.head));
    return button;
  });
  host.replaceChildren(...elements);
}
