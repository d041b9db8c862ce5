"""What a step shows of a network's layers, against torch's own float64 on a network that nothing watches."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy

from goldviz.diagnostics import layers
from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.diagnostics.layers import (
    Layer,
    LayerStep,
    LayerSteps,
    MatrixStack,
    activation_readings,
    distributions,
    watching,
)
from goldviz.models.feedforward.activations import ACTIVATIONS

OPTIMISERS = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.3),
    "adam": lambda weights: torch.optim.Adam(weights, lr=1e-3),
}


def network(dtype=torch.float64):
    torch.manual_seed(3)
    return nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 5)).to(dtype)


def layers_of(model):
    return [Layer.of("table", model[0]), Layer.of("hidden", model[1]), Layer.of("read-out", model[3])]


def batch():
    generator = torch.Generator().manual_seed(1)
    return torch.randint(9, (40,), generator=generator), torch.randint(5, (40,), generator=generator)


def watched_step(model, make):
    optimiser = make(model.parameters())
    x, y = batch()
    with watching(layers_of(model)) as seen:
        loss = cross_entropy(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    seen.after_backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.01)
    optimiser.step()
    return seen.after_step() | seen.distributions()


def std(values):
    """As the definition has it, without torch's."""
    values = values.detach().flatten()
    return ((values - values.sum() / len(values)).square().sum() / (len(values) - 1)).sqrt()


@pytest.mark.parametrize("name", OPTIMISERS)
def test_ratios_and_norms_are_those_of_float64(name):
    twin = network()
    optimiser = OPTIMISERS[name](twin.parameters())
    x, y = batch()
    cross_entropy(twin(x), y).backward()
    weights = [twin[number].weight for number in (0, 1, 3)]
    norms = torch.stack([weight.grad.square().sum().sqrt() for weight in weights])
    slopes = torch.stack([std(weight.grad) / std(weight) for weight in weights])
    before = [weight.detach().clone() for weight in weights]
    nn.utils.clip_grad_norm_(twin.parameters(), 0.01)
    optimiser.step()
    steps = torch.stack([std(new - old) / std(old) for old, new in zip(before, weights, strict=True)])
    for dtype, close in ((torch.float64, 1e-9), (torch.float32, 2e-3)):
        shown = watched_step(network(dtype), OPTIMISERS[name])
        torch.testing.assert_close(shown["gradient_norm"].double(), norms, rtol=max(close, 1e-6), atol=0)
        torch.testing.assert_close(shown["gradient_to_data"].double(), slopes, rtol=close, atol=0)
        torch.testing.assert_close(shown["update_to_data"].double(), steps, rtol=close, atol=0)


@pytest.mark.parametrize("at_once", [1, 200, 10**6])
def test_steps_that_are_measured_together_are_as_each_alone(at_once, monkeypatch):
    monkeypatch.setattr(layers, "ENTRIES_AT_ONCE", at_once)
    model = network(torch.float32)
    matrices = [model[number].weight for number in (0, 1, 3)]
    together, alone, optimiser = LayerSteps(matrices), [], OPTIMISERS["adam"](model.parameters())
    found = []
    for _ in range(7):
        watched = LayerStep([[matrix] for matrix in matrices])
        optimiser.zero_grad()
        cross_entropy(model(batch()[0]), batch()[1]).backward()
        watched.after_backward()
        together.after_backward()
        optimiser.step()
        together.after_step()
        alone.append(watched.after_step())
        if together.full:
            found.append(together.measured())
    assert len(found) == 7 // together.room
    if together.count:
        found.append(together.measured())
    for name in alone[0]:
        shown = torch.cat([part[name] for part in found])
        assert shown.dtype == torch.float32
        torch.testing.assert_close(shown, torch.stack([one[name] for one in alone]), rtol=1e-6, atol=0)


def test_plain_sgd_s_update_is_the_learning_rate_times_the_gradient_and_adam_s_is_not():
    def step(make):
        model = network()
        optimiser = make(model.parameters())
        with watching(layers_of(model)) as seen:
            loss = cross_entropy(model(batch()[0]), batch()[1])
        loss.backward()
        seen.after_backward()
        optimiser.step()
        shown = seen.after_step()
        return (shown["update_to_data"] / shown["gradient_to_data"]).tolist()

    assert step(OPTIMISERS["sgd"]) == pytest.approx([0.3, 0.3, 0.3])
    of_adam = step(OPTIMISERS["adam"])
    assert max(of_adam) > 2 * min(of_adam)


