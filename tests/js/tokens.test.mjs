import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { element } from "./page.mjs";
import tokensPage from "../../goldviz/labs/text_tokens/assets/tokens.js";
import {
  tokensAt,
  vocabularyOf,
  partsOf,
  shownBytes,
  wordsOf,
  heldWords,
  rankedAt,
  charactersAround,
} from "../../goldviz/labs/text_tokens/assets/reading.js";

const bytesOf = (text) => [...new TextEncoder().encode(text)];
// aaabdaaabac after (a, a), (a, b), (aa, ab).
const pairs = [[97, 97], [97, 98], [256, 257]];
const joined = [1, 3, 2, 0, 0, 1, 3, 2, 0, 0];
const bytes = bytesOf("aaabdaaabac");

test("each merge takes boundaries away, and the last one inside of a token names it", () => {
  const ids = (step) => tokensAt(bytes, joined, step).map(({ id }) => id);
  assert.deepEqual(ids(0), bytes);
  assert.deepEqual(ids(2), [256, 257, 100, 256, 257, 97, 99]);
  assert.deepEqual(ids(3), [258, 100, 258, 97, 99]);
  assert.deepEqual(tokensAt(bytesOf("ab"), [-1], 9).map(({ cut }) => cut), [true, true]);
  assert.deepEqual(tokensAt(bytesOf("a"), [], 0), [{ start: 0, end: 1, id: 97, cut: true }]);
});

test("a token is shown as its characters, blanks as signs, and parts of a character as their bytes", () => {
  assert.equal(shownBytes(vocabularyOf(pairs)[258]), "aaab");
  assert.equal(shownBytes(bytesOf(" a\n\tb")), "␣a⏎⇥b");
  assert.equal(shownBytes(bytesOf("é").slice(0, 1)), "⟨C3⟩");
  assert.equal(shownBytes(bytesOf("\u200d\u202e")), "⟨U+200D⟩⟨U+202E⟩");
  assert.equal(shownBytes([0xef, 0xbb, 0xbf]), "⟨U+FEFF⟩");
  assert.deepEqual(partsOf(bytesOf("<b>")).map(({ text }) => text), ["<", "b", ">"]);
});

const left = { pairs, times: [4, 2, 2], lengths: [11, 9, 7, 5] };
const data = {
  corpus: "Your text",
  sides: [left, left],
  others: { pairs: [[[97, 98]], [[256, 257]], [[-1, -1]]], times: [[2], [2], [0]] },
};
const vocabularies = [vocabularyOf(pairs), vocabularyOf(pairs)];

test("a step says what was merged, how often it was found, and how short the corpus is", () => {
  assert.match(wordsOf(data, vocabularies, 0), /^Before the first merge every byte is a token: Your text is 11 tokens\.$/);
  assert.equal(
    wordsOf(data, vocabularies, 1),
    "Merge 1: a + a, found 4 times, becomes token 256. Your text is now 9 tokens, 1.22 bytes a token.",
  );
  assert.match(wordsOf(data, vocabularies, 4), /^After 3 merges no pair is found twice any more\./);
  assert.match(wordsOf({ ...data, sides: [{ pairs: [] }] }, vocabularies, 0), /^No pair comes twice/);
});

test("a held token says what it is made of, and the pairs of a step are those that were counted", () => {
  assert.equal(
    heldWords(vocabularies[0], pairs, 258, 2, "aaab"),
    "aaab is token 258, made by merge 3 of aa + ab: bytes 61 61 61 62, here 2 times.",
  );
  assert.match(heldWords(vocabularies[0], pairs, 99, 1, "c"), /^c is token 99, a single byte: bytes 63, here once\.$/);
  assert.deepEqual(rankedAt(data, 0), rankedAt(data, 1));
  assert.deepEqual(rankedAt(data, 1).map(({ times }) => times), [4, 2]);
  assert.deepEqual(rankedAt(data, 3), [{ pair: [256, 257], times: 2 }]);
});

test("a byte that is part of a character says of which", () => {
  const text = bytesOf("aéש!");
  assert.equal(charactersAround(text, 2, 3), "é");
  assert.equal(charactersAround(text, 2, 4), "éש");
  assert.equal(charactersAround(text, 0, 1), "a");
  assert.equal(charactersAround([0x80, 0x80], 1, 2), "⟨80⟩⟨80⟩");
  assert.match(heldWords(vocabularyOf([]), [], 0xc3, 1, "é"), /^⟨C3⟩ is token 195, .* Here it is part of é\.$/);
});

const HTML = readFileSync(new URL("../../goldviz/labs/text_tokens/assets/tokens.html", import.meta.url), "utf8");

test("the page shows both texts after a merge, holds the last one, and says what is under the pointer", () => {
  const host = element(HTML);
  const part = (name) => host.querySelector(`[data-part=${name}]`);
  const side = (label) => ({ label, pairs, joined, lengths: [11, 9, 7, 5], times: [4, 2, 2] });
  const data = {
    bytes, corpus: "the text", sides: [side("One cut"), side("Another")], theme: "light",
    others: { pairs: [[], [], []], times: [[], [], []] }, inks: { light: { text: "#000000" }, dark: { text: "#ffffff" } },
  };
  const leave = tokensPage({ data, parentElement: { querySelector: () => host } });
  const shown = () => part("text-0").children.map(({ textContent }) => textContent);
  assert.deepEqual(shown(), ["aaab", "d", "aaab", "a", "c"]);
  assert.equal(part("head-0").textContent, "One cut: 5 tokens, 2.20 bytes each");
  host.querySelector("[data-move=first]").click();
  assert.deepEqual(shown(), [..."aaabdaaabac"]);
  host.hear("keydown", { key: "ArrowRight" });
  assert.deepEqual(shown(), ["aa", "a", "b", "d", "aa", "a", "b", "a", "c"]);
  assert.equal(host.dataset.drawn, 1);
  part("text-0").children[0].hear("pointerover");
  assert.match(part("held").textContent, /^aa is token 256, made by merge 1 of a \+ a: bytes 61 61, here 2 times\./);
  assert.deepEqual(part("text-0").children.filter((one) => one.classes.includes("same")).length, 2);
  // Whoever looked at the end sees the end of what comes next.
  host.hear("keydown", { key: "End" });
  tokensPage({ data: { ...data, sides: [side("One cut"), { ...side("Another"), pairs: pairs.slice(0, 2) }] }, parentElement: { querySelector: () => host } });
  assert.equal(host.dataset.drawn, 3);
  leave();
});
