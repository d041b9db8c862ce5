"""*Can a language model read prices?* writes days down as tokens, and finds skill that nobody could have had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.labs.price_tokens import measures

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

KNOWN_SIGN = 0.005
"""Nats a day by which a sign counts as forecast."""


def _sign(run: Run) -> tuple[int, str]:
    size, sign = measures.SIZE_GAIN.first(run), measures.SIGN_GAIN.first(run)
    return int(sign > KNOWN_SIGN), f"By the size of moves it gains {size:.3f} nats a day, by their sign {sign:.4f}."


def _later_days(left: Run, right: Run) -> tuple[int, str]:
    own, helped = measures.SIZE_GAIN.first(left), measures.SIZE_GAIN.first(right)
    place = 0 if helped < 0.9 * own else 2 if helped >= 2 * own else 1
    return (
        place,
        f"It gains {own:.3f} nats a day on the left, {helped:.3f} on the right. No forecaster could have that.",
    )


def _changed(run: Run) -> tuple[int, str]:
    share = measures.CHANGED.first(run)
    return 0 if share == 0 else 1 if share < 0.25 else 2, f"{share:.0%} of the earlier tokens change."


def _agreement(run: Run) -> tuple[int, str]:
    index = measures.RAND.first(run)
    return 0 if index < 0.1 else 1 if index < 0.8 else 2, f"They agree by {index:.2f}, where 1 is all."


def _shuffled(settings: Settings, run: Run) -> bool:
    return bool(settings.model_dump()["shuffle_days"]) and "score" in run


STORIES = (
    Story(
        "prices",
        "Can a language model read prices?",
        (
            Step(
                "Eight bins hold equally many days. Each day's move becomes the token of its bin, and a market "
                "becomes a text.",
                ("as-in-the-document",),
            ),
            Step(
                "An MLP reads the last sixteen tokens and forecasts the next move. A move has a size and a sign.",
                ("as-in-the-document",),
                figure="gains",
                guess=Guess("Does it know anything of the sign?", ("No", "Yes"), _sign),
            ),
            Step(
                "A hidden Markov model sorts the days into three states. To the right, each day's state is read with "
                "the help of later days.",
                ("regimes", "look-ahead-smoother"),
                figure="gains",
                guess=Guess(
                    "What becomes of the gain by size?",
                    ("It shrinks", "It grows a little", "It doubles or more"),
                    _later_days,
                ),
            ),
            Step(
                "Here the bins hold equally many of the days to be forecast. Suppose that only later days were others.",
                ("look-ahead-quantiles-of-the-future",),
                guess=Guess(
                    "How many earlier tokens change?", ("None", "Up to a quarter", "More than a quarter"), _changed
                ),
            ),
            Step(
                "A market where moves come from planted regimes and nothing else. The hidden Markov model sees the "
                "moves alone.",
                ("regimes-alone",),
                figure="as_text",
                guess=Guess(
                    "Do its states agree with the regimes?", ("Hardly", "In part", "Nearly always"), _agreement
                ),
            ),
            Step(
                "Your turn: check everything at once. With the days in random order there is nothing to forecast.",
                ("as-in-the-document",),
                task=Task("Train with shuffled days, and read the verdict.", _shuffled),
            ),
        ),
    ),
)
