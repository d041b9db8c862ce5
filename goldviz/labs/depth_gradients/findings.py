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
    networks,
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
UNSOUND = ("diverged", "no_gradient")


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


def _way_back(n: Reading) -> str:
    """What the run measured of the error on its way back, from the last hidden state to the first."""
    whole, block = median(n.amplification), median(n.block_factor)
    if not math.isfinite(whole) or whole == 0:
        return ""
    return (
        f"In the {n.name} network a block leaves the error {_length(block, f'{block:.3g}')}, all {n.depth} leave it "
        f"{_length(whole, times(whole))}."
    )


def _length(factor: float, text: str) -> str:
    """A block's factor is ``printed`` with three digits, for it counts as often as there are blocks."""
    return "about as long as it was" if 0.95 <= factor < 1.05 else f"{text} times as long"


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _why_it_diverged(case: Case) -> str:
    return _sentences(
        "One long step can be enough: the error of a layer is a product of all matrices above it (document 001, "
        "eq. 2), so large weights feed themselves.",
        *(
            f"The {n.name} network's longest gradient was {times(median(n.largest))}."
            for n in case.readings
            if median(n.largest) > 0
        ),
    )


def _against_divergence(case: Case) -> list[Candidate | Suited]:
    return [*_if_residual(case, CAPPED_BRANCHES), SLOWER_AND_CLIPPED, NORMALISE]


def _if_residual(case: Case, *candidates: Candidate) -> list[Candidate]:
    """These where the residual network is over the line; they leave the plain one as it is."""
    return list(candidates) if "residual" in case.names else []


def _why_steps_are_too_long(case: Case) -> str:
    return _sentences(
        training.what_long_steps_do(case, "the weights that it should correct"),
        "The gradient (document 001, eq. 4) holds for small steps; about a thousandth of the weights is the usual "
        "advice.",
    )


def _explosion(n: Reading) -> str:
    growth, norm = median(n.growth), median(n.largest)
    words = [f"{times(growth)} times larger at the first hidden layer"] if growth > LARGER else []
    return ", ".join([*words, f"largest norm {times(norm)}"])


def _why_it_explodes(case: Case) -> str:
    return _sentences(
        "On its way back the error is multiplied in every block by a weight matrix and by the slope of the "
        "nonlinearity (document 001, eq. 2).",
        *map(_way_back, case.readings),
        *map(_who_made_it_grow, case.readings),
    )


def _made_by_steps(n: Reading) -> bool:
    return median(n.amplification_at_first) < AMPLIFIED < median(n.amplification)


def _who_made_it_grow(n: Reading) -> str:
    if not _made_by_steps(n):
        return ""
    start, end = median(n.amplification_at_first), median(n.amplification_at_last)
    return (
        f"In the first epoch all {n.depth} left the {n.name} network's error {_length(start, times(start))}, in the "
        f"last {_length(end, times(end))}: your steps changed the factors in between."
    )


def _against_explosion(case: Case) -> list[Candidate | Suited]:
    usual: Candidate = ("Draw weights of the usual size.", {"gain": LoweredTo(1.0)})
    long = any(majority(n.largest > LONGEST) for n in case.readings)
    remedies = [*_if_residual(case, CAPPED_BRANCHES), CLIPPED] if long else []
    branches = _if_residual(case, SMALL_BRANCHES)
    if any(map(_made_by_steps, case.readings)):
        return [SLOWER, *remedies, *branches, NORMALISE]
    return [*remedies, *branches, usual, orthogonal, NORMALISE, SMALLER_WEIGHTS]


def _why_the_error_is_large(case: Case) -> str:
    adds = (
        "A residual network adds all its branches to its input (eq. 26), and {settings.depth} of them may end far "
        "from the target."
        if "residual" in case.names
        else "Its outputs may start far from the target."
    )
    began = [f"The {n.name} network's loss began at {times(median(n.began))}." for n in case.readings]
    return _sentences(
        "A gradient is the error at the output times the factors of the blocks (document 001, eq. 2).",
        *map(_way_back, case.readings),
        *began,
        adds,
    )


