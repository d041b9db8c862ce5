"""What a run of *How a leaderboard fools* does: forecast at once, train what learns, and score both after each epoch.

Rows that need no training are fitted before the first epoch. Networks take their epochs in turn, each on the same
batches of a seed; the table tells each with the weights of its best epoch so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import mse_loss
from torch.optim import Optimizer

from goldviz.labs.leaderboard.choices import CONTENDERS, TRAPS
from goldviz.labs.leaderboard.problem import Problem, problem_of
from goldviz.labs.leaderboard.public_sets import recognised
from goldviz.labs.leaderboard.table import BATCH_SIZES, SHIFTS, Errors, Row, errors_of, horizons, table_of, trap_scores
from goldviz.models.series.forecasters.at_once import Forecast, LinearMap
from goldviz.models.series.forecasters.linear_family import NLinear
from goldviz.models.series.forecasters.table import AT_ONCE, FORECASTERS
from goldviz.models.series.sliding_windows import SlidingWindows
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import Grid, steps_from_state
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.leaderboard.settings import Leaderboard
    from goldviz.runs.recorder import Recorder

    Record = Recorder[Leaderboard]

AT_A_TIME = 1024
"""Windows of single channels that a network forecasts at once when it is scored."""
SHOWN_MAPS = ("nlinear",)
"""Networks whose map is drawn beside that of least squares, which is of the same form."""
MOST_WEIGHTS = 48
"""Lags and steps of a linear map that are kept to be drawn, at most."""


class Best(nn.Module):
    """The lowest error so far that chooses an epoch, and the test errors of that epoch's weights."""

    lowest: Tensor

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        window_count, channels = len(problem.tested), problem.scaled.shape[1]
        sizes = {
            "windows": (len(horizons(problem.horizon)), window_count),
            "steps": (problem.horizon,),
            "channels": (channels,),
            "shifts": (len(SHIFTS),),
            "shown": (problem.horizon,),
        }
        self.register_buffer("lowest", torch.full((), math.inf, dtype=torch.float64))
        for name, size in sizes.items():
            self.register_buffer(name, torch.full(size, math.nan, dtype=torch.float64))

    def consider(self, error: float, errors: Errors) -> None:
        """Keep these errors if the error that chooses is the lowest so far, or the first of all."""
        if error < float(self.lowest) or bool(self.get_buffer("steps").isnan().all()):
            self.lowest.fill_(error)
            for name, values in vars(errors).items():
                self.get_buffer(name).copy_(torch.from_numpy(values))

    @property
    def errors(self) -> Errors:
        """The errors of the best epoch."""
        return Errors(**{one.name: self.get_buffer(one.name).numpy() for one in fields(Errors)})


@dataclass
class Learner:
    """One network of one seed, with all that changes in training."""

    network: nn.Module
    optimiser: Optimizer
    order: torch.Generator
    by_validation: Best
    by_test: Best


def train(settings: Leaderboard, record: Record) -> None:
    """Fit, train and score every row of the table, and record every variable that the experiment declares."""
    problem = problem_of(settings)
    with training_on(settings.device) as device:
        networks = CONTENDERS[settings.contenders][1]
        grid = Grid.made(networks, settings.seeds, lambda name, seed: learner(settings, problem, name, seed, device))
        describe(settings, record, problem, networks, device)
        at_once, least_squares = fitted(settings, problem)
        for epoch in steps_from_state(record, settings.epochs, grid.parts()):
            outcomes = grid.each(lambda one, epoch=epoch: learn(one, settings, problem, epoch, device))
            with record.instrument():
                rows = [*at_once, *(_row_of(name, row) for name, row in zip(networks, grid.learners, strict=True))]
                for name, values in table_of(settings, problem, rows).items():
                    record(name, values)
                for name, values in zip(
                    ("trap_honest", "trap_score"), trap_scores(settings, problem, rows), strict=True
                ):
                    record(name, values)
            for place, name in enumerate(("test_error", "validation_error", "loss")):
                record(name, [[outcome[place] for outcome in row] for row in outcomes])
        record.once("weight", np.stack([_drawn(one) for one in (least_squares, *_trained_maps(grid))]))


def describe(
    settings: Leaderboard, record: Record, problem: Problem, networks: Sequence[str], device: torch.device
) -> None:
    """Label the dimensions; record what comes in the drawn window, and published scores where the series has some."""
    rows, first_row = [*AT_ONCE, *networks], problem.shown(settings.window)
    channel = problem.scaled[:, settings.channel - 1]
    record.coordinates(
        network=list(networks),
        seed=list(settings.seeds),
        forecaster=rows,
        rival=rows,
        until=horizons(settings.horizon),
        batch_size=list(BATCH_SIZES),
        ahead=list(range(1, settings.horizon + 1)),
        back=list(range(1 - settings.look_back, 1)),
        trap=list(TRAPS),
        shift=list(SHIFTS),
        linear_map=["least_squares", *(name for name in networks if name in SHOWN_MAPS)],
        lag=_places(settings.look_back),
        step_ahead=[place + 1 for place in _places(settings.horizon)],
    )
    record.attribute(
        device=device_name(device),
        data_source=problem.series.source,
        row=problem.series.row,
        windows=len(problem.tested),
        shown_channel=problem.series.names[settings.channel - 1],
        shown_row=first_row + 1,
    )
    public = recognised(problem.series)
    if public is not None and (scores := public.published(settings.horizon, settings.split)):
        record.coordinates(published_model=list(scores))
        record.attribute(public_set=public.label)
        record.once("published", list(scores.values()))
    record.once("past", channel[first_row - settings.look_back : first_row])
    record.once("truth", channel[first_row : first_row + settings.horizon])


