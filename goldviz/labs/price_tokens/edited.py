"""Days written down again after the future was edited, by tokens that know the past alone and by such as look ahead."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import xarray as xr

from goldviz.labs.price_tokens.measures import HONEST, honest
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.tokenisers import Tokeniser, fitted, from_calm_to_storm, sample_of, written_again
from goldviz.runs.jobs.jobs import Report

BEFORE, AFTER = 48, 12
"""Days of the strip before the edit and from it on."""
WRITERS = ("honest", "ahead")
EDIT_AT = 0.6
"""Where in the first block the future begins: a day at which the states of the market that comes first are in doubt."""
MOST_PUSH = 2.0
"""Standard deviations of a day's move by which each later day may move more, up or down."""
FITS_IN_MEMORY = 8


def looking_ahead(settings: PriceTokens) -> PriceTokens:
    """The settings themselves where their tokens look ahead; else such that differ from them in that alone."""
    if not honest(settings):
        return settings
    return settings.changed(**({"read": "smoother"} if settings.tokeniser == "hmm" else {"fitted_on": "block"}))


def fit_seconds(settings: PriceTokens) -> float:
    """About how long tokens take to be fitted anew, twice."""
    slow = {"hmm": 0.3 * settings.tokens, "vqvae": 0.004 * settings.code_steps, "kmeans": 0.4, "mixture": 0.4}
    return slow.get(settings.tokeniser, 0.01)


def market_days(report: Report, settings: str) -> xr.Dataset:
    """All days of the market of settings in JSON: moves and prices, and where the first block that is forecast lies."""
    problem = token_problem(PriceTokens.checked_json(settings))
    start, end = problem.starts[0], [*problem.starts[1:], len(problem.returns)][0]
    past = problem.returns[:start]
    return xr.Dataset(
        {"move": ("day", problem.returns), "price": ("day", problem.prices)},
        {"day": problem.dates},
        {
            "start": start,
            "end": end,
            "edit": start + round(EDIT_AT * (end - start)),
            "spread": float(past.std()),
            "logarithms": int(problem.market.target.transformation == "log_return"),
        },
    )


def edited(report: Report, settings: str, days: xr.Dataset, push: float) -> xr.Dataset:
    """The strip around a day of the first block, from which on every day moves by ``push`` standard deviations more.

    ``price`` and ``edited_price`` (place,), ``token`` and ``edited_token`` (writer, earlier), and ``changes``
    (writer,): how many of the earlier tokens are others. Places count from the first day that was edited.
    The last price can be moved by ``reach``, or its logarithm.
    """
    own = PriceTokens.checked_json(settings)
    returns, edit = days["move"].values, int(days.attrs["edit"])
    block = (int(days.attrs["start"]), int(days.attrs["end"]))
    strip = slice(max(0, edit - BEFORE), min(edit + AFTER, len(returns)))
    other = returns.copy()
    other[edit:] += push * days.attrs["spread"]
    moved = np.cumsum(other - returns)[strip]
    price = days["price"].values[strip]
    edited_price = price * np.exp(moved) if days.attrs["logarithms"] else price + moved
    earlier = slice(strip.start, edit)
    texts = []
    for writer in (own.changed(**HONEST), looking_ahead(own)):
        before = _before_edit(writer.model_dump_json(), returns.tobytes(), block)
        texts.append(written_again(writer, returns, other, block, before, earlier))
    first, again = (np.stack(tokens) for tokens in zip(*texts, strict=True))
    return xr.Dataset(
        {
            "price": ("place", price),
            "edited_price": ("place", edited_price),
            "date": ("place", days["day"].values[strip]),
            "token": (("writer", "earlier"), first),
            "edited_token": (("writer", "earlier"), again),
            "changes": ("writer", (first != again).sum(axis=1)),
        },
        {
            "place": np.arange(strip.start, strip.stop) - edit,
            "earlier": np.arange(earlier.start, earlier.stop) - edit,
            "writer": list(WRITERS),
        },
        {
            "settings": settings,
            "reach": MOST_PUSH * days.attrs["spread"] * (strip.stop - edit),
            "logarithms": days.attrs["logarithms"],
        },
    )


def push_to(days: xr.Dataset, price: float) -> float:
    """By how many standard deviations a day must move more for the strip to end at a price; at most as many as may be.

    >>> flat = xr.Dataset({"price": ("day", [1.0] * 4)}, attrs={"edit": 2, "spread": 0.5, "logarithms": 0})
    >>> push_to(flat, 1.5), push_to(flat, 99.0)
    (0.5, 2.0)
    """
    edit = int(days.attrs["edit"])
    last = min(edit + AFTER, len(days["price"])) - 1
    end = float(days["price"].values[last])
    apart = np.log(max(price, np.finfo(float).tiny) / end) if days.attrs["logarithms"] else price - end
    push = apart / ((last - edit + 1) * float(days.attrs["spread"]))
    return round(float(np.clip(push, -MOST_PUSH, MOST_PUSH)), 2)


@lru_cache(maxsize=FITS_IN_MEMORY)
def _before_edit(settings: str, returns: bytes, block: tuple[int, int]) -> Tokeniser:
    """The tokeniser of a block before anything was edited, its names in their order."""
    own, days = PriceTokens.checked_json(settings), np.frombuffer(returns)
    fit = fitted(own, sample_of(own, days, *block), own.market_seed)
    return from_calm_to_storm(fit, days[: block[0]])
