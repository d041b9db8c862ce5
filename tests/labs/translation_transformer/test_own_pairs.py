"""Sentence pairs of a person's own are read whole, cut into pieces, and odd files get one sentence."""

import pytest
import torch

import goldviz
from goldviz.coded_errors import Code
from goldviz.data.pairs.pairs import SentenceError
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.labs.translation_transformer.corpora import of_a_file, pairs_in
from goldviz.labs.translation_transformer.own_pairs import PieceCutter, own_pairs
from tests.labs.translation_transformer.cases import SMALL
from tests.refusals import refused

ROWS = [(f"gold rises {n} points", f"{n} Punkte steigt Gold") for n in range(40)]
TEXT = "".join(f"{source}\t{target}\n" for source, target in ROWS)


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_every_pair_of_a_file_is_kept(separator: str) -> None:
    content = "".join(f'"{source}"{separator}  {target}\r\n\r\n' for source, target in ROWS)
    kept, _ = of_a_file(content.encode(), "pairs.csv")
    assert pairs_in(kept.decode()) == ROWS


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (b"", "empty", "pairs.csv is empty"),
        (b" \n \n", "empty", "pairs.csv is empty"),
        (b"\x00\x01\x02" * 50, "other_kind", "pairs.csv holds binary data"),
        (
            b"one sentence alone\nand another\n",
            "one_column",
            "Row 1 of pairs.csv has no two columns; allowed are a sentence and",
        ),
        (b"a\tb\n" * 30 + b"c\n", "uneven_row", "Row 31 of pairs.csv has 1 cells where the first row has 2"),
        (
            b"a\tb\n" * 30 + b"c\t \n",
            "empty",
            "Row 31 of pairs.csv has an empty sentence; every sentence needs its answer",
        ),
        (
            b"a\tb\n" * 30 + b"w " * 1000 + b"\tb\n",
            "too_long",
            "Row 31 of pairs.csv has a sentence of 1,000 words; allowed are",
        ),
        (
            b"a\tb\n" * 30 + b"w" * 1000 + b"\tb\n",
            "too_long",
            "Row 31 of pairs.csv has a sentence of 1,000 letters; allowed are",
        ),
        (b"a\tb\n" * 3, "too_few", "pairs.csv has 3 pairs; allowed are 20 to 20,000"),
    ],
)
def test_odd_files_get_one_sentence(content: bytes, code: Code, fact: str) -> None:
    with refused(TextError, code, fact):
        of_a_file(content, "pairs.csv")


def test_a_text_without_columns_is_refused_where_it_is_read() -> None:
    with refused(TextError, "other_kind"):
        pairs_in("no columns\n" * 30)


def test_pieces_say_a_sentence_again_and_strange_signs_get_one_sentence() -> None:
    cutter = PieceCutter.learned_from([sentence for pair in ROWS for sentence in pair], 50)
    for sentence in ("gold rises 7 points", "dog  spins"):
        assert "".join(cutter.pieces[piece] for piece in cutter.cut(sentence)) == "▁" + "▁".join(sentence.split())
    assert len(cutter.cut("gold rises 7 points")) < 8
    with refused(SentenceError, "never_read", "'ß'", "allowed are 0 1 2"):
        cutter.cut("groß")


def test_pairs_are_drawn_whole_and_a_tenth_is_not_learned() -> None:
    pairs = own_pairs(keep_text(TEXT.encode(), "pairs.tsv").name, 100)
    assert (len(pairs.train), len(pairs.tests)) == (36, 4)
    batch = pairs.batch(50, torch.Generator().manual_seed(0))
    rows = {
        "".join(pairs.source_words[piece] for piece in row if piece >= 0).replace("▁", " ").strip()
        for row in batch.source.tolist()
    }
    held_out = {source for number, (source, _) in enumerate(ROWS, start=1) if number % 10 == 0}
    assert rows <= {source for source, _ in ROWS} - held_out
    said: list[tuple[str, Code, str]] = [
        ("", "empty", "The sentence is empty; allowed are up to 40 words: gold rises 0 points"),
        ("gold " * 1000, "too_long", "The sentence has 1,000 words; allowed are up to 40"),
        ("rrrrrrrrrr " * 20, "too_long", "pieces; allowed are up to 60"),
    ]
    for sentence, code, fact in said:
        with refused(SentenceError, code, fact):
            pairs.understood(sentence)


def test_a_pair_of_too_many_pieces_is_refused_before_training() -> None:
    text = TEXT + f"{'xyz' * 30}\tb\n"
    with refused(TextError, "too_long", "Pair 41 has a sentence of 91 pieces", "at most 60."):
        own_pairs(keep_text(text.encode(), "pairs.tsv").name, 0)


def test_own_pairs_are_learned() -> None:
    name = keep_text(TEXT.encode(), "pairs.tsv").name
    run = goldviz.run("translation-transformer", progress=False, **{**SMALL, "corpus": name, "merges": 60})
    assert run["loss"].values[-1] < run["loss"].values[0]
    assert run.sizes["read"] >= 4
    assert set(run["aligned"].values.tolist()) == {-1}
