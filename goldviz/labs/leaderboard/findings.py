"""What a leaderboard's numbers say: which traps are set, and whether any row is ahead beyond chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from goldviz.diagnostics.findings import Conclusions, Rule, where
from goldviz.diagnostics.findings.line import Line
from goldviz.labs.leaderboard.measures import FOLLOWS, Reading

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.labs.leaderboard.settings import Leaderboard

OVER_WINDOWS = "95 % intervals over windows and seeds"

SET: dict[str, tuple[str, str, Callable[[Any], bool]]] = {
    "dropped_batch": (
        "The last batch is dropped",
        "Windows that fill no batch are the newest ones.",
        lambda settings: settings.last_batch == "drop",
    ),
    "longer_look_back": (
        "One row reads more than the others",
        "Give all rows the same look-back before you compare.",
        lambda settings: settings.longer_look_back > settings.look_back,
    ),
    "whole_scaling": (
        "The test part helps to scale itself",
        "Mean and deviation of the whole series know the test part.",
        lambda settings: settings.scaled_by == "all",
    ),
    "best_seed": (
        "The table tells its best seed",
        "The test part chose this seed, and is no longer tested by it.",
        lambda settings: settings.seeds_told == "best",
    ),
    "test_stopping": (
        "The test part chooses the epoch",
        "What is chosen by the test part is no longer tested by it.",
        lambda settings: settings.stopped_by == "test",
    ),
}
"""Each trap that can be set: its title, why it matters, and whether settings have it."""


def _set(trap: str) -> Rule:
    title, explanation, has = SET[trap]

    def number(n: Reading) -> str:
        row, share = n.changed(trap)
        return f"{row}: {share:+.1%}".replace("-", "−").replace("%", " %")

    return Rule(
        trap,
        "bad",
        title,
        line=Line(lambda n: n.trapped(trap), "the setting is on; the row that it changes most"),
        number=number,
        explanation=explanation,
        only=lambda n, settings: has(settings),
        confidence="exact: the same forecasts or trainings, scored both ways",
    )


UNDECIDED = Rule(
    "undecided",
    "warning",
    "The leader is not alone",
    line=where("undecided", "an interval of the difference from the leader that holds 0"),
    number=lambda n: f"{n.leader} leads; not told apart: {', '.join(n.abreast)}",
    explanation="Their order may be another one on the next test part.",
    confidence=OVER_WINDOWS,
)
AHEAD = Rule(
    "ahead",
    "good",
    "One row is ahead beyond chance",
    line=where("ahead", "every interval of a difference from the leader leaves 0 out"),
    number=lambda n: f"{n.leader} leads",
    explanation="This holds for this test part and these settings.",
    confidence=OVER_WINDOWS,
    silenced_by=tuple(SET),  # A lead that a trap may have made is no praise.
)
FOLLOWING = Rule(
    "follows",
    "warning",
    "One step ahead, forecasts only follow",
    line=where(
        "follows",
        f"R² of levels above {FOLLOWS}, though no row gains on repeating the last value",
    ),
    number=lambda n: f"R² {n.level_r2:.3f} of levels by repeating",
    explanation="The curve that fits is the last value, drawn a step late.",
    confidence="one step ahead, all test windows",
)

RULES = (*(_set(trap) for trap in SET), UNDECIDED, FOLLOWING, AHEAD)


def readings(settings: Leaderboard, dataset: Run) -> list[Reading]:
    """The run, as rules read it."""
    return [Reading(dataset)]


findings_of = Conclusions(RULES, readings)
