"""What needs no network is asked the very tokens that a network's dev loss is of."""

import math
import zlib
from itertools import pairwise

import numpy as np
import pytest
import torch

from goldviz.labs.char_gpt.findings import findings_of
from goldviz.labs.char_gpt.instruments import Asked, look_closely, starts
from goldviz.labs.char_gpt.network import network_of
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.simple_guesses import gzip_bits, in_bytes, simple_losses, tokens_per_byte
from goldviz.labs.char_gpt.texts import token_text
from goldviz.models.text.causal import CausalTransformer
from goldviz.runs.examples import example

CPU = torch.device("cpu")


class CountedPairs(CausalTransformer):
    """A GPT whose logits are the logarithms of counted pairs, whatever its weights are."""

    def forward(self, tokens, dropout=None):
        return self.logarithms[tokens]


def as_good_as_pairs(settings, text):
    counts = np.ones((text.size, text.size))
    for one, other in pairwise(text.train.tolist()):
        counts[one, other] += 1
    network = network_of(settings, text.size, lambda index: torch.Generator().manual_seed(index))
    network.__class__ = CountedPairs
    network.logarithms = torch.tensor(np.log(counts / counts.sum(1, keepdims=True)))
    return network


@pytest.mark.parametrize(
    ("changes", "loss"),
    [
        ({}, 2.351),
        ({"block": 32}, 2.352),
        ({"block": 16}, 2.300),
        ({"block": 128}, 2.444),
        ({"corpus": "cities", "tokens": "pieces", "vocabulary": 300, "block": 8}, None),
    ],
)
def test_a_network_that_guesses_as_counted_pairs_do_has_their_loss(changes, loss):
    """On all of the dev text pairs score 2.445, which is another text."""
    settings = CharGpt(**changes)
    text = token_text(settings.corpus, settings.tokens, settings.vocabulary)
    asked = Asked.of(text, settings.block, CPU)
    found, lines = look_closely(as_good_as_pairs(settings, text), asked), simple_losses(text, asked.dev)
    assert found["dev_loss"].item() == pytest.approx(lines["bigram_dev_loss"], abs=1e-6)
    np.testing.assert_allclose(found["position_loss"], lines["bigram_position_loss"], atol=1e-6)
    assert lines["uniform_loss"] == math.log(text.size)
    if loss is not None:
        assert lines["uniform_loss"] > lines["unigram_dev_loss"] > lines["bigram_dev_loss"]
        assert lines["bigram_dev_loss"] == pytest.approx(loss, abs=5e-4)


def test_a_network_that_is_exactly_as_good_as_pairs_is_not_said_to_guess_better():
    settings = CharGpt.preset("small-to-compare")
    text, run = token_text("python", "characters", 0), example(CharGpt, "small-to-compare")
    dev = look_closely(as_good_as_pairs(settings, text), Asked.of(text, settings.block, CPU))["dev_loss"].item()
    same = {name: run[name].copy(data=np.full(run[name].shape, dev)) for name in ("dev_loss", "train_loss")}
    kinds = {finding.kind for finding in findings_of(settings, run.assign(same))}
    assert "no_better_than_pairs" in kinds
    assert "beats_pairs" not in kinds


@pytest.mark.parametrize("kind", ["characters", "pieces"])
def test_gzip_is_asked_the_same_bytes_each_after_all_that_stands_before(kind):
    text = token_text("cities", kind, 300)
    known, held = text.in_bytes(text.train), text.in_bytes(text.dev)
    first = starts(len(text.dev), 16)
    spans = in_bytes(text, first, 16)
    for (start, end), place in zip(spans, first.tolist(), strict=True):
        assert held[start:end] == text.in_bytes(text.dev[place + 1 : place + 17])
    size = lambda end: len(zlib.compress(known + held[:end], 9))  # noqa: E731
    grown = sum(size(end) - size(start) for start, end in spans)
    count = sum(end - start for start, end in spans)
    assert gzip_bits(known, held, spans) == 8 * grown / count
    assert tokens_per_byte(spans, 16) == 16 * len(first) / count


def test_what_gzip_takes_for_all_parts_is_what_it_takes_for_the_text():
    text = token_text("python", "characters", 0)
    known, held = text.in_bytes(text.train), text.in_bytes(text.dev)
    cuts = [*range(0, len(held), 977), len(held)]
    whole = len(zlib.compress(known + held, 9)) - len(zlib.compress(known, 9))
    assert gzip_bits(known, held, [*pairwise(cuts)]) == pytest.approx(8 * whole / len(held), rel=1e-12)
