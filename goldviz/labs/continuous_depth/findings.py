"""What a continuous-depth run says about its networks, in order and without contradiction.

A network that diverged gets no other verdict. One that has learned its task is not told that its field is stiff or
saturated; one that cannot learn it for a reason of topology is not told to train for longer; and that reason is given
of flows alone, not of steps that are none. Document 001, eq. 26-30; Chen et al. 2018; Dupont, Doucet and Teh 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Case, Conclusions, Line, Rule, any_seed, majority, median
from goldviz.diagnostics.findings.advice import A_THIRD, SLOWER_AND_CLIPPED, DividedBy, IfZero, Times
from goldviz.diagnostics.findings.line import above, below, where
from goldviz.diagnostics.findings.training import saturated, training_diverged
from goldviz.diagnostics.findings.words import times
from goldviz.labs.continuous_depth.measures import ALL_RIGHT, CONSISTENT, LABELS, NEGLIGIBLE, SMALL_ERROR, Reading
from goldviz.models.continuous.methods import BY_LIBRARY_NAME

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.diagnostics.findings.advice import Candidate, Suited
    from goldviz.labs.continuous_depth.settings import ContinuousDepth

ONE_MORE: Candidate = ("Add one dimension of zeros.", {"augmented": IfZero(1)})
MORE_BLOCKS: Candidate = ("Take four times as many blocks.", {"blocks": Times(4)})
COIN = 0.5
"""The share of points that a coin puts on the right side."""
LEARNED_SOMETHING = 0.6
"""The share of points on the right side from which on a flow has begun to part the classes."""
POINTS_RIGHT = f"{100 * ALL_RIGHT:g} % of the unseen points"


def _joined(words: str) -> Callable[[Case], str]:
    """A title that begins with the networks: "The neural ODE and the residual network"."""
    return lambda case: f"The {' and the '.join(verdict.network for verdict in case.verdicts)} {words}"


def _gave_up(dataset: Run) -> str:
    """The sentence with which a solver ended the run."""
    return str(dataset.attrs.get("message", "")) if dataset.attrs.get("status") in ("diverged", "failed") else ""


def _score(n: Reading) -> str:
    share = median(n.accuracy)
    if not isfinite(share):
        return f"an error of {times(median(n.loss))}"
    return f"{100 * share:.1f} % right{', fewer than by a coin' if share < COIN else ''}"


def _line(verdict: str) -> Callable[[ContinuousDepth], Line]:
    def line(settings: ContinuousDepth) -> Line:
        if settings.task == "flip":
            return where(verdict, "a mean square error of {at}", at=SMALL_ERROR)
        return where(verdict, f"{POINTS_RIGHT} on the right side, mean of the last looks")

    return line


def _in_the_plane(task: str) -> Callable[[Reading, ContinuousDepth], bool]:
    """Whether this is a flow in too few dimensions for the task."""
    return lambda n, settings: n.name == LABELS["ode"] and settings.task == task and not settings.augmented


def _rings_in_the_plane(n: Reading, settings: ContinuousDepth) -> bool:
    """Whether it is the plane that keeps the rings together: a flow that a coin equals has not learned so far."""
    return _in_the_plane("rings")(n, settings) and median(n.accuracy) > LEARNED_SOMETHING


def _finer(settings: ContinuousDepth) -> Candidate:
    if BY_LIBRARY_NAME[settings.method].adaptive:
        return "Ask for a hundredth of the tolerance.", {"tolerance": DividedBy(100)}
    many = {"method": "rk4", "solver_steps": lambda settings: max(8, 4 * settings.solver_steps)}
    return "Take {solver_steps} steps of RK4.", many


def _tighter(settings: ContinuousDepth) -> Candidate:
    if BY_LIBRARY_NAME[settings.method].adaptive:
        return "Ask for a tenth of the tolerance.", {"tolerance": DividedBy(10)}
    return "Take four times as many steps.", {"solver_steps": Times(4)}


def _finer_and_more_blocks(settings: ContinuousDepth) -> Candidate:
    words, changes = _finer(settings)
    return f"{words} {MORE_BLOCKS[0]}", {**changes, **MORE_BLOCKS[1]}


def _towards_a_flow(case: Case) -> list[Candidate | Suited]:
    if case.names == set(LABELS.values()):
        return [_finer_and_more_blocks]
    return [_finer] if LABELS["ode"] in case.names else [MORE_BLOCKS]


RULES = (
    training_diverged(
        advice=[SLOWER_AND_CLIPPED],
        title=lambda case: "Training came to an end that is no number" if case.verdicts else "Training could not go on",
        line=where("diverged", "any loss that is NaN or infinite, or a solver that cannot reach depth 1"),
        run_says=_gave_up,
    ),
    Rule(
        "learned",
        "good",
        _joined("learned the task"),
        line=_line("learned"),
        number=_score,
        explanation="A flow learned it if the refined field's loss is as low, else your steps did.",
    ),
    Rule(
        "solver_s_map",
        lambda case: "bad" if LABELS["ode"] in case.names else "warning",
        _joined("learned steps, not a flow"),
        line=where("inconsistent", "a change of {at:percent} where the same field is followed exactly", at=CONSISTENT),
        number="loss {loss:times}, refined {refined:times}",
        explanation="Such steps can do what no flow can, such as cross (document 001, eq. 28-30).",
        advice=_towards_a_flow,
    ),
    Rule(
        "nested_classes",
        "bad",
        "A flow in the plane cannot part these rings",
        line=below("accuracy", ALL_RIGHT, f"{POINTS_RIGHT}, mean of the last looks"),
        number=_score,
        explanation="Two paths of a flow never meet, so the inner ring stays inside (document 001, eq. 29).",
        advice=[("Add one dimension of zeros: there is a way round.", {"augmented": 1})],
        only=_rings_in_the_plane,
        silenced_by=("learned", "solver_s_map"),
    ),
    Rule(
        "order_kept",
        "bad",
        "A flow on a line cannot turn the order",
        line=above("loss", 0.2, "{at}; the best that keeps the order is near 1/3"),
        number=_score,
        explanation="Two paths of a flow never meet, so what starts above stays above (document 001, eq. 29).",
        advice=[("Add one dimension of zeros: there is a way round.", {"augmented": 1})],
        only=_in_the_plane("flip"),
        silenced_by=("learned", "solver_s_map"),
    ),
    Rule(
        "adjoint_too_loose",
        "warning",
        "The adjoint's gradient is not that of the loss",
        line=above(
            "gradient_difference",
            0.01,
            "{at:percent} from the gradient through the solver, over the last quarter of the looks",
        ),
        number="{gradient_difference:fine_percent}",
        explanation="The adjoint solves its own equation, with errors of its own (Chen et al. 2018).",
        advice=[_tighter, ("Go back through the solver's own steps.", {"gradient": "solver"})],
        only=lambda n, settings: settings.gradient == "adjoint",
    ),
    Rule(
        "growing_stiff",
        "warning",
        "The solver has to work ever harder",
        line=above("growth", 2.5, "two and a half times the evaluations of the first steps"),
        of_training=True,
        number="{paid_first:.0f} → {paid_last:.0f} evaluations a step",
        explanation="A field that bends points sharply needs small steps.",
        advice=[ONE_MORE, A_THIRD],
        only=lambda n, settings: BY_LIBRARY_NAME[settings.method].adaptive,
    ),
    saturated(
        "saturated_field",
        title="{saturation:Quantity} of the field's values are saturated",
        of=" with |tanh| above 0.97, along the paths at the last look",
        of_what="the values",
        number=lambda n: f"{100 * median(n.saturation):.1f} % of the values",
        explanation="Where tanh is flat almost no gradient comes back.",
        advice=[A_THIRD],
    ),
    Rule(
        "not_learned",
        "warning",
        _joined("did not learn the task"),
        line=_line("unlearned"),
        number=_score,
        advice=[
            ("Train three times as long.", {"steps": Times(3)}),
            ("Take a field twice as wide.", {"width": Times(2)}),
        ],
        only=lambda n, settings: isfinite(median(n.loss)),
        enough=any_seed,
        silenced_by=("learned", "nested_classes", "order_kept"),
    ),
    Rule(
        "residual_is_flow",
        "good",
        "The residual network stands for a flow",
        line=where("consistent", f"a change of less than {{at:percent}}, or both below {NEGLIGIBLE}", at=CONSISTENT),
        number="loss {loss:times}, as a flow {refined:times}",
        explanation="Its {settings.blocks} blocks are Euler steps along one field (document 001, eq. 28-29).",
        only=lambda n, settings: n.name == LABELS["residual"] and majority(n.learned),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(
    RULES,
    Reading.of_all,
    praise=0,
    learned=where("learned", "the task"),
)
