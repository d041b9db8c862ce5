"""One refit of the *Forecast lab*: a network of one fold and one seed, trained epoch by epoch on the fold's past.

The weights of its best validation loss make its forecasts. A refit draws from random streams of its own, and knows of
no other refit: it is the same in whatever company and process.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from goldviz.data.markets.walk_forward import Fold
from goldviz.diagnostics.gradients import norms, update_to_data
from goldviz.labs.gold_forecast.models.forecaster import AttentionParts, FlatReader, Forecaster, dropped
from goldviz.labs.gold_forecast.problem import rows_learnt
from goldviz.labs.gold_forecast.windows import WindowBatch, Windows
from goldviz.training.clipping import clip_gradients
from goldviz.training.memory import keep_freed_memory
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DROPOUT_AND_NOISE, READ_OUT_WEIGHTS, WEIGHTS, stream
from goldviz.training.state import Part, pack, unpack

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

Gradients = dict[str, np.ndarray]
"""By the name of the variable; empty for a refit that is not watched."""

LOOKED_AT = 256
"""Windows that a look at gradients takes."""
EVALUATED_AT_ONCE = 1024


@dataclass(frozen=True)
class SeenMarket:
    """What all refits share: inputs (rows, channels), days of the rows, the row of each forecast, and its answer.

    ``days_ahead`` are the calendar days from a forecast to its answer, ``unchanged`` is the answer if nothing changes,
    and ``changes`` is how far the answer is from it.
    """

    inputs: Float[np.ndarray, "rows channels"]
    days: Float[np.ndarray, " rows"]
    rows: Int[np.ndarray, " n"]
    days_ahead: Float[np.ndarray, " n"]
    unchanged: Float[np.ndarray, " n"]
    changes: Float[np.ndarray, " n"]


@dataclass(frozen=True)
class RefitTask:
    """What a refit is made of; ``watched`` ones measure their gradients."""

    settings: GoldForecast
    market: SeenMarket
    fold: Fold
    seed: int
    device: str
    watched: bool


@dataclass(frozen=True)
class Forecasts:
    """Forecasts of a fold's test block in the target's unit, (test,) each, and their distributions' parameters."""

    mean: Float[np.ndarray, " test"]
    scale: Float[np.ndarray, " test"]
    parameters: Float[np.ndarray, "test parameters"]


class RefitProgress(nn.Module):
    """Epochs done, and the best of them; 0 and infinity while no validation loss was finite."""

    epochs: Tensor
    best_epoch: Tensor
    best_loss: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("epochs", torch.zeros((), dtype=torch.int64))
        self.register_buffer("best_epoch", torch.zeros((), dtype=torch.int64))
        self.register_buffer("best_loss", torch.full((), math.inf, dtype=torch.float64))

    def improves(self, loss: float) -> bool:
        """Count an epoch with this validation loss, and say whether it is the best so far."""
        self.epochs += 1
        better = loss < float(self.best_loss)
        if better:
            self.best_loss.fill_(loss)
            self.best_epoch.copy_(self.epochs)
        return better


def refit(task: RefitTask) -> Refit:
    """A refit at its start, in whichever process."""
    keep_freed_memory()
    return Refit(task)


