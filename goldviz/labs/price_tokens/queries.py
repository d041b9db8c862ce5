"""A future that a person edits, and what the page answers while it is dragged: the tokens of the days before, anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import xarray as xr

from goldviz.data.markets.kept_markets import SIMULATED
from goldviz.figures.theme import Theme
from goldviz.labs.price_tokens.edited import edited, fit_seconds, market_days, push_to
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels import background
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.serving import services

DAYS_SECONDS = 0.3
"""About how long a market of one's own takes to be read."""


@dataclass(frozen=True)
class Edit:
    """The strip of a lane's market, whose later days each move by ``push`` standard deviations more."""

    lane: Lane[PriceTokens]
    push: float

    @property
    def subject(self) -> str:
        """All that the strip depends on."""
        return f"{self.lane.id} {self.push:g}"

    @property
    def days(self) -> Task[xr.Dataset]:
        """Reading the market."""
        stored = self.lane.stored.model_dump_json()
        # The simulated one is made in a tenth of a second, long before a worker has begun.
        seconds = 0.0 if self.lane.stored.data == SIMULATED else DAYS_SECONDS
        return Task(f"price-tokens-days-{stored}", market_days, (stored,), "Reading the market", seconds)

    def task(self, days: xr.Dataset) -> Task[xr.Dataset]:
        """Writing the days before the edit anew."""
        stored = self.lane.stored
        return Task(
            f"price-tokens-edit-{stored.model_dump_json()}-{self.push:g}",
            edited,
            (stored.model_dump_json(), days, self.push),
            "Writing the days anew",
            fit_seconds(stored),
        )

    def moved_to(self, price: float, days: xr.Dataset) -> Edit:
        """The edit that ends the strip at a price."""
        return replace(self, push=push_to(days, price))

    def figure(self, theme: Theme, strip: xr.Dataset) -> str:
        """The strip as JSON, drawn once for all who look at it."""
        return services.figure_json(
            ("price-tokens-future", self.lane.version, self.subject, theme), lambda: future.draw(strip, theme=theme)
        )


def answer_about_run(lane: Lane[Any], question: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """The strip as of the last of the places that its end was ``moved`` to, each ``[0, day, price]``.

    A question that ``aims`` is about a hand that still moves: there is no figure where a worker would have to fit
    tokens. Raises ``ValueError`` with a sentence for anything else.
    """
    moves = question.get("moved")
    last = moves[-1] if isinstance(moves, list) and moves else None
    price = last[2] if isinstance(last, list) and len(last) == 3 else None
    if isinstance(price, bool) or not isinstance(price, int | float) or not math.isfinite(price):
        raise ValueError("The question names no price that the strip was dragged to.")
    edit = Edit(lane, 0.0)
    days = _made(edit.days)
    edit = edit.moved_to(float(price), days)
    task = edit.task(days)
    if question.get("aims") and task.seconds > background.AT_ONCE_SECONDS:
        return {"subject": edit.subject, "figures": {}}
    strip = _made(task)
    return {"subject": edit.subject, "figures": {future.name: edit.figure(theme, strip)}}


def _made(task: Task[xr.Dataset]) -> xr.Dataset:
    jobs = services.jobs()
    return jobs.here(task) if task.seconds <= background.AT_ONCE_SECONDS else jobs.wait(task)
