"""Rules on documents: whether a planted response to them was found, and whether a channel was there to learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import DividedBy, Mend, Rule, where
from goldviz.diagnostics.findings.advice import Candidate
from goldviz.labs.gold_forecast.findings.caveats import more_years
from goldviz.labs.gold_forecast.findings.skill import ABOVE_ZERO, score
from goldviz.labs.gold_forecast.measures import Reading

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

CARRIED = ("Carry the documents' last values and their ages on.", {"carry": "documents"})
LATER: list[Candidate] = [
    Mend(
        "Learn from a window that moves along, and forecast half as many years.",
        {"scheme": "rolling", "test_years": DividedBy(2)},
    ),
    Mend("Forecast a quarter of the years.", {"test_years": DividedBy(4)}),
]
"""Refits that begin later learn from later rows."""


def _control(documents: str) -> Callable[[Reading, GoldForecast], bool]:
    """Whether a run is a control of the mean with these documents."""
    return lambda n, settings: (
        n.planted > 0
        and settings.documents == documents
        and settings.target == "return"
        and not settings.shuffle_targets
        and not (n.foresees or n.leaking)
    )


def _unobserved(n: Reading) -> str:
    refits = n.dataset.sizes["fold"]
    return ", ".join(f"{name}: in {count} of {refits} refits" for name, count in n.unobserved.items())


PLANTED = Rule(
    "planted_found",
    "good",
    "The planted response was found",
    line=where("own.better", ABOVE_ZERO),
    number=score,
    confidence="a positive control: the market was told to answer to the statements",
    explanation="Deal the statements out at random, or set the response to 0: the skill must go.",
    advice=[
        ("Deal the statements out at random.", {"documents": "shuffled"}),
        ("Take the response away.", {"tone_response": 0.0}),
    ],
    only=_control("generated"),
)

RULES = (
    PLANTED,
    replace(
        PLANTED,
        kind="planted_missed",
        severity="warning",
        title="The planted response was missed",
        line=where("own.unproved", ABOVE_ZERO),
        explanation="The market answers to the statements, and this forecast does not show it.",
        advice=[CARRIED, more_years],
    ),
    replace(
        PLANTED,
        kind="dealt_out_skill",
        severity="warning",
        title="Skill on statements dealt out at random",
        explanation="These statements say nothing of their time.",
        advice=[("Give each day its own statement again.", {"documents": "generated"})],
        only=_control("shuffled"),
    ),
    replace(
        PLANTED,
        kind="dealt_out_passed",
        title="No skill is left on statements dealt out at random",
        line=where("own.unproved", ABOVE_ZERO),
        explanation="These words stand at other days: there is nothing to find.",
        advice=[("Give each day its own statement again.", {"documents": "generated"})],
        only=_control("shuffled"),
    ),
    Rule(
        "channel_unobserved",
        "warning",
        "Some refits never saw a channel",
        line=where("misses_a_channel", "a share of 0 of a refit's training rows"),
        number=_unobserved,
        confidence="counted in the rows that each refit learned from",
        explanation="A refit leaves out a channel that it never saw while it learned.",
        advice=LATER,
        only=lambda n, settings: settings.missing != "channel",
    ),
)
