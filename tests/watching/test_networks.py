"""Networks of other people's: what is told of their gradients is true, and their weights stay bit for bit."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.watching.loops import NETWORKS, watching

STEPS = 6


def looped(name: str, watch: bool) -> tuple[nn.Module, Any]:
    """Train it as it comes, dropout included."""
    torch.manual_seed(0)
    (build, rate), record = NETWORKS[name], None
    model, loss_of = build()
    chosen = torch.optim.AdamW(model.parameters(), rate)
    if watch:
        record = watching(model, every=2, histograms=True)
    for step in range(1, STEPS + 1):
        loss = loss_of(model, step)
        chosen.zero_grad()
        loss.backward()
        chosen.step()
        if record is not None:
            record.step(loss=loss)
    if record is not None:
        record.close()
    return model, torch.get_rng_state()


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_weights_and_buffers_are_the_same_bit_for_bit(name: str) -> None:
    (bare, stream), (watched, after) = looped(name, False), looped(name, True)
    states = bare.state_dict(), watched.state_dict()
    assert list(states[0]) == list(states[1])
    assert all(torch.equal(states[0][one], states[1][one]) for one in states[0])
    assert torch.equal(stream, after)
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in watched.modules())


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_and_steps_are_those_of_a_loop_in_double_precision(name: str) -> None:
    """Without dropout, whose zeros the other precision would draw elsewhere."""
    torch.manual_seed(0)
    build, rate = NETWORKS[name]
    model, loss_of = build()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    exact = copy.deepcopy(model).double()
    # Gradient descent, for Adam's first step is a sign, which noise of 1e-9 decides where a gradient is 0.
    chosen, mirror = torch.optim.SGD(model.parameters(), rate), torch.optim.SGD(exact.parameters(), rate)
    expected = []
    with watching(model) as record:
        mirrored = dict(zip(map(id, model.parameters()), exact.parameters(), strict=True))
        for step in range(1, 4):
            losses = [loss_of(model, step), loss_of(exact, step)]
            for loss, optimiser in zip(losses, (chosen, mirror), strict=True):
                optimiser.zero_grad()
                loss.backward()
            rows = np.zeros(len(record.layers.names))
            for place, row in enumerate(record.layers.layer_of):
                gradient = mirrored[id(record.layers.parameters[place])].grad
                rows[row] += 0.0 if gradient is None else float(gradient.square().sum())
            expected.append(np.sqrt(rows))
            chosen.step()
            mirror.step()
            record.step(loss=losses[0])
    told = record.dataset()["gradient_by_layer"].values
    measured = ~np.isnan(told)
    assert measured.any(axis=0).sum() == len(set(record.layers.layer_of.tolist()))
    largest = np.max(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(
        (told / largest)[measured], (np.array(expected) / largest)[measured], rtol=1e-3, atol=1e-6
    )
    # The whole gradient, to single precision's rounding.
    whole = record.dataset()["used_gradient_norm"].values
    np.testing.assert_allclose(whole, np.sqrt(np.square(expected).sum(axis=1)), rtol=2e-5)
