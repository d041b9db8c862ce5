"""Rules on what recurrent training makes of the gradient: steps, clipping, stuck gates, what was learned."""

from __future__ import annotations

from goldviz.diagnostics.findings import (
    SATURATED,
    USELESS,
    Candidate,
    Case,
    DividedBy,
    LoweredTo,
    Rule,
    Times,
    above,
    at_least,
    below,
    median,
    percent,
    steps_too_long,
    steps_too_short,
    times,
)
from goldviz.labs.recurrent_gradients.findings.signal import CLIP, ORTHOGONAL, SHORTER
from goldviz.labs.recurrent_gradients.readings import Reading

USUAL_MATRICES = ("Draw the usual recurrent matrices.", {"gain": LoweredTo(1.0)})
SLOWER = ("Take a tenth of the learning rate.", {"learning_rate": DividedBy(10)})
SETTLED = ("diverged", "exploding", "task_solved")


def _solved(n: Reading) -> str:
    worth = median(n.worth)
    share = percent(worth) if worth >= 0.01 else "less than 1 %"
    return f"loss {times(median(n.loss))}, {share} of the memoryless one"


SOLVED = Rule(
    kind="task_solved",
    severity="good",
    title="{Subject} learned to remember",
    line=below("worth", 0.2, "{at:part} of the best loss without memory"),
    number=_solved,
    explanation="No answer without memory gets near this loss: what was seen long before is used. Equal settings "
    "are not a fair contest between networks: another may want another learning rate, or more steps.",
    silenced_by=("diverged",),
)

TOO_LONG = steps_too_long(
    title="The learning rate is too large for {subject}",
    explanation="Each of your steps overwrites a good part of the recurrent weights, which every time step uses "
    "again (document 001, eq. 6). About a thousandth of the weights is the usual advice.",
    advice=[SLOWER, CLIP],
    silenced_by=("diverged",),
)

TOO_SHORT = steps_too_short(
    title="The learning rate is too small for {subject}",
    explanation="Your steps change the recurrent weights so little that training would take many thousands of "
    "them. The gradient (document 001, eq. 6) is there, but it is followed too timidly.",
    advice=[
        ("Take ten times the learning rate.", {"learning_rate": Times(10)}),
        ("Let Adam set the size of each step.", {"optimiser": "adam"}),
    ],
    silenced_by=SETTLED,
)

ALWAYS_CLIPPED = Rule(
    kind="clipping_every_step",
    severity="warning",
    title="Nearly every step of {subject} is clipped",
    line=above("clipped", 0.9, "{at:percent} of the steps"),
    number="{clipped:percent} of the steps",
    explanation="Clipping is a belt for rare long gradients (document 003): the direction stays, the length is "
    "cut. Cut at every step, all gradients have one length, and the clip value works as your learning rate.",
    advice=[("Clip at {clip:g} instead.", {"clip": lambda settings: settings.clip * 10 or 1.0}), ORTHOGONAL],
    silenced_by=("diverged",),
)

STUCK_GATES = Rule(
    kind="saturated_gates",
    severity="warning",
    title="Most gates are stuck at an end in {subject}",
    line=above("stuck", 0.6, "{at:percent} below 0.05 or above 0.95, forget gates not counted"),
    number="{stuck:percent} of the gate values",
    explanation="A gate's slope is s(1 − s): near 0 or 1 almost nothing passes back to what controls it "
    "(document 001, eq. 19-20), so it can hardly learn to open or shut.",
    advice=[USUAL_MATRICES, SLOWER],
    silenced_by=SETTLED,
)

FLAT_STATES = Rule(
    kind="saturated_states",
    severity="warning",
    title="Many states are saturated in {subject}",
    line=above("flat", SATURATED, "{at:percent} with |h| above 0.97, at the last look"),
    number="{flat:percent} of the hidden values",
    explanation="The step's Jacobian is diag(1 − h²) W (document 001, eq. 8): where |h| is near 1, the gradient is "
    "multiplied by almost 0.",
    advice=[USUAL_MATRICES, SLOWER],
    only=lambda n, settings: n.name == "RNN" and settings.activation == "tanh",
    silenced_by=SETTLED,
)


def _faded(case: Case) -> bool:
    return bool(case.names & case.crossed["vanishing"])


def _why_nothing(case: Case) -> str:
    cause = (
        "Its gradient fades before it reaches the cue (document 001, eq. 6-9)."
        if _faded(case)
        else "Its gradient reaches the cue, but has not been followed for long enough, or in steps of the wrong size."
    )
    return f"An answer that never looks back would score as well. {cause}"


def _to_learn(case: Case) -> list[Candidate]:
    longer = ("Train five times as long.", {"steps": Times(5)})
    if _faded(case):
        return [("Compare all three: gates keep the signal.", {"networks": "all"}), SHORTER, longer]
    return [longer, ("Let Adam take steps of 0.003.", {"optimiser": "adam", "learning_rate": 3e-3}), SHORTER]


LEARNED_NOTHING = Rule(
    kind="learned_nothing",
    severity="bad",
    title="{Subject} remember{s|} nothing of use",
    line=at_least("worth", USELESS, "{at:percent} of the best loss without memory"),
    number="{worth:percent} of the memoryless loss",
    explanation=_why_nothing,
    advice=_to_learn,
    only=lambda n, settings: n.tested,
    silenced_by=("diverged", "exploding", "learning_rate_too_large"),
)
