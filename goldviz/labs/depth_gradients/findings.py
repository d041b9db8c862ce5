"""What a run of the depth laboratory says about its two networks, in order and without contradiction.

A network that diverged, or has no gradient at all, gets no other verdict: the cause comes first. An exploding
gradient is not also called vanishing, one that vanishes is not called too slow, and a network whose steps are too
long, or whose gradient explodes, is not told to train for longer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Case,
    Conclusions,
    DividedBy,
    IfZero,
    LoweredTo,
    Rule,
    Times,
    training,
)
from goldviz.diagnostics.findings.advice import CLIPPED, FASTER, SLOWER, SLOWER_AND_CLIPPED, Candidate, Suited
from goldviz.diagnostics.findings.finding import majority
from goldviz.diagnostics.findings.line import above, at_least, at_most, where
from goldviz.diagnostics.findings.measures import median
from goldviz.diagnostics.findings.words import times
from goldviz.labs.depth_gradients.measures import Reading
from goldviz.models.feedforward.activations import ACTIVATIONS, leaky_relu_gain

if TYPE_CHECKING:
    from collections.abc import Callable

    from goldviz.labs.depth_gradients.settings import DepthGradients

SMALLER = LARGER = 100.0
LONGEST = 1000
AMPLIFIED = 10
KEPT_WITHIN = 10
DEGRADED = 1.5
BRANCH = 0.2
"""The share of every branch that keeps a residual network of usual depths near its start, as *Fix it* presets use."""
FOUND_GAINS = {"tanh": 1.1, "gelu": 1.5}
"""Gains that about keep a gradient's size through an orthogonal layer and a nonlinearity for which the signal's size
decides, found by trying; for ReLU and LeakyReLU there is :func:`leaky_relu_gain`."""
NORMALISE: Candidate = (
    "Normalise the sums of every layer, without dropout and with a fifth of every residual branch, and train three "
    "times as long.",
    {"normalisation": "batch", "dropout": 0.0, "residual_scale": LoweredTo(BRANCH), "epochs": Times(3)},
)
CAPPED_BRANCHES: Candidate = (
    "Cap the gradient's norm at 1, and add a fifth of every residual branch.",
    {"clip": IfZero(1.0), "residual_scale": LoweredTo(BRANCH)},
)
SMALL_BRANCHES: Candidate = ("Add a fifth of every residual branch.", {"residual_scale": LoweredTo(BRANCH)})
SMALLER_WEIGHTS: Candidate = ("Draw smaller weights.", {"gain": DividedBy(2)})
LONGER: Candidate = ("Train five times as long.", {"epochs": Times(5)})
HALF_AS_DEEP: Candidate = ("Take half as many layers.", {"depth": DividedBy(2)})
UNSOUND = ("no_gradient",)


def orthogonal(settings: DepthGradients) -> Candidate:
    """Orthogonal weights whose gain suits the nonlinearity, and small branches: at that gain whole ones would add up
    to a residual network hundreds of times worse than zero."""
    suits = settings.activation in ("leaky_relu", "relu", *FOUND_GAINS)
    activation = settings.activation if suits else "leaky_relu"
    closed_form = leaky_relu_gain(settings.slope if activation == "leaky_relu" else 0.0)
    changes = {
        "initialisation": "orthogonal",
        "gain": FOUND_GAINS.get(activation, round(closed_form, 2)),
        "dropout": 0.0,
    }
    draw = "Draw" if suits else "Use LeakyReLU, and draw"
    return (
        f"{draw} orthogonal weights whose gain suits the nonlinearity, without dropout and with a fifth of every "
        "residual branch.",
        {**changes, "activation": activation, "residual_scale": LoweredTo(BRANCH)},
    )


def _of_each(case: Case, words: Callable[[Reading], str], source: str = "") -> str:
    """What is said of each network over the line, in one sentence."""
    sentence = "; ".join(filter(None, map(words, case.readings)))
    return f"{sentence[0].upper()}{sentence[1:]}{source}." if sentence else ""


def _way_back(case: Case) -> str:
    """What the run measured of the error on its way back, from the last hidden state to the first."""
    return _of_each(case, _on_its_way, " (document 001, eq. 2)")


def _on_its_way(n: Reading) -> str:
    whole = median(n.amplification)
    if not math.isfinite(whole) or whole == 0:
        return ""
    return f"all {n.depth} blocks leave the {n.name} network's error {_length(whole)}"


def _length(factor: float) -> str:
    return "about as long as it was" if 0.95 <= factor < 1.05 else f"{times(factor)} times as long"


def _longest_gradients(case: Case) -> str:
    """Of networks whose longest gradient is a number."""
    return _of_each(
        case,
        lambda n: (
            f"the {n.name} network's longest gradient was {times(median(n.largest))}"
            if 0 < median(n.largest) < math.inf
            else ""
        ),
    )


def _if_residual(case: Case, *candidates: Candidate) -> list[Candidate]:
    """These where the residual network is over the line; they leave the plain one as it is."""
    return list(candidates) if "residual" in case.names else []


def _explosion(n: Reading) -> str:
    growth, norm = median(n.growth), median(n.largest)
    words = [f"{times(growth)} times larger at the first hidden layer"] if growth > LARGER else []
    return ", ".join([*words, f"largest norm {times(norm)}"])


def _made_by_steps(n: Reading) -> bool:
    return median(n.amplification_at_first) < AMPLIFIED < median(n.amplification)


def _made_it_grow(n: Reading) -> str:
    if not _made_by_steps(n):
        return ""
    start, end = median(n.amplification_at_first), median(n.amplification_at_last)
    return (
        f"all {n.depth} blocks left the {n.name} network's error {_length(start)} in the first epoch, {_length(end)} "
        "in the last"
    )


def _how_losses_went(case: Case) -> str:
    return _of_each(
        case,
        lambda n: (
            f"the {n.name} network's training loss went from {times(median(n.began))} to {times(median(n.ended))}"
        ),
    )


def _against_explosion(case: Case) -> list[Candidate | Suited]:
    usual: Candidate = ("Draw weights of the usual size.", {"gain": LoweredTo(1.0)})
    long = any(majority(n.largest > LONGEST) for n in case.readings)
    remedies = [*_if_residual(case, CAPPED_BRANCHES), CLIPPED] if long else []
    branches = _if_residual(case, SMALL_BRANCHES)
    if any(map(_made_by_steps, case.readings)):
        return [SLOWER, *remedies, *branches, NORMALISE]
    return [*remedies, *branches, usual, orthogonal, NORMALISE, SMALLER_WEIGHTS]


def _loss_of_size(n: Reading) -> str:
    factor = median(n.shrinkage)
    return f"{times(factor)} times smaller" if factor < math.inf else "exactly 0 at the first hidden layer"


def _against_uselessness(case: Case) -> list[Candidate | Suited]:
    quieter: Candidate = ("Train without dropout and noise.", {"dropout": 0.0, "noise": 0.0})
    if case.also("vanishing"):
        return [orthogonal, LONGER, HALF_AS_DEEP, NORMALISE]
    return [*_if_residual(case, SMALL_BRANCHES), LONGER, orthogonal, quieter]


def _beside_the_kept(case: Case) -> str:
    """What keeps another network off this line: its layers' gradients, or the error behind them where those are alike;
    with no other, what the line does not say."""
    words = [_differs(n) for n in case.others("diverged")]
    return next(filter(None, words), "A kept norm does not prove that the gradient points the right way.")


def _differs(n: Reading) -> str:
    change = median(n.change)
    if change > KEPT_WITHIN:
        return f"In the {n.name} network they differ by a factor of {times(change)}."
    sentence = _on_its_way(n)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def _factor(n: Reading) -> str:
    return f"a factor of {times(median(n.change))} between first and last hidden layer"


RULES = (
    training.training_diverged(
        where_it_did="in {subject} network{|s}",
        explanation=_longest_gradients,
        advice=lambda case: [*_if_residual(case, CAPPED_BRANCHES), SLOWER_AND_CLIPPED, NORMALISE],
    ),
    Rule(
        "no_gradient",
        "bad",
        "No weight matrix gets a gradient in {subject} network{|s}",
        line=where("silent", "a norm of 0 at every matrix, in every epoch"),
        number="exactly 0",
        explanation="Either the error or the input is zero everywhere (document 001, eq. 4).",
        advice=[
            (
                "Start from random weights, and give the residual branch a weight.",
                {
                    "initialisation": lambda settings: settings.initialisation.replace("zero", "default"),
                    "residual_scale": IfZero(1.0),
                },
            ),
            ("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3}),
        ],
        only=lambda n, settings: not n.diverged.any(),
    ),
    training.steps_too_long(
        title="The learning rate is too large for {subject} network{|s}",
        advice=[SLOWER, CLIPPED],
        silenced_by=UNSOUND,
    ),
    Rule(
        "exploding",
        "bad",
        "The gradient explodes in {subject} network{|s}",
        line=above("growth", LARGER, "{at} times larger at the first hidden layer than at the last")
        | (
            above("largest", LONGEST, "a norm above {at} after clipping")
            & above("amplification", AMPLIFIED, "an error that grows more than {at} times on its way back")
        ),
        of_training=True,
        number=_explosion,
        explanation=lambda case: _of_each(case, _made_it_grow) or _way_back(case),
        advice=_against_explosion,
        silenced_by=UNSOUND,
    ),
    Rule(
        "large_error",
        "warning",
        "A large error makes the gradient of {subject} network{|s} large",
        line=above("largest", LONGEST, "a norm above {at} after clipping")
        & at_most("error_change", AMPLIFIED, "an error that changes by no more than {at} times on its way back"),
        of_training=True,
        number=lambda n: f"largest norm {times(median(n.largest))}",
        explanation=lambda case: _of_each(
            case, lambda n: f"the {n.name} network's loss began at {times(median(n.began))}"
        ),
        advice=[SMALL_BRANCHES, CLIPPED, SMALLER_WEIGHTS],
        silenced_by=(*UNSOUND, "exploding"),
    ),
    Rule(
        "vanishing",
        "bad",
        "The gradient vanishes in {subject} network{|s}",
        line=above(
            "shrinkage", SMALLER, "{at} times smaller at the first hidden layer than at the last, mean over the epochs"
        ),
        of_training=True,
        number=_loss_of_size,
        explanation=_way_back,
        advice=[orthogonal, LONGER, HALF_AS_DEEP, NORMALISE],
        silenced_by=("no_gradient", "exploding"),
    ),
    Rule(
        "no_better_than_zero",
        "bad",
        "{Subject} network{|s} {is|are} no better than always answering 0",
        line=at_least("worth", training.USELESS, "{at:percent} of that test loss"),
        number="{worth:share_of} zero's test loss",
        explanation=_how_losses_went,
        advice=_against_uselessness,
        silenced_by=(*UNSOUND, "exploding", "learning_rate_too_large"),
    ),
    Rule(
        "degradation",
        "warning",
        "Deeper trains worse in {subject} network{|s}",
        line=above("degradation", DEGRADED, "{at} times the training loss of the best of fewer layers"),
        number="training loss {ended:times} with {settings.depth} layers, {shallower:times} with fewer",
        explanation="A deeper network could hand a shallower one's states on (document 001, 3.1).",
        advice=[HALF_AS_DEEP],
        only=lambda n, settings: n.epochs > 1,  # the first epoch's loss is that before any step
        silenced_by=UNSOUND,
    ),
    training.saturated(
        title="{saturation:Quantity} activations are saturated in {subject} network{|s}",
        of=", mean over the layers at the last epoch",
        of_what="the activations",
        explanation="There the slope of {settings.activation} is almost 0 (document 001, eq. 2).",
        advice=[orthogonal, NORMALISE, SMALLER_WEIGHTS],
        only=lambda n, settings: ACTIVATIONS[settings.activation].saturates,
        silenced_by=UNSOUND,
    ),
    training.units_dead(
        title="{dead:Quantity} units are dead in {subject} network{|s}",
        of=", mean over the layers at the last epoch",
        explanation="No sample activates them, so their weights get no gradient (document 001, eq. 4).",
        advice=[("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3})],
        only=lambda n, settings: (
            settings.activation == "relu" or (settings.activation == "leaky_relu" and settings.slope < 0.01)
        ),
        silenced_by=UNSOUND,
    ),
    training.steps_too_short(
        title="The learning rate is too small for {subject} network{|s}",
        advice=[FASTER, ("Let Adam set the size of each step.", {"optimiser": "adam"})],
        silenced_by=(*UNSOUND, "exploding", "vanishing"),
    ),
    Rule(
        "gradient_kept",
        "good",
        "{Subject} network{|s} keep{s its| their} gradient",
        line=at_most("change", KEPT_WITHIN, "a factor of {at}, mean over the epochs")
        & at_most("error_change", SMALLER, "an error that changes by no more than {at} times on its way back"),
        number=_factor,
        explanation=_beside_the_kept,
        only=lambda n, settings: settings.depth > 1,
        silenced_by=("no_gradient", "exploding", "vanishing"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(
    RULES,
    Reading.of_all,
    learned=training.learned_below("zero's test loss"),
)
