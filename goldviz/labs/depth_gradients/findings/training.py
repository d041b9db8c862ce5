"""Rules on what training makes of the gradient: step size, saturated and dead units, whether anything was learned."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import (
    DEAD,
    LARGEST_UPDATE,
    SATURATED,
    SMALLEST_UPDATE,
    USELESS,
    Finding,
    Verdict,
    agreement,
    majority,
    median,
    named,
    number,
    percent,
    remedy,
    times,
)
from goldviz.labs.depth_gradients.readings import Reading, ratio

if TYPE_CHECKING:
    from goldviz.labs.depth_gradients.settings import DepthGradients


def step_too_large_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose steps overwrite the weights, or whose loss rises."""
    verdicts = []
    for n in networks:
        over = (n.update > LARGEST_UPDATE) | n.rising
        if majority(over):
            words = [f"update-to-data ratio {times(median(n.update))}"] if np.isfinite(n.update).any() else []
            words += ["the loss rises"] if majority(n.rising) else []
            verdicts.append(Verdict(n.name, ", ".join(words), over))
    return verdicts


def step_too_large(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """The learning rate is too large."""
    verdicts = step_too_large_verdicts(networks)
    if not verdicts:
        return None
    return Finding(
        kind="learning_rate_too_large",
        title=f"The learning rate is too large for {named(verdicts)}",
        severity="bad" if any("rises" in verdict.number for verdict in verdicts) else "warning",
        number=number(verdicts),
        threshold="a median ratio above 0.03, or a loss that ends a tenth above its start",
        confidence=agreement(verdicts),
        explanation="Each of your steps overwrites a good part of the weights that it should correct. The gradient "
        "(document 001, eq. 4) holds for small steps; about a thousandth of the weights is the usual advice.",
        **remedy(
            settings,
            ("Take a tenth of the learning rate.", {"learning_rate": max(1e-7, settings.learning_rate / 10)}),
            ("Cap the gradient's norm at 1.", {"clip": settings.clip or 1.0}),
        ),
    )


def step_too_small(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """Steps hardly move the weights, though there is a gradient to follow."""
    verdicts = [
        Verdict(n.name, f"update-to-data ratio {times(median(n.update))}", n.update < SMALLEST_UPDATE)
        for n in networks
        if majority(n.update < SMALLEST_UPDATE) and not n.rising.any()
    ]
    if not verdicts:
        return None
    return Finding(
        kind="learning_rate_too_small",
        title=f"The learning rate is too small for {named(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="a median ratio below 0.00003",
        confidence=agreement(verdicts),
        explanation="Your steps change the weights so little that training would take thousands of epochs. The "
        "gradient (document 001, eq. 4) is there, but it is followed too timidly.",
        **remedy(
            settings,
            ("Take ten times the learning rate.", {"learning_rate": min(10.0, settings.learning_rate * 10)}),
            ("Let Adam set the size of each step.", {"optimiser": "adam"}),
        ),
    )


def no_better_than_zero(settings: DepthGradients, networks: Sequence[Reading], fading: Set[str]) -> Finding | None:
    """On new samples the network is worth no more than the answer 0; ``fading`` networks have a known cause."""
    verdicts = []
    for n in networks:
        share = ratio(n.test, n.zero)
        if majority(share >= USELESS):
            verdicts.append(
                Verdict(n.name, f"{_worth(median(share))} the loss of always answering 0", share >= USELESS)
            )
    if not verdicts:
        return None
    faded = any(verdict.network in fading for verdict in verdicts)
    normalise = ("Normalise the sums of every layer: it keeps signal and gradient alive.", {"normalisation": "batch"})
    longer = ("Train five times as long.", {"epochs": min(2000, settings.epochs * 5)})
    quieter = ("Train without dropout and noise.", {"dropout": 0.0, "noise": 0.0})
    cause = (
        "Its first layers were told too little to learn from (document 001, eq. 2)."
        if faded
        else "It has not learned yet, or has learned noise (final test loss, document 001, Annex 5.3)."
    )
    return Finding(
        kind="no_better_than_zero",
        title=f"{named(verdicts).capitalize()} learned nothing of use",
        severity="bad",
        number=number(verdicts),
        threshold="98 % of that test loss",
        confidence=agreement(verdicts),
        explanation=f"On samples that it has not seen, the network is worth no more than the answer 0. {cause}",
        **remedy(settings, *((normalise, longer, quieter) if faded else (longer, quieter))),
    )


def _worth(share: float) -> str:
    return f"{percent(share)} of" if share < 2 else f"{times(share)} times"


def saturated(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """Many activations stand on the flat ends of tanh or the sigmoid."""
    if settings.activation not in ("tanh", "sigmoid"):
        return None
    verdicts = [
        Verdict(n.name, f"{percent(median(n.saturation))} of the activations", n.saturation > SATURATED)
        for n in networks
        if majority(n.saturation > SATURATED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="saturated",
        title=f"Many activations are saturated in {named(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="30 %, mean over the layers at the last epoch",
        confidence=agreement(verdicts),
        explanation=f"On the flat ends of {settings.activation} the slope is almost 0, and the error is multiplied "
        "by that slope (document 001, eq. 2): a saturated unit passes nothing back.",
        **remedy(
            settings,
            ("Normalise the sums before the nonlinearity.", {"normalisation": "batch"}),
            ("Draw smaller weights.", {"gain": max(0.01, settings.gain / 2)}),
        ),
    )


def dead(settings: DepthGradients, networks: Sequence[Reading]) -> Finding | None:
    """Many units are activated by no sample, where the nonlinearity has no slope below zero."""
    if settings.activation != "relu" and not (settings.activation == "leaky_relu" and settings.slope < 0.01):
        return None
    verdicts = [
        Verdict(n.name, f"{percent(median(n.dead))} of the units", n.dead > DEAD)
        for n in networks
        if majority(n.dead > DEAD)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="dead_units",
        title=f"Many units are dead in {named(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="20 %, mean over the layers at the last epoch",
        confidence=agreement(verdicts),
        explanation="A unit that no sample activates has slope 0 for all of them, so its weights get no gradient "
        "(document 001, eq. 2 and 4) and it cannot come back.",
        **remedy(settings, ("Give the nonlinearity a slope below zero.", {"activation": "leaky_relu", "slope": 0.3})),
    )
