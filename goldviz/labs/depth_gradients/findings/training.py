"""Rules on what training makes of the gradient: step size, saturated and dead units, whether anything was learned."""

from __future__ import annotations

from goldviz.diagnostics.findings import (
    SATURATED,
    USELESS,
    Case,
    DividedBy,
    Rule,
    Times,
    above,
    at_least,
    median,
    percent,
    steps_too_long,
    steps_too_short,
    times,
)
from goldviz.diagnostics.findings.advice import Candidate
from goldviz.labs.depth_gradients.findings.gradient import CLIP
from goldviz.labs.depth_gradients.readings import Reading

UNSOUND = ("diverged", "no_gradient")

TOO_LONG = steps_too_long(
    title="The learning rate is too large for {subject} network{|s}",
    explanation="Each of your steps overwrites a good part of the weights that it should correct. The gradient "
    "(document 001, eq. 4) holds for small steps; about a thousandth of the weights is the usual advice.",
    advice=[("Take a tenth of the learning rate.", {"learning_rate": DividedBy(10)}), CLIP],
    silenced_by=UNSOUND,
)

TOO_SHORT = steps_too_short(
    title="The learning rate is too small for {subject} network{|s}",
    explanation="Your steps change the weights so little that training would take thousands of epochs. The "
    "gradient (document 001, eq. 4) is there, but it is followed too timidly.",
    advice=[
        ("Take ten times the learning rate.", {"learning_rate": Times(10)}),
        ("Let Adam set the size of each step.", {"optimiser": "adam"}),
    ],
    silenced_by=(*UNSOUND, "exploding", "vanishing"),
)


def _worth(n: Reading) -> str:
    share = median(n.worth)
    return f"{percent(share)} of the loss" if share < 2 else f"{times(share)} times the loss"


def _faded(case: Case) -> bool:
    return bool(case.names & case.crossed["vanishing"])


def _why_useless(case: Case) -> str:
    cause = (
        "Its first layers were told too little to learn from (document 001, eq. 2)."
        if _faded(case)
        else "It has not learned yet, or has learned noise (final test loss, document 001, Annex 5.3)."
    )
    return f"On samples that it has not seen, the network is worth no more than the answer 0. {cause}"


def _against_uselessness(case: Case) -> list[Candidate]:
    alive = ("Normalise the sums of every layer: it keeps signal and gradient alive.", {"normalisation": "batch"})
    longer: Candidate = ("Train five times as long.", {"epochs": Times(5)})
    quieter = ("Train without dropout and noise.", {"dropout": 0.0, "noise": 0.0})
    return [alive, longer, quieter] if _faded(case) else [longer, quieter]


USELESS_NETWORK = Rule(
    kind="no_better_than_zero",
    severity="bad",
    title="{Subject} network{|s} learned nothing of use",
    line=at_least("worth", USELESS, "{at:percent} of that test loss"),
    number=lambda n: f"{_worth(n)} of always answering 0",
    explanation=_why_useless,
    advice=_against_uselessness,
    silenced_by=(*UNSOUND, "exploding", "learning_rate_too_large"),
)

SATURATED_UNITS = Rule(
    kind="saturated",
    severity="warning",
    title="Many activations are saturated in {subject} network{|s}",
    line=above("saturation", SATURATED, "{at:percent}, mean over the layers at the last epoch"),
    number="{saturation:percent} of the activations",
    explanation="On the flat ends of {settings.activation} the slope is almost 0, and the error is multiplied "
    "by that slope (document 001, eq. 2): a saturated unit passes nothing back.",
    advice=[
        ("Normalise the sums before the nonlinearity.", {"normalisation": "batch"}),
        ("Draw smaller weights.", {"gain": DividedBy(2)}),
    ],
    only=lambda n, settings: settings.activation in ("tanh", "sigmoid"),
    silenced_by=UNSOUND,
)

DEAD_UNITS = Rule(
    kind="dead_units",
    severity="warning",
    title="Many units are dead in {subject} network{|s}",
    line=above("dead", 0.2, "{at:percent}, mean over the layers at the last epoch"),
    number="{dead:percent} of the units",
    explanation="A unit that no sample activates has slope 0 for all of them, so its weights get no gradient "
    "(document 001, eq. 2 and 4) and it cannot come back.",
    advice=[("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3})],
    only=lambda n, settings: (
        settings.activation == "relu" or (settings.activation == "leaky_relu" and settings.slope < 0.01)
    ),
    silenced_by=UNSOUND,
)