def _loss_of_size(n: Reading) -> str:
    factor = median(n.shrinkage)
    return f"{times(factor)} times smaller" if factor > SMALLER else "exactly 0 at the first hidden layer"


def _arrives(n: Reading) -> bool:
    """Whether the error itself shrinks by less than what counts as vanishing."""
    return median(n.amplification) >= 1 / SMALLER


def _why_it_vanishes(case: Case) -> str:
    without_gradient = [n.name for n in case.readings if not _arrives(n)]
    everywhere = len(without_gradient) == len(case.readings)
    layers = "the first layers" if everywhere else f"the {' and '.join(without_gradient)} network's first layers"
    skip = ": compare the residual network."
    if "residual" in without_gradient:
        skip = ", but even that is not enough here."
    return _sentences(
        "On its way back the error is multiplied in every layer by a weight matrix and by the slope of the "
        "nonlinearity (document 001, eq. 2).",
        *map(_way_back, case.readings),
        f"So {layers} are told next to nothing." if without_gradient else "",
        *(_why_less_than_the_error(n) for n in case.readings if _arrives(n)),
        f"A skip connection adds the identity to each factor (eq. 27, 48){skip}" if without_gradient else "",
    )


def _why_less_than_the_error(n: Reading) -> str:
    return (
        f"So the {n.name} network's gradient fades by more than its error. A weight's gradient is the error times the "
        "slope of its layer and the input before it (eq. 2, 4)."
    )


def _why_useless(case: Case) -> str:
    return _sentences(
        "On samples that it has not seen, such a network is no better than the answer 0 (final test loss, document "
        "001, Annex 5.3).",
        *(_why_one_is_useless(n, n.name in case.crossed["vanishing"]) for n in case.readings),
    )


def _why_one_is_useless(n: Reading, receives_no_gradient: bool) -> str:
    start, end, zero = median(n.began), median(n.ended), median(n.simplest)
    if receives_no_gradient:
        return f"The {n.name} network's first layers may be told too little to learn from (eq. 2)."
    if end < zero * training.USELESS:
        return f"The {n.name} network fits its training samples, so it may have learned their noise."
    if end < start / 2:
        return f"The {n.name} network's training loss fell from {times(start)} to {times(end)} and is not there yet."
    return f"The {n.name} network's training loss hardly fell; it may need longer."


def _why_deeper_is_worse(case: Case) -> str:
    return _sentences(
        "A deeper network could copy a shallower one and hand its states on, so it can represent as much. Training "
        f"did not find that in {case.readings[0].epochs} epochs (document 001, section 3.1).",
        *map(_way_back, case.readings),
        "A residual network hands its states on by itself (eq. 26)." if "residual" not in case.names else "",
    )


def _against_uselessness(case: Case) -> list[Candidate | Suited]:
    quieter: Candidate = ("Train without dropout and noise.", {"dropout": 0.0, "noise": 0.0})
    if case.also("vanishing"):
        return [orthogonal, LONGER, HALF_AS_DEEP, NORMALISE]
    return [*_if_residual(case, SMALL_BRANCHES), LONGER, orthogonal, quieter]


def _why_it_is_kept(case: Case) -> str:
    beside = map(_not_kept, case.others("diverged"))
    skip = (
        "The residual network's skip connections add the identity to every factor, so a direct path stays open "
        "whatever F does (document 001, eq. 27 and 48)."
    )
    return _sentences(
        f"First and last hidden layer get gradients within {KEPT_WITHIN} times of each other.",
        *beside,
        skip if "residual" in case.names else "",
        *map(_way_back, case.readings),
        "A kept norm does not prove that the gradient points the right way.",
    )


def _not_kept(n: Reading) -> str:
    """What keeps a network off this line: its layers' gradients, or the error behind them where those are alike."""
    change = median(n.change)
    if change > KEPT_WITHIN:
        return f"In the {n.name} network they differ by a factor of {times(change)}."
    return _way_back(n)


