"""How numbers and names of the forecast laboratory are said: signed percentages, intervals, p-values, models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import times
from goldviz.labs.gold_forecast.carrying import AGE
from goldviz.labs.gold_forecast.scoring.series import joined_by_date

if TYPE_CHECKING:
    import xarray as xr

MOST_NAMED = 2
"""Channels that are carried on are named in captions up to so many, and counted beyond."""

NETWORK_NAMES = {
    "mlp": "MLP",
    "rnn": "RNN",
    "lstm": "LSTM",
    "gru": "GRU",
    "gru_gap": "GRU with gaps",
    "gru_decay": "GRU with decay",
    "ode_rnn": "ODE-RNN",
}

BASELINE_NAMES = {
    "zero": "zero",
    "mean": "mean so far",
    "ar1": "AR(1)",
    "ridge": "ridge",
    "constant": "constant variance",
    "ewma": "EWMA",
    "garch": "GARCH",
}


def model_name(model: str, network: str, target: str) -> str:
    """A model as a person reads it; 'network' stands for the run's own network.

    >>> model_name("network", "gru", "return"), model_name("zero", "gru", "level")
    ('GRU', 'no change')
    """
    if model == "network":
        return NETWORK_NAMES.get(network, "network")
    return "no change" if (model, target) == ("zero", "level") else BASELINE_NAMES.get(model, model)


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, and a minus that is one.

    >>> signed(0.144), signed(-0.02)
    ('+0.14', '−0.02')
    """
    if not np.isfinite(value):
        return "no number"
    text = f"{value:+,.{digits}f}"
    return (text if float(text.replace(",", "")) else text[1:]).replace("-", "−")


def signed_percent(share: float) -> str:
    """A share as a percentage with its sign: two decimals below 1 %, one below 10 %, none from there on.

    >>> signed_percent(-0.0003), signed_percent(0.034), signed_percent(0.61), signed_percent(-53.2)
    ('−0.03 %', '+3.4 %', '+61 %', '−5,300 %')
    """
    if not np.isfinite(share):
        return "no number"
    size = abs(100 * share)
    if size >= 1000:
        return f"{'−' if share < 0 else '+'}{times(size)} %"
    return f"{signed(100 * share, 2 if size < 0.995 else 1 if size < 9.95 else 0)} %"


def plain_number(value: float, digits: int = 2) -> str:
    """A number whose sign is shown only where it is a minus.

    >>> plain_number(0.144), plain_number(-0.02)
    ('0.14', '−0.02')
    """
    return signed(value, digits).removeprefix("+")


def near_one(value: float) -> str:
    """An R2 near 1 with as many digits as tell it from 1, at most seven.

    >>> near_one(0.99826), near_one(0.999961), near_one(-0.2)
    ('0.998', '0.99996', '−0.200')
    """
    if not np.isfinite(value):
        return "no number"
    digits = next((d for d in range(3, 7) if round(value, d) < 1), 7)
    return f"{value:.{digits}f}".replace("-", "−")


def p_value(p: float) -> str:
    """A p-value: two digits, and no smaller than 0.001.

    >>> p_value(0.974), p_value(1e-9)
    ('p = 0.97', 'p < 0.001')
    """
    if not np.isfinite(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2f}" if p >= 0.01 else f"p = {p:.3f}"


def forecasts_counted(count: int) -> str:
    """A number of forecasts in words.

    >>> forecasts_counted(1498), forecasts_counted(1)
    ('1,498 forecasts', '1 forecast')
    """
    return f"{count:,} forecast{'' if count == 1 else 's'}"


def source_words(ds: xr.Dataset) -> str:
    """Where a run's data come from and until when they are known, and how its rows were joined where that matters.

    Simulated data are always called so.

    >>> import xarray as xr
    >>> source_words(xr.Dataset(attrs={"simulated": 1, "data_last": "2024-12-31"}))
    'Simulated market, until 2024-12-31.'
    """
    attrs = ds.attrs
    simulated = bool(int(attrs.get("simulated", 0)))
    words = "Simulated market" if simulated else str(attrs.get("target_words") or attrs.get("data_origin") or "")
    last = str(attrs.get("data_last", ""))[:10]
    source = f"{words}{f', until {last}' if last else ''}." if words else ""
    return " ".join(filter(None, [source, join_words(ds)]))


def join_words(ds: xr.Dataset) -> str:
    """Whether covariates were joined by date, and which channels' last values were carried on; empty for neither."""
    channels = [str(name) for name in ds["channel"].values] if "channel" in ds.coords else []
    kept = [name for name in channels if f"{name}{AGE}" in channels]
    names = f"{len(kept)} channels" if len(kept) > MOST_NAMED else " and ".join(kept)
    carried = f"Carried on until the next value: {names}." if kept else ""
    if not joined_by_date(ds):
        return carried
    return " ".join(filter(None, ["Joined by date: covariates count from their date on, not their release.", carried]))
