"""A story: can a network forecast gold?"""

from __future__ import annotations

from math import isnan

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.labs.gold_forecast import measures


def _skill(run: Run) -> tuple[int, str]:
    r2, low, high = measures.R2(run), measures.R2_LOW(run), measures.R2_HIGH(run)
    place = 0 if low <= 0 <= high else 1 if r2 < 0.05 else 2
    return place, f"R2 against zero is {r2:.1%}, its 95 % interval {low:.1%} to {high:.1%}."


def _level(run: Run) -> tuple[int, str]:
    mean, last = measures.R2_MEAN(run), measures.R2(run)
    return int(mean > 0.9), f"R2 is {mean:.1%} against the mean price, and {last:.1%} against repeating the last one."


def _leak(run: Run) -> tuple[int, str]:
    r2 = measures.R2(run)
    place = 0 if r2 < 0.05 else 1 if r2 < 0.2 else 2
    return place, f"R2 is {r2:.0%}: it saw closes of the very day."


def _planted(run: Run) -> tuple[int, str]:
    r2, low = measures.R2(run), measures.R2_LOW(run)
    return int(low > 0), f"R2 {r2:.1%}; the interval begins at {low:.1%}."


def _shuffled(run: Run) -> tuple[int, str]:
    low, high = measures.R2_LOW(run), measures.R2_HIGH(run)
    return int(low > 0), f"The interval runs from {low:.1%} to {high:.1%}."


def _checked(settings: Settings, run: Run) -> bool:
    return bool(settings.model_dump()["shuffle_targets"]) and not isnan(measures.R2(run))


STORIES = (
    Story(
        "gold",
        "Can a network forecast gold?",
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
                    "Is it better than saying zero?", ("Nobody could tell", "A little, surely", "Clearly"), _skill
                ),
            ),
            Step(
                "Papers show R2 above 0.99. Forecast the price in place of the return, and compare with the mean.",
                ("break-it-levels",),
                guess=Guess("Is R2 above 0.9?", ("No", "Yes"), _level),
            ),
            Step(
                "Another way to look brilliant: join channels by calendar date, so that values stand in the "
                "row which are not out yet.",
                ("break-it-leak",),
                guess=Guess("How large is R2 now?", ("Below 5 %", "5 to 20 %", "Above 20 %"), _leak),
            ),
            Step(
                "Would skill be found if there were any? Here the market was told to answer to what statements say.",
                ("documents-that-move-gold",),
                guess=Guess("Is it found?", ("No", "Yes"), _planted),
            ),
            Step(
                "The last check deals the targets out at random. Whatever skill is left then is a mistake of "
                "the method.",
                ("fix-it-shuffled-targets",),
                guess=Guess("Is skill left?", ("No", "Yes"), _shuffled),
            ),
            Step(
                "Your turn: set what you like, then check the whole way of working.",
                ("fix-it-shuffled-targets",),
                task=Task("Train with shuffled targets, and read the verdict.", _checked),
            ),
        ),
    ),
)
