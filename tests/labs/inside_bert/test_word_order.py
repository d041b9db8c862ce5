"""Order and sentence pairs: what holds for every encoder, and what transformers' own BERT does with the same input."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from transformers import BertConfig, BertForPreTraining, BertModel

from goldviz.data.texts import pieces as pieces_module
from goldviz.data.texts.pieces import split_into_pieces
from goldviz.labs.inside_bert.attribution import head_ablation
from goldviz.labs.inside_bert.compute import chunks_of, pair_too_long
from goldviz.labs.inside_bert.overview import composition, overview
from goldviz.labs.inside_bert.parts.pieces import tone_of_the_reversed
from goldviz.labs.inside_bert.reading import TextReading, read_text
from goldviz.labs.inside_bert.word_order import order_test, position_similarity, reversed_order, sentence_pair
from goldviz.models.text.loading import load_text_model
from tests.random_bert import write_random_bert
from tests.text_model_folders import with_classifier

FIRST, SECOND = "Gold prices fell.", "The committee decided to keep rates."
PAIR = f"{FIRST} [SEP] {SECOND}"
DTYPES = {torch.float32: 1e-5, torch.float64: 1e-10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_classifier(tmp_path_factory.mktemp("model") / "m", ("bad", "fair", "good"))


def reading_of(folder: Path, dtype: torch.dtype = torch.float64, text: str = PAIR) -> TextReading:
    model = load_text_model(folder)
    for part in (model.encoder, model.classifier):
        assert part is not None
        part.to(dtype)
    [pieces] = chunks_of(model, text)
    return read_text(model, pieces)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_pair_is_read_as_transformers_reads_one(tmp_path: Path, dtype: torch.dtype) -> None:
    folder = write_random_bert(tmp_path / "bert", seed=7)
    reading = reading_of_bert(folder, dtype)
    coded = reading.model.tokeniser(FIRST, SECOND)
    assert coded["input_ids"] == reading.pieces.ids.tolist()
    assert coded["token_type_ids"] == reading.pieces.segments.tolist()
    theirs = BertModel.from_pretrained(folder).to(dtype).eval()
    with torch.no_grad():
        found = theirs(**{name: torch.tensor([values]) for name, values in coded.items()}, output_hidden_states=True)
    np.testing.assert_allclose(reading.hidden, torch.cat(found.hidden_states), rtol=0, atol=DTYPES[dtype])


def reading_of_bert(folder: Path, dtype: torch.dtype) -> TextReading:
    model = load_text_model(folder)
    model.encoder.to(dtype)
    [pieces] = chunks_of(model, PAIR)
    return read_text(model, pieces)


def test_every_part_of_the_page_reads_the_same_pair(folder: Path) -> None:
    reading = reading_of(folder)
    shape = reading.model.encoder.shape
    logits = head_ablation(reading.model, reading.pieces, np.ones((shape.layers, shape.heads)))
    np.testing.assert_allclose(overview(reading)["logit"], logits, atol=1e-12)


def test_segments_go_on_in_later_chunks_and_separators_are_special(folder: Path) -> None:
    tokeniser = load_text_model(folder).tokeniser
    chunks = split_into_pieces(tokeniser, f"{PAIR} {SECOND}", longest=12, overlap=2)
    for chunk in chunks:
        separators = np.array(chunk.tokens) == "[SEP]"
        assert chunk.special[separators].all()
        assert (np.diff(chunk.segments[1:]) >= 0).all()
    assert set(chunks[0].segments) == {0, 1}
    assert set(chunks[-1].segments[1:]) == {1}
    assert not any(chunk.segments.any() for chunk in split_into_pieces(tokeniser, f"{FIRST} {SECOND}"))
    assert not doctest.testmod(pieces_module).failed


@pytest.mark.parametrize("seed", range(5))
def test_without_positions_any_order_gives_the_same_outputs_in_that_order(folder: Path, seed: int) -> None:
    reading = reading_of(folder)
    order = np.random.default_rng(seed).permutation(len(reading.pieces))
    ds = order_test(reading, order)
    assert float(ds["moved"].sel(positions="without").max()) < 1e-12
    assert float(ds["moved"].sel(positions="with").median()) > 1e-3


def test_backwards_the_tone_changes_with_positions_alone(folder: Path) -> None:
    reading = reading_of(folder)
    order = reversed_order(reading)
    assert sorted(order) == list(range(len(order)))
    assert (order[reading.pieces.special] == np.flatnonzero(reading.pieces.special)).all()
    ds = order_test(reading, order)
    change = np.abs(np.diff(ds["ordered_probability"], axis=1)).max(axis=(1, 2))
    assert change[0] < 1e-12
    assert change[1] > 1e-6
    np.testing.assert_allclose(ds["ordered_probability"][1, 0], overview(reading)["probability"], atol=1e-12)


def test_with_positions_the_reordered_text_is_what_transformers_reads(tmp_path: Path) -> None:
    folder = write_random_bert(tmp_path / "bert", seed=9)
    reading = reading_of_bert(folder, torch.float64)
    order = reversed_order(reading)
    theirs = BertModel.from_pretrained(folder).double().eval()
    with torch.no_grad():
        states = [
            torch.cat(
                theirs(
                    torch.as_tensor(reading.pieces.ids[places])[None],
                    token_type_ids=torch.as_tensor(reading.pieces.segments[places])[None],
                    output_hidden_states=True,
                ).hidden_states
            )
            for places in (np.arange(len(order)), order)
        ]
    written = states[0][:, order]
    expected = torch.empty_like(written[..., 0])
    expected[:, order] = (states[1] - written).norm(dim=-1) / written.norm(dim=-1)
    np.testing.assert_allclose(order_test(reading, order)["moved"].sel(positions="with"), expected, atol=1e-10)


def test_positions_are_compared_by_their_cosines(folder: Path) -> None:
    reading = reading_of(folder)
    ds = position_similarity(reading)
    table = reading.model.encoder.embeddings.position.weight.detach().numpy()
    places = ds["position"].values
    assert places.tolist() == list(range(1, 33))
    first, other = places[3] - 1, places[-1] - 1
    cosine = table[first] @ table[other] / np.linalg.norm(table[first]) / np.linalg.norm(table[other])
    assert float(ds["position_cosine"][3, -1]) == pytest.approx(cosine, abs=1e-12)
    np.testing.assert_allclose(np.diagonal(ds["position_cosine"]), 1)
    count = len(reading.pieces)
    unit = table[:count] / np.linalg.norm(table[:count], axis=1, keepdims=True)
    assert float(ds["distance_cosine"].sel(distance=2)) == pytest.approx((unit[2:] * unit[:-2]).sum(1).mean())


@pytest.mark.parametrize("after", [0.9, 0.905, 0.2])
def test_a_tone_that_hardly_changes_is_not_given_as_a_change(after: float) -> None:
    written, other = [0.9, 0.05, 0.05], [after, (1 - after) / 2, (1 - after) / 2]
    values = np.array([[written, written], [written, other]])
    ds = xr.Dataset(
        {"ordered_probability": (("positions", "order", "label"), values)},
        coords={
            "positions": ["without", "with"],
            "order": ["as written", "reordered"],
            "label": ["up", "flat", "down"],
        },
    )
    said = tone_of_the_reversed(ds)
    assert ("up goes from 90 % to 20 %" in said) == (after == 0.2)
    assert ("no class changes by a point" in said) == (after != 0.2)


def test_attention_across_a_pair_and_what_segment_b_moves(folder: Path) -> None:
    reading = reading_of(folder)
    ds, pieces = sentence_pair(reading), reading.pieces
    weights = reading.attention(1).weights[0, 2].numpy()
    ordinary = np.flatnonzero(~pieces.special)
    across = [weights[i, [j for j in ordinary if pieces.segments[j] != pieces.segments[i]]].sum() for i in ordinary]
    assert float(ds["across"].sel(layer=2, head=3)) == pytest.approx(np.mean(across), abs=1e-12)
    assert (ds.attrs["pieces_a"], ds.attrs["pieces_b"]) == (
        sum(pieces.segments[ordinary] == 0),
        sum(pieces.segments[ordinary] == 1),
    )
    first = reading.embeddings.token + reading.model.encoder.embeddings.segment.weight[0] + reading.embeddings.position
    with torch.no_grad():
        alone = reading.model.encoder.upwards(reading.model.encoder.embeddings.norm(first)[None])[0]
    moved = (reading.hidden[-1] - alone).norm(dim=1) / alone.norm(dim=1)
    np.testing.assert_allclose(ds["segment_moved"][-1], moved, atol=1e-12)
    assert not sentence_pair(reading_of(folder, text=FIRST))


def test_a_next_sentence_head_says_what_transformers_says(tmp_path: Path) -> None:
    folder = write_random_bert(tmp_path / "bert", seed=7)
    torch.manual_seed(1)
    bert = BertForPreTraining(BertConfig.from_pretrained(folder)).eval()
    torch.nn.init.normal_(bert.cls.seq_relationship.weight, std=0.5)
    bert.save_pretrained(folder)
    model = load_text_model(folder)
    [pieces] = chunks_of(model, PAIR)
    pair = sentence_pair(read_text(model, pieces))
    with torch.no_grad():
        logits = bert(**model.tokeniser(FIRST, SECOND, return_tensors="pt")).seq_relationship_logits
    assert pair.attrs["follows"] == pytest.approx(logits.softmax(-1)[0, 0].item(), abs=1e-5)
    headless = load_text_model(write_random_bert(tmp_path / "other", seed=7))
    assert headless.next_sentence is None
    assert "follows" not in sentence_pair(read_text(headless, pieces)).attrs


def test_what_is_added_up_is_the_sum(folder: Path) -> None:
    reading = reading_of(folder)
    for token, sentence in ((2, "A"), (len(reading.pieces) - 1, "B")):
        parts = composition(reading, token)
        vectors = parts["embedding"]
        whole = vectors.sel(part=["token", "position", "segment"]).sum("part")
        np.testing.assert_allclose(whole, vectors.sel(part="sum"), atol=1e-12)
        table = reading.model.encoder.embeddings.segment
        assert table is not None
        np.testing.assert_allclose(vectors.sel(part="segment"), table.weight["AB".index(sentence)].detach())
        assert parts.attrs["sentence"] == sentence


def test_a_pair_of_a_thousand_words_says_that_it_is_too_long(folder: Path) -> None:
    model = load_text_model(folder)
    first = "Gold prices fell. " * 300
    text = f"{first}[SEP] {SECOND}"
    chunks = chunks_of(model, text)
    count = len(model.tokeniser(text)["input_ids"])
    assert pair_too_long(model, text, chunks) == (
        f"Text is a pair of {count:,} pieces; allowed are up to {model.longest} for A and B to see each other. It is "
        "read in chunks."
    )
    assert int(chunks[-1].segments.max()) == 1, "nothing of it is lost"
    assert pair_too_long(model, PAIR, chunks_of(model, PAIR)) == ""
    assert pair_too_long(model, first, chunks_of(model, first)) == ""
