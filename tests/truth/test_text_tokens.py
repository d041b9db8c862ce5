"""*Text into tokens*, cut and merged once more by the tokenizers library, plain recounts and the Unicode database.

The texts are none that ship with the laboratory, and nothing of its own cutting, merging or counting is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import groupby, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Split
from tokenizers.trainers import BpeTrainer
from transformers.convert_slow_tokenizer import bytes_to_unicode

from goldviz.data.texts.kept_texts import keep_text
from goldviz.labs.text_tokens.compute import SENTENCES
from goldviz.labs.text_tokens.exchange import tokens_data
from goldviz.labs.text_tokens.figures import FIGURES
from goldviz.labs.text_tokens.settings import TextTokens

RECEIPTS = (
    "".join(
        f"On {day:02d}.{1 + day % 12:02d}.20{10 + day} we've sold {day**3 * 97} g "
        f"(it's {day * 7 % 90}% más caro, señor)\n"
        f"\tif price >= {10 ** (day % 9)}:\n\t    return price*{day}  # l'été — größer...\n    \n        "
        for day in range(1, 31)
    )
    + "金の価格が上がった。金の価格は? Цена золота, цена 🪙🪙🪙 ЗОЛОТА'S end"
)
"""Learned from: dates, amounts, several scripts, tabs and runs of signs."""
NOTE = "We've sold 1234567 g — it's 12% más caro!!\n\n\tif price >= 100000000:\n\t\treturn 金の価格  # größer (señor's)"
CASES = {
    "gpt2 and cl100k": {"pattern": "gpt2", "beside": "cl100k", "vocabulary": 380},
    "from the right and apart": {"pattern": "cl100k_right", "beside": "apart", "vocabulary": 330},
    "nothing and an expression, of the text itself": {
        "pattern": "none",
        "beside": "own",
        "expression": "[A-Z]?[a-z]+|[0-9]",
        "vocabulary": 300,
        "corpus": "own",
        "text": NOTE + RECEIPTS[:1000] + " in the price of gold" * 12,
    },
}
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
AFTER_NUMBERS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PUBLISHED = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "apart": r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+",
    "cl100k": rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{AFTER_NUMBERS}",
    "cl100k_right": rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}+|{AFTER_NUMBERS}",
}
"""As OpenAI published them with GPT-2 and GPT-4, without possessive repeats; the last one leaves numbers whole."""
SIGN_OF_BYTE = bytes_to_unicode()
BYTE_OF_SIGN = {sign: byte for byte, sign in SIGN_OF_BYTE.items()}
ALPHABET = sorted(ByteLevel.alphabet())


def cut(text, pattern, expression):
    """The pieces of a text, by the tokenizers library's regular expressions."""
    if pattern == "none":
        return [text]
    if pattern == "own":
        return [piece for piece in re.split(f"({expression})", text) if piece]
    pieces = [piece for piece, _ in Split(Regex(PUBLISHED[pattern]), "isolated").pre_tokenize_str(text)]
    return [part for piece in pieces for part in (from_the_right(piece) if pattern == "cl100k_right" else [piece])]


def from_the_right(piece):
    """Threes of a piece that is a number, the first one shorter: as thousands are written."""
    if not piece[0].isdigit():
        return [piece]
    first = len(piece) % 3 or 3
    return [piece[:first], *(piece[at : at + 3] for at in range(first, len(piece), 3))]


def written(piece):
    """A piece in the library's signs for bytes."""
    return "".join(SIGN_OF_BYTE[byte] for byte in piece.encode())


def content(signs):
    return bytes(BYTE_OF_SIGN[sign] for sign in signs)


def taught(pieces, size):
    """The library's merges as pairs of signs, in their order."""
    model = Tokenizer(BPE())
    model.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = BpeTrainer(
        vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=ALPHABET, special_tokens=[]
    )
    model.train_from_iterator(pieces, trainer)
    vocabulary = sorted(model.get_vocab(), key=model.get_vocab().get)
    return vocabulary[256:], model


def merged(pieces, entries, pairs):
    """The library's tokens of some pieces after so many merges, as bytes."""
    vocabulary = {sign: number for number, sign in enumerate([*ALPHABET, *entries[: len(pairs)]])}
    model = Tokenizer(BPE(vocab=vocabulary, merges=pairs))
    return [content(token) for piece in pieces for token in model.encode(written(piece)).tokens]


