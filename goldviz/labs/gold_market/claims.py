"""What document 001 says of gold as it is observed (section 1.1, and its title: partial observations)."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.gold_market import LAB

OverMarket = partial(Claim, LAB, over="market_seed", called="simulated markets")


CLAIMS = (
    OverMarket(
        "C116",
        "Gold is a problem of partial observations.",
        "001, title and 1.1",
        parts={
            "at {:.1%} of the forecasts every covariate has something new": Part("whole_rows", below=0.5),
        },
    ),
    OverMarket(
        "C117",
        "Calendar time and observation index are two things: a date is not when a value is known.",
        "001, 1.1",
        lanes=({}, "break-it-join-by-calendar-date"),
        parts={
            "by release {:.1%} of the values are used before they were out": Part("too_early", below=0.001, lanes=(1,)),
            "joined by date {:.1%} of them do": Part("too_early", above=0.001, lanes=(2,)),
        },
    ),
)
