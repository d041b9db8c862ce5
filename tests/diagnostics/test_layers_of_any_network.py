"""Readings of networks that others write, against plain autograd on a twin that nothing watches, in float64."""

import copy
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence
from transformers.modeling_outputs import BaseModelOutput

from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.diagnostics.layers import Layer, LayerSteps, watching

BINS = MAGNITUDE_BINS.count + 2


def sgd(weights):
    return torch.optim.SGD(weights, lr=0.1)


def drawn(*shape, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def counted(values):
    """The share of entries in each bin; NaN where there is none."""
    bins = MAGNITUDE_BINS.index(values).flatten().tolist()
    return torch.tensor([bins.count(number) / len(bins) if bins else torch.nan for number in range(BINS)])


def entries(tensors):
    return torch.cat([torch.zeros(0, dtype=torch.float64), *(tensor.detach().flatten() for tensor in tensors)])


def ratio(values, beside):
    return values.std() / beside.std() if len(values) else torch.tensor(torch.nan, dtype=torch.float64)


def gradient(weight):
    known = weight.requires_grad and weight.grad is not None
    return weight.grad.to_dense() if known else torch.zeros_like(weight)


def check(model, modules, loss_of, output_of=lambda output: output, optimiser=sgd):
    """One watched step shows what autograd gives on a twin. ``modules`` names the layers, ``loss_of(model)`` is what is
    learned, and ``output_of`` finds in what a module returns the tensor that is looked at."""
    twin = copy.deepcopy(model)
    with watching([Layer.of(name, model.get_submodule(name)) for name in modules]) as seen:
        loss = loss_of(model)
    learning = optimiser([weight for weight in model.parameters() if weight.requires_grad])
    loss.backward()
    seen.after_backward()
    learning.step()
    shown = seen.after_step() | seen.distributions()

    own, given = [twin.get_submodule(name) for name in modules], [[] for _ in modules]
    for module, list_of_its in zip(own, given, strict=True):
        module.register_forward_hook(lambda _m, _x, output, its=list_of_its: its.append(output_of(output)))
    loss = loss_of(twin)
    reached = [[output for output in its if output.requires_grad] for its in given]
    slopes = [torch.autograd.grad(loss, its, retain_graph=True, allow_unused=True) if its else () for its in reached]
    loss.backward()
    weights = [[weight for weight in module.parameters() if weight.ndim > 1] for module in own]
    before = [entries(its) for its in weights]
    gradients = [entries(map(gradient, its)) for its in weights]
    optimiser([weight for weight in twin.parameters() if weight.requires_grad]).step()
    moved = [entries(its) - old for its, old in zip(weights, before, strict=True)]
    expected = {
        "gradient_norm": [slope.square().sum().sqrt() for slope in gradients],
        "gradient_to_data": [ratio(slope, old) for slope, old in zip(gradients, before, strict=True)],
        "update_to_data": [ratio(step, old) for step, old in zip(moved, before, strict=True)],
        "weight_gradient_histogram": [counted(slope) for slope in gradients],
        "gradient_histogram": [counted(entries(one for one in its if one is not None)) for its in slopes],
    }
    for name, rows in expected.items():
        found = shown[name]
        assert len(found) == len(modules), f"{name} has one row a layer"
        close = {"rtol": 1e-5, "atol": 1e-7} if name.endswith("histogram") else {"rtol": 1e-9, "atol": 1e-13}
        torch.testing.assert_close(found.double(), torch.stack(rows).double(), equal_nan=True, **close)
    return shown


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.plane, self.line, self.read_out = nn.Conv2d(1, 3, 3), nn.Conv1d(3, 4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return self.read_out(self.line(self.plane(x).tanh().flatten(2)).mean(2))


def test_a_convolution_is_one_layer():
    torch.manual_seed(0)
    x = drawn(5, 1, 6, 6)
    check(Convolutions().double(), ["plane", "line", "read_out"], lambda model: model(x).square().sum())


class Tagger(nn.Module):
    """Packed sequences in and out, by way of a cell that returns one in a tuple."""

    def __init__(self):
        super().__init__()
        self.cell, self.read_out = nn.LSTM(3, 4), nn.Linear(4, 2)

    def forward(self, packed):
        states, _ = self.cell(packed)
        return PackedSequence(self.read_out(states.data), states.batch_sizes)


@pytest.mark.parametrize("layer", ["cell", ""])
def test_packed_sequences_are_taken_and_returned(layer):
    torch.manual_seed(0)
    packed = pack_padded_sequence(drawn(6, 3, 3), torch.tensor([6, 4, 1]))

    def data(output):
        return output.data if isinstance(output, PackedSequence) else output[0].data

    check(Tagger().double(), [layer], lambda model: model(packed).data.square().sum(), data)


@dataclass
class Answer:
    mask: Tensor
    logits: Tensor


ANSWERS = {
    "dict": lambda mask, logits: {"mask": mask, "logits": logits},
    "tuple": lambda mask, logits: (mask, [logits, 3 * logits]),
    "dataclass": Answer,
    "model output": lambda mask, logits: BaseModelOutput(last_hidden_state=logits, hidden_states=(logits + 1,)),
    "nested": lambda mask, logits: {"first": None, "then": ({"mask": mask, "logits": logits},)},
}


def logits_of(output):
    if isinstance(output, BaseModelOutput):
        return output.last_hidden_state
    if isinstance(output, Answer):
        return output.logits
    inner = output["then"][0] if "then" in output else output
    return inner["logits"] if isinstance(inner, dict) else inner[1][0]


class Wrapped(nn.Module):
    """A layer that takes a dictionary and answers in its own way."""

    def __init__(self, answer):
        super().__init__()
        self.inner, self.answer = nn.Linear(3, 2), answer

    def forward(self, given):
        return self.answer(given["x"] > 0, self.inner(given["x"]))


@pytest.mark.parametrize("form", ANSWERS)
def test_a_module_may_return_what_it_likes(form):
    torch.manual_seed(0)
    given = {"x": drawn(4, 3)}
    model = nn.ModuleDict({"wrapped": Wrapped(ANSWERS[form])}).double()
    check(model, ["wrapped"], lambda model: logits_of(model["wrapped"](given)).square().sum(), logits_of)


def sparse_adam(weights):
    return torch.optim.SparseAdam(weights, lr=0.1)


@pytest.mark.parametrize("optimiser", [sgd, sparse_adam])
def test_a_table_s_sparse_gradient_counts_with_its_zeros(optimiser):
    torch.manual_seed(0)
    model = nn.ModuleDict({"table": nn.Embedding(9, 4, sparse=True)}).double()
    read, target = torch.tensor([1, 3, 3, 8]), drawn(4, 4)
    shown = check(model, ["table"], lambda model: (model["table"](read) - target).square().sum(), optimiser=optimiser)
    assert shown["weight_gradient_histogram"][0, 0] == pytest.approx(6 / 9), "rows that nothing reads"


def test_steps_that_are_measured_together_may_have_sparse_gradients_and_frozen_weights():
    table, frozen = nn.Embedding(9, 4, sparse=True), nn.Linear(4, 4, bias=False)
    frozen.weight.requires_grad_(False).grad = torch.ones(4, 4)
    steps = LayerSteps([table.weight, frozen.weight])
    frozen(table(torch.tensor([1, 3, 3]))).square().sum().backward()
    steps.after_backward()
    sgd(table.parameters()).step()
    steps.after_step()
    assert steps.measured()["gradient_norm"][0].tolist() == pytest.approx(
        [table.weight.grad.to_dense().norm().item(), 0]
    )


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.read_out, self.both = nn.Embedding(7, 4), nn.Linear(4, 7), nn.Module()
        self.read_out.weight = self.table.weight
        self.both.table, self.both.read_out = self.table, self.read_out

    def forward(self, x):
        return self.read_out(self.table(x).tanh())


def test_tied_weights_count_in_both_layers_and_once_in_one():
    torch.manual_seed(0)
    model, x = Tied().double(), torch.tensor([0, 2, 5])
    shown = check(model, ["table", "read_out", "both"], lambda model: model(x).square().sum())
    assert len(set(shown["gradient_norm"].tolist())) == 1
    once = Layer("twice named", model.read_out, (model.table.weight, model.read_out.weight))
    with watching([once]) as seen:
        loss = model(x).square().sum()
    model.zero_grad()
    loss.backward()
    seen.after_backward()
    assert seen.after_step()["gradient_norm"].tolist() == pytest.approx([model.table.weight.grad.norm().item()])


def test_what_a_frozen_layer_was_left_with_is_no_gradient():
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double(), drawn(5, 3)
    model(x).sum().backward()
    model[0].requires_grad_(False)
    model[2].zero_grad()
    shown = check(model, ["0", "2"], lambda model: model(x).square().sum())
    assert shown["gradient_norm"][0] == shown["update_to_data"][0] == 0
    assert shown["gradient_norm"][1] > 0


class Uneven(nn.Module):
    """A layer that is used twice, one that is not used, and one without a matrix."""

    def __init__(self):
        super().__init__()
        self.twice, self.idle, self.norm = nn.Linear(3, 3), nn.Linear(3, 3), nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(self.twice(self.twice(x).tanh()))


def test_layers_may_be_used_twice_or_never_and_have_no_matrix():
    torch.manual_seed(0)
    x, target = drawn(5, 3), drawn(5, 3, seed=2)
    model = Uneven().double()
    shown = check(model, ["twice", "idle", "norm"], lambda model: (model(x) - target).square().sum())
    assert shown["gradient_histogram"][1].isnan().all()
    assert shown["weight_gradient_histogram"][2].isnan().all()
    assert check(model, ["norm"], lambda model: (model(x) - target).square().sum())["gradient_norm"].tolist() == [0]
