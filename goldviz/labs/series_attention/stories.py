"""*Can a Transformer forecast?* leads from a task that attention solves to one that nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Found, Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.labs.series_attention.measures import Reading

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

WHO = {
    "Transformer, five rows a query": Reading.weighted["transformer"],
    "Transformer, one row a query": Reading.weighted["pointwise"],
    "GRU": Reading.weighted["gru"],
    "Best simple rule": Reading.weighted_simple["transformer"],
}
GOOD = 0.02
"""R_0.5 on Li's sines that a task asks for; the noise alone has 0.011."""


def _best(run: Run) -> tuple[int, str]:
    errors = {name: measure.first(run) for name, measure in WHO.items()}
    listing = "; ".join(f"{name}: {error:.1%}" for name, error in errors.items())
    return list(WHO).index(sorted(errors, key=errors.__getitem__)[0]), f"Errors as a share of the values. {listing}."


APART = Found(
    ("pointwise.apart", "transformer.apart"),
    (1e-6,),
    "Over unseen series their scores are {:.2f} of the spread apart; with more rows {:.2f}.",
)
WEEK = Found(
    ("transformer.error", "transformer.simple"),
    lambda error, simple: int(error < simple),
    "Its error is {:.2f}, that of the best simple rule {:.2f}.",
)
BEYOND = Found(
    ("beyond_training", "beyond_training 2"),
    (1.5, 10),
    "The left one's error grows {:.1f} times, the right one's {:.1f} times.",
)
MARKET = Found("transformer.weighted", (0.95, 1.05), "Its errors are {:.1%} of the moves themselves.")


def _found(settings: Settings, run: Run) -> bool:
    if settings.model_dump()["task"] != "sines" or "transformer" not in networks(run):
        return False
    return bool(Reading.weighted["transformer"].highest(run) < GOOD)


STORIES = (
    Story(
        "series",
        "Can a Transformer forecast?",
        "judge a Transformer's forecast against simple rules.",
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
                guess=Guess("Can a query of one row tell the two bumps apart?", ("No", "Yes"), APART),
            ),
            Step(
                "A pattern of five rows, again and again. Positions are sines, the shortest 6.3 rows long.",
                ("a-week-of-five-days",),
                guess=Guess("Is it better than the best simple rule?", ("No", "Yes"), WEEK),
            ),
            Step(
                "Both learned on 30 rows and are asked at up to 120. The left one has a learned position for each row, "
                "the right one none.",
                ("break-it-longer-than-trained", "fix-it-a-kernel-no-positions"),
                figure="longer",
                guess=Guess(
                    "How much does the left one's error grow?",
                    ("Hardly", "Up to 10 times", "More than 10 times"),
                    BEYOND,
                ),
            ),
            Step(
                "Now a market's daily moves.",
                ("the-market-s-returns",),
                figure="training",
                guess=Guess(
                    "How does it do beside forecasting no move?", ("Clearly better", "About as well", "Worse"), MARKET
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
