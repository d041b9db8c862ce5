// What a text's tokens are after so many merges, and how bytes are shown. Python says at which merge each boundary goes.

const BYTES = 256;
const CUT = -1;
const SHOWN = { " ": "␣", "\n": "⏎\n", "\t": "⇥", "\r": "␍" };

// Of a token, the bytes that it stands for.
export function vocabularyOf(pairs) {
  const found = Array.from({ length: BYTES }, (_, byte) => [byte]);
  for (const [left, right] of pairs) found.push([...found[left], ...found[right]]);
  return found;
}

// A boundary is there until its merge; the last merge inside of a token is the one that made it.
export function tokensAt(bytes, joined, step) {
  const found = [];
  let start = 0;
  let made = 0;
  for (let end = 1; end <= bytes.length; end++) {
    const merge = end < bytes.length ? joined[end - 1] : CUT;
    if (merge > 0 && merge <= step) {
      made = Math.max(made, merge);
      continue;
    }
    const id = made ? BYTES - 1 + made : bytes[start];
    found.push({ start, end, id, cut: start === 0 || joined[start - 1] === CUT });
    start = end;
    made = 0;
  }
  return found;
}

// How many tokens there are, without making them.
export function countAt(joined, step) {
  return joined.reduce((count, merge) => count - Number(merge > 0 && merge <= step), joined.length + 1);
}

const invisible = /[\p{C}\p{Z}]/u;

// Bytes as what a person can read: signs for blanks, numbers for what has no shape and for parts of a character.
export function partsOf(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return bytes.map((byte) => ({ text: byte.toString(16).toUpperCase().padStart(2, "0"), byte: true }));
  }
  return Array.from(text, (sign) => {
    if (SHOWN[sign]) return { text: SHOWN[sign], byte: false };
    if (!invisible.test(sign)) return { text: sign, byte: false };
    return { text: `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`, byte: true };
  });
}

export const shownBytes = (bytes) => partsOf(bytes).map(({ text, byte }) => (byte ? `⟨${text}⟩` : text.trim())).join("");

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

// One sentence on the step, about the left tokeniser; what it cannot say any more is said of both.
export function wordsOf({ sides, corpus }, vocabularies, step) {
  const [left] = sides;
  if (!left.pairs.length) return "No pair comes twice in what was learned from: nothing is merged, and every byte is a token.";
  const now = Math.min(step, left.pairs.length);
  const size = `${grouped(left.lengths[now])} tokens, ${(left.lengths[0] / left.lengths[now]).toFixed(2)} bytes a token`;
  if (!step) return `Before the first merge every byte is a token: ${corpus} is ${grouped(left.lengths[0])} tokens.`;
  if (step > left.pairs.length)
    return `After ${left.pairs.length} merges no pair is found twice any more. ${corpus} is ${size}.`;
  const [first, second] = left.pairs[step - 1].map((token) => shownBytes(vocabularies[0][token]));
  const times = left.times[step - 1];
  return `Merge ${step}: ${first} + ${second}, found ${grouped(times)} times, becomes token ${BYTES - 1 + step}. ${corpus} is now ${size}.`;
}

// The whole characters that a stretch of the text's bytes is part of; what goes on with 10xxxxxx began before.
export function charactersAround(bytes, start, end) {
  const inside = (at) => at < bytes.length && (bytes[at] & 0xc0) === 0x80;
  while (start > 0 && inside(start)) start -= 1;
  while (inside(end)) end += 1;
  return shownBytes(bytes.slice(start, end));
}

// What is said of the token under the pointer.
export function heldWords(vocabulary, pairs, id, count, around) {
  const bytes = vocabulary[id];
  const hex = bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  const made = id < BYTES ? "a single byte" : `made by merge ${id - BYTES + 1} of ${pairs[id - BYTES].map((token) => shownBytes(vocabulary[token])).join(" + ")}`;
  const there = count === 1 ? "here once" : `here ${count} times`;
  const shown = shownBytes(bytes);
  const part = around === shown ? "" : ` Here it is part of ${around}.`;
  return `${shown} is token ${id}, ${made}: bytes ${hex}, ${there}.${part}`;
}

// The pairs that were counted before the step's merge, the merged one first.
export function rankedAt({ sides: [left], others }, step) {
  const at = Math.min(Math.max(step, 1), left.pairs.length) - 1;
  if (at < 0) return [];
  const rest = others.pairs[at].map((pair, i) => ({ pair, times: others.times[at][i] }));
  return [{ pair: left.pairs[at], times: left.times[at] }, ...rest].filter(({ times }) => times > 0);
}
