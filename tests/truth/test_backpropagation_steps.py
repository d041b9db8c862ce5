"""*Backpropagation, step by step*, computed once more by torch.nn, losses of torch's own and Jacobians by autograd."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.training.seeds import DATA, WEIGHTS, stream

CASES = {
    "tanh, squared": {"seed": 3, "layers": 4, "width": 5, "inputs": 4, "outputs": 3, "gain": 1.7},
    "GELU, softmax, three samples": {
        "seed": 4,
        "layers": 3,
        "width": 6,
        "inputs": 2,
        "outputs": 4,
        "loss": "cross_entropy",
        "activation": "gelu",
        "samples": 3,
        "penalty": 0.2,
    },
    "LeakyReLU, linear end, penalty": {
        "seed": 5,
        "layers": 5,
        "activation": "leaky_relu",
        "slope": 0.3,
        "last": "identity",
        "penalty": 0.4,
        "samples": 2,
        "outputs": 1,
    },
}
PHI = {"tanh": nn.Tanh(), "gelu": nn.GELU(), "leaky_relu": nn.LeakyReLU(0.3)}


def rounded(values):
    return torch.tensor(np.array([round(value, 2) for value in values.flatten().tolist()])).view(values.shape)


class Twin:
    """The network as torch builds it, with the page's draws, and all gradients by its autograd."""

    def __init__(self, settings):
        sides = [settings.inputs, *[settings.width] * (settings.layers - 1), settings.outputs]
        self.layers = [self._layer(settings, *place) for place in enumerate(pairwise(sides))]
        generator = stream(settings.seed, DATA)
        inputs = torch.randn(4, 8, generator=generator, dtype=torch.float64)
        targets = torch.rand(4, 8, generator=generator, dtype=torch.float64)
        x, targets = rounded(inputs[: settings.samples, : settings.inputs]), targets[: settings.samples]
        self.x, self.z = [x], []
        for layer in self.layers:
            self.z.append(layer(self.x[-1]))
            last = layer is self.layers[-1] and (settings.loss == "cross_entropy" or settings.last == "identity")
            self.x.append(self.z[-1].clone() if last else PHI[settings.activation](self.z[-1]))
        targets = targets[:, : settings.outputs]
        if settings.loss == "squared":
            fit = functional.mse_loss(self.x[-1], rounded(targets), reduction="sum") / 2
        else:
            fit = functional.cross_entropy(self.x[-1], targets.argmax(1), reduction="sum")
        weights = torch.cat([layer.weight.flatten() for layer in self.layers])
        self.loss = fit + settings.penalty / 2 * weights.dot(weights)

    def _layer(self, settings, index, sides):
        before, after = sides
        generator = stream(settings.seed, WEIGHTS + index)
        weight = torch.randn(8, 8, generator=generator, dtype=torch.float64)[:after, :before]
        layer = nn.Linear(before, after).double()
        layer.weight.data = rounded(weight * settings.gain / before**0.5)
        layer.bias.data = rounded(0.1 * torch.randn(8, generator=generator, dtype=torch.float64)[:after])
        return layer

    def gradients(self, tensors):
        return torch.autograd.grad(self.loss, tensors, retain_graph=True)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    settings = BackpropagationSteps.checked(CASES[request.param])
    return settings, settings.compute(), Twin(settings)


def assert_rows(array, tensors):
    for row, tensor in zip(array, tensors, strict=True):
        found = row[tuple(slice(size) for size in tensor.shape)]
        np.testing.assert_allclose(found, tensor.detach().numpy(), rtol=0, atol=1e-12)
        assert np.isfinite(row).sum() == tensor.numel()


def test_every_number_is_torchs(case):
    _, ds, twin = case
    assert ds.attrs["loss"] == pytest.approx(float(twin.loss.detach()), rel=1e-12)
    assert_rows(ds["x"].values, twin.x)
    assert_rows(ds["z"].values, twin.z)
    assert_rows(ds["delta"].values, twin.gradients(twin.z))
    assert_rows(ds["arriving"].values, twin.gradients(twin.x[1:]))
    assert_rows(ds["weight_gradient"].values, twin.gradients([layer.weight for layer in twin.layers]))
    assert_rows(ds["bias_gradient"].values, twin.gradients([layer.bias for layer in twin.layers]))


def test_one_step_of_sgd_gives_the_loss_that_is_shown(case):
    settings, ds, twin = case
    edits = []
    for index, layer in enumerate(twin.layers, 1):
        for name, parameter in (("w", layer.weight), ("b", layer.bias)):
            [gradient] = twin.gradients([parameter])
            moved = (parameter - settings.learning_rate * gradient).detach().numpy()
            for place, value in np.ndenumerate(moved):
                edits.append(f"{name}{index}.{'.'.join(str(at + 1) for at in place)}={float(value)!r}")
    after = settings.changed(edits=";".join(edits)).compute()
    assert after.attrs["loss"] == pytest.approx(ds.attrs["loss_after_update"], rel=1e-10)


def test_the_softmaxs_matrix_is_autograds(case):
    settings, ds, twin = case
    if settings.loss == "cross_entropy":
        of_one = torch.autograd.functional.jacobian
        expected = torch.stack([of_one(lambda o: o.softmax(0), logits) for logits in twin.x[-1].detach()])
        assert_rows(ds["softmax_jacobian"].values, expected)
