"""How models and data of the forecast laboratory are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.labs.gold_forecast.scoring.series import channels_of, joined_by_date
from goldviz.labs.gold_forecast.settings import AGE, NETWORKS
from goldviz.models.baselines.mean_baselines import MEAN_FORECASTS
from goldviz.models.baselines.volatility_baselines import VOLATILITY_FORECASTS

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

MOST_NAMED = 2
"""Channels that are carried on are named in captions up to so many, and counted beyond."""

NETWORK_NAMES = {**NETWORKS, "mlp": "MLP", "gru_gap": "GRU with gaps"}

BASELINE_NAMES = {name: baseline.words for name, baseline in MEAN_FORECASTS.items()} | {
    name: baseline.words for name, baseline in VOLATILITY_FORECASTS.items()
}


def model_name(model: str, network: str, target: str) -> str:
    """A model as a person reads it; 'network' stands for the run's own network.

    >>> model_name("network", "gru", "return"), model_name("zero", "gru", "level")
    ('GRU', 'no change')
    """
    if model == "network":
        return NETWORK_NAMES.get(network, "network")
    return "no change" if (model, target) == ("zero", "level") else BASELINE_NAMES.get(model, model)


def source_words(ds: Run) -> str:
    """Where a run's data come from and until when they are known, and how its rows were joined where that matters.

    Simulated data are always called so.

    >>> import xarray as xr
    >>> source_words(xr.Dataset(attrs={"simulated": 1, "data_last": "2024-12-31"}))
    'Simulated market, until 2024-12-31.'
    """
    attrs = ds.attrs
    simulation = bool(int(attrs.get("simulated", 0)))
    words = "Simulated market" if simulation else _own_data(ds)
    last = str(attrs.get("data_last", ""))[:10]
    source = f"{words}{f', until {last}' if last else ''}." if words else ""
    return " ".join(filter(None, [source, join_words(ds)]))


def _own_data(ds: Run) -> str:
    """The file that the target is from, its words, and what is forecast of it where that is no log return.

    >>> import xarray as xr
    >>> about = {"data_source": "file", "data_origin": "oil.csv", "target_words": "Close"}
    >>> _own_data(xr.Dataset(attrs={**about, "target_transformation": "difference", "target_unit": "USD/barrel"}))
    'oil.csv: Close, change in USD/barrel'
    """
    attrs = ds.attrs
    origin = str(attrs.get("data_origin", "")) if attrs.get("data_source") == "file" else ""
    words = str(attrs.get("target_words") or attrs.get("data_origin") or "")
    moves = Moves.of_run(ds)
    moves_words = (
        "" if moves == Moves.of("log_return", "") else f", {moves.noun}{f' in {moves.unit}' if moves.unit else ''}"
    )
    return f"{': '.join(dict.fromkeys(filter(None, [origin, words])))}{moves_words}"


def join_words(ds: Run) -> str:
    """Whether covariates were joined by date, and which channels' last values were carried on; empty for neither."""
    channels = channels_of(ds)
    channels_carried = [name for name in channels if f"{name}{AGE}" in channels]
    names = (
        f"{len(channels_carried)} channels" if len(channels_carried) > MOST_NAMED else " and ".join(channels_carried)
    )
    carrying = f"Carried on until the next value: {names}." if channels_carried else ""
    if not joined_by_date(ds):
        return carrying
    return " ".join(filter(None, ["Joined by date: covariates count from their date on, not their release.", carrying]))
