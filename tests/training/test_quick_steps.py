"""A quick step is PyTorch's own, to the bit, whatever came before."""

import pytest
import torch
from torch import nn

from goldviz.training.optimisers import OPTIMISERS, OptimiserRule, decaying_optimiser, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.state import pack, unpack


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def learn(one, optimiser, step, numbers, *, frozen=False):
    one[0].weight.requires_grad_(not frozen)
    for number in numbers:
        set_learning_rate(optimiser, 0.1 / number)
        clear_gradients(optimiser)
        one(torch.full((5, 3), number / 10)).square().sum().backward()
        step(optimiser)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_quick_steps_are_the_optimiser_s(name):
    learned = []
    for step in (take_step, lambda optimiser: optimiser.step()):
        one = network()
        optimiser = decaying_optimiser(name, [one], 0.1, weight_decay=0.01)
        learn(one, optimiser, step, range(1, 6))
        unpack(pack({"optimiser": optimiser}), {"optimiser": optimiser})
        learn(one, optimiser, step, range(6, 9))
        learn(one, optimiser, step, range(9, 11), frozen=True)
        learned.append(pack({"network": one, "optimiser": optimiser}))
    assert learned[0] == learned[1]


def test_any_of_pytorch_s_optimisers_may_be_a_rule_and_takes_its_own_steps():
    learned = []
    for step in (take_step, lambda optimiser: optimiser.step()):
        one = network()
        optimiser = OptimiserRule("Resilient", "Rprop", {})(one.parameters(), 0.1)
        assert type(optimiser) is torch.optim.Rprop
        learn(one, optimiser, step, range(1, 6))
        learned.append(pack({"network": one, "optimiser": optimiser}))
    assert learned[0] == learned[1]
