import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

from goldviz.labs.depth_gradients.networks import DeepMLP
from goldviz.training.optimisers import OPTIMISERS
from goldviz.training.state import StateError, pack, unpack

X = torch.randn(64, 4, generator=torch.Generator().manual_seed(9))


def fresh(optimiser="adam"):
    network = DeepMLP(
        network="residual",
        features=4,
        width=6,
        depth=3,
        normalisation="batch",
        dropout=0.3,
        noise=0.1,
        weights=lambda layer: torch.Generator().manual_seed(100 + layer),
    )
    return {
        "network": network,
        "optimiser": OPTIMISERS[optimiser](network.parameters(), 0.01),
        "disturbance": torch.Generator().manual_seed(3),
        "order": torch.Generator().manual_seed(2),
    }


def train(parts, epochs):
    losses = []
    for _ in range(epochs):
        for rows in torch.randperm(len(X), generator=parts["order"]).split(16):
            parts["optimiser"].zero_grad()
            loss = mse_loss(parts["network"](X[rows], parts["disturbance"]).output, X[rows])
            loss.backward()
            parts["optimiser"].step()
            losses.append(loss.item())
    return losses


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_run_goes_on_bit_for_bit(optimiser):
    whole = fresh(optimiser)
    train(whole, 3)
    kept = pack(whole)
    expected = train(whole, 4)

    resumed = fresh(optimiser)
    unpack(kept, resumed)
    assert train(resumed, 4) == expected
    assert pack(resumed) == pack(whole)


def test_packing_changes_nothing_and_works_before_the_first_step():
    untouched, packed = fresh(), fresh()
    start = pack(packed)
    assert train(packed, 2) == train(untouched, 2)
    unpack(start, packed)
    assert pack(packed) == start


def test_states_of_other_parts_are_refused():
    parts = fresh()
    kept = pack(parts)
    with pytest.raises(StateError, match="has a part 'order'; allowed are network, optimiser, disturbance"):
        unpack(kept, {name: part for name, part in parts.items() if name != "order"})
    with pytest.raises(StateError, match="does not fit the part 'other'"):
        unpack(kept, parts | {"other": torch.Generator()})
    with pytest.raises(StateError, match="does not fit the part 'network'"):
        unpack(kept, parts | {"network": nn.Linear(2, 2)})
