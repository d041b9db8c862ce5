"""What a run of the depth laboratory says about its two networks, in order and without contradiction.

A network that diverged, or has no gradient at all, gets no other verdict: the cause comes first. An exploding
gradient is not also called vanishing, one that vanishes is not called too slow, and a network whose steps are too
long, or whose gradient explodes, is not told to train for longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Case, Conclusions, DividedBy, IfZero, LoweredTo, Rule, Times, median
from goldviz.diagnostics.findings.advice import CLIPPED, FASTER, SLOWER, SLOWER_AND_CLIPPED, Candidate
from goldviz.diagnostics.findings.line import above, at_least, at_most, where
from goldviz.diagnostics.findings.training import SATURATED, USELESS, steps_too_long, steps_too_short, training_diverged
from goldviz.diagnostics.findings.words import percent, times
from goldviz.labs.depth_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.depth_gradients.settings import DepthGradients

SMALLER = LARGER = 100.0
NORMALISE = ("Normalise the sums of every layer.", {"normalisation": "batch"})
ORTHOGONAL_GAINS = {"leaky_relu": 1.35, "relu": 1.41, "tanh": 1.1, "gelu": 1.5}
"""Gains that about keep a gradient's size through an orthogonal layer and its nonlinearity."""
UNSOUND = ("diverged", "no_gradient")


def _explosion(n: Reading) -> str:
    grown = median(n.growth)
    words = f"{times(grown)} times larger at the first hidden layer, " if grown > LARGER else ""
    return f"{words}largest norm {times(median(n.largest))}"


def _loss_of_size(n: Reading) -> str:
    factor = median(n.shrinkage)
    return f"{times(factor)} times smaller" if factor > SMALLER else "exactly 0 at the first hidden layer"


def _why_it_vanishes(case: Case) -> str:
    skip = ", but even that is not enough here" if "residual" in case.names else ": compare the residual network"
    return (
        "On its way back the error is multiplied in every layer by a weight matrix and by the slope of "
        "the nonlinearity (document 001, eq. 2). Most of your {settings.depth} factors are below 1, so the first "
        f"layers are told next to nothing. A skip connection adds the identity to each factor (eq. 27, 48){skip}."
    )


def _against_vanishing(case: Case) -> list[Candidate]:
    suited = case.settings.activation in ORTHOGONAL_GAINS
    activation = case.settings.activation if suited else "leaky_relu"
    gain = ORTHOGONAL_GAINS[activation]
    orthogonal = {"initialisation": "orthogonal", "activation": activation, "gain": gain, "dropout": 0.0}
    draw = "Draw" if suited else "Use LeakyReLU, and draw"
    return [
        (f"{draw} orthogonal weights whose gain suits the nonlinearity, without dropout.", orthogonal),
        NORMALISE,
        ("Take half as many layers.", {"depth": DividedBy(2)}),
    ]


def _worth(n: Reading) -> str:
    share = median(n.worth)
    return f"{percent(share)} of the loss" if share < 2 else f"{times(share)} times the loss"


def _why_useless(case: Case) -> str:
    cause = (
        "Its first layers were told too little to learn from (document 001, eq. 2)."
        if case.also("vanishing")
        else "It has not learned yet, or has learned noise (final test loss, document 001, Annex 5.3)."
    )
    return f"On samples that it has not seen, the network is worth no more than the answer 0. {cause}"


def _against_uselessness(case: Case) -> list[Candidate]:
    alive = ("Normalise the sums of every layer: it keeps signal and gradient alive.", {"normalisation": "batch"})
    longer: Candidate = ("Train five times as long.", {"epochs": Times(5)})
    quieter = ("Train without dropout and noise.", {"dropout": 0.0, "noise": 0.0})
    return [alive, longer, quieter] if case.also("vanishing") else [longer, quieter]


def _why_it_is_kept(case: Case) -> str:
    others = [n for n in case.others("diverged") if np.isfinite(n.shrinkage).any()]
    beside = "".join(f" In the {n.name} network it is {times(median(n.shrinkage))}." for n in others)
    why = (
        "The skip connections add the identity to every factor, so a direct path for the gradient stays open "
        "whatever F does (document 001, eq. 27 and 48)."
        if case.names == {"residual"}
        else "The factor of every layer stays near 1 (document 001, eq. 2 and 48), so your first layers hear as much "
        "as the last."
    )
    return f"{why}{beside} A kept norm does not prove that the gradient points the right way."


