"""A story: from residual steps to a flow."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.diagnostics.verdicts import printed
from goldviz.labs.continuous_depth import measures


def _crossing(run: Run) -> tuple[int, str]:
    flow, residual = (measures.LOSS[network].first(run) for network in ("ode", "residual"))
    return int(residual < flow), f"Error of the flow {flow:.2f}, of one residual step {residual:.3f}."


def _price(run: Run) -> tuple[int, str]:
    first, last = measures.PAID_AT_FIRST_STEP.first(run), measures.PAID_AT_LAST_STEP.first(run)
    place = 0 if last < 1.2 * first else 1 if last < 2.5 * first else 2
    return place, f"The solver evaluates the field {first:.0f} times before training and {last:.0f} times after it."


def _lifted(plane: Run, augmented: Run) -> tuple[int, str]:
    flat, lifted = (measures.LOSS["ode"].first(run) for run in (plane, augmented))
    place = 0 if lifted > flat / 2 else 1 if lifted > flat / 100 else 2
    return place, f"On unseen points it ends at {printed(lifted, '.1e')}, in the plane at {flat:.3f}."


def _refined(step: Run, _small: Run) -> tuple[int, str]:
    coarse, fine = measures.LOSS["ode"].first(step), measures.REFINED_LOSS.first(step)
    return int(fine > 2 * coarse), (
        f"Its loss is {coarse:.2f} with its own step and {fine:.2f} with the field followed exactly."
    )


def _parted(settings: Settings, run: Run) -> bool:
    rings = settings.model_dump()["task"] == "rings" and "ode" in networks(run)
    return rings and measures.RIGHT.lowest(run) >= 0.999


STORIES = (
    Story(
        "flow",
        "From residual steps to a flow",
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
                guess=Guess("Which of the two learns x to -x?", ("The flow", "The residual step"), _crossing),
            ),
            Step(
                "In the plane a flow cannot lift the inner ring over the outer one. It squeezes a neck "
                "through instead.",
                ("break-it-two-rings",),
                figure="evaluations",
                guess=Guess(
                    "What does the solver pay for the neck?",
                    ("Nothing", "Up to twice as much", "More than that"),
                    _price,
                ),
            ),
            Step(
                "Add one dimension of zeros and there is a way over.",
                ("break-it-two-rings", "fix-it-one-more-dimension"),
                figure="loss",
                guess=Guess(
                    "How much lower does the loss end now?",
                    ("Hardly", "Up to a hundred times", "More than that"),
                    _lifted,
                ),
            ),
            Step(
                "Trained with one big step, has a network learned a flow? Follow its field exactly and see.",
                ("break-it-one-big-step", "fix-it-small-steps"),
                figure="loss",
                guess=Guess("Does the big step's answer change?", ("No", "Yes"), _refined),
            ),
            Step(
                "Your turn.",
                ("break-it-two-rings",),
                task=Task("Train a flow that gets every point of the two rings right.", _parted),
            ),
        ),
    ),
)