def test_distributions_count_what_autograd_gives():
    shown = watched_step(network(), OPTIMISERS["sgd"])
    model = network()
    x, y = batch()
    h = model[:2](x)
    cross_entropy(model[2:](h), y).backward()
    (slopes,) = torch.autograd.grad(cross_entropy(model[2:](h), y), h)
    bins = MAGNITUDE_BINS.index(slopes).flatten().tolist()
    counted = torch.tensor([bins.count(number) / len(bins) for number in range(MAGNITUDE_BINS.count + 2)])
    torch.testing.assert_close(shown["gradient_histogram"][1], counted)
    bins = MAGNITUDE_BINS.index(model[3].weight.grad).flatten().tolist()
    counted = torch.tensor([bins.count(number) / len(bins) for number in range(MAGNITUDE_BINS.count + 2)])
    torch.testing.assert_close(shown["weight_gradient_histogram"][2], counted)
    untouched = sorted(set(range(9)) - set(x.tolist()))
    zeros = shown["weight_gradient_histogram"][0, 0]
    assert zeros == pytest.approx(len(untouched) / 9), "rows that no sample reads have no gradient"
    for rows in (shown["gradient_histogram"], shown["weight_gradient_histogram"]):
        torch.testing.assert_close(rows.sum(1), torch.ones(3))


def test_watching_leaves_the_network_as_it_was():
    model, alone = network(), network()
    watched_step(model, OPTIMISERS["adam"])
    optimiser = OPTIMISERS["adam"](alone.parameters())
    cross_entropy(alone(batch()[0]), batch()[1]).backward()
    nn.utils.clip_grad_norm_(alone.parameters(), 0.01)
    optimiser.step()
    for watched, other in zip(model.parameters(), alone.parameters(), strict=True):
        assert torch.equal(watched, other)
    assert not any(module._forward_hooks for module in model.modules())
    with pytest.raises(RuntimeError), watching(layers_of(model)):
        model(torch.zeros(3, 3))
    assert not any(module._forward_hooks for module in model.modules())


def test_a_layer_that_is_used_several_times_and_one_that_no_gradient_reaches():
    shared, idle = nn.Linear(3, 3), nn.Linear(3, 3)
    with watching([Layer.of("shared", shared), Layer.of("idle", idle)]) as seen:
        out = shared(shared(shared(torch.ones(2, 3))))
        idle(out.detach())
    out.sum().backward()
    seen.after_backward()
    shown = seen.after_step() | seen.distributions()
    assert [len(given) for given in seen.outputs] == [3, 1]
    assert shown["gradient_histogram"][0].sum() == pytest.approx(1)
    assert shown["gradient_histogram"][1].isnan().all()
    assert shown["gradient_to_data"][1] == shown["gradient_norm"][1] == 0
    assert shown["weight_gradient_histogram"][1, 0] == 1


def test_parameters_of_one_layer_count_together_and_a_stack_is_its_matrices():
    a, b = nn.Parameter(torch.tensor([[1.0, 2.0]])), nn.Parameter(torch.tensor([[3.0], [6.0]]))
    stack = nn.Parameter(torch.tensor([[[1.0, 3.0]], [[5.0, 9.0]]]))
    step = LayerStep([(a, b), MatrixStack(stack)])
    (a.sum() + 2 * b.sum() + (stack * torch.tensor([[[0.0, 1.0]], [[0.0, 2.0]]])).sum()).backward()
    step.after_backward()
    shown = step.after_step()
    together = std(torch.tensor([1.0, 1, 2, 2])) / std(torch.tensor([1.0, 2, 3, 6]))
    expected = [together.item(), 0.5, 0.5]
    assert shown["gradient_to_data"].tolist() == pytest.approx(expected)
    assert shown["gradient_norm"].tolist() == pytest.approx([math.sqrt(10), 1, 2])


def test_layers_of_other_widths_are_read_one_by_one():
    tanh = ACTIVATIONS["tanh"](0)
    sums = [torch.tensor([[5.0, 0.0], [-5.0, 0.1]]), torch.tensor([[0.0, 0.1, 4.0]] * 2)]
    shown = activation_readings([z.tanh() for z in sums], sums, tanh)
    assert shown["saturation"].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert shown["dead_units"].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert shown["activation_std"].tolist() == pytest.approx([std(z.tanh()).item() for z in sums])
    alone = [activation_readings([z.tanh()], [z], tanh) for z in sums]
    for name, values in shown.items():
        assert values.tolist() == pytest.approx([one[name].item() for one in alone])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_every_distribution_sums_to_one_or_is_none(sizes):
    values = [[torch.full((size, 2), 10.0**size)] if size else [] for size in sizes]
    for row, size in zip(distributions(MAGNITUDE_BINS, values), sizes, strict=True):
        assert row.sum() == pytest.approx(1) if size else row.isnan().all()
