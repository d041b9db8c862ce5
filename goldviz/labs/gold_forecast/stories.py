"""A story: can a network forecast gold?"""

from __future__ import annotations

from math import isnan

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Found, Guess, Step, Story, Task
from goldviz.labs.gold_forecast.measures import Reading

SKILL = Found(
    ("r2", "r2_low", "r2_high"),
    lambda r2, low, high: 0 if low <= 0 <= high else 1 if r2 < 0.05 else 2,
    "R2 against zero is {:.1%}, its 95 % interval {:.1%} to {:.1%}.",
)
LEVEL = Found(
    ("r2_mean", "r2"), (0.9,), "R2 is {:.1%} against the mean price, and {:.1%} against repeating the last one."
)
LEAK = Found("r2", (0.05, 0.2), "R2 is {:.0%}: it saw closes of the very day.")
PLANTED = Found(("r2_low", "r2"), (0,), "R2 {1:.1%}; the interval begins at {0:.1%}.")
SHUFFLED = Found(("r2_low", "r2_high"), (0,), "The interval runs from {:.1%} to {:.1%}.")


def _checked(settings: Settings, run: Run) -> bool:
    return bool(settings.model_dump()["shuffle_targets"]) and not isnan(Reading.r2(run))


STORIES = (
    Story(
        "gold",
        "Can a network forecast gold?",
        "check a forecast for look-ahead, for its baseline and for luck before you believe it.",
        (
            Step(
                "A market has many clocks: each channel is known from its release on. What stands in a row at "
                "the moment of the forecast?",
                ("as-in-the-document",),
                lab="gold-market",
            ),
            Step(
                "A GRU forecasts the next return of a simulated market, refitted as time goes on, always on "
                "days that it has not seen.",
                ("as-in-the-document",),
                guess=Guess(
                    "Is it better than saying zero?", ("Nobody could tell", "A little, surely", "Clearly"), SKILL
                ),
            ),
            Step(
                "Papers show R2 above 0.99. Forecast the price in place of the return, and compare with the mean.",
                ("break-it-levels",),
                guess=Guess("Is R2 above 0.9?", ("No", "Yes"), LEVEL),
            ),
            Step(
                "Another way to look brilliant: join channels by calendar date, so that values stand in the "
                "row which are not out yet.",
                ("break-it-leak",),
                guess=Guess("How large is R2 now?", ("Below 5 %", "5 to 20 %", "Above 20 %"), LEAK),
            ),
            Step(
                "Would skill be found if there were any? Here the market was told to answer to what statements say.",
                ("documents-that-move-gold",),
                guess=Guess("Is it found?", ("No", "Yes"), PLANTED),
            ),
            Step(
                "The last check deals the targets out at random. Whatever skill is left then is a mistake of "
                "the method.",
                ("fix-it-shuffled-targets",),
                guess=Guess("Is skill left?", ("No", "Yes"), SHUFFLED),
            ),
            Step(
                "Your turn: set what you like, then check the whole way of working.",
                ("fix-it-shuffled-targets",),
                task=Task("Train with shuffled targets, and read the verdict.", _checked),
            ),
        ),
    ),
)
