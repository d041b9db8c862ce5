"""What a run of *Echo-state network* does: a fixed reservoir, read by least squares (Jaeger 2001)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from goldviz.training.grid import is_look
from goldviz.training.seeds import DATA, WEIGHTS, stream
from goldviz.training.state import Part, pack, unpack

if TYPE_CHECKING:
    from goldviz.runs.recorder import Recorder
    from tests.by_recipe.memories.echo_state.settings import EchoState

SHARES = {"half": 0.5, "whole": 1.0}
STRETCH, LAGS = 20, 25


class Reservoir(nn.Module):
    """Fixed weights, the state, and the sums that least squares takes for every lag."""

    state: Tensor
    squares: Tensor
    products: Tensor

    def __init__(self, settings: EchoState, share: float, seed: int) -> None:
        super().__init__()
        random, units = stream(seed, WEIGHTS), settings.units
        weights = torch.randn(units, units, generator=random, dtype=torch.float64)
        scale = share * settings.radius / torch.linalg.eigvals(weights).abs().max()
        self.weights, self.inputs = weights * scale, torch.randn(units, generator=random, dtype=torch.float64)
        for name, shape in (("state", (units,)), ("squares", (units, units)), ("products", (units, LAGS))):
            self.register_buffer(name, torch.zeros(shape, dtype=torch.float64))

    def heard(self, inputs: Tensor) -> Tensor:
        """The states after each input, (input, unit)."""
        states = []
        for one in inputs:
            self.state = torch.tanh(self.weights @ self.state + 0.1 * self.inputs * one)
            states.append(self.state)
        return torch.stack(states)

    def learn(self, states: Tensor, wanted: Tensor) -> None:
        """Add a stretch to the sums."""
        self.squares += states.T @ states
        self.products += states.T @ wanted

    def read_out(self, ridge: float) -> Tensor:
        """The weights of least squares, (unit, lag)."""
        return torch.linalg.solve(
            self.squares + ridge * torch.eye(len(self.squares), dtype=torch.float64), self.products
        )


def train(settings: EchoState, record: Recorder[EchoState]) -> None:
    """Let every reservoir hear its seed's inputs, foretell earlier ones, and learn."""
    record.coordinates(network=list(SHARES), seed=list(settings.seeds), lag=list(range(1, LAGS + 1)))
    nets = {name: [Reservoir(settings, share, seed) for seed in settings.seeds] for name, share in SHARES.items()}
    series = [torch.randn(settings.steps * STRETCH + LAGS, generator=stream(seed, DATA), dtype=torch.float64)
              for seed in settings.seeds]  # fmt: skip
    parts: dict[str, Part] = {f"{name}/{at}": one for name, row in nets.items() for at, one in enumerate(row)}
    if record.restored is not None:
        unpack(record.restored, parts)
    for step in record.steps(settings.steps, state=lambda: pack(parts)):
        begins, ridge = (step - 1) * STRETCH + LAGS, record.settings.ridge
        losses, shares = [], []
        for row in nets.values():
            for one, whole in zip(row, series, strict=True):
                states = one.heard(whole[begins : begins + STRETCH])
                wanted = torch.stack([whole[begins - lag : begins - lag + STRETCH] for lag in range(1, LAGS + 1)], 1)
                told = states @ one.read_out(ridge)
                losses.append((told - wanted).square().mean())
                one.learn(states, wanted)
                told = states @ one.read_out(ridge)
                shares.append(1 - (told - wanted).square().mean(0) / wanted.square().mean(0))
        shape = (len(nets), len(settings.seeds))
        if is_look(step, settings.steps, settings.look_every):
            record("memory", torch.stack(shares).clamp(0, 1).reshape(*shape, LAGS).numpy())
        record("loss", torch.stack(losses).reshape(shape).numpy())
