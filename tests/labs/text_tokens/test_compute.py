"""What the page shows of both tokenisers, and what it says of texts that give nothing to learn."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from goldviz.data.texts.byte_pieces import BytePieces, pairs_of
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.split_patterns import SPLIT_PATTERNS, split
from goldviz.declare.settings import SettingsError
from goldviz.labs.text_tokens import compute as computing
from goldviz.labs.text_tokens.compute import NUMBERS, SENTENCES, compute_and_report
from goldviz.labs.text_tokens.entries import learned
from goldviz.labs.text_tokens.settings import LONGEST_TEXT, TextTokens
from goldviz.labs.text_tokens.sources import MODULES, python_code, source_of
from goldviz.runs.jobs.jobs import Stopped
from tests.refusals import refused

SMALL = TextTokens(corpus="cities", vocabulary=330)


@pytest.fixture(scope="module")
def small() -> xr.Dataset:
    return SMALL.compute()


def test_every_number_is_of_its_tokeniser(small: xr.Dataset) -> None:
    settings = SMALL
    for side, pattern in enumerate(settings.patterns):
        pieces = BytePieces.learned_from(source_of(settings), 330, SPLIT_PATTERNS[pattern].expression)
        assert pairs_of(small["pair"].values[side].tolist()) == pieces.pairs
        assert small["corpus_tokens"].values[side, -1] == len(pieces.encode(source_of(settings)))
        assert small["own_tokens"].values[side, -1] == len(pieces.encode(settings.text))
        sentences = [len(pieces.encode(text)) for text in SENTENCES.values()]
        assert small["sentence_tokens"].values[side].tolist() == sentences
        numbers = [len(pieces.encode(number)) for number in NUMBERS]
        assert small["number_tokens"].values[side].tolist() == numbers
        assert small["entries"].values[side].sum() == 330 - 256


def test_digits_are_numbered_by_the_pieces_that_hold_them() -> None:
    ds = SMALL.changed(pattern="cl100k", beside="cl100k_right").compute()
    left, right = ds["group"].sel(number="1234567").values
    np.testing.assert_equal(left, [np.nan, np.nan, 1, 1, 1, 2, 2, 2, 3])
    np.testing.assert_equal(right, [np.nan, np.nan, 1, 2, 2, 2, 3, 3, 3])
    assert len(NUMBERS) == ds.sizes["number"]


def test_a_fifth_is_learned_from_alone() -> None:
    parts = [source_of(TextTokens(corpus="cities", part=part)) for part in range(1, 6)]
    assert "".join(parts) == source_of(TextTokens(corpus="cities"))


def test_code_is_there_and_single_spaces_are() -> None:
    assert "\n        " in source_of(TextTokens(corpus="code"))
    assert not re.search(r"\s\s", source_of(TextTokens(corpus="words")))


def test_a_python_without_its_sources_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.labs.text_tokens.sources.MODULES", (*MODULES, "sys"))
    with refused(TextError, "gone", "choose another corpus"):
        python_code()


def test_progress_is_told_and_a_stop_is_heard() -> None:
    told = []

    def report(done: float, total: float) -> None:
        told.append((done, total))
        if done > 80:
            raise Stopped

    with pytest.raises(Stopped):
        compute_and_report(TextTokens(corpus="cities", vocabulary=456), report)
    assert told == [(done, 400) for done in (0, 32, 64, 96)]


@pytest.mark.parametrize("text", ["a", "\n", "👩‍👩‍👧‍👦", "שלום", "\0", "<b>&amp;</b>", "7" * LONGEST_TEXT])
def test_any_text_is_cut(text: str) -> None:
    ds = TextTokens(text=text, corpus="own", beside="none").compute()
    assert ds["byte"].values.astype(np.uint8).tobytes().decode() == text
    assert ds["own_tokens"].values[:, 0].tolist() == [len(text.encode())] * 2


def test_a_text_without_pairs_has_no_merge() -> None:
    ds = TextTokens(text="abc", corpus="own").compute()
    assert ds.attrs["learned"] == [0, 0]
    assert ds.sizes["merge"] == 0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"text": ""}, r"^Text is ''; allowed is .*1"),
        ({"text": "a" * 1501}, r"^Text is .*; allowed is .*1500|1,500"),
        ({"vocabulary": 255}, r"^Vocabulary is 255; allowed is a whole number from 256 to 4096"),
        ({"vocabulary": 5000}, r"^Vocabulary is 5000; allowed is a whole number from 256 to 4096"),
        ({"corpus": "shakespeare"}, r"^Corpus is 'shakespeare'; allowed is python, words, code"),
        ({"pattern": "own", "expression": "(a"}, r"^The expression cannot be read: missing \).*[^.]\.$"),
        ({"beside": "own", "expression": "(?:a{999}){999}"}, r"^The counts in braces multiply to"),
        ({"expression": "a" * 301}, r"^Expression is .*; allowed is a regular expression of at most 300 characters"),
    ],
)
def test_what_is_not_allowed_is_one_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence) as caught:
        TextTokens.checked(given)
    assert len(caught.value.sentences) == 1


def test_an_expression_that_cuts_nothing_may_be_anything() -> None:
    assert TextTokens.checked({"expression": "(a"}).expression == "(a"


def test_an_expression_of_one_s_own_cuts() -> None:
    settings = TextTokens(pattern="own", expression="[a-z]+", text="ab1cd", corpus="own")
    assert settings.compute()["pieces"].values[0] == 3
    assert list(split("ab1cd", settings.expression_of("own"))) == ["ab", "1", "cd"]


def test_an_expression_that_takes_too_long_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.data.texts.split_patterns.SECONDS", 0.05)
    slow = TextTokens(pattern="own", expression="(?:(a|aa))+b", text="a" * 100, corpus="own")
    with pytest.raises(TextError, match=r"takes more than 0\.05 seconds on this text"):
        slow.compute()


def test_a_file_is_learned_from_and_a_lost_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    kept = keep_text("gold gold gold\n".encode("utf-16"), "gold.txt")
    ds = TextTokens(corpus=kept.name, text="gold").compute()
    assert ds["own_tokens"].values[0, -1] == 1
    with pytest.raises(TextError, match="does not hold the text 0123456789abcdef"):
        TextTokens(corpus="0123456789abcdef").compute()


def test_half_a_pair_stands_for_nothing_learned() -> None:
    ds = TextTokens(text="ababab", corpus="own", vocabulary=300).compute()
    assert (ds["pair"].values[0][: ds.attrs["learned"][0]] != computing.NO_PAIR).all()


@pytest.mark.slow
def test_without_cuts_tokens_reach_over_words_as_often_as_the_preset_says() -> None:
    settings, held = TextTokens.preset("break-it-no-pattern"), []
    for part in range(1, 6):
        ds = settings.changed(part=part).compute().isel(side=1)
        pairs = pairs_of(ds["pair"].values[: ds.attrs["learned"][1]].tolist())
        texts = [entry.decode("utf-8", "ignore") for entry in learned(BytePieces(pairs))]
        ends = sum(any(one.isalpha() and other.isspace() for one, other in pairwise(text)) for text in texts)
        counts = [float(ds["entries"].sel(kind=kind)) for kind in ("words", "mixed")]
        held.append([round(100 * count / len(texts)) for count in (*counts, ends)])
    assert (np.min(held, 0).tolist(), np.max(held, 0).tolist()) == ([3, 4, 24], [5, 7, 30])
