"""*Inside BERT* from a notebook: known answers on a random model with both heads."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from goldviz.data.texts.pieces import TextError
from goldviz.labs.inside_bert.compute import chunks_of, compute, piece_to_mask
from goldviz.labs.inside_bert.evidence import (
    chance_range,
    every_head_off,
    evidence,
    guess_of_word,
    heads_switched_off,
    rank_correlation,
    tone_without,
)
from goldviz.labs.inside_bert.head import (
    head_map,
    head_steps,
    shares_of_query,
    ways_down,
    without_special_pieces,
)
from goldviz.labs.inside_bert.overview import label_names, overview
from goldviz.labs.inside_bert.reading import TextReading, read_text
from goldviz.labs.inside_bert.samples import CONTRAST, LONG, NEGATION, ONE_WORD, TEN_WORDS, UNKNOWN
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModel, TextModelError
from tests.random_bert import write_random_bert
from tests.refusals import refused
from tests.text_model_folders import with_classifier
from tests.thinned import thinned

TEXT = "The committee decided to raise rates; gold prices fell."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return load_text_model(with_classifier(tmp_path_factory.mktemp("model") / "m", ("bad", "fair", "good")))


@pytest.fixture(scope="module")
def reading(model: TextModel) -> TextReading:
    [pieces] = chunks_of(model, TEXT)
    return read_text(model, pieces)


@pytest.fixture(scope="module")
def whole(model: TextModel) -> xr.Dataset:
    return compute(InsideBert(text=TEXT, layer=2, head=3, token=4, off="1.2,3"), model)


def test_every_number_has_a_name_and_is_a_float(whole: xr.Dataset) -> None:
    assert all(array.dtype == np.float64 for array in whole.values())
    assert all(np.isfinite(array).all() for array in whole.values())
    assert whole.sizes["piece"] == whole.sizes["query"] == whole.sizes["key"]
    assert (whole.attrs["layer"], whole.attrs["head"], whole.attrs["query_piece"]) == (2, 3, 4)
    assert [str(label) for label in whole["label"].values] == ["bad", "fair", "good"]


def test_rows_sum_to_one_and_all_heads_hold_the_chosen_one(whole: xr.Dataset) -> None:
    np.testing.assert_allclose(whole["attention"].sum("key"), 1, atol=1e-6)
    np.testing.assert_allclose(whole["all_attention"].sum("key"), 1, atol=1e-6)
    np.testing.assert_allclose(whole["all_attention"].sel(layer=2, head=3), whole["attention"], atol=1e-6)
    np.testing.assert_allclose(whole["share"].sum("piece"), 1, atol=1e-12)
    assert float(whole["probability"].sum()) == pytest.approx(1, abs=1e-12)


def test_the_steps_of_a_head_lead_to_its_weights_and_output(reading: TextReading, whole: xr.Dataset) -> None:
    scores = whole["key_vector"].values @ whole["query_vector"].values / np.sqrt(whole.sizes["dimension"])
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(whole["weight"], weights, rtol=1e-9)
    np.testing.assert_allclose(whole["weight"], whole["attention"].sel(query=4), atol=1e-6)
    np.testing.assert_allclose(whole["output"], weights @ whole["value_vector"].values, rtol=1e-9)
    head = reading.head(1, 2)
    np.testing.assert_allclose(whole["output"], head.weights[3] @ head.value, atol=1e-5)


def test_the_tone_is_the_models_own(model: TextModel, reading: TextReading) -> None:
    assert model.classifier is not None
    with torch.no_grad():
        hidden = model.encoder(torch.as_tensor(reading.pieces.ids)[None])
        expected = model.classifier(hidden)[0].softmax(-1)
    np.testing.assert_allclose(overview(reading)["probability"], expected, atol=1e-6)


def test_ways_down_are_followed_once_for_every_query(reading: TextReading) -> None:
    ways = ways_down(reading)
    with_ways = shares_of_query(reading, 2, 1, 5, ways=ways)
    xr.testing.assert_identical(with_ways, shares_of_query(reading, 2, 1, 5))


def test_hiding_special_pieces_scales_the_rest_to_one(reading: TextReading) -> None:
    shares = shares_of_query(reading, 1, 1, 3)
    shown = without_special_pieces(shares)
    np.testing.assert_allclose(shown["share"].sum("piece"), 1)
    special = shares["share"][:, shares["special"].values].sum("piece")
    np.testing.assert_allclose(shown["hidden"], special, atol=1e-12)
    nothing = without_special_pieces(shares.isel(piece=[0]))
    assert nothing.sizes["piece"] == 0
    assert (nothing["hidden"] == 1).all()


def test_evidence_is_complete_within_one_per_cent(reading: TextReading) -> None:
    found = evidence(reading, 2)
    assert found.attrs["gap"] <= 0.01
    assert float(found["attribution"].sum()) == pytest.approx(found.attrs["total"], rel=0.01)
    assert float(found["attention_received"].sum()) == pytest.approx(1, abs=1e-6)
    assert -1 <= found.attrs["rank_correlation"] <= 1
    assert found.attrs["compared"] == int((~reading.pieces.special).sum())
    with refused(TextModelError, "not_allowed", "class is number 4", "1 to 3"):
        evidence(reading, 4)


def test_rank_correlation_is_of_ranks() -> None:
    numbers = np.array([0.1, 5.0, 0.3, 9.0])
    assert rank_correlation(numbers, np.exp(numbers)) == 1
    assert rank_correlation(numbers, -numbers) == -1
    assert np.isnan(rank_correlation(numbers[:2], numbers[:2]))
    assert np.isnan(rank_correlation(numbers, np.ones(4)))


@pytest.mark.parametrize("count", thinned([12, 60]))
def test_nineteen_in_twenty_rank_correlations_of_unrelated_numbers_are_within_the_chance_range(count: int) -> None:
    drawn = np.random.default_rng(0)
    found = [rank_correlation(drawn.random(count), drawn.random(count)) for _ in range(2000)]
    assert np.mean(np.abs(found) <= chance_range(count)) == pytest.approx(0.95, abs=0.02)
    assert np.isnan(chance_range(1))


def test_heads_off_are_those_that_are_named(model: TextModel, reading: TextReading) -> None:
    shares = heads_switched_off(model, "1.2,3")
    assert shares.tolist() == [[1, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
    toned = tone_without(model, reading.pieces, "")
    np.testing.assert_array_equal(toned["logit"][0], toned["logit"][1])
    alone = tone_without(model, reading.pieces, "2.3")
    every = every_head_off(model, reading.pieces)["change"].sel(layer=2, head=3)
    np.testing.assert_allclose(alone["logit"][1] - alone["logit"][0], every, atol=1e-5)
    for off in ("4", "1.5", "0.1", "2.0"):
        with refused(TextModelError, "not_allowed", f"Off names {off};", "layers 1 to 3", "heads 1 to 4"):
            heads_switched_off(model, off)


def test_the_longest_piece_is_masked_unless_one_is_named(reading: TextReading) -> None:
    assert reading.pieces.tokens[piece_to_mask(reading.pieces, 0) - 1] == "committee"
    assert piece_to_mask(reading.pieces, 5) == 5
    assert piece_to_mask(reading.pieces, 1) == piece_to_mask(reading.pieces, 0) == piece_to_mask(reading.pieces, 400)


def test_a_guess_is_one_piece_of_the_vocabulary(model: TextModel) -> None:
    assert guess_of_word(model, " Gold ") == "gold"
    assert guess_of_word(model, "golden") == ""
    assert guess_of_word(model, "金") == ""
    assert guess_of_word(model, "gold rose") == ""


def _byte_level() -> PreTrainedTokenizerFast:
    """Pairs of bytes merged until " gold" and "gold" are a piece each."""
    merges = [("g", "o"), ("l", "d"), ("go", "ld"), ("Ġ", "gold")]
    pieces = ["<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet()), *(first + second for first, second in merges)]
    tokeniser = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, merges))
    tokeniser.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokeniser, unk_token="<unk>")


def _sentencepiece() -> PreTrainedTokenizerFast:
    pieces = [("<unk>", -9.0), ("▁", -5.0), ("▁gold", -1.0), ("gold", -2.0), ("▁en", -2.0), ("ing", -2.0)]
    tokeniser = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace()
    return PreTrainedTokenizerFast(tokenizer_object=tokeniser, unk_token="<unk>")


@pytest.mark.parametrize("guess", ["gold", " gold "])
def test_a_guess_is_read_with_the_blank_that_the_hidden_piece_has(model: TextModel, guess: str) -> None:
    byte_level, sentencepiece = replace(model, tokeniser=_byte_level()), replace(model, tokeniser=_sentencepiece())
    assert byte_level.tokeniser.tokenize("gold gold") == ["gold", "Ġgold"]
    assert guess_of_word(byte_level, guess, "Ġgold") == guess_of_word(byte_level, guess, "Ġg") == "Ġgold"
    assert guess_of_word(byte_level, guess, "gold") == guess_of_word(byte_level, guess, "l") == "gold"
    assert guess_of_word(byte_level, "golden", "Ġgold") == ""
    assert guess_of_word(sentencepiece, guess, "▁en") == "▁gold"
    assert guess_of_word(sentencepiece, guess, "ing") == "gold"
    assert guess_of_word(sentencepiece, "ing", "gold") == "ing"
    assert guess_of_word(sentencepiece, "en", "ing") == ""
    assert guess_of_word(sentencepiece, "zinc", "▁gold") == ""


def test_a_model_without_heads_leaves_their_numbers_out(tmp_path: Path) -> None:
    bare = load_text_model(write_random_bert(tmp_path / "bare"))
    found = compute(InsideBert(text=TEXT), bare)
    assert not {"probability", "attribution", "logit_without"} & set(found)
    assert "guess_probability" in found


def test_a_place_beyond_the_last_one_is_the_last_one(model: TextModel) -> None:
    found = compute(InsideBert(text=TEXT, layer=50, head=50, token=500, chunk=9), model).attrs
    assert (found["chunk"], found["layer"], found["head"]) == (1, 3, 4)
    assert found["query_piece"] == len(chunks_of(model, TEXT)[0])


def test_a_long_text_is_read_in_chunks_and_only_the_head_in_view_is_kept_where_all_are_too_many(
    model: TextModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goldviz.labs.inside_bert.compute.MOST_WEIGHTS", 1000)
    found = compute(InsideBert(text="gold prices rose. " * 200, chunk=2, steps=4), model)
    assert (found.attrs["chunk"], found.attrs["chunks"]) == (2, 2)
    assert "all_attention" not in found
    assert found["attention"].shape == (found.sizes["piece"],) * 2


def test_texts_without_a_piece_are_refused(model: TextModel) -> None:
    with pytest.raises(TextError, match="The text is empty"):
        compute(InsideBert(text=" \n"), model)
    chunks_of(model, "half a pair: \ud83d")


def test_maps_and_steps_count_from_one(reading: TextReading) -> None:
    np.testing.assert_allclose(head_map(reading, 3, 2)["attention"], reading.head(2, 1).weights)
    steps = head_steps(reading, 1, 1, 2)
    assert steps["piece"].values[0] == steps["dimension"].values[0] == 1
    assert str(steps["token"].sel(piece=2).values) == "the"


def test_labels_have_distinct_names() -> None:
    assert label_names(["LABEL", "LABEL", "x"]) == ["LABEL", "LABEL (2)", "x"]


def test_samples_teach_what_they_say() -> None:
    assert len(LONG.split()) > 510
    assert " not " in NEGATION
    assert CONTRAST.startswith("Although")
    first, second = (set(text.split()) for text in ONE_WORD)
    assert (first ^ second) == {"rose", "fell"}
    assert not any(letter.isascii() and letter.isalnum() for letter in UNKNOWN)
    assert InsideBert().text == TEN_WORDS
    assert len(TEN_WORDS.split()) == 10
