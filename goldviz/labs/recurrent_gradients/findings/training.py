"""Rules on what recurrent training makes of the gradient: steps, clipping, stuck gates, what was learned."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import (
    LARGEST_UPDATE,
    SATURATED,
    SMALLEST_UPDATE,
    USELESS,
    Finding,
    Verdict,
    agreement,
    majority,
    median,
    number,
    percent,
    remedy,
    sentence_subject,
    subject,
    times,
)
from goldviz.labs.recurrent_gradients.readings import Reading

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

ALWAYS_CLIPPED = 0.9
STUCK_GATES = 0.6
SOLVED = 0.2
"""A loss below this share of the best loss without memory counts as a solved task."""


def step_too_large_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose steps overwrite the recurrent weights, or whose loss rises."""
    verdicts = []
    for n in networks:
        over = (n.update > LARGEST_UPDATE) | n.rising
        if majority(over):
            words = [f"update-to-data ratio {times(median(n.update))}"] if np.isfinite(n.update).any() else []
            words += ["the loss rises"] if majority(n.rising) else []
            verdicts.append(Verdict(n.name, ", ".join(words) or "over the line", over))
    return verdicts


def step_too_large(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """The learning rate is too large."""
    verdicts = step_too_large_verdicts(networks)
    if not verdicts:
        return None
    return Finding(
        kind="learning_rate_too_large",
        title=f"The learning rate is too large for {subject(verdicts)}",
        severity="bad" if any("rises" in verdict.number for verdict in verdicts) else "warning",
        number=number(verdicts),
        threshold="a median ratio above 0.03, or a loss that ends a tenth above its start",
        confidence=agreement(verdicts),
        explanation="Each of your steps overwrites a good part of the recurrent weights, which every time step uses "
        "again (document 001, eq. 6). About a thousandth of the weights is the usual advice.",
        **remedy(
            settings,
            ("Take a tenth of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 10)}),
            ("Cap the gradient's norm at 1.", {"clip": settings.clip or 1.0}),
        ),
    )


def step_too_small(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """Steps hardly move the recurrent weights of a network that has not solved its task."""
    verdicts = [
        Verdict(n.name, f"update-to-data ratio {times(median(n.update))}", n.update < SMALLEST_UPDATE)
        for n in networks
        if majority(n.update < SMALLEST_UPDATE) and not n.rising.any() and not majority(n.worth < SOLVED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="learning_rate_too_small",
        title=f"The learning rate is too small for {subject(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="a median ratio below 0.00003",
        confidence=agreement(verdicts),
        explanation="Your steps change the recurrent weights so little that training would take many thousands of "
        "them. The gradient (document 001, eq. 6) is there, but it is followed too timidly.",
        **remedy(
            settings,
            ("Take ten times the learning rate.", {"learning_rate": min(1.0, settings.learning_rate * 10)}),
            ("Let Adam set the size of each step.", {"optimiser": "adam"}),
        ),
    )


def always_clipped(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """Nearly every step was clipped."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.clipped))} of the steps", n.clipped > ALWAYS_CLIPPED)
        for n in networks
        if majority(n.clipped > ALWAYS_CLIPPED)
    ]
    if not verdicts:
        return None
    wider = min(1000.0, settings.clip * 10) if settings.clip else 1.0
    return Finding(
        kind="clipping_every_step",
        title=f"Nearly every step of {subject(verdicts)} is clipped",
        severity="warning",
        number=number(verdicts),
        threshold="90 % of the steps",
        confidence=agreement(verdicts),
        explanation="Clipping is a belt for rare long gradients (document 003): the direction stays, the length is "
        "cut. Cut at every step, all gradients have one length, and the clip value works as your learning rate.",
        **remedy(
            settings,
            (f"Clip at {wider:g} instead.", {"clip": wider}),
            ("Start from an orthogonal matrix that keeps lengths.", {"initialisation": "orthogonal", "gain": 1.0}),
        ),
    )


def saturated_gates(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """Most gate values, forget gates aside, stand at an end."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.stuck))} of the gate values", n.stuck > STUCK_GATES)
        for n in networks
        if majority(n.stuck > STUCK_GATES)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="saturated_gates",
        title=f"Most gates are stuck at an end in {subject(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="60 % below 0.05 or above 0.95, forget gates not counted",
        confidence=agreement(verdicts),
        explanation="A gate's slope is s(1 − s): near 0 or 1 almost nothing passes back to what controls it "
        "(document 001, eq. 19-20), so it can hardly learn to open or shut.",
        **remedy(
            settings,
            ("Draw the usual recurrent matrices.", {"gain": min(1.0, settings.gain)}),
            ("Take a tenth of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 10)}),
        ),
    )


def saturated_states(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """Many hidden values of the plain tanh network stand on a flat part."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.flat))} of the hidden values", n.flat > SATURATED)
        for n in networks
        if n.name == "RNN" and settings.activation == "tanh" and majority(n.flat > SATURATED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="saturated_states",
        title=f"Many states are saturated in {subject(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold="30 % with |h| above 0.97, at the last look",
        confidence=agreement(verdicts),
        explanation="The step's Jacobian is diag(1 − h²) W (document 001, eq. 8): where |h| is near 1, the gradient is "
        "multiplied by almost 0.",
        **remedy(
            settings,
            ("Draw the usual recurrent matrices.", {"gain": min(1.0, settings.gain)}),
            ("Take a tenth of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 10)}),
        ),
    )


def learned_nothing(settings: RecurrentGradients, networks: Sequence[Reading], fading: Set[str]) -> Finding | None:
    """On fresh sequences, the network does no better than without memory; ``fading`` networks have a known cause."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.worth))} of the memoryless loss", n.worth >= USELESS)
        for n in networks
        if n.tested and majority(n.worth >= USELESS)
    ]
    if not verdicts:
        return None
    faded = any(verdict.network in fading for verdict in verdicts)
    gates = ("Compare all three: gates keep the signal.", {"networks": "all"})
    shorter = ("Take a sequence half as long.", {"length": max(4, settings.length // 2)})
    longer = ("Train five times as long.", {"steps": min(20_000, settings.steps * 5)})
    usual = ("Let Adam take steps of 0.003.", {"optimiser": "adam", "learning_rate": 3e-3})
    cause = (
        "Its gradient fades before it reaches the cue (document 001, eq. 6-9)."
        if faded
        else "Its gradient reaches the cue, but has not been followed for long enough, or in steps of the wrong size."
    )
    return Finding(
        kind="learned_nothing",
        title=f"{sentence_subject(verdicts)} remember{'s' if len(verdicts) == 1 else ''} nothing of use",
        severity="bad",
        number=number(verdicts),
        threshold="98 % of the best loss without memory",
        confidence=agreement(verdicts),
        explanation=f"An answer that never looks back would score as well. {cause}",
        **remedy(settings, *((gates, shorter, longer) if faded else (longer, usual, shorter))),
    )


def solved(networks: Sequence[Reading]) -> Finding | None:
    """The loss is a small part of what the best answer without memory scores."""
    verdicts = [
        Verdict(
            n.name, f"loss {times(median(n.loss))}, {_share(median(n.worth))} of the memoryless one", n.worth < SOLVED
        )
        for n in networks
        if majority(n.worth < SOLVED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="task_solved",
        title=f"{sentence_subject(verdicts)} learned to remember",
        severity="good",
        number=number(verdicts),
        threshold="a fifth of the best loss without memory",
        confidence=agreement(verdicts),
        explanation="No answer without memory gets near this loss: what was seen long before is used. Equal settings "
        "are not a fair contest between networks: another may want another learning rate, or more steps.",
    )


def _share(worth: float) -> str:
    return percent(worth) if worth >= 0.01 else "less than 1 %"
