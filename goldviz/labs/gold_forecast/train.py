"""What a run of the *Forecast lab* does: document 001, section 1.1, walking forward.

Every fold of the walk-forward and every seed has a network of its own, a refit. They take their epochs in turn, so that
all curves grow together, and share the cores where there are several. What one refit shows does not depend on the
others, nor on how many processes there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from goldviz.diagnostics.forecasts.moves import recorded_units
from goldviz.labs.gold_forecast.problem import ForecastProblem, forecast_problem
from goldviz.labs.gold_forecast.process_pool import ProcessPool
from goldviz.labs.gold_forecast.refit import Forecasts, Gradients, Refit, RefitTask, SeenMarket, refit
from goldviz.labs.gold_forecast.scores import (
    NETWORK,
    BaselineForecasts,
    baseline_forecasts,
    final_tables,
)
from goldviz.labs.gold_forecast.settings import LEVELS, METRICS, VOLATILITY_METRICS
from goldviz.training.devices import device_name, training_on
from goldviz.training.joined_states import joined_states, separate_states

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast
    from goldviz.runs.recorder import Recorder

    Record = Recorder[GoldForecast]

LEAST_SHARED_SECONDS = 6.0
"""Of training. Another process takes two seconds to begin, so shorter runs do not gain from it."""
FORECAST_VARIABLES = ("target", "mean", "scale", "baseline_mean", "baseline_scale", "quantile")
"""What is recorded in the unit of what is forecast."""
RECENT_FORECASTS = 250
"""Hidden states are shown at so many last forecasts."""

RefitPool = ProcessPool[Refit, RefitTask]


def train(settings: GoldForecast, record: Record) -> None:
    """Train every refit, and record every variable that the experiment declares."""
    with training_on(settings.device) as device:
        problem = forecast_problem(settings)
        tasks = refit_tasks(settings, problem, device)
        costs = [float(len(task.fold.train)) for task in tasks]
        with ProcessPool(refit, tasks, processes=processes_for(settings, record, device), costs=costs) as pool:
            # Other processes load torch meanwhile.
            baselines = baseline_forecasts(problem)
            announce(settings, record, problem, baselines, device)
            record.coordinates(layer=pool.call("layers")[0])
            record.once("parameter_count", pool.call("parameter_count")[0])
            names = [f"fold {task.fold.number}, seed {task.seed}" for task in tasks]
            if record.restored is not None:
                pool.call_each("restore", [(state,) for state in separate_states(record.restored, names)])

            for epoch in record.steps(settings.epochs, state=lambda: joined_states(names, pool.call("state"))):
                now = record.settings
                losses, gradients = zip(*pool.call("epoch", now.learning_rate, now.clip), strict=True)
                readings = losses_by_refit(losses, settings) | gradients_by_seed(gradients)
                if epoch % settings.look_every == 0 or epoch == settings.epochs:
                    with record.instrument():
                        readings |= gradients_by_seed(pool.call("look"))
                        readings |= forecasts_over_time(pool.call("forecast"), settings)
                # The loss comes last: where it is not finite the run ends, and the rest of the epoch is worth keeping.
                for name in sorted(readings, key=lambda name: name == "loss"):
                    record(name, readings[name])

            conclude(settings, record, problem, baselines, pool)


def processes_for(settings: GoldForecast, record: Record, device: torch.device) -> int:
    """How many processes share the refits. A device other than the CPU is not shared."""
    if record.processes == 1 or device.type != "cpu":
        return 1
    return record.processes if settings.estimated_seconds() >= LEAST_SHARED_SECONDS else 1


def refit_tasks(settings: GoldForecast, problem: ForecastProblem, device: torch.device) -> list[RefitTask]:
    """A task for each fold and seed; seeds change fastest."""
    answers = problem.answers
    market = SeenMarket(
        problem.inputs, problem.days, answers.rows, answers.days, problem.unchanged, problem.changes.values
    )
    return [
        RefitTask(settings, market, fold, seed, str(device), fold is problem.watched)
        for fold in problem.folds
        for seed in settings.seeds
    ]


def announce(
    settings: GoldForecast, record: Record, problem: ForecastProblem, baselines: BaselineForecasts, device: torch.device
) -> None:
    """Label the dimensions, say where the data come from, and record what does not depend on any network."""
    market, test_rows = problem.market, problem.tested
    record.coordinates(
        fold=[fold.number for fold in problem.folds],
        seed=list(settings.seeds),
        lag=list(range(settings.window)),
        channel=list(problem.panel.channels),
        time=problem.dates_of(test_rows),
        recent=problem.dates_of(problem.watched.test[-RECENT_FORECASTS:]),
        unit=list(range(settings.hidden)),
        level=list(LEVELS),
        baseline=list(baselines.means),
        volatility_baseline=list(baselines.scales),
        model=[NETWORK, *baselines.means],
        metric=list(METRICS),
        volatility_model=[NETWORK, *baselines.scales],
        volatility_metric=list(VOLATILITY_METRICS),
    )
    record.attribute(
        device=device_name(device),
        **market.provenance,
        data_last=market.last.strftime("%Y-%m-%d"),
        data_notes=" ".join([*market.notes.values(), *baselines.notes]),
        units_of=recorded_units(problem.moves, FORECAST_VARIABLES, ("price",), market.target.unit),
        columns_ahead=[link._asdict() for link in problem.columns_ahead],
        forecasts=len(test_rows),
    )
    record.once("observed", problem.observed_shares(settings.window))
    record.once("target", problem.answers.values[test_rows])
    record.once("price", problem.panel.price[problem.answers.rows[test_rows]])
    record.once("days_ahead", problem.answers.days[test_rows])
    record.once("block", np.concatenate([np.full(len(fold.test), fold.number) for fold in problem.folds]))
    record.once("baseline_mean", np.stack(list(baselines.means.values())))
    record.once("baseline_scale", np.stack(list(baselines.scales.values())))


def losses_by_refit(losses: Sequence[dict[str, float]], settings: GoldForecast) -> dict[str, np.ndarray]:
    """What every refit returns, (fold, seed) each."""
    return {name: np.reshape([one[name] for one in losses], (-1, len(settings.seeds))) for name in losses[0]}


def gradients_by_seed(gradients: Sequence[Gradients]) -> dict[str, np.ndarray]:
    """What the watched refits return, one of each seed, with seeds last."""
    measurements = [one for one in gradients if one]
    return {name: np.stack([one[name] for one in measurements], axis=-1) for name in measurements[0]}


def forecasts_over_time(forecasts: Sequence[Forecasts], settings: GoldForecast) -> dict[str, np.ndarray]:
    """Means and scales of all test blocks one after another, (time, seed)."""
    seeds = len(settings.seeds)
    return {
        name: np.stack([np.concatenate([getattr(one, name) for one in forecasts[i::seeds]]) for i in range(seeds)], 1)
        for name in ("mean", "scale")
    }


def conclude(
    settings: GoldForecast, record: Record, problem: ForecastProblem, baselines: BaselineForecasts, pool: RefitPool
) -> None:
    """Record what the best weights of all refits come to."""
    forecasts: list[Forecasts] = pool.call("forecast")
    seeds = len(settings.seeds)
    parameters = np.stack([np.concatenate([one.parameters for one in forecasts[seed::seeds]]) for seed in range(seeds)])
    over_time = forecasts_over_time(forecasts, settings)
    tables = final_tables(problem, baselines, settings.head, over_time["mean"], over_time["scale"], parameters)
    for name, values in tables.items():
        record.once(name, values)
    record.once("hidden", pool.call("hidden", RECENT_FORECASTS)[problem.watched.number * seeds])