def _factor(n: Reading) -> str:
    return f"a factor of {times(median(n.change))} between first and last hidden layer"


RULES = (
    training.training_diverged(
        where_it_did="in {subject} network{|s}", explanation=_why_it_diverged, advice=_against_divergence
    ),
    Rule(
        "no_gradient",
        "bad",
        "No weight matrix gets a gradient in {subject} network{|s}",
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
        ],
        only=lambda n, settings: not n.diverged.any(),
    ),
    training.steps_too_long(
        title="The learning rate is too large for {subject} network{|s}",
        explanation=_why_steps_are_too_long,
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
        number=_explosion,
        explanation=_why_it_explodes,
        advice=_against_explosion,
        silenced_by=UNSOUND,
    ),
    Rule(
        "large_error",
        "warning",
        "A large error makes the gradient of {subject} network{|s} large",
        line=above("largest", LONGEST, "a norm above {at} after clipping")
        & at_most("error_change", AMPLIFIED, "an error that changes by no more than {at} times on its way back"),
        number=lambda n: f"largest norm {times(median(n.largest))}",
        explanation=_why_the_error_is_large,
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
        number=_loss_of_size,
        explanation=_why_it_vanishes,
        advice=[orthogonal, LONGER, HALF_AS_DEEP, NORMALISE],
        silenced_by=("diverged", "no_gradient", "exploding"),
    ),
    Rule(
        "no_better_than_zero",
        "bad",
        "{Subject} network{|s} {is|are} no better than always answering 0",
        line=at_least("worth", training.USELESS, "{at:percent} of that test loss"),
        number="{worth:share_of} zero's test loss",
        explanation=_why_useless,
        advice=_against_uselessness,
        silenced_by=(*UNSOUND, "exploding", "learning_rate_too_large"),
    ),
    Rule(
        "degradation",
        "warning",
        "Deeper trains worse in {subject} network{|s}",
        line=above("degradation", DEGRADED, "{at} times the training loss of the best of fewer layers"),
        number="training loss {ended:times} with {settings.depth} layers, {shallower:times} with fewer",
        explanation=_why_deeper_is_worse,
        advice=[HALF_AS_DEEP],
        only=lambda n, settings: n.epochs > 1,  # the first epoch's loss is that before any step
        silenced_by=UNSOUND,
    ),
    training.saturated(
        title="Many activations are saturated in {subject} network{|s}",
        of=", mean over the layers at the last epoch",
        of_what="the activations",
        explanation="On the flat ends of {settings.activation} the slope is almost 0, and the error is multiplied "
        "by that slope (document 001, eq. 2): a saturated unit passes hardly anything back.",
        advice=[orthogonal, NORMALISE, SMALLER_WEIGHTS],
        only=lambda n, settings: ACTIVATIONS[settings.activation].saturates,
        silenced_by=UNSOUND,
    ),
    training.units_dead(
        title="Many units are dead in {subject} network{|s}",
        of=", mean over the layers at the last epoch",
        explanation="A unit that no sample activates has slope 0 for all of them, so its weights get no gradient "
        "(document 001, eq. 2 and 4) and it cannot come back.",
        advice=[("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3})],
        only=lambda n, settings: (
            settings.activation == "relu" or (settings.activation == "leaky_relu" and settings.slope < 0.01)
        ),
        silenced_by=UNSOUND,
    ),
    training.steps_too_short(
        title="The learning rate is too small for {subject} network{|s}",
        explanation="Your steps change the weights so little that training would take thousands of epochs. The "
        "gradient (document 001, eq. 4) is there, but it is followed too timidly.",
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
        explanation=_why_it_is_kept,
        only=lambda n, settings: settings.depth > 1,
        silenced_by=("diverged", "no_gradient", "exploding", "vanishing"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, lambda settings, run: [Reading.of(run, name, settings) for name in networks(run)])