@pytest.fixture(scope="module", params=CASES)
def page(request):
    """The page's numbers, and for each side what was cut, and what the library learned of it."""
    changes = CASES[request.param]
    corpus = changes.get("corpus") or keep_text(RECEIPTS.encode(), "receipts.txt").name
    settings = TextTokens.checked({"text": NOTE, "corpus": corpus} | changes)
    ds = settings.compute()
    source, sides = settings.text if corpus == "own" else RECEIPTS, []
    for number, pattern in enumerate(settings.patterns):
        pieces = cut(source, pattern, settings.expression)
        entries, model = taught(pieces, settings.vocabulary)
        told = tokens_data(settings, ds)["sides"][number]
        names = {number: SIGN_OF_BYTE[number] for number in range(256)}
        for token, (first, second) in enumerate(told["pairs"], start=256):
            names[token] = names[first] + names[second]
        pairs = [(names[first], names[second]) for first, second in told["pairs"]]
        sides.append(
            SimpleNamespace(
                pattern=pattern,
                pieces=pieces,
                entries=entries,
                model=model,
                told=told,
                names=names,
                pairs=pairs,
                shown=ds.isel(side=number),
            )
        )
    return SimpleNamespace(settings=settings, ds=ds, source=source, sides=sides)


def test_the_merges_are_those_that_the_library_learns(page):
    for number, side in enumerate(page.sides):
        assert [side.names[token] for token in range(256, 256 + len(side.pairs))] == side.entries
        assert page.ds.attrs["learned"][number] == len(side.entries) > 15


def test_how_often_pairs_were_found_and_what_came_next_is_a_recount(page):
    """A pair's count before each merge, the corpus' length after it, and the next seven pairs of the left side."""
    others = tokens_data(page.settings, page.ds)["others"]
    for number, side in enumerate(page.sides):
        order = {sign: place for place, sign in enumerate([*ALPHABET, *side.entries])}
        words = Counter(tuple(written(piece)) for piece in side.pieces)
        assert side.told["lengths"][0] == len(page.source.encode())
        for step, pair in enumerate(side.pairs):
            found = Counter()
            for word, times in words.items():
                for both in pairwise(word):
                    found[both] += times
            ranked = sorted(found, key=lambda both, found=found: (-found[both], order[both[0]], order[both[1]]))
            assert (ranked[0], side.told["times"][step]) == (pair, found[pair])
            if number == 0:
                shown = zip(others["pairs"][step], others["times"][step], strict=True)
                after = [((side.names[a], side.names[b]), times) for (a, b), times in shown if times]
                assert after == [(both, found[both]) for both in ranked[1:8] if found[both] > 1]
            words = Counter({joined(word, pair): times for word, times in words.items()})
            assert side.told["lengths"][step + 1] == sum(len(word) * times for word, times in words.items())


def joined(word, pair):
    parts, rest = [], list(word)
    while rest:
        two = tuple(rest[:2]) == pair
        parts.append("".join(rest[: 1 + two]))
        rest = rest[1 + two :]
    return tuple(parts)


