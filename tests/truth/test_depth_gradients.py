"""*Gradient flow in depth*, trained once more by torch.nn, torch.optim and autograd.functional.

Only the drawn weights and samples are taken from the laboratory; layers, losses, steps and every reading are made anew.
"""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.functional import jacobian
from torch.nn.utils import clip_grad_norm_

import goldviz.api
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.train import problem, trainee

SEED = 11
SHARED = {
    "depth": 4,
    "width": 7,
    "features": 5,
    "samples": 40,
    "epochs": 3,
    "histogram_every": 1,
    "dropout": 0.0,
    "noise": 0.0,
    "seeds": (SEED,),
}
# Adam would make steps of the rounding in a bias under batch norm, whose true gradient is zero.
CASES = {
    "tanh": {
        "activation": "tanh",
        "normalisation": "layer",
        "residual_scale": 0.7,
        "read_out": "untied",
        "optimiser": "adamw",
        "learning_rate": 0.02,
        "initialisation": "xavier",
        "gain": 1.3,
        "clip": 0.4,
    },
    "gelu": {
        "activation": "gelu",
        "normalisation": "batch",
        "residual_scale": 1.4,
        "optimiser": "sgd",
        "learning_rate": 0.05,
        "initialisation": "kaiming",
        "mask_rate": 0.5,
    },
    "sigmoid": {"activation": "sigmoid", "batch": 16, "initialisation": "orthogonal", "gain": 2.0, "shallower": 1},
}
ACTIVATIONS = {"tanh": nn.Tanh, "gelu": nn.GELU, "sigmoid": nn.Sigmoid}
NORMS = {"none": lambda width: nn.Identity(), "batch": nn.BatchNorm1d, "layer": nn.LayerNorm}
OPTIMISERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": lambda parameters, lr: torch.optim.SGD(parameters, lr=lr, momentum=0.9),
}
CLOSE = {"rtol": 3e-3, "atol": 1e-6}
"""The laboratory computes in float32, and this file in float64."""


class Twin(nn.Module):
    """The same network of nn.Linear layers, in float64, that keeps its hidden states."""

    def __init__(self, settings, ours, residual):
        super().__init__()
        self.scale = settings.residual_scale if residual else None
        self.first = nn.Linear(settings.features, settings.width)
        self.blocks = nn.ModuleList(nn.Linear(settings.width, settings.width) for _ in range(settings.depth))
        self.norms = nn.ModuleList(NORMS[settings.normalisation](settings.width) for _ in range(settings.depth))
        self.last = nn.Linear(settings.width, settings.features) if settings.read_out == "untied" else None
        self.output_bias = nn.Parameter(torch.zeros(settings.features))
        self.phi = ACTIVATIONS[settings.activation]()
        self.double()
        with torch.no_grad():
            self.first.weight.copy_(ours.input_weight)
            self.first.bias.copy_(ours.input_bias)
            for layer, weight, bias in zip(self.blocks, ours.block_weight, ours.block_bias, strict=True):
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)
            self.output_bias.copy_(ours.output_bias)
            if self.last is not None:
                self.last.weight.copy_(ours.read_out_weight)
                self.last.bias = None

    def block(self, number, h):
        made = self.phi(self.norms[number](self.blocks[number](h)))
        return made if self.scale is None else h + self.scale * made

    def forward(self, x):
        self.states = [self.phi(self.first(x))]
        for number in range(len(self.blocks)):
            self.states.append(self.block(number, self.states[-1]))
        for state in self.states:
            if state.requires_grad:
                state.retain_grad()
        weight = self.first.weight.T if self.last is None else self.last.weight
        return nn.functional.linear(self.states[-1], weight, self.output_bias)

    def matrices(self):
        layers = [self.first, *self.blocks, *([self.last] if self.last is not None else [])]
        return [layer.weight for layer in layers]


def batches(settings, order):
    if not settings.batch:
        return [torch.arange(settings.samples)]
    return torch.randperm(settings.samples, generator=order).split(settings.batch)


def norms_of(tensors):
    return np.array([tensor.norm().item() for tensor in tensors])


