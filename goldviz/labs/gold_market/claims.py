"""What document 001 says of gold as it is observed (section 1.1, and its title: partial observations)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from goldviz.declare.claims import Claim, Part
from goldviz.labs.gold_market import LAB

if TYPE_CHECKING:
    import xarray as xr

OverMarket = partial(Claim, LAB, over="market_seed", called="simulated markets")


def whole_rows(run: xr.Dataset) -> float:
    """The share of forecasts at which every covariate has something new."""
    return float(run.attrs["complete"])


def too_early(run: xr.Dataset) -> float:
    """The share of the covariates' values that are used before they were out."""
    covariates = run.isel(channel=slice(1, None))
    return float(covariates["too_early"].sum() / covariates["placed"].sum())


CLAIMS = (
    OverMarket("C116", "Gold is a problem of partial observations.", "001, title and 1.1",
        parts=(Part("at {:.1%} of the forecasts every covariate has something new", whole_rows, below=0.5),)),
    OverMarket("C117", "Calendar time and observation index are two things: a date is not when a value is known.",
        "001, 1.1", lanes=({}, "break-it-join-by-calendar-date"),
        parts=(
            Part("by release {:.1%} of the values are used before they were out", too_early, below=0.001,
                lanes=(1,)),
            Part("joined by date {:.1%} of them do", too_early, above=0.001, lanes=(2,)),
        )),
)  # fmt: skip
