"""Rules on the gradient itself: it is no number, it is nothing, it explodes, it vanishes, or it is kept.

Each gives at most one finding, which names the networks that it holds for (document 001, eq. 2, 4, 27 and 48).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, Verdict, agreement, majority, median, named, number, remedy, times
from goldviz.labs.depth_gradients.readings import Reading

if TYPE_CHECKING:
    from goldviz.labs.depth_gradients.settings import DepthGradients

VANISHING = 100.0
EXPLODING = 100.0
EXPLODING_NORM = 1e3
KEPT = 10.0

ORTHOGONAL_GAINS = {"leaky_relu": 1.35, "relu": 1.41, "tanh": 1.1, "gelu": 1.5}
"""Gains that about keep a gradient's size through an orthogonal layer and its nonlinearity."""


def training_diverged(settings: DepthGradients, networks: Sequence[Reading], status: str) -> Finding | None:
    """The loss of a network, or the run's status, says that training ended in no number."""
    verdicts = [Verdict(n.name, "a loss that is no finite number", n.diverged) for n in networks if n.diverged.any()]
    if not verdicts and status != "diverged":
        return None
    slower = {"learning_rate": max(1e-7, settings.learning_rate / 10), "clip": settings.clip or 1.0}
    return Finding(
        kind="diverged",
        title=f"Training diverged in {named(verdicts)}" if verdicts else "Training diverged",
        severity="bad",
        number=number(verdicts) if verdicts else "a recorded value that is no finite number",
        threshold="any loss that is NaN or infinite",
        confidence=agreement(verdicts) if verdicts else "the run stopped for it",
        explanation="Your steps were so long that the weights grew without end, and the loss with them. The error "
        "of a layer is a product of all matrices above it (document 001, eq. 2), so large weights feed themselves.",
        **remedy(
            settings,
            ("Take a tenth of the learning rate, and cap the gradient's norm.", slower),
            ("Normalise the sums of every layer.", {"normalisation": "batch"}),
        ),
    )


