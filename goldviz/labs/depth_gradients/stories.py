"""Two stories: why deep plain networks stop learning, and what a skip connection changes."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Curve, Guess, Step, Story, Task, first_over_last
from goldviz.diagnostics.findings import networks
from goldviz.diagnostics.verdicts import printed
from goldviz.labs.depth_gradients import measures


def _share(share: float) -> int:
    return 0 if share > 0.3 else 1 if share > 0.003 else 2


def _how_little(run: Run) -> tuple[int, str]:
    share = measures.GRADIENT_KEPT_AT_LAST["plain"].first(run)
    return _share(share), f"In the last epoch it gets {printed(share, '.1e')} of what the last hidden layer gets."


def _who_learns(run: Run) -> tuple[int, str]:
    plain, residual = measures.UNSEEN_WORTH["plain"].first(run), measures.UNSEEN_WORTH["residual"].first(run)
    place = 2 if max(plain, residual) < 0.9 else 1 if residual < 0.9 else 0
    return (
        place,
        f"Of the loss of predicting zero, {plain:.0%} are left to the plain network, {residual:.0%} to the residual.",
    )


def _sigmoid(_leaky: Run, sigmoid: Run) -> tuple[int, str]:
    share = measures.ERROR_KEPT_AT_LAST["plain"].first(sigmoid)
    place = 0 if share > 1e-3 else 1 if share > 1e-10 else 2
    return place, f"Their factors multiply to {printed(share, '.1e')}: each sigmoid's slope is a quarter at most."


def _deeper(run: Run) -> tuple[int, str]:
    plain, residual = measures.LAST_LOSS["plain"].first(run), measures.LAST_LOSS["residual"].first(run)
    return int(residual < plain), f"Of 32 layers the plain network ends at {plain:.2f}, the residual at {residual:.2f}."


def _repaired(run: Run) -> tuple[int, str]:
    share = measures.GRADIENT_KEPT_AT_LAST["plain"].first(run)
    return int(share > 0.1), f"In the last epoch it gets {share:.2g} of the last hidden layer's gradient."


def _plain_with_first_layer(settings: Settings, run: Run) -> bool:
    return (
        "plain" in networks(run)
        and measures.GRADIENT_KEPT_AT_START["plain"].first(run) > 0.1
        and settings.model_dump()["depth"] >= 15
    )


def _residual_below_half(settings: Settings, run: Run) -> bool:
    return (
        "residual" in networks(run)
        and settings.model_dump()["depth"] >= 30
        and measures.UNSEEN_WORTH["residual"].first(run) < 0.5
    )


STORIES = (
    Story(
        "deep-plain",
        "What fifteen layers do to a gradient",
        (
            Step(
                "Fifteen layers learn a simple function. The line below shows how much gradient each layer "
                "gets, from the output on the right to the input on the left.",
                ("as-in-the-document",),
                guess=Guess(
                    "How much reaches the plain network's first hidden layer?",
                    ("About as much", "About a hundredth", "Less than a thousandth"),
                    _how_little,
                    Curve("gradient_by_layer", "plain", lambda guess: _share(first_over_last(guess))),
                ),
            ),
            Step(
                "A layer without gradient does not move. What comes of it shows in the loss on samples that "
                "the networks have not seen.",
                ("as-in-the-document",),
                figure="loss",
                guess=Guess(
                    "Which network beats predicting zero by a tenth?",
                    ("Neither", "Only the residual one", "Both"),
                    _who_learns,
                ),
            ),
            Step(
                "The activation decides how much each layer hands back. A sigmoid's slope is a quarter at "
                "most. To the right: thirty layers of it.",
                ("as-in-the-document", "break-it-sigmoid"),
                figure="gradient_factor",
                guess=Guess(
                    "What do the plain network's thirty layers leave of the error?",
                    ("A thousandth or more", "A millionth or so", "Less than a ten-billionth"),
                    _sigmoid,
                ),
            ),
            Step(
                "Too much is as bad. With weights three times as large the error grows on its way, and the "
                "first step throws the loss to infinity.",
                ("break-it-exploding",),
                figure="gradient_heat_map",
            ),
            Step(
                "So start where signals keep their size: orthogonal weights, with the gain that suits the activation.",
                ("fix-it-orthogonal",),
                guess=Guess("Does the first hidden layer hear more than a tenth now?", ("No", "Yes"), _repaired),
            ),
            Step(
                "Your turn. Take the document's fifteen layers or more, and change what you like.",
                ("as-in-the-document",),
                task=Task(
                    "Train a plain network of 15 layers or more. In the first epoch, its first hidden layer "
                    "should get over a tenth of the last one's gradient.",
                    _plain_with_first_layer,
                ),
            ),
        ),
    ),
    Story(
        "skip",
        "What a skip connection does",
        (
            Step(
                "A residual layer adds to what it is given, so its derivative is 1 plus something. Follow "
                "both lines from right to left: one falls, one stays.",
                ("as-in-the-document",),
            ),
            Step(
                "The factor of one layer tells it all: below 1 it shrinks with every layer, near 1 it lasts.",
                ("as-in-the-document",),
                figure="gradient_factor",
            ),
            Step(
                "Now the plain network gets every help: orthogonal weights, no dropout, 32 layers. Its "
                "gradient is healthy.",
                ("32-layers-the-residual-network-learns",),
                figure="loss_by_depth",
                guess=Guess("Does the residual network still end lower?", ("No", "Yes"), _deeper),
            ),
            Step(
                "A skip keeps the gradient alive; it does not make a network learn. Thirty sigmoid layers: "
                "gradient everywhere, and a loss worse than predicting zero.",
                ("break-it-sigmoid",),
                figure="loss",
            ),
            Step(
                "Branches add up: with large weights a residual network grows with every layer. Scaling each "
                "branch by 0.2, and normalising, keeps it in bounds.",
                ("fix-it-normalise",),
                figure="loss",
            ),
            Step(
                "Your turn: go deeper than the document did.",
                ("fix-it-orthogonal",),
                task=Task(
                    "Train a residual network of 30 layers or more to less than half of the loss of predicting zero.",
                    _residual_below_half,
                ),
            ),
        ),
    ),
)
