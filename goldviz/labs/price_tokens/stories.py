"""*Can a language model read prices?* writes days down as tokens, and finds skill that nobody could have had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Found, Guess, Step, Story, Task

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

KNOWN_SIGN = 0.005
"""Nats a day by which a sign counts as forecast."""


SIGN = Found(
    ("size_gain", "sign_gain"),
    lambda size, sign: int(sign > KNOWN_SIGN),
    "By the size of moves it gains {:.3f} nats a day, by their sign {:.4f}.",
)
LATER_DAYS = Found(
    ("size_gain", "size_gain 2"),
    lambda own, helped: 0 if helped < 0.9 * own else 2 if helped >= 2 * own else 1,
    "It gains {:.3f} nats a day on the left, {:.3f} on the right. No forecaster could have that.",
)
CHANGED = Found(
    "changed", lambda share: 0 if share == 0 else 1 if share < 0.25 else 2, "{:.0%} of the earlier tokens change."
)
AGREEMENT = Found("rand", (0.1, 0.8), "They agree by {:.2f}, where 1 is all.")


def _shuffled(settings: Settings, run: Run) -> bool:
    return bool(settings.model_dump()["shuffle_days"]) and "score" in run


STORIES = (
    Story(
        "prices",
        "Can a language model read prices?",
        "turn prices into tokens, and find out where a forecast knows tomorrow.",
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
                guess=Guess("Does it know anything of the sign?", ("No", "Yes"), SIGN),
            ),
            Step(
                "A hidden Markov model sorts the days into three states. To the right, each day's state is read with "
                "the help of later days.",
                ("regimes", "look-ahead-smoother"),
                figure="gains",
                guess=Guess(
                    "What becomes of the gain by size?",
                    ("It shrinks", "It grows a little", "It doubles or more"),
                    LATER_DAYS,
                ),
            ),
            Step(
                "Here the bins hold equally many of the days to be forecast. Suppose that only later days were others.",
                ("look-ahead-quantiles-of-the-future",),
                guess=Guess(
                    "How many earlier tokens change?", ("None", "Up to a quarter", "More than a quarter"), CHANGED
                ),
            ),
            Step(
                "A market where moves come from planted regimes and nothing else. The hidden Markov model sees the "
                "moves alone.",
                ("regimes-alone",),
                figure="as_text",
                guess=Guess("Do its states agree with the regimes?", ("Hardly", "In part", "Nearly always"), AGREEMENT),
            ),
            Step(
                "Your turn: check everything at once. With the days in random order there is nothing to forecast.",
                ("as-in-the-document",),
                task=Task("Train with shuffled days, and read the verdict.", _shuffled),
            ),
        ),
    ),
)