def no_gradient(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """The gradient of the hidden layers is exactly zero."""
    verdicts = [Verdict(n.name, "exactly 0", n.silent) for n in networks if majority(n.silent)]
    if not verdicts:
        return None
    start = "default" if settings.initialisation == "zero" else settings.initialisation
    return Finding(
        kind="no_gradient",
        title=f"No gradient at all in {named(verdicts)}",
        severity="bad",
        number=number(verdicts),
        threshold="a norm of 0 at the first and the last hidden layer, in every epoch",
        confidence=agreement(verdicts),
        explanation="A weight's gradient is the error behind it times the input before it (document 001, eq. 4). "
        "One of the two is 0 everywhere, so no optimiser can move these weights.",
        **remedy(
            settings,
            (
                "Start from random weights, and give the residual branch a weight.",
                {"initialisation": start, "residual_scale": settings.residual_scale or 1.0},
            ),
            ("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3}),
            ("Normalise the sums of every layer.", {"normalisation": "batch"}),
        ),
    )


def exploding_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose gradient grows a hundredfold on its way back, or is longer than 1,000 anywhere."""
    verdicts = []
    for n in networks:
        over = (n.largest > EXPLODING_NORM) | (n.growth > EXPLODING)
        if majority(over):
            grown = median(n.growth)
            words = f"{times(grown)} times larger at the first hidden layer, " if grown > EXPLODING else ""
            verdicts.append(Verdict(n.name, f"{words}largest norm {times(median(n.largest))}", over))
    return verdicts


def exploding(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """The gradient explodes."""
    verdicts = exploding_verdicts(networks)
    if not verdicts:
        return None
    return Finding(
        kind="exploding",
        title=f"The gradient explodes in {named(verdicts)}",
        severity="bad",
        number=number(verdicts),
        threshold="100 times larger at the first hidden layer than at the last, or a norm above 1,000",
        confidence=agreement(verdicts),
        explanation="On its way back the error is multiplied by a weight matrix in every layer (document 001, eq. 2). "
        "Here the factors are above 1, and every layer that you add makes it worse.",
        **remedy(
            settings,
            ("Cap the gradient's norm at 1.", {"clip": settings.clip or 1.0}),
            ("Draw weights of the usual size.", {"gain": min(1.0, settings.gain)}),
            ("Normalise the sums of every layer.", {"normalisation": "batch"}),
            ("Draw smaller weights.", {"gain": max(0.01, settings.gain / 2)}),
        ),
    )


def vanishing_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose gradient is less than a hundredth at the first hidden layer of what it is at the last."""
    verdicts = []
    for n in networks:
        over = n.shrinkage > VANISHING
        if majority(over):
            factor = median(n.shrinkage)
            words = f"{times(factor)} times smaller" if factor > VANISHING else "exactly 0 at the first hidden layer"
            verdicts.append(Verdict(n.name, words, over))
    return verdicts


def vanishing(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """The gradient vanishes."""
    verdicts = vanishing_verdicts(networks)
    if not verdicts:
        return None
    skip = (
        "A skip connection adds the identity to each factor (eq. 27, 48), but even that is not enough here."
        if any(verdict.network == "residual" for verdict in verdicts)
        else "A skip connection adds the identity to each factor (eq. 27, 48): compare the residual network."
    )
    activation = settings.activation if settings.activation in ORTHOGONAL_GAINS else "leaky_relu"
    orthogonal = {
        "initialisation": "orthogonal",
        "activation": activation,
        "gain": ORTHOGONAL_GAINS[activation],
        "dropout": 0.0,
    }
    words = "Use LeakyReLU, and draw" if activation != settings.activation else "Draw"
    return Finding(
        kind="vanishing",
        title=f"The gradient vanishes in {named(verdicts)}",
        severity="bad",
        number=number(verdicts),
        threshold="100 times smaller at the first hidden layer than at the last, mean over the epochs",
        confidence=agreement(verdicts),
        explanation="On its way back the error is multiplied in every layer by a weight matrix and by the slope of "
        f"the nonlinearity (document 001, eq. 2). Most of your {settings.depth} factors are below 1, so the first "
        f"layers are told next to nothing. {skip}",
        **remedy(
            settings,
            (f"{words} orthogonal weights whose gain suits the nonlinearity, without dropout.", orthogonal),
            ("Normalise the sums of every layer.", {"normalisation": "batch"}),
            ("Take half as many layers.", {"depth": max(1, settings.depth // 2)}),
        ),
    )


def kept(settings: DepthGradients, networks: Sequence[Reading], compared: Sequence[Reading]) -> Finding | None:
    """The gradient is about as long at the first hidden layer as at the last; needs two hidden layers."""
    verdicts = []
    for n in networks:
        within = (n.shrinkage <= KEPT) & (n.growth <= KEPT)
        if settings.depth > 1 and majority(within):
            factor = max(median(n.shrinkage), median(n.growth))
            verdicts.append(Verdict(n.name, f"a factor of {times(factor)} between first and last hidden layer", within))
    if not verdicts:
        return None
    names = [verdict.network for verdict in verdicts]
    factors = {n.name: median(n.shrinkage) for n in compared if n.name not in names}
    beside = "".join(f" In the {name} network it is {times(f)}." for name, f in factors.items() if np.isfinite(f))
    why = (
        "The skip connections add the identity to every factor, so a direct path for the gradient stays open "
        "whatever F does (document 001, eq. 27 and 48)."
        if names == ["residual"]
        else "The factor of every layer stays near 1 (document 001, eq. 2 and 48), so your first layers hear as much "
        "as the last."
    )
    return Finding(
        kind="gradient_kept",
        title=f"{named(verdicts).capitalize()} keep{'s its' if len(verdicts) == 1 else ' their'} gradient",
        severity="good",
        number=number(verdicts),
        threshold="a factor of 10, mean over the epochs",
        confidence=agreement(verdicts),
        explanation=f"{why}{beside} A kept norm does not prove that the gradient points the right way.",
    )