def test_the_text_s_tokens_after_so_many_merges_are_the_library_s(page):
    for side in page.sides:
        text = page.settings.text
        pieces, whole = cut(text, side.pattern, page.settings.expression), text.encode()
        ends = set(np.cumsum([len(piece.encode()) for piece in pieces])[:-1].tolist())
        assert {at for at, merge in enumerate(side.told["joined"], start=1) if merge == -1} == ends
        assert int(side.shown["pieces"]) == len(pieces)
        for step in (0, 1, len(side.pairs) // 2, len(side.pairs)):
            apart = [at for at, merge in enumerate(side.told["joined"], start=1) if not 0 < merge <= step]
            tokens = [whole[start:end] for start, end in pairwise([0, *apart, len(whole)])]
            assert tokens == merged(pieces, side.entries, side.pairs[:step])
            assert int(side.shown["own_tokens"][step]) == len(tokens)


def test_sentences_and_numbers_cost_as_many_tokens_as_by_the_library(page):
    for side in page.sides:
        for variable, dim in (("sentence_tokens", "language"), ("number_tokens", "number")):
            for label, count in zip(page.ds[dim].values, side.shown[variable].values, strict=True):
                text = SENTENCES[label] if dim == "language" else label
                pieces = cut(text, side.pattern, page.settings.expression)
                assert int(count) == len(merged(pieces, side.entries, side.pairs)), label


KINDS = ("letters", "mixed", "signs", "digits", "spaces", "words", "part")


def kind(entry):
    """What an entry holds, by the Unicode database's categories; one blank before the rest counts for nothing."""
    try:
        text = entry.decode()
    except UnicodeDecodeError:
        return "part"
    if not text.split():
        return "spaces"
    classes = {unicodedata.category(sign)[0] for sign in text if not sign.isspace()}
    if "L" not in classes:
        return "signs" if classes - {"M", "N"} else "digits"
    return "mixed" if classes - {"L", "M", "N"} else "words" if len(text.split()) > 1 else "letters"


def test_entries_are_of_the_kinds_that_the_unicode_database_says(page):
    assert page.ds["kind"].values.tolist() == list(KINDS)
    for side in page.sides:
        learned = [content(entry) for entry in side.entries]
        found, shown = Counter(map(kind, learned)), dict(zip(KINDS, side.shown["entries"].values, strict=True))
        for one in ("mixed", "signs", "digits", "spaces", "part"):
            assert shown[one] == found[one], one
        assert shown["letters"] + shown["words"] == found["letters"] + found["words"]
        runs = [len(entry) for entry in learned if set(entry) == {32}]
        assert int(side.shown["longest_spaces"]) == max(runs, default=1)


def test_entries_of_several_words_hold_more_than_one(page):
    for side in page.sides:
        found = Counter(kind(content(entry)) for entry in side.entries)
        assert int(side.shown["entries"].sel(kind="words")) == found["words"], side.pattern


def test_shares_of_signs_that_stand_alone_or_with_letters_are_a_plain_count(page):
    for side in page.sides:
        signs = alone = glued = 0
        for piece in side.pieces:
            classes = ["S" if unicodedata.category(one)[0] not in "LMN" else "L" for one in piece if not one.isspace()]
            count = classes.count("S")
            letters = any(unicodedata.category(one)[0] == "L" for one in piece)
            signs, glued = signs + count, glued + count * letters
            alone += count * (len(piece.lstrip(" ")) == 1)
        assert float(side.shown["share_alone"]) == pytest.approx(alone / signs, rel=1e-12)
        assert float(side.shown["share_glued"]) == pytest.approx(glued / signs, rel=1e-12)


def test_pieces_of_the_corpus_beginning_are_counted_one_by_one(page):
    for side in page.sides:
        assert int(side.shown["corpus_pieces"]) == len(side.pieces)


def test_digits_are_in_the_group_in_which_they_are_cut(page):
    for side in page.sides:
        for number, row in zip(page.ds["number"].values, side.shown["group"].values, strict=True):
            groups = [len([*same]) for _, same in groupby(row[np.isfinite(row)])]
            assert groups == [len(piece) for piece in cut(str(number), side.pattern, page.settings.expression)]
            assert np.isfinite(row[-len(number) :]).all()
            assert not np.isfinite(row[: -len(number)]).any()


def test_the_figure_of_compression_shows_bytes_a_token(page):
    drawn, ends = FIGURES["compression"](page.ds), []
    corpus, own = drawn.data[:2], drawn.data[2:]
    for side, learned, cut_here in zip(page.sides, corpus, own, strict=True):
        assert (learned.name[-8:], cut_here.name[-11:]) == (": corpus", ": your text")
        pieces = cut(page.settings.text, side.pattern, page.settings.expression)
        for step in (0, 1, len(side.pairs)):
            for curve, parts in ((learned, side.pieces), (cut_here, pieces)):
                tokens = merged(parts, side.entries, side.pairs[:step])
                assert curve.y[step] == pytest.approx(sum(map(len, tokens)) / len(tokens), rel=1e-12)
                assert curve.x[step] == 256 + step
        ends.append(f"{learned.y[len(side.pairs)]:.2f}")
    said = re.findall(r"[0-9]+\.[0-9]+", words_of(drawn).partition("At the end:")[2])
    assert said[:2] == ends


def words_of(figure):
    """Title and notes of a figure."""
    return f"{figure.layout.title.text} {figure.layout.title.subtitle.text}".replace("<br>", " ")


def test_the_dearest_language_is_said_with_its_factor(page):
    said = words_of(FIGURES["languages"](page.ds))
    left = page.sides[0]
    costs = {
        name: len(merged(cut(text, left.pattern, page.settings.expression), left.entries, left.pairs))
        for name, text in SENTENCES.items()
    }
    dearest = max(costs, key=costs.get)
    assert f"{dearest} takes {costs[dearest] / costs['English']:.1f} times the tokens of English" in said
    np.testing.assert_array_equal(page.ds["sentence_characters"], [len(text) for text in SENTENCES.values()])
    np.testing.assert_array_equal(page.ds["sentence_bytes"], [len(text.encode()) for text in SENTENCES.values()])
