"""Two stories: why deep plain networks stop learning, and what a skip connection changes."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Curve, Found, Guess, Step, Story, Task, first_over_last
from goldviz.diagnostics.findings import networks
from goldviz.labs.depth_gradients.measures import Reading


def _share(share: float) -> int:
    return 0 if share > 0.3 else 1 if share > 0.003 else 2


def _who_learns(plain: float, residual: float) -> int:
    return 2 if max(plain, residual) < 0.9 else 1 if residual < 0.9 else 0


HOW_LITTLE = Found(
    "plain.growth_at_last", _share, "In the last epoch it gets {:.1e} of what the last hidden layer gets."
)
WHO_LEARNS = Found(
    ("plain.unseen_worth", "residual.unseen_worth"),
    _who_learns,
    "Of the loss of predicting zero, {:.0%} are left to the plain network, {:.0%} to the residual.",
)
SIGMOID = Found(
    "plain.amplification_at_last 2",
    (1e-3, 1e-10),
    "Their factors multiply to {:.1e}: each sigmoid's slope is a quarter at most.",
)
DEEPER = Found(
    ("plain.ended", "residual.ended"),
    lambda plain, residual: int(residual < plain),
    "Of 32 layers the plain network ends at {:.2f}, the residual at {:.2f}.",
)
REPAIRED = Found(
    "plain.growth_at_last", (0.1,), "In the last epoch it gets {:.2g} of the last hidden layer's gradient."
)


def _plain_with_first_layer(settings: Settings, run: Run) -> bool:
    return (
        "plain" in networks(run)
        and Reading.growth_at_start["plain"].first(run) > 0.1
        and settings.model_dump()["depth"] >= 15
    )


def _residual_below_half(settings: Settings, run: Run) -> bool:
    return (
        "residual" in networks(run)
        and settings.model_dump()["depth"] >= 30
        and Reading.unseen_worth["residual"].first(run) < 0.5
    )


STORIES = (
    Story(
        "deep-plain",
        "What fifteen layers do to a gradient",
        "say why a deep network's first layers stop learning, and cure it by how weights begin.",
        (
            Step(
                "Fifteen layers learn a simple function. The line below shows how much gradient each layer "
                "gets, from the output on the right to the input on the left.",
                ("as-in-the-document",),
                guess=Guess(
                    "How much reaches the plain network's first hidden layer?",
                    ("About as much", "About a hundredth", "Less than a thousandth"),
                    HOW_LITTLE,
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
                    WHO_LEARNS,
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
                    SIGMOID,
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
                guess=Guess("Does the first hidden layer hear more than a tenth now?", ("No", "Yes"), REPAIRED),
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
        "say what a skip connection keeps alive and what it does not, and train thirty layers.",
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
                guess=Guess("Does the residual network still end lower?", ("No", "Yes"), DEEPER),
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
