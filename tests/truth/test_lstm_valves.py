"""*LSTM valves*, computed once more by torch.nn.LSTMCell and autograd, with every gate a tensor of its own."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from goldviz.data.problems import sequences
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.lstm import LSTM
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, WEIGHTS, stream

SEED, UNITS = 41, 9
CASES = {
    "recall, last": {"task": "recall", "length": 17, "forget_bias": 0.7, "output_bias": -1.0, "input_scale": 0.8},
    "sine, every": {
        "task": "sine",
        "length": 23,
        "loss_at": "every",
        "forget_bias": 2.5,
        "input_bias": 1.5,
        "gain": 0.6,
    },
    "adding, every": {"task": "adding", "length": 9, "loss_at": "every", "forget_bias": -1.5},
}
TASKS = {"recall": sequences.delayed_recall, "sine": sequences.slow_sine, "adding": sequences.adding_problem}


class Twin:
    """The forward pass with the weights and the sequence of the page, by eq. 10-15, and its loss."""

    def __init__(self, settings):
        task = TASKS[settings.task](settings.length, 1, stream(SEED, DATA))
        layer = LSTM(task.inputs.shape[2], UNITS, dtype=torch.float64)
        biases = {"forget": settings.forget_bias, "output": settings.output_bias, "input": settings.input_bias}
        how = RecurrentInitialisation("gaussian", "gain", settings.gain, settings.input_scale, biases)
        initialise(layer, lambda index: stream(SEED, WEIGHTS + index), how)
        cell = nn.LSTMCell(layer.inputs, UNITS).double()
        order = ("input", "forget", "candidate", "output")
        for parameter, weights in ((cell.weight_ih, layer.W_x), (cell.weight_hh, layer.W_h), (cell.bias_ih, layer.b)):
            parameter.data = torch.cat([layer.block(weights, gate) for gate in order]).detach()
        cell.bias_hh.data.zero_()
        self.cell = cell
        self._read(task.inputs.double())
        self.loss = self._loss(settings, task)

    def _read(self, inputs):
        h = c = torch.zeros(1, UNITS, dtype=torch.float64)
        self.parts = {name: [] for name in ("i", "f", "o", "candidate", "h", "c")}
        for x in inputs:
            sums = x @ self.cell.weight_ih.t() + h @ self.cell.weight_hh.t() + self.cell.bias_ih
            i, f, candidate, o = sums.chunk(4, 1)
            i, f, o, candidate = i.sigmoid(), f.sigmoid(), o.sigmoid(), candidate.tanh()
            by_torch = self.cell(x, (h, c))
            c = f * c + i * candidate
            h = o * c.tanh()
            torch.testing.assert_close((h, c), by_torch, rtol=0, atol=1e-12)
            for name, part in zip(self.parts, (i, f, o, candidate, h, c), strict=True):
                self.parts[name].append(part)

    def _loss(self, settings, task):
        outputs = task.classes if settings.task == "recall" else 1
        read_out = torch.randn(outputs, UNITS, generator=stream(SEED, READ_OUT_WEIGHTS), dtype=torch.float64) / 3
        answers, targets = torch.stack(self.parts["h"]) @ read_out.t(), task.targets
        if not task.scored.all():
            targets = targets[-1:].expand_as(targets)
        if settings.loss_at == "last":
            answers, targets = answers[-1:], targets[-1:]
        if settings.task == "recall":
            return functional.cross_entropy(answers.flatten(0, 1), targets.flatten())
        return ((answers.squeeze(2) - targets.double()) ** 2).mean()

    def gradient(self, name):
        found = torch.autograd.grad(self.loss, self.parts[name], retain_graph=True, allow_unused=True)
        shaped = [torch.zeros(1, UNITS, dtype=torch.float64) if one is None else one for one in found]
        return torch.cat(shaped).numpy()

    def value(self, name):
        return torch.cat(self.parts[name]).detach().numpy()


@pytest.fixture(scope="module", params=CASES)
def case(request):
    settings = LSTMValves.checked({"seed": SEED, "hidden": UNITS, **CASES[request.param]})
    return settings.compute(), Twin(settings)


def lengths(gradient):
    return np.linalg.norm(gradient, axis=1)


def test_every_gradient_is_autograds(case):
    ds, twin = case
    assert ds.attrs["loss"] == pytest.approx(float(twin.loss.detach()), rel=1e-12)
    for name, part in (
        ("cell", "c"),
        ("candidate", "candidate"),
        ("output_gate", "o"),
        ("input_gate", "i"),
        ("forget_gate", "f"),
    ):
        np.testing.assert_allclose(ds[name], lengths(twin.gradient(part)), atol=1e-11)


def test_the_two_parts_of_eq_17_are_exact_for_the_total_derivative(case):
    """dL/dh_t over all paths, times the output valve, and the forget gate times dL/dc_(t+1): nothing is missing."""
    ds, twin = case
    valve = twin.value("o") * (1 - np.tanh(twin.value("c")) ** 2)
    through_hidden = twin.gradient("h") * valve
    through_next = np.zeros_like(through_hidden)
    through_next[:-1] = twin.gradient("c")[1:] * twin.value("f")[1:]
    np.testing.assert_allclose(ds["through_hidden"], lengths(through_hidden), atol=1e-11)
    np.testing.assert_allclose(ds["through_next_cell"], lengths(through_next), atol=1e-11)
    np.testing.assert_allclose(through_hidden + through_next, twin.gradient("c"), atol=1e-12)


def test_the_valves_stand_where_the_gates_do(case):
    ds, twin = case
    valve = twin.value("o") * (1 - np.tanh(twin.value("c")) ** 2)
    for name, expected in (("forget", twin.value("f")), ("input", twin.value("i")), ("output", valve)):
        np.testing.assert_allclose(ds["opening"].sel(valve=name), expected, atol=1e-12)


def test_the_reach_is_counted_from_the_end(case):
    ds, twin = case
    norms = lengths(twin.gradient("c"))
    back = [step for step in range(len(norms)) if norms[-1 - step] < norms[-1] / 100]
    assert ds.attrs["reach"] == (back[0] if back else len(norms))


def test_the_curve_of_biases_is_made_of_such_networks():
    values = {"seed": SEED, "hidden": UNITS, **CASES["recall, last"]}
    ds = LSTMValves.checked(values).compute()
    for bias in (-1.0, 3.0):
        norms = lengths(Twin(LSTMValves.checked({**values, "forget_bias": bias})).gradient("c"))
        back = [step for step in range(len(norms)) if norms[-1 - step] < norms[-1] / 100]
        assert int(ds["reach_by_bias"].sel(bias=bias)) == (back[0] if back else len(norms))
