"""Models of the next token: what a later token may change, and what counted pairs come to."""

from typing import Any

import numpy as np
import pytest
import torch

from goldviz.labs.price_tokens.networks import CountedPairs, token_network
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.train import Places
from goldviz.models.text.encoder import EncoderDropout
from tests.labs.pretended_device import pretended_device

NOISE = EncoderDropout(0.0, torch.Generator())


@pytest.mark.parametrize("network", ["bigram", "mlp", "gpt"])
def test_a_context_holds_the_past_alone(network: Any) -> None:
    tokens = np.arange(12) % 3
    places = Places.of(tokens, 4, 3, torch.device("cpu"))
    assert places.contexts[0].tolist() == [3, 3, 3, 3]
    assert places.contexts[6].tolist() == tokens[2:6].tolist()
    later = tokens.copy()
    later[6:] = 0
    other = Places.of(later, 4, 3, torch.device("cpu"))
    model = token_network(PriceTokens(network=network, tokens=3, context=4, hidden=8), 0)
    torch.testing.assert_close(model(places.contexts[:7]), model(other.contexts[:7]), rtol=0, atol=0)


@pytest.mark.parametrize("network", ["mlp", "gpt"])
def test_the_first_loss_is_that_of_guessing(network: Any) -> None:
    places = Places.of(np.random.default_rng(0).integers(0, 8, 400), 16, 8, torch.device("cpu"))
    model = token_network(PriceTokens(network=network, tokens=8), 0)
    loss = model.loss(places.contexts[20:], places.targets[20:], NOISE).item()
    assert loss == pytest.approx(np.log(8), rel=0.02)


def test_counted_pairs_are_the_table() -> None:
    model = CountedPairs(2, 1.0)
    model.count(torch.tensor([[0], [0], [1]]), torch.tensor([1, 1, 0]))
    np.testing.assert_allclose(model(torch.tensor([[0], [1], [2]])).exp(), [[1 / 4, 3 / 4], [2 / 3, 1 / 3], [0.5, 0.5]])


def test_pairs_are_counted_where_the_table_is() -> None:
    with pretended_device() as device:
        model = CountedPairs(2, 1.0).to(device)
        model.count(torch.tensor([[0], [0], [1]], device=device), torch.tensor([1, 1, 0], device=device))
        assert model.counts.tolist() == [[0, 2], [1, 0], [0, 0]]
