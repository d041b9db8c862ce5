"""Datasets of the forecast laboratory built by hand: returns with clusters of volatility, forecasts of known skill."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from goldviz.labs.gold_forecast.scoring.tables import (
    DistributionLosses,
    mean_score_table,
    volatility_score_table,
)
from goldviz.labs.gold_forecast.settings import (
    LEVELS,
    METRICS,
    VOLATILITY_METRICS,
    GoldForecast,
)
from goldviz.models.baselines.mean_baselines import MEAN_FORECASTS
from goldviz.models.baselines.volatility_baselines import VOLATILITY_FORECASTS

Stage = Literal["empty", "start", "running", "finished", "diverged"]
CHANNELS = ("GC=F", "SI=F", "DX-Y.NYB", "^TNX", "^VIX", "^GSPC", "EURUSD=X")
AT_THE_END = (
    "quantile",
    "pit",
    "score",
    "score_low",
    "score_high",
    "volatility_score",
    "volatility_score_low",
    "volatility_score_high",
    "seed_r2",
    "hidden",
    "parameter_count",
)


@lru_cache(maxsize=4)
def market(count: int) -> tuple[pd.DatetimeIndex, np.ndarray, np.ndarray, np.ndarray]:
    """Days, returns, their true standard deviation and the price before each, of a GARCH(1,1) with Student's t."""
    noise = np.random.default_rng(7)
    days = pd.bdate_range(end="2024-12-30", periods=count)
    shocks = noise.standard_t(6, count) / np.sqrt(1.5)
    variance, returns = np.empty(count), np.empty(count)
    variance[0] = 1.2e-4
    for day in range(count):
        if day:
            variance[day] = 2e-6 + 0.08 * returns[day - 1] ** 2 + 0.905 * variance[day - 1]
        returns[day] = np.sqrt(variance[day]) * shocks[day]
    price = 1200 * np.exp(np.concatenate([[0.0], np.cumsum(returns + 2e-4)[:-1]]))
    return days, returns, np.sqrt(variance), price


