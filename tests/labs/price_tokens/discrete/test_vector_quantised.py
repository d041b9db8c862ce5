from typing import Any

import numpy as np
import pytest
import torch

from goldviz.labs.price_tokens.discrete.vector_quantised import VectorQuantised, learned_codes, perplexity_of

WINDOWS = np.random.default_rng(0).standard_normal((600, 5)) * np.repeat([0.4, 2.0], 300)[:, None]


def codes(seed: Any, **how: Any) -> Any:
    return learned_codes(WINDOWS, 16, torch.Generator().manual_seed(seed), **{"steps": 150, **how})


def test_the_gradient_is_handed_straight_through_the_code() -> None:
    network = VectorQuantised(5, 4)
    windows = torch.randn(8, 5, generator=torch.Generator().manual_seed(0))
    loss, tokens = network.loss(windows)
    loss.backward()
    encoded = network.encoder(windows).detach().requires_grad_()
    chosen = network.codes.detach()[tokens]
    rebuilt = (windows - network.decoder(chosen + (encoded - encoded.detach()))).square().mean()
    (through,) = torch.autograd.grad(rebuilt + 0.25 * (encoded - chosen).square().mean(), encoded)
    network.zero_grad()
    network.encoder(windows).backward(through)
    expected = [torch.clone(weights.grad) for weights in network.encoder.parameters() if weights.grad is not None]
    network.zero_grad()
    network.loss(windows)[0].backward()
    for weights, wanted in zip(network.encoder.parameters(), expected, strict=True):
        torch.testing.assert_close(weights.grad, wanted)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_codes_that_start_far_away_collapse_and_those_among_the_data_do_not(seed: Any) -> None:
    assert perplexity_of(codes(seed, among_data=False)[0].tokens(WINDOWS), 16) < 3
    assert perplexity_of(codes(seed)[0].tokens(WINDOWS), 16) > 6


def test_the_same_seed_gives_the_same_tokens() -> None:
    (one, perplexity), (other, _) = codes(3, steps=20), codes(3, steps=20)
    np.testing.assert_array_equal(one.tokens(WINDOWS), other.tokens(WINDOWS))
    assert len(perplexity) == 10
