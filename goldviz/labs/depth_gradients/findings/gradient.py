"""Rules on the gradient itself: it is no number, it is nothing, it explodes, it vanishes, or it is kept.

Document 001, eq. 2, 4, 27 and 48.
"""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import (
    Case,
    DividedBy,
    IfZero,
    LoweredTo,
    Rule,
    above,
    at_most,
    median,
    times,
    training_diverged,
    where,
)
from goldviz.diagnostics.findings.advice import Candidate
from goldviz.labs.depth_gradients.readings import Reading

SMALLER = LARGER = 100.0
NORMALISE = ("Normalise the sums of every layer.", {"normalisation": "batch"})
CLIP = ("Cap the gradient's norm at 1.", {"clip": IfZero(1.0)})

ORTHOGONAL_GAINS = {"leaky_relu": 1.35, "relu": 1.41, "tanh": 1.1, "gelu": 1.5}
"""Gains that about keep a gradient's size through an orthogonal layer and its nonlinearity."""

DIVERGED = training_diverged(
    where_it_did="in {subject} network{|s}",
    explanation="Your steps were so long that the weights grew without end, and the loss with them. The error "
    "of a layer is a product of all matrices above it (document 001, eq. 2), so large weights feed themselves.",
    advice=[
        (
            "Take a tenth of the learning rate, and cap the gradient's norm.",
            {"learning_rate": DividedBy(10), "clip": IfZero(1.0)},
        ),
        NORMALISE,
    ],
)

NO_GRADIENT = Rule(
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
)


def _explosion(n: Reading) -> str:
    grown = median(n.growth)
    words = f"{times(grown)} times larger at the first hidden layer, " if grown > LARGER else ""
    return f"{words}largest norm {times(median(n.largest))}"


EXPLODING = Rule(
    kind="exploding",
    severity="bad",
    title="The gradient explodes in {subject} network{|s}",
    line=above("growth", LARGER, "{at} times larger at the first hidden layer than at the last")
    | above("largest", 1000, "a norm above {at}"),
    number=_explosion,
    explanation="On its way back the error is multiplied by a weight matrix in every layer (document 001, eq. 2). "
    "Here the factors are above 1, and every layer that you add makes it worse.",
    advice=[
        CLIP,
        ("Draw weights of the usual size.", {"gain": LoweredTo(1.0)}),
        NORMALISE,
        ("Draw smaller weights.", {"gain": DividedBy(2)}),
    ],
)


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
    orthogonal = {
        "initialisation": "orthogonal",
        "activation": activation,
        "gain": ORTHOGONAL_GAINS[activation],
        "dropout": 0.0,
    }
    draw = "Draw" if suited else "Use LeakyReLU, and draw"
    return [
        (f"{draw} orthogonal weights whose gain suits the nonlinearity, without dropout.", orthogonal),
        NORMALISE,
        ("Take half as many layers.", {"depth": DividedBy(2)}),
    ]


VANISHING = Rule(
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
)


def _why_it_is_kept(case: Case) -> str:
    others = {
        n.name: median(n.shrinkage) for n in case.everything if n.name not in case.names | case.crossed["diverged"]
    }
    beside = "".join(f" In the {name} network it is {times(f)}." for name, f in others.items() if np.isfinite(f))
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


KEPT = Rule(
    kind="gradient_kept",
    severity="good",
    title="{Subject} network{|s} keep{s its| their} gradient",
    line=at_most("change", 10, "a factor of {at}, mean over the epochs"),
    number=_factor,
    explanation=_why_it_is_kept,
    only=lambda n, settings: settings.depth > 1,
    silenced_by=("diverged", "no_gradient", "exploding", "vanishing"),
)
