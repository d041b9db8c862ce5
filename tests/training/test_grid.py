"""The grid of learners: its parts, its tables, and runs that go on where they stood."""

import numpy as np
import pytest
import torch
from torch import nn

from goldviz.training.grid import Grid, Learner, hand_over, parameter_count, parts_of, stacked, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS
from goldviz.training.seeds import BATCH_ORDER, stream
from goldviz.training.state import StateError, pack

SEEDS = (0, 3)


class Steps:
    """The part of a recorder that a grid talks to."""

    def __init__(self, restored=None):
        self.restored = restored
        self.shown = {}

    def steps(self, n, state):
        for step in range(1, n + 1):
            yield step
            self.state = state()

    def __call__(self, name, values):
        self.shown[name] = values


def learner(network, seed):
    torch.manual_seed(seed)
    made = nn.Linear(3, 2, bias=network == "biased")
    return Learner(made, OPTIMISERS["adam"](made.parameters(), 0.1))


def grid():
    return Grid.made(["plain", "biased"], SEEDS, learner, order=[stream(seed, BATCH_ORDER) for seed in SEEDS])


def train_step(one, x, *, rate):
    loss = one.network(x).square().mean()
    one.optimiser.zero_grad()
    loss.backward()
    one.optimiser.step()
    return {"loss": loss.detach(), "rate": torch.tensor(rate)}


def trained(one, record, n):
    for _ in steps_from_state(record, n, one.parts()):
        inputs = [torch.randn(4, 3, generator=order) for order in one.streams["order"]]
        record.last = table(one.each(lambda member, x: train_step(member, x, rate=0.5), inputs))
    return record


def test_parts_are_named_by_stream_or_network_then_seed() -> None:
    assert list(grid().parts()) == [
        "order/0",
        "order/3",
        "plain/0/network",
        "plain/0/optimiser",
        "plain/3/network",
        "plain/3/optimiser",
        "biased/0/network",
        "biased/0/optimiser",
        "biased/3/network",
        "biased/3/optimiser",
    ]


def test_a_learner_s_data_are_no_part_of_its_state() -> None:
    one = learner("plain", 0)
    one.data = torch.ones(3)
    assert list(parts_of(one)) == ["network", "optimiser"]


def test_a_table_has_networks_then_seeds() -> None:
    seen = trained(grid(), Steps(), 1).last
    assert seen["loss"].shape == (2, 2)
    assert (seen["rate"] == 0.5).all()
    alone = Grid.made(["biased"], [3], learner, order=[stream(3, BATCH_ORDER)])
    assert trained(alone, Steps(), 1).last["loss"][0, 0] == seen["loss"][1, 1]


def test_a_run_goes_on_where_it_stood() -> None:
    whole = trained(grid(), Steps(), 5).last["loss"]
    state = trained(grid(), Steps(), 2).state
    assert torch.equal(trained(grid(), Steps(state), 3).last["loss"], whole)


def test_a_state_of_other_networks_is_refused() -> None:
    state = pack(Grid.made(["plain"], SEEDS, learner).parts())
    with pytest.raises(StateError):
        steps_from_state(Steps(state), 1, Grid.made(["biased"], SEEDS, learner).parts())


def test_the_loss_is_recorded_last() -> None:
    record = Steps()
    hand_over(stacked([{"loss": torch.ones(2), "accuracy": torch.zeros(2)}] * 3), record)
    assert list(record.shown) == ["accuracy", "loss"]
    np.testing.assert_array_equal(record.shown["loss"], np.ones((3, 2)))


def test_the_first_seed_s_learners_are_one_of_each_network() -> None:
    assert [parameter_count(one.network) for one in grid().first()] == [6, 8]