def _factor(n: Reading) -> str:
    return f"a factor of {times(max(median(n.shrinkage), median(n.growth)))} between first and last hidden layer"


RULES = (
    training_diverged(
        where_it_did="in {subject} network{|s}",
        explanation="Your steps were so long that the weights grew without end, and the loss with them. The error "
        "of a layer is a product of all matrices above it (document 001, eq. 2), so large weights feed themselves.",
        advice=[SLOWER_AND_CLIPPED, NORMALISE],
    ),
    Rule(
        kind="no_gradient",
        severity="bad",
        title="No gradient at all in {subject} network{|s}",
        line=where("silent", "a norm of 0 at the first and the last hidden layer, in every epoch"),
        number="exactly 0",
        explanation="A weight's gradient is the error behind it times the input before it (document 001, eq. 4). "
        "One of the two is 0 everywhere, so no optimiser can move these weights.",
        advice=[
            (
                "Start from random weights, and give the residual branch a weight.",
                {
                    "initialisation": lambda settings: settings.initialisation.replace("zero", "default"),
                    "residual_scale": IfZero(1.0),
                },
            ),
            ("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3}),
            NORMALISE,
        ],
        only=lambda n, settings: not n.diverged.any(),
    ),
    steps_too_long(
        title="The learning rate is too large for {subject} network{|s}",
        explanation="Each of your steps overwrites a good part of the weights that it should correct. The gradient "
        "(document 001, eq. 4) holds for small steps; about a thousandth of the weights is the usual advice.",
        advice=[SLOWER, CLIPPED],
        silenced_by=UNSOUND,
    ),
    Rule(
        kind="exploding",
        severity="bad",
        title="The gradient explodes in {subject} network{|s}",
        line=above("growth", LARGER, "{at} times larger at the first hidden layer than at the last")
        | above("largest", 1000, "a norm above {at}"),
        number=_explosion,
        explanation="On its way back the error is multiplied by a weight matrix in every layer (document 001, eq. 2). "
        "Here the factors are above 1, and every layer that you add makes it worse.",
        advice=[
            CLIPPED,
            ("Draw weights of the usual size.", {"gain": LoweredTo(1.0)}),
            NORMALISE,
            ("Draw smaller weights.", {"gain": DividedBy(2)}),
        ],
    ),
    Rule(
        kind="vanishing",
        severity="bad",
        title="The gradient vanishes in {subject} network{|s}",
        line=above(
            "shrinkage", SMALLER, "{at} times smaller at the first hidden layer than at the last, mean over the epochs"
        ),
        number=_loss_of_size,
        explanation=_why_it_vanishes,
        advice=_against_vanishing,
        silenced_by=("diverged", "no_gradient", "exploding"),
    ),
    Rule(
        kind="no_better_than_zero",
        severity="bad",
        title="{Subject} network{|s} learned nothing of use",
        line=at_least("worth", USELESS, "{at:percent} of that test loss"),
        number=lambda n: f"{_worth(n)} of always answering 0",
        explanation=_why_useless,
        advice=_against_uselessness,
        silenced_by=(*UNSOUND, "exploding", "learning_rate_too_large"),
    ),
    Rule(
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
    ),
    Rule(
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
    ),
    steps_too_short(
        title="The learning rate is too small for {subject} network{|s}",
        explanation="Your steps change the weights so little that training would take thousands of epochs. The "
        "gradient (document 001, eq. 4) is there, but it is followed too timidly.",
        advice=[FASTER, ("Let Adam set the size of each step.", {"optimiser": "adam"})],
        silenced_by=(*UNSOUND, "exploding", "vanishing"),
    ),
    Rule(
        kind="gradient_kept",
        severity="good",
        title="{Subject} network{|s} keep{s its| their} gradient",
        line=at_most("change", 10, "a factor of {at}, mean over the epochs"),
        number=_factor,
        explanation=_why_it_is_kept,
        only=lambda n, settings: settings.depth > 1,
        silenced_by=("diverged", "no_gradient", "exploding", "vanishing"),
    ),
)
"""In the order in which they are judged."""


def readings(settings: DepthGradients, dataset: xr.Dataset) -> list[Reading]:
    """The networks of a run, as rules read them."""
    names = dataset["network"].values if "network" in dataset.coords else ()
    return [Reading.of(dataset, str(name), settings.depth) for name in names]


findings_of = Conclusions(RULES, readings)
