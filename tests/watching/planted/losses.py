"""Faults of the loss: what it is given, over which axis, and what it cannot tell."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.watching.planted.fault import FRESH, State, learn, of_numbers, plant, regression, script
from tests.watching.planted.networks import classes, network, numbers, rows


@plant("a column of predictions, a row of targets", "broadcast_loss", "MLP", "GRU", begin=regression, judge=of_numbers)
def broadcast(state: State, seed: int) -> Tensor:
    x, features = rows(state["architecture"], seed)
    y = numbers(features)[:, 0]
    predicted = state["model"](x)
    return learn(state, ((predicted if state["faulty"] else predicted[:, 0]) - y).pow(2).mean())


@plant("raw logits in a likelihood", "below_what_is_possible", "MLP", "LSTM")
def raw_logits(state: State, seed: int) -> Tensor:
    x, features = rows(state["architecture"], seed)
    said = state["model"](x)
    return learn(state, functional.nll_loss(said if state["faulty"] else said.log_softmax(1), classes(features)))


def yes_or_no(state: State, seed: int, count: int = 32) -> Tensor:
    x, features = rows(state["architecture"], seed, count)
    y = (features[:, :1] > features[:, 1:2]).float()
    said = state["model"](x)
    return functional.binary_cross_entropy(said.softmax(1) if state["faulty"] else said.sigmoid(), y)


@plant("a softmax of one output", "softmax_over_one", "MLP", "CNN", own=True, begin=regression,
       judge=lambda state: yes_or_no(state, FRESH, 512))  # fmt: skip
def of_one(state: State, seed: int) -> Tensor:
    return learn(state, yes_or_no(state, seed))


class Cut(nn.Module):
    """A ReLU where an answer may be negative, until somebody takes it out."""

    def __init__(self, cuts: bool) -> None:
        super().__init__()
        self.cuts = cuts

    def forward(self, x: Tensor) -> Tensor:
        return x.relu() if self.cuts else x


def with_a_cut(architecture: str, faulty: bool) -> State:
    return script(nn.Sequential(network(architecture, 1), Cut(faulty)))


def take_the_cut_out(state: State) -> None:
    state["model"][1].cuts = False


@plant("a ReLU after the last layer", "output_cannot_reach", "MLP", "LSTM", own=True, begin=with_a_cut,
       judge=of_numbers, repair=take_the_cut_out)  # fmt: skip
def cut_off(state: State, seed: int) -> Tensor:
    x, features = rows(state["architecture"], seed)
    return learn(state, functional.mse_loss(state["model"](x), numbers(features)))


# -- a variational autoencoder ------------------------------------------------------------------------------------


class Variational(nn.Module):
    def __init__(self, architecture: str) -> None:
        super().__init__()
        self.encoder = network(architecture, 8)
        out = 8 if architecture == "MLP" else 64
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        middle, width = self.encoder(x).chunk(2, 1)
        drawn = middle + torch.randn_like(middle) * (width / 2).exp() if self.training else middle
        return self.decoder(drawn), middle, width


def variational(architecture: str, faulty: bool) -> State:
    return script(Variational(architecture))


def in_a_plane(state: State, seed: int, count: int = 32) -> Tensor:
    """Rows that two numbers describe."""
    x, _ = rows(state["architecture"], KEPT, 2)
    draws = torch.randn(count, 2, generator=torch.Generator().manual_seed(seed))
    return torch.tensordot(draws, x, 1)


KEPT = 7


def not_rebuilt(state: State) -> Tensor:
    x = in_a_plane(state, FRESH, 512)
    return functional.mse_loss(state["model"](x)[0], x.flatten(1))


@plant("a divergence summed over the batch, an error averaged", "outputs_alike", "MLP", "CNN", own=True,
       begin=variational, judge=not_rebuilt, steps=250)  # fmt: skip
def summed_divergence(state: State, seed: int) -> Tensor:
    x = in_a_plane(state, seed)
    rebuilt, middle, width = state["model"](x)
    divergence = -0.5 * (1 + width - middle.pow(2) - width.exp()).sum()
    weight = 1.0 if state["faulty"] else 1 / x.numel() / 4
    return learn(state, functional.mse_loss(rebuilt, x.flatten(1)) + weight * divergence)