def build(
    *,
    stage: Stage = "finished",
    forecasts: int = 1500,
    seeds: int = 1,
    epochs: int = 20,
    look_every: int = 2,
    refits: int = 6,
    window: int = 20,
    hidden: int = 32,
    channels: Sequence[str] = CHANNELS,
    final: int = 0,
    skill: float = 0.0,
    **settings: Any,
) -> xr.Dataset:
    """A run at some stage. ``skill`` is the share of each value that the network knows; ``final`` the number of
    forecasts in a final block, which runs of the first version had, and opened."""
    chosen = GoldForecast(
        epochs=epochs,
        look_every=look_every,
        refits=refits,
        window=window,
        hidden=hidden,
        seeds=tuple(range(seeds)),
        **settings,
    )
    noise = np.random.default_rng(1)
    days, returns, width, price = market(forecasts)
    level = chosen.target == "level"
    target = price * np.exp(returns) if level else returns
    reached = {"empty": 0, "start": 0, "running": max(1, epochs * 3 // 10)}.get(stage, epochs)
    epoch = np.arange(1, reached + 1)
    look = np.array([e for e in epoch if e % look_every == 0 or e == epochs], int)
    forecast, scale = _forecasts(chosen, noise, look, returns, width, price, skill)
    data = {
        **_training(noise, epoch, refits + (final > 0), seeds, reached),
        **_instruments(noise, epoch, look, seeds, window, channels, chosen.network),
        **({"mean": forecast, "scale": scale} if len(look) else {}),
        "target": target,
        "price": price,
        "days_ahead": np.where(days.day_of_week == 4, 3.0, 1.0),
        "block": _blocks(forecasts, refits, final),
        "observed": np.full((refits + (final > 0), len(channels)), 0.8),
        "baseline_mean": _baseline_means(noise, target, price, level),
        "baseline_scale": _baseline_scales(returns) * (price if level else 1.0),
    }
    if stage in ("finished", "diverged"):
        before = np.arange(forecasts) < forecasts - final
        data |= _scores(chosen, target, price, forecast[-1], scale[-1], data, before)
        data["hidden"] = _states(noise, min(250, forecasts), hidden, width)
        data["parameter_count"] = np.array(4_321)
    if stage == "diverged":
        for name in AT_THE_END:
            data.pop(name, None)
        data["loss"][-1] = np.nan
    if stage == "empty":
        data = {}
    coords = {
        "epoch": epoch,
        "look": look,
        "time": [str(day)[:10] for day in days],
        "seed": np.arange(seeds),
        "fold": np.arange(refits + (final > 0)),
        "lag": np.arange(window),
        "channel": list(channels),
        "layer": ["layer 1", "layer 2", "head"] if chosen.network == "mlp" else ["input", "recurrent", "head"],
        "baseline": list(MEAN_FORECASTS),
        "volatility_baseline": list(VOLATILITY_FORECASTS),
        "model": ["network", *MEAN_FORECASTS],
        "volatility_model": ["network", *VOLATILITY_FORECASTS],
        "metric": list(METRICS),
        "volatility_metric": list(VOLATILITY_METRICS),
        "level": list(LEVELS),
        "recent": [str(day)[:10] for day in days[-min(250, forecasts) :]],
        "unit": np.arange(hidden),
    }
    declared = GoldForecast.variables
    arrays = {
        name: (
            declared[name].dims,
            np.asarray(value, np.float32),
            {"long_name": declared[name].long_name, "units": declared[name].units},
        )
        for name, value in data.items()
    }
    used = {dim for dims, _, _ in arrays.values() for dim in dims}
    status = {"empty": "running", "start": "running"}.get(stage, stage)
    return xr.Dataset(
        arrays,
        coords={name: labels for name, labels in coords.items() if name in used},
        attrs={
            "settings": chosen.model_dump_json(),
            "marks": json.dumps([]),
            "title": "",
            "status": status,
            "simulated": 1,
            "data_source": "simulated",
            "data_last": "2024-12-31",
            "forecasts": forecasts,
            "target_words": "Gold, simulated",
            "final_from": str(days[forecasts - final])[:10] if final else "",
        },
    )


def _forecasts(settings, noise, look, returns, width, price, skill):
    """Means and standard deviations (look, time, seed): much noise at first, a little at the end."""
    seeds, count = len(settings.seeds), len(returns)
    shape = (len(look), count, seeds)
    fades = (0.04 + 0.25 * np.exp(-np.arange(len(look)) / 2))[:, None, None]
    slow = np.convolve(noise.standard_normal(count + 20), np.ones(21) / 4.6, "valid")[:count, None]
    mean = returns.std() * fades * (0.6 * slow + 0.8 * noise.standard_normal(shape)) + skill * returns[:, None]
    scale = width[:, None] * np.exp(0.25 * fades * noise.standard_normal(shape) + 0.08)
    if settings.target == "volatility":
        return np.zeros(shape), scale
    if settings.target == "level":
        return price[:, None] * np.exp(mean), price[:, None] * scale
    return mean, scale


def _training(noise, epoch, folds, seeds, reached):
    if not reached:
        return {}
    shape = (len(epoch), folds, seeds)
    where = epoch[:, None, None]
    start = 0.03 * noise.standard_normal((1, folds, seeds))
    training = 1.32 + start + 0.12 * np.exp(-where / 4) - 0.004 * where + 0.003 * noise.standard_normal(shape)
    validation = 1.36 + 2 * start + 0.1 * np.exp(-where / 2) + 0.0012 * where + 0.003 * noise.standard_normal(shape)
    best = np.stack([epoch[validation[: i + 1].argmin(axis=0)] for i in range(len(epoch))])
    return {"loss": training, "validation_loss": validation, "best_epoch": best}


def _instruments(noise, epoch, look, seeds, window, channels, network):
    found = {}
    if len(epoch):
        by_layer = np.array([0.08, 0.3, 0.9])[None, :, None] * np.exp(
            0.2 * noise.standard_normal((len(epoch), 3, seeds))
        )
        found |= {"gradient_norm": by_layer, "update_to_data": 2e-3 * by_layer}
    if len(look):
        lag = np.arange(window)
        norms = 0.02 * 0.7 ** lag[None, :, None] * np.exp(0.1 * noise.standard_normal((len(look), window, seeds)))
        found["state_gradient_norm"] = norms * np.nan if network == "mlp" else norms
        loud = np.exp(-np.arange(len(channels)) / 2)[None, None, :, None]
        size = (len(look), window, len(channels), seeds)
        found["input_gradient"] = (
            1e-4 * 0.85 ** lag[None, :, None, None] * loud * np.exp(0.3 * noise.standard_normal(size))
        )
    return found


def _blocks(count, refits, final):
    blocks = np.minimum(np.arange(count) * refits // max(count - final, 1), refits - 1)
    return np.where(np.arange(count) >= count - final, refits, blocks) if final else blocks


def _baseline_means(noise, target, price, level):
    so_far = np.cumsum(target) / np.arange(1, len(target) + 1)
    mean = np.concatenate([[0.0 if not level else target[0]], so_far[:-1]])
    if level:
        return np.stack([price, mean, price * 1.0002, price * (1 + 0.001 * noise.standard_normal(len(price)))])
    ridge = 0.04 * target.std() * noise.standard_normal(len(target))
    return np.stack([np.zeros_like(target), mean, -0.015 * np.concatenate([[0.0], target[:-1]]), ridge])


def _baseline_scales(returns):
    constant = np.full(len(returns), returns.std())
    found = [constant]
    for omega, alpha, beta in ((0.0, 0.06, 0.94), (3e-6, 0.08, 0.9)):
        variance = np.empty(len(returns))
        variance[0] = returns.var()
        for day in range(1, len(returns)):
            variance[day] = omega + alpha * returns[day - 1] ** 2 + beta * variance[day - 1]
        found.append(np.sqrt(variance))
    squares = np.concatenate([np.full(22, returns.var()), np.square(returns)])
    day, week, month = (np.convolve(squares, np.ones(n) / n)[21 : 21 + len(returns)] for n in (1, 5, 22))
    for weights in ((0.2, 0.3, 0.5), (0.1, 0.3, 0.6)):
        found.append(np.sqrt(np.stack([day, week, month], axis=1) @ weights))
    return np.stack(found)


def _scores(settings, target, price, mean_by_seed, scale_by_seed, data, before):
    """What a run records at its end, by the functions that score real runs."""
    mean, scale = mean_by_seed.mean(axis=1), scale_by_seed.mean(axis=1)
    quantile = mean[:, None] + scale[:, None] * special.ndtri(np.array(LEVELS))
    names = dict(zip(MEAN_FORECASTS, data["baseline_mean"], strict=True))
    widths = dict(zip(VOLATILITY_FORECASTS, data["baseline_scale"], strict=True))
    change = target - price if settings.target == "level" else target

    def of(chosen):
        means = {"network": mean, **names}
        return mean_score_table(
            target[chosen], {name: value[chosen] for name, value in means.items()}, np.random.default_rng(3), 400
        )

    tables = of(before)
    volatility = volatility_score_table(
        change[before],
        {name: value[before] for name, value in {"network": scale, **widths}.items()},
        {"network": DistributionLosses.of_gaussian(change[before], scale[before])},
        np.random.default_rng(3),
        400,
    )
    ends = ("", "_low", "_high")
    reference = names["zero"][before]
    worth = np.square(target[before] - reference).sum()
    return {
        "quantile": quantile,
        "pit": special.ndtr((target - mean) / scale),
        **{f"score{end}": table for end, table in zip(ends, tables, strict=True)},
        **{f"volatility_score{end}": table for end, table in zip(ends, volatility, strict=True)},
        "seed_r2": 1 - np.square(target[before, None] - mean_by_seed[before]).sum(axis=0) / worth,
    }


def _states(noise, recent, hidden, width):
    """Hidden units from flickering to slow; the slowest follow the volatility."""
    memory = np.linspace(0.0, 0.98, hidden)
    states = np.zeros((recent, hidden))
    for day in range(1, recent):
        fresh = noise.standard_normal(hidden) * np.sqrt(1 - memory**2)
        states[day] = memory * states[day - 1] + fresh
    states[:, -3:] += 80 * (width[-recent:, None] - width[-recent:].mean())
    return np.tanh(states[:, noise.permutation(hidden)])