def trained(settings, residual):
    """What every epoch shows, and the test loss."""
    data = problem(settings, SEED, torch.device("cpu"))
    x, y, test_x, test_y = (part.double() for part in (data.x, data.y, data.test_x, data.test_y))
    twin = Twin(settings, trainee(settings, "residual" if residual else "plain", SEED, data).network, residual)
    optimiser = OPTIMISERS[settings.optimiser](twin.parameters(), lr=settings.learning_rate)
    order = torch.Generator().manual_seed(1000 * SEED + 2)
    epochs = []
    for _ in range(settings.epochs):
        seen = []
        for rows in batches(settings, order):
            loss = (twin.train()(x[rows]) - y[rows]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            before = [weight.detach().clone() for weight in twin.matrices()]
            gradients = norms_of([weight.grad for weight in twin.matrices()])
            states = norms_of([state.grad for state in twin.states])
            whole = clip_grad_norm_(twin.parameters(), settings.clip or torch.inf)
            optimiser.step()
            pairs = zip(before, twin.matrices(), strict=True)
            steps = np.array([((new - old).std() / old.std()).item() for old, new in pairs])
            clipped = np.array(float(settings.clip > 0 and whole > settings.clip))
            seen.append(
                {
                    "loss": np.array(loss.item()),
                    "gradient_norm": gradients,
                    "hidden_gradient_norm": states,
                    "update_to_data": steps,
                    "clipped": clipped,
                }
            )
        means = {name: np.mean([one[name] for one in seen], axis=0) for name in seen[0]}
        epochs.append(means | looked_at(twin, x) | {"evaluation_loss": unseen_loss(twin, test_x, test_y)})
    with torch.no_grad():
        return epochs, float(unseen_loss(twin, test_x, test_y)), test_y.square().mean().item()


def unseen_loss(twin, x, y):
    with torch.no_grad():
        return np.array((twin.eval()(x) - y).square().mean().item())


def looked_at(twin, x):
    with torch.no_grad():
        twin.eval()(x)
    states = [state.detach() for state in twin.states]
    gains = [
        [
            jacobian(lambda h, n=n: twin.block(n, h[None])[0], row).square().sum().div(len(row)).sqrt()
            for row in state[:4]
        ]
        for n, state in enumerate(states[:-1])
    ]
    return {
        "activation_mean": np.array([state.mean().item() for state in states]),
        "activation_std": np.array([state.std().item() for state in states]),
        "weight_norm": norms_of([weight.detach() for weight in twin.matrices()]),
        "jacobian_gain": np.array([np.mean(rows) for rows in gains]),
        "state_change": np.array(
            [((after - before).norm(dim=1) / before.norm(dim=1)).mean().item() for before, after in pairwise(states)]
        ),
    }


@pytest.mark.parametrize("name", CASES)
def test_what_the_page_shows_is_what_plain_torch_measures(name):
    settings = DepthGradients(**SHARED, **CASES[name])
    dataset = goldviz.api.run(settings, progress=False)
    for residual, network in enumerate(["plain", "residual"]):
        shown = dataset.sel(network=network, seed=SEED)
        epochs, test_loss, zero_loss = trained(settings, residual)
        for epoch, seen in enumerate(epochs, start=1):
            for variable, values in seen.items():
                grows = {"histogram_epoch" if variable in ("jacobian_gain", "state_change") else "epoch": epoch}
                np.testing.assert_allclose(shown[variable].sel(grows), values, err_msg=variable, **CLOSE)
            rates = np.diff(np.log(seen["gradient_norm"]))
            np.testing.assert_allclose(shown.decay_rate.sel(epoch=epoch)[:-1], rates, atol=1e-2)
        np.testing.assert_allclose(shown.test_loss, test_loss, rtol=1e-3)
        np.testing.assert_allclose(shown.zero_loss, zero_loss, rtol=1e-5)
        if settings.shallower:
            shallow, _, _ = trained(settings.changed(depth=2), residual)
            beside = shown.loss_by_depth.sel(trained_depth=2)
            np.testing.assert_allclose(beside, [float(seen["loss"]) for seen in shallow], rtol=1e-3)


def test_samples_have_the_document_s_law():
    """Annex 5.3.1 by numpy: moments of sin(XC) + cos(2 XC) + 0.5 eps, the mask's share, and the noise of y."""
    settings = DepthGradients(samples=20_000, features=6, mask_rate=0.4)
    data = problem(settings, SEED, torch.device("cpu"))
    x, noise = data.x.numpy().astype(float), (data.y - data.x).numpy()
    drawn = np.random.default_rng(0)
    mixing = np.full((6, 6), 0.3) + 0.5 * np.eye(6)
    mixed = drawn.standard_normal((200_000, 6)) @ mixing
    expected = np.sin(mixed) + np.cos(2 * mixed) + 0.5 * drawn.standard_normal(mixed.shape)
    assert (x == 0).mean() == pytest.approx(0.4, abs=0.01)
    assert noise.std() == pytest.approx(0.15, rel=0.02)
    kept = x[x != 0]
    assert kept.mean() == pytest.approx(expected.mean(), abs=0.02)
    assert kept.std() == pytest.approx(expected.std(), rel=0.02)
    both = (x[:, 0] != 0) & (x[:, 1] != 0)
    correlation = np.corrcoef(x[both, 0], x[both, 1])[0, 1]
    assert correlation == pytest.approx(np.corrcoef(expected[:, 0], expected[:, 1])[0, 1], abs=0.03)
