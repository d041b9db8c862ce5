"""A story: from residual steps to a flow."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Found, Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.labs.continuous_depth.measures import Reading

CROSSING = Found(
    ("ode.loss", "residual.loss"),
    lambda flow, residual: int(residual < flow),
    "Error of the flow {:.2f}, of one residual step {:.3f}.",
)
PRICE = Found(
    ("ode.paid_at_first_step", "ode.paid_at_last_step"),
    lambda first, last: 0 if last < 1.2 * first else 1 if last < 2.5 * first else 2,
    "The solver evaluates the field {:.0f} times before training and {:.0f} times after it.",
)
LIFTED = Found(
    ("ode.loss", "ode.loss 2"),
    lambda flat, lifted: 0 if lifted > flat / 2 else 1 if lifted > flat / 100 else 2,
    "On unseen points it ends at {1:.1e}, in the plane at {0:.3f}.",
)
REFINED = Found(
    ("ode.loss", "ode.refined"),
    lambda coarse, fine: int(fine > 2 * coarse),
    "Its loss is {:.2f} with its own step and {:.2f} with the field followed exactly.",
)


def _parted(settings: Settings, run: Run) -> bool:
    rings = settings.model_dump()["task"] == "rings" and "ode" in networks(run)
    return rings and Reading.accuracy_at_last["ode"].lowest(run) >= 0.999


STORIES = (
    Story(
        "flow",
        "From residual steps to a flow",
        "say what residual steps can do that a flow cannot, and how to help the flow.",
        (
            Step(
                "A residual block moves each point a little: x + f(x). Eight blocks, eight straight moves. "
                "Beside them the curve that they follow from afar.",
                ("as-in-the-document",),
                lab="residual-flow",
            ),
            Step(
                "More blocks, each a smaller step: what they draw becomes a flow, and the network an ordinary "
                "differential equation.",
                ("fix-it-smaller-steps",),
                lab="residual-flow",
            ),
            Step(
                "Paths of a flow never cross. On a line, x cannot become -x. One big residual step just jumps.",
                ("regression-x-becomes-x",),
                guess=Guess("Which of the two learns x to -x?", ("The flow", "The residual step"), CROSSING),
            ),
            Step(
                "In the plane a flow cannot lift the inner ring over the outer one. It squeezes a neck "
                "through instead.",
                ("break-it-two-rings",),
                figure="evaluations",
                guess=Guess(
                    "What does the solver pay for the neck?",
                    ("Nothing", "Up to twice as much", "More than that"),
                    PRICE,
                ),
            ),
            Step(
                "Add one dimension of zeros and there is a way over.",
                ("break-it-two-rings", "fix-it-one-more-dimension"),
                figure="loss",
                guess=Guess(
                    "How much lower does the loss end now?",
                    ("Hardly", "Up to a hundred times", "More than that"),
                    LIFTED,
                ),
            ),
            Step(
                "Trained with one big step, has a network learned a flow? Follow its field exactly and see.",
                ("break-it-one-big-step", "fix-it-small-steps"),
                figure="loss",
                guess=Guess("Does the big step's answer change?", ("No", "Yes"), REFINED),
            ),
            Step(
                "Your turn.",
                ("break-it-two-rings",),
                task=Task("Train a flow that gets every point of the two rings right.", _parted),
            ),
        ),
    ),
)
