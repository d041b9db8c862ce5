"""*Inside BERT*, computed once more by transformers, torch.nn and autograd, in double precision.

Texts, layers, heads and pieces are those of no other test; the model is a random BERT of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import xarray as xr
from torch import nn
from transformers import BertForMaskedLM, BertForSequenceClassification

import goldviz.labs.inside_bert.compute as inside_bert
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.compute import chunks_of
from goldviz.labs.inside_bert.figures.embeddings import in_words
from goldviz.labs.inside_bert.reading import read_text
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.inside_bert.word_order import same_word, words_of_both
from goldviz.models.text.loading import load_text_model
from tests.text_model_folders import with_classifier

CASES: dict[str, dict[str, Any]] = {
    "statement": {
        "text": "Strong policy; 3 risks remain balanced, and gold by a weak rate.",
        "layer": 3,
        "head": 4,
        "token": 7,
        "masked": 5,
        "label": 2,
        "off": "1.3,2",
        "steps": 24,
    },
    "pair": {
        "text": "Prices are moderate. [SEP] The committee fell by 1 percent",
        "layer": 1,
        "head": 2,
        "token": 3,
        "masked": 9,
        "label": 3,
        "off": "3.1",
        "steps": 40,
    },
}
CLOSE = {"rtol": 0, "atol": 1e-10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_classifier(tmp_path_factory.mktemp("truth") / "bert", ("down", "flat", "up"), seed=31)


class Twin:
    """Transformers' reading of a case, and what the page's compute gives."""

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        model = load_text_model(folder)
        for part in (model.encoder, model.classifier, model.masked_words):
            assert part is not None
            part.double()
        self.case = case
        self.ds: xr.Dataset = inside_bert.compute(InsideBert(**case), model)
        self.judge = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").double().eval()
        self.speaker = BertForMaskedLM.from_pretrained(folder).double().eval()
        self.mask, self.padding = model.tokeniser.mask_token_id, model.tokeniser.pad_token_id
        self.tokens = model.tokeniser.convert_ids_to_tokens
        first, found, second = case["text"].partition("[SEP]")
        coded = model.tokeniser(first, second) if found else model.tokeniser(first)
        self.ids = torch.tensor([coded["input_ids"]])
        self.segments = torch.tensor([coded["token_type_ids"]])
        with torch.no_grad():
            self.read = self.judge(
                self.ids, token_type_ids=self.segments, output_attentions=True, output_hidden_states=True
            )
        self.layer, self.head, self.place = case["layer"] - 1, case["head"] - 1, case["token"] - 1

    @property
    def below(self) -> torch.Tensor:
        """The states that the layer in view reads."""
        below: torch.Tensor = self.read.hidden_states[self.layer]
        return below


@pytest.fixture(scope="module", params=CASES)
def twin(request: pytest.FixtureRequest, folder: Path) -> Twin:
    return Twin(folder, CASES[request.param])


def test_pieces_states_attention_and_tone(twin: Twin) -> None:
    ds, read = twin.ds, twin.read
    assert list(ds["token"].values) == twin.tokens(twin.ids[0].tolist())
    np.testing.assert_allclose(ds["state_norm"], torch.cat(read.hidden_states).norm(dim=-1), **CLOSE)
    np.testing.assert_allclose(ds["attention"], read.attentions[twin.layer][0, twin.head], **CLOSE)
    np.testing.assert_allclose(ds["all_attention"], torch.cat(read.attentions), **CLOSE)
    np.testing.assert_allclose(ds["received"], torch.cat(read.attentions).mean((1, 2)), **CLOSE)
    np.testing.assert_allclose(ds["probability"], read.logits[0].detach().softmax(-1), **CLOSE)


def test_embeddings(twin: Twin) -> None:
    tables = twin.judge.bert.embeddings
    parts = {
        "token": tables.word_embeddings(twin.ids[0]),
        "segment": tables.token_type_embeddings(twin.segments[0]),
        "position": tables.position_embeddings(torch.arange(twin.ids.shape[1])),
    }
    parts["sum"] = parts["token"] + parts["segment"] + parts["position"]
    parts["normalised"] = twin.read.hidden_states[0][0]
    for part, rows in parts.items():
        np.testing.assert_allclose(twin.ds["embedding_norm"].sel(part=part), rows.detach().norm(dim=-1), **CLOSE)


def test_the_heads_own_numbers(twin: Twin) -> None:
    weights = torch.cat(twin.read.attentions)
    entropy = -(weights * weights.clamp_min(1e-300).log2()).sum(-1).mean(-1)
    places = torch.arange(weights.shape[-1])
    distance = (weights * (places[:, None] - places).abs()).sum(-1).mean(-1)
    np.testing.assert_allclose(twin.ds["head_entropy"], entropy, rtol=1e-5)
    np.testing.assert_allclose(twin.ds["head_distance"], distance, rtol=1e-5)


def test_the_layer_by_torchs_own(twin: Twin) -> None:
    theirs = twin.judge.bert.encoder.layer[twin.layer]
    width, heads = twin.below.shape[-1], twin.ds.attrs["heads"]
    layer = nn.TransformerEncoderLayer(
        width, heads, twin.ds.attrs["inner"], dropout=0.0, activation="gelu", layer_norm_eps=1e-12, batch_first=True
    ).double()
    own = theirs.attention.self
    packed = [
        torch.cat([getattr(part, name) for part in (own.query, own.key, own.value)]) for name in ("weight", "bias")
    ]
    layer.self_attn.in_proj_weight.data, layer.self_attn.in_proj_bias.data = packed
    for ours, its in (
        (layer.self_attn.out_proj, theirs.attention.output.dense),
        (layer.norm1, theirs.attention.output.LayerNorm),
        (layer.linear1, theirs.intermediate.dense),
        (layer.linear2, theirs.output.dense),
        (layer.norm2, theirs.output.LayerNorm),
    ):
        ours.load_state_dict(its.state_dict())
    with torch.no_grad():
        mixed, _ = layer.self_attn(twin.below, twin.below, twin.below)
        attended = layer.norm1(twin.below + mixed)
        before = layer.linear1(attended)
        fed = layer.linear2(nn.functional.gelu(before))
        output = layer.train()(twin.below)
    stages = {"attention": mixed, "attended": attended, "feed_forward": fed, "output": output}
    for stage, rows in stages.items():
        np.testing.assert_allclose(twin.ds["stage_norm"].sel(stage=stage), rows[0].norm(dim=-1), **CLOSE)
    np.testing.assert_allclose(twin.ds["neuron_input"], before[0, twin.place], **CLOSE)
    np.testing.assert_allclose(twin.ds["firing"], (before[0] > 0).double().mean(-1), **CLOSE)


def test_shares_of_the_query(twin: Twin) -> None:
    theirs = twin.judge.bert.encoder.layer[twin.layer].attention
    width = twin.below.shape[-1] // twin.ds.attrs["heads"]
    weights = twin.read.attentions[twin.layer][0]
    values = theirs.self.value(twin.below)[0].detach().unflatten(-1, (-1, width))
    written = torch.einsum("jhd,whd->hjw", values, theirs.output.dense.weight.detach().unflatten(-1, (-1, width)))
    mixed = torch.cat([layer.mean(1) for layer in twin.read.attentions[: twin.layer + 1]])
    rolled = (
        torch.linalg.multi_dot([(m + torch.eye(len(m))) / 2 for m in mixed.flip(0)])
        if len(mixed) > 1
        else (mixed[0] + torch.eye(len(mixed[0]))) / 2
    )
    known = {
        "attention": weights[twin.head, twin.place],
        "head_norm": (weights[twin.head, twin.place, :, None] * written[twin.head]).norm(dim=-1),
        "layer_norm": torch.einsum("hj,hjw->jw", weights[:, twin.place], written).norm(dim=-1),
        "rollout": rolled[twin.place],
    }
    for measure, row in known.items():
        np.testing.assert_allclose(twin.ds["share"].sel(measure=measure), row / row.sum(), atol=1e-7)


def test_a_masked_piece(twin: Twin) -> None:
    place, hidden = twin.case["masked"] - 1, twin.ids.clone()
    hidden[0, place] = twin.mask
    with torch.no_grad():
        chances = twin.speaker(hidden, token_type_ids=twin.segments).logits[0, place].softmax(-1)
    truth = int(twin.ids[0, place])
    assert twin.ds.attrs["truth_probability"] == pytest.approx(float(chances[truth]), abs=1e-10)
    assert twin.ds.attrs["truth_rank"] == 1 + int((chances > chances[truth]).sum())
    top = chances.topk(10)
    np.testing.assert_allclose(twin.ds["guess_probability"], top.values, **CLOSE)
    assert list(twin.ds["guessed"].values) == twin.tokens(top.indices.tolist())


def test_heads_that_are_cut_out(twin: Twin, folder: Path) -> None:
    cut = BertForSequenceClassification.from_pretrained(folder).double().eval()
    width = twin.below.shape[-1] // twin.ds.attrs["heads"]
    for name in twin.case["off"].split(","):
        layer, _, head = name.partition(".")
        written = cut.bert.encoder.layer[int(layer) - 1].attention.output.dense.weight.data
        rows = slice((int(head) - 1) * width, int(head) * width) if head else slice(None)
        written[:, rows] = 0
    with torch.no_grad():
        logits = cut(twin.ids, token_type_ids=twin.segments).logits[0]
    np.testing.assert_allclose(twin.ds["logit_without"].sel(heads_on="without"), logits, **CLOSE)


def test_attributions_by_autograd(twin: Twin) -> None:
    number, tables = twin.case["label"] - 1, twin.judge.bert.embeddings.word_embeddings
    special = torch.tensor(twin.ds["special"].values)
    text, empty = tables(twin.ids).detach(), tables(torch.where(special, twin.ids, twin.padding)).detach()

    def logit(rows: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = twin.judge(inputs_embeds=rows, token_type_ids=twin.segments).logits[0, number]
        return found

    points, shares = np.polynomial.legendre.leggauss(twin.ds.attrs["steps"])
    gradient = torch.zeros_like(text)
    for point, share in zip((1 + points) / 2, shares / 2, strict=True):
        rows = (empty + point * (text - empty)).requires_grad_()
        gradient += share * torch.autograd.grad(logit(rows), rows)[0]
    known = ((text - empty) * gradient).sum(-1)[0]
    np.testing.assert_allclose(twin.ds["attribution"], known, atol=1e-9)
    assert twin.ds.attrs["total"] == pytest.approx((logit(text) - logit(empty)).item(), abs=1e-10)


def test_another_order_with_and_without_positions(twin: Twin, folder: Path) -> None:
    special = twin.ds["special"].values
    order = np.arange(len(special))
    order[~special] = order[~special][::-1]
    for positions in ("with", "without"):
        model = BertForSequenceClassification.from_pretrained(folder).double().eval()
        if positions == "without":
            model.bert.embeddings.position_embeddings.weight.data.zero_()
        with torch.no_grad():
            written, reordered = (
                model(twin.ids[:, places], token_type_ids=twin.segments[:, places], output_hidden_states=True)
                for places in (np.arange(len(order)), order)
            )
        own = torch.cat(written.hidden_states)[:, order]
        moved = (torch.cat(reordered.hidden_states) - own).norm(dim=-1) / own.norm(dim=-1)
        np.testing.assert_allclose(twin.ds["moved"].sel(positions=positions)[:, order], moved, **CLOSE)
        known = [read.logits[0].softmax(-1).tolist() for read in (written, reordered)]
        np.testing.assert_allclose(twin.ds["ordered_probability"].sel(positions=positions), known, **CLOSE)


def test_positions_and_what_a_second_sentence_does(twin: Twin) -> None:
    table = twin.judge.bert.embeddings.position_embeddings.weight.detach()
    places = torch.tensor(twin.ds["position"].values) - 1
    known = nn.functional.cosine_similarity(table[places][:, None], table[places][None], dim=-1)
    np.testing.assert_allclose(twin.ds["position_cosine"], known, **CLOSE)
    assert ("across" in twin.ds) == bool(twin.segments.any())
    if "across" not in twin.ds:
        return
    ordinary, segments = ~torch.tensor(twin.ds["special"].values), twin.segments[0]
    pairs = (segments[:, None] != segments) & ordinary & ordinary[:, None]
    across = (torch.cat(twin.read.attentions) * pairs).sum((-1, -2)) / ordinary.sum()
    np.testing.assert_allclose(twin.ds["across"], across, **CLOSE)
    with torch.no_grad():
        alone = torch.cat(twin.judge(twin.ids, output_hidden_states=True).hidden_states)
    moved = (torch.cat(twin.read.hidden_states) - alone).norm(dim=-1) / alone.norm(dim=-1)
    np.testing.assert_allclose(twin.ds["segment_moved"], moved, **CLOSE)


def test_a_word_in_two_sentences(folder: Path) -> None:
    """Cosines of the means of transformers' hidden states over the word's pieces."""
    model = load_text_model(folder)
    model.encoder.double()
    twin = BertForMaskedLM.from_pretrained(folder).double().eval()
    texts = ("gold prices rose because inflation remained elevated .", "the gold fell while prices remained elevated .")
    readings = [read_text(model, chunks_of(model, text)[0]) for text in texts]
    states = []
    for reading in readings:
        with torch.no_grad():
            ids = torch.as_tensor(reading.pieces.ids)[None]
            states.append(torch.stack(twin(ids, output_hidden_states=True).hidden_states)[:, 0])
    shared = words_of_both(readings[0].pieces, texts[0], readings[1].pieces, texts[1])
    assert shared == ["gold", "prices", "remained", "elevated"]

    def vectors(side: int) -> dict[str, torch.Tensor]:
        spelled: dict[str, torch.Tensor] = {}
        for word in texts[side].split()[:-1]:
            number = texts[side].split().index(word)
            own = torch.as_tensor(readings[side].pieces.words == number)
            spelled[word] = states[side][:, own].mean(1)
        return spelled

    one, other = vectors(0), vectors(1)
    for word in shared:
        ds = same_word(readings[0], texts[0], readings[1], texts[1], word)
        cosines = {
            name: torch.cosine_similarity(one[word], vector, dim=-1).detach().numpy() for name, vector in other.items()
        }
        rest = np.median([values for name, values in cosines.items() if name != word], axis=0)
        np.testing.assert_allclose(ds["word_cosine"], [cosines[word], rest], rtol=0, atol=1e-12)
        before, after = measures.word_going_in(ds), measures.word_coming_out(ds)
        assert (before, after) == (ds["word_cosine"][0, 0], ds["word_cosine"][0, -1])
        assert f"cosine {before:.2f} going in, {after:.2f} after".replace("-", "−") in in_words(ds)
    page = inside_bert.beside_another_sentence(readings[0], *texts)
    xr.testing.assert_identical(page, same_word(readings[0], texts[0], readings[1], texts[1], shared[0]))
    assert same_word(readings[0], texts[0], readings[0], texts[0], "gold")["word_cosine"][0].values == pytest.approx(1)