def fitted(settings: Leaderboard, problem: Problem) -> tuple[list[Row], LinearMap]:
    """The rows that need no training, and the map of least squares with the look-back of all."""

    def fit(name: str, windows: SlidingWindows) -> Forecast:
        training = problem.parts.training(windows.look_back, windows.horizon)
        forecast: Forecast = FORECASTERS[name].build(windows, training, settings.season)
        return forecast

    def scored(forecast: Forecast, windows: SlidingWindows) -> Errors:
        return errors_of(forecast, windows, problem.tested, problem.shown(settings.window), settings.channel - 1)

    forecasts = {name: fit(name, problem.windows) for name in AT_ONCE}
    longer = scored(fit("least_squares", problem.longer_windows), problem.longer_windows)
    rows = [
        Row(
            name,
            [scored(forecast, problem.windows)] * len(settings.seeds),
            longer=longer if name == "least_squares" else None,
        )
        for name, forecast in forecasts.items()
    ]
    least_squares = forecasts["least_squares"]
    assert isinstance(least_squares, LinearMap)
    return rows, least_squares


def learner(settings: Leaderboard, problem: Problem, name: str, seed: int, device: torch.device) -> Learner:
    """A network at its start, with its optimiser and the order of its batches."""
    channels = problem.scaled.shape[1]
    network = FORECASTERS[name].build(settings.look_back, settings.horizon, channels, stream(seed, WEIGHTS)).to(device)
    return Learner(
        network,
        OPTIMISERS["adam"](network.parameters(), settings.learning_rate),
        stream(seed, BATCH_ORDER),
        Best(problem),
        Best(problem),
    )


def learn(
    one: Learner, settings: Leaderboard, problem: Problem, epoch: int, device: torch.device
) -> tuple[float, float, float]:
    """An epoch: the errors on test and validation part after it, and the mean training loss on its way."""
    set_learning_rate(one.optimiser, settings.learning_rate / 2 ** (epoch - 1))
    loss = one_pass(one, settings, problem, device)
    forecast = of_network(one.network, device)
    place = problem.shown(settings.window), settings.channel - 1
    validation = mean_error(forecast, problem.windows, problem.parts.validation(settings.horizon))
    errors = errors_of(forecast, problem.windows, problem.tested, *place)
    test = float(errors.windows[-1].mean())
    one.by_validation.consider(validation, errors)
    one.by_test.consider(test, errors)
    return test, validation, loss


def one_pass(one: Learner, settings: Leaderboard, problem: Problem, device: torch.device) -> float:
    """One pass over the training windows in batches; the mean loss on the way."""
    values = torch.from_numpy(problem.scaled.astype(np.float32)).to(device)
    starts = problem.parts.training(settings.look_back, settings.horizon)
    past = values.unfold(0, settings.look_back, 1)
    future = values[settings.look_back :].unfold(0, settings.horizon, 1)
    order = torch.randperm(len(starts), generator=one.order).to(device)
    losses = []
    for rows in order.split(settings.batch):
        loss = mse_loss(one.network(past[rows]), future[rows])
        clear_gradients(one.optimiser)
        loss.backward()
        take_step(one.optimiser)
        losses.append(loss.detach() * len(rows))
    return float(torch.stack(losses).sum()) / len(starts)


def of_network(network: nn.Module, device: torch.device) -> Forecast:
    """A network as a function of windows in float64, some hundred at a time."""

    @torch.no_grad()
    def forecast(
        past: Float[np.ndarray, "window channel look_back"],
    ) -> Float[np.ndarray, "window channel horizon"]:
        parts = torch.from_numpy(past.astype(np.float32)).to(device).split(max(1, AT_A_TIME // past.shape[1]))
        return torch.cat([network(part) for part in parts]).cpu().numpy().astype(np.float64)

    return forecast


def mean_error(forecast: Forecast, windows: SlidingWindows, rows: range) -> float:
    """The mean squared error on these windows."""
    squares = [((forecast(windows.past(part)) - windows.future(part)) ** 2).sum() for part in windows.blocks(rows)]
    return float(np.sum(squares) / (len(rows) * windows.horizon * windows.values.shape[1]))


def _row_of(name: str, learners: Sequence[Learner]) -> Row:
    by_test = [one.by_test.errors for one in learners]
    return Row(name, [one.by_validation.errors for one in learners], by_test=by_test)


def _trained_maps(grid: Grid[Learner]) -> list[LinearMap]:
    """The trained maps of the first seed that may be drawn beside least squares."""
    networks = zip(grid.networks, grid.first(), strict=True)
    return [_map_of(one.network) for name, one in networks if name in SHOWN_MAPS]


def _map_of(network: nn.Module) -> LinearMap:
    assert isinstance(network, NLinear)
    weights, bias = (one.detach().cpu().numpy().astype(np.float64) for one in (network.map.weight, network.map.bias))
    return LinearMap(weights.T, bias)


def _drawn(one: LinearMap) -> Float[np.ndarray, "lag step_ahead"]:
    """The weights of the lags and steps that are drawn, the newest value first."""
    look_back, horizon = one.weights.shape
    return np.asarray(one.weights[::-1][np.ix_(_places(look_back), _places(horizon))])


def _places(count: int) -> list[int]:
    """At most 48 places among so many, evenly spread; the first and the last are among them."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_WEIGHTS)).tolist()})