class Refit:
    """See the module's docstring. Its answers to calls are numbers and numpy arrays."""

    def __init__(self, task: RefitTask) -> None:
        settings, market, fold = task.settings, task.market, task.fold
        self.task = task
        self.device = torch.device(task.device)
        learnt = rows_learnt(market.rows, fold, settings.window)
        self.windows = Windows(market.inputs, market.days, settings.window, learnt, self.device)
        self.unit = float(market.changes[fold.train].std())
        self.network = Forecaster(
            settings.network,
            settings.head,
            window=settings.window,
            channels=market.inputs.shape[1],
            hidden=settings.hidden,
            centred=settings.target == "volatility",
            weights=lambda index: stream(task.seed, WEIGHTS + index),
            head_weights=stream(task.seed, READ_OUT_WEIGHTS),
            attention=AttentionParts(settings.attention, int(settings.kernel), settings.positions, settings.activation),
        ).to(self.device)
        self.best = deepcopy(self.network)
        self.optimiser = OPTIMISERS[settings.optimiser](self.network.parameters(), settings.learning_rate)
        self.order = stream(task.seed, BATCH_ORDER)
        self.noise = stream(task.seed, DROPOUT_AND_NOISE, self.device)
        self.progress = RefitProgress()

    def epoch(self, learning_rate: float, clip: float) -> tuple[dict[str, float], Gradients]:
        """Train for an epoch: losses by name, and what a watched refit measures."""
        set_learning_rate(self.optimiser, learning_rate)
        positions = self.task.fold.train
        order = torch.randperm(len(positions), generator=self.order).numpy()
        losses, norms_by_step = [], []
        for batch in np.array_split(positions[order], math.ceil(len(positions) / self.task.settings.batch)):
            mean_loss, readings = self._step(batch, clip or math.inf)
            losses.append(mean_loss * len(batch))
            norms_by_step.append(readings)
        validation_loss = self._validation_loss()
        if self.progress.improves(validation_loss):
            self.best.load_state_dict(self.network.state_dict())
        losses_of_epoch = {
            "loss": float(torch.stack(losses).sum()) / len(positions),
            "validation_loss": validation_loss,
            "best_epoch": float(self.progress.best_epoch),
        }
        return losses_of_epoch, {
            name: _finite_mean([readings[name] for readings in norms_by_step]) for name in norms_by_step[0]
        }

    def forecast(self) -> Forecasts:
        """Forecast the test block with the best weights so far."""
        test = self.task.fold.test
        with torch.no_grad():
            parameters = torch.cat([self.best(windows) for windows, _ in self._batches(test)]).cpu().double()
            # In float64, because float32's seven digits are too few for a price whose changes matter.
            head = deepcopy(self.best.head).cpu().double()
            last_values = torch.from_numpy(self.task.market.unchanged[test])[:, None]
            parameters = head.rescaled(parameters, last_values, self.unit)
            values = (head.mean(parameters), head.standard_deviation(parameters), parameters)
        return Forecasts(*(value.numpy() for value in values))

    def look(self) -> Gradients:
        """Gradients through time, of a watched refit: by hidden states of the newest training windows, and by inputs.

        Empty for the others.
        """
        if not self.task.watched:
            return {}
        newest, answers = self._at(self.task.fold.train[-LOOKED_AT:])
        windows, _ = self._at(self.task.fold.test[-LOOKED_AT:])
        return {
            "state_gradient_norm": gradients_by_state(self.network, newest, answers),
            # Of the weights that forecast, where the other is of those that are trained.
            "input_gradient": gradients_by_input(self.best, windows),
        }

    def hidden(self, count: int) -> Float[np.ndarray, "recent unit"]:
        """The best network's last hidden states at the last ``count`` forecasts of the test block."""
        with torch.no_grad():
            states = [self.best.states(windows)[-1] for windows, _ in self._batches(self.task.fold.test[-count:])]
        return torch.cat(states).cpu().numpy()

    def parameter_count(self) -> int:
        """How many numbers are trained."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def layers(self) -> list[str]:
        """Names of its weight matrices."""
        return list(self.network.matrices())

    def state(self) -> bytes:
        """All that it needs to go on exactly where it stands."""
        return pack(self._parts())

    def restore(self, state: bytes) -> None:
        """Go on from there."""
        unpack(state, self._parts())

    def _parts(self) -> dict[str, Part]:
        names = ("network", "best", "optimiser", "order", "noise", "progress")
        return {name: getattr(self, name) for name in names}

    def _step(self, positions: Int[np.ndarray, " batch"], largest: float) -> tuple[Tensor, dict[str, Tensor]]:
        """One step on these positions: the loss before it, and what a watched refit measures."""
        windows, answers = self._at(positions)
        state = dropped(self.network.states(windows)[-1], self.task.settings.dropout, self.noise)
        loss = self.network.head.losses(self.network.head(state), answers).mean()
        clear_gradients(self.optimiser)
        loss.backward()
        matrices = list(self.network.matrices().values()) if self.task.watched else []
        before = [matrix.detach().clone() for matrix in matrices]
        slopes = [matrix.grad for matrix in matrices if matrix.grad is not None]
        readings = {"gradient_norm": norms(slopes)} if self.task.watched else {}
        clip_gradients(self.network.parameters(), largest)
        take_step(self.optimiser)
        if self.task.watched:
            readings["update_to_data"] = update_to_data(before, matrices)
        return loss.detach(), readings

    def _validation_loss(self) -> float:
        with torch.no_grad():
            each = [
                self.network.head.losses(self.network(windows), answers)
                for windows, answers in self._batches(self.task.fold.validation)
            ]
        return float(torch.cat(each).double().mean())

    def _batches(self, positions: Int[np.ndarray, " any"]) -> Iterator[tuple[WindowBatch, Tensor]]:
        """Windows and answers of these positions, not all at once."""
        for start in range(0, len(positions), EVALUATED_AT_ONCE):
            yield self._at(positions[start : start + EVALUATED_AT_ONCE])

    def _at(self, positions: Int[np.ndarray, " batch"]) -> tuple[WindowBatch, Tensor]:
        """The windows of these positions and their standardised answers."""
        market = self.task.market
        rows, days_ahead = (torch.from_numpy(values[positions]) for values in (market.rows, market.days_ahead))
        windows = self.windows.ending_at(rows, days_ahead)
        answers = market.changes[positions] / self.unit
        return windows, torch.as_tensor(answers, dtype=torch.float32, device=self.device)


def _finite_mean(values: list[Tensor]) -> np.ndarray:
    """The mean over steps; a ratio to weights that are still all equal is infinite, and left out."""
    losses = torch.stack(values).double()
    return torch.where(losses.isfinite(), losses, math.nan).nanmean(0).cpu().numpy()


def gradients_by_state(
    network: Forecaster, windows: WindowBatch, answers: Float[Tensor, " batch"]
) -> Float[np.ndarray, " lag"]:
    """||dL/dh|| of one window's own loss by the state k rows before the forecast's, mean over the windows.

    Entry 0 is the state that the head reads. NaN for a network without states on the way, and for one whose numbers
    are not finite.
    """
    steps = len(windows.table)
    states = network.reader.chain(windows)
    if isinstance(network.reader, FlatReader) or not states[-1].isfinite().all():
        return np.full(steps, math.nan)
    loss = network.head.losses(network.head(states[-1]), answers).sum()
    gradients = torch.autograd.grad(loss, states, allow_unused=True)
    slopes = torch.stack([torch.zeros_like(h) if g is None else g for h, g in zip(states, gradients, strict=True)])
    lengths: Tensor = torch.linalg.vector_norm(slopes.double(), dim=2)
    return lengths.mean(1).flip(0).cpu().numpy()


def gradients_by_input(network: Forecaster, windows: WindowBatch) -> Float[np.ndarray, "lag channels"]:
    """|dm/dx| of the forecast mean by each observed value, k rows before the forecast, mean over the windows.

    In standard deviations of the target for one of the channel. A network whose mean is held at 0 forecasts a width:
    then it is that of the standard deviation. NaN where a channel was never observed so many rows before.
    """
    table = windows.table.detach().clone().requires_grad_()
    parameters = network(replace(windows, table=table))
    forecast = (network.head.standard_deviation if network.head.centred else network.head.mean)(parameters)
    (slopes,) = torch.autograd.grad(forecast.sum(), table)
    mask = windows.mask
    sizes = torch.where(mask, slopes[:, :, : windows.channels].abs(), 0.0).double().sum(1)
    return (sizes / mask.sum(1)).flip(0).cpu().numpy()
