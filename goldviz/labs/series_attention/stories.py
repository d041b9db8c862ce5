"""*Can a Transformer forecast?* leads from a task that attention solves to one that nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.labs.series_attention import measures

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

WHO = {
    "Transformer, five rows a query": measures.WEIGHTED,
    "Transformer, one row a query": measures.POINTWISE_WEIGHTED,
    "GRU": measures.GRU_WEIGHTED,
    "Best simple rule": measures.SIMPLE_WEIGHTED,
}
GOOD = 0.02
"""R_0.5 on Li's sines that a task asks for; the noise alone has 0.011."""


def _best(run: Run) -> tuple[int, str]:
    errors = {name: measure.first(run) for name, measure in WHO.items()}
    listing = "; ".join(f"{name}: {error:.1%}" for name, error in errors.items())
    return list(WHO).index(sorted(errors, key=errors.__getitem__)[0]), f"Errors as a share of the values. {listing}."


def _apart(run: Run) -> tuple[int, str]:
    single, kernel = measures.POINTWISE_APART.first(run), measures.APART.first(run)
    return int(single > 1e-6), (
        f"Over unseen series their scores are {single:.2f} of the spread apart; with more rows {kernel:.2f}."
    )


def _week(run: Run) -> tuple[int, str]:
    error, simple = measures.ERROR.first(run), measures.SIMPLE.first(run)
    return int(error < simple), f"Its error is {error:.2f}, that of the best simple rule {simple:.2f}."


def _beyond(learned: Run, kernel: Run) -> tuple[int, str]:
    first, second = (measures.beyond_training.first(run) for run in (learned, kernel))
    place = 0 if first < 1.5 else 1 if first < 10 else 2
    return place, f"The left one's error grows {first:.1f} times, the right one's {second:.1f} times."


def _market(run: Run) -> tuple[int, str]:
    error = measures.WEIGHTED.first(run)
    return 0 if error < 0.95 else 1 if error < 1.05 else 2, f"Its errors are {error:.1%} of the moves themselves."


def _found(settings: Settings, run: Run) -> bool:
    if settings.model_dump()["task"] != "sines" or "transformer" not in networks(run):
        return False
    return measures.WEIGHTED.highest(run) < GOOD


STORIES = (
    Story(
        "series",
        "Can a Transformer forecast?",
        (
            Step(
                "Two sines of random height. Then comes one as high as the higher of both: find it in the past.",
                ("as-in-the-document",),
                figure="training",
                guess=Guess("Who errs least?", tuple(WHO), _best),
            ),
            Step(
                "A bump after a rise leads to one level, the same bump after a fall to another.",
                ("equal-values",),
                figure="similarity",
                guess=Guess("Can a query of one row tell the two bumps apart?", ("No", "Yes"), _apart),
            ),
            Step(
                "A pattern of five rows, again and again. Positions are sines, the shortest 6.3 rows long.",
                ("a-week-of-five-days",),
                guess=Guess("Is it better than the best simple rule?", ("No", "Yes"), _week),
            ),
            Step(
                "Both learned on 30 rows and are asked at up to 120. The left one has a learned position for each row, "
                "the right one none.",
                ("break-it-longer-than-trained", "fix-it-a-kernel-no-positions"),
                figure="longer",
                guess=Guess(
                    "How much does the left one's error grow?",
                    ("Hardly", "Up to 10 times", "More than 10 times"),
                    _beyond,
                ),
            ),
            Step(
                "Now a market's daily moves.",
                ("the-market-s-returns",),
                figure="training",
                guess=Guess(
                    "How does it do beside forecasting no move?", ("Clearly better", "About as well", "Worse"), _market
                ),
            ),
            Step(
                "Your turn: a kernel, positions, blocks, more steps.",
                ("as-in-the-document",),
                task=Task("Train a Transformer on the sines until its errors are below 2 % of the values.", _found),
            ),
        ),
    ),
)
