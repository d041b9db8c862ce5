"""Rules on the ODE-RNN's field and its solver: too coarse, stiff, saturated, exploding, consistent.

Each gives at most one finding (document 001, eq. 31-32).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.diagnostics.findings import (
    SATURATED,
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
from goldviz.labs.ode_rnn.readings import Reading

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

REFINED = 1.1
"""Factor by which refining the steps may change the error, up or down."""

BAD_REFINED = 1.5
STIFFER = 2.0
STABLE = {"euler": 2.0, "heun": 2.0, "rk4": 2.8, "torchdiffeq_rk4": 2.8}
"""About the largest product of step and stiffness at which each method is stable (Hairer and Wanner 1996)."""

EXPLODED = 30.0
"""A hidden value beyond this has left the range of every cell, whose own values stay within 1, far behind."""


def finer(settings: ODERNNLaboratory) -> tuple[str, Mapping[str, Any]]:
    """The advice to follow the field more exactly, by the solver in use."""
    if settings.solver == "dopri5":
        return "Ask dopri5 for a hundredth of the error.", {"tolerance": max(1e-8, settings.tolerance / 100)}
    longest = min(settings.step_cap, 2 * settings.longest_gap)
    capped = max(0.005, min(longest / 4, 0.1))
    if settings.solver in ("euler", "heun"):
        return "Let RK4 take steps of at most 0.1.", {"solver": "rk4", "step_cap": min(settings.step_cap, 0.1)}
    return f"Cap the steps at {capped:.3g}.", {"step_cap": capped}


def off_solution(n: Reading) -> np.ndarray:
    """Which seeds' errors change by more than a tenth when the steps are refined."""
    return np.asarray((n.refined_ratio > REFINED) | (n.refined_ratio < 1 / REFINED))


def solver_too_coarse(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """Refining the steps changes the error: the network learned its solver's map and not an ODE."""
    verdicts = [
        Verdict(n.name, f"the refined error is {times(median(n.refined_ratio))} times the error", off_solution(n))
        for n in networks
        if majority(off_solution(n))
    ]
    if not verdicts:
        return None
    ratios = [median(n.refined_ratio) for n in networks if majority(off_solution(n))]
    return Finding(
        kind="solver_too_coarse",
        title="The solver is too coarse: its steps are part of what was learned",
        severity="bad" if any(ratio > BAD_REFINED or ratio < 1 / BAD_REFINED for ratio in ratios) else "warning",
        number=number(verdicts),
        threshold="10 % more or less with steps four times as fine",
        confidence=agreement(verdicts),
        explanation="h'(t) is to solve dh/dt = f(h) (document 001, eq. 31-32). Where other steps give other answers, "
        "the weights fit the solver's map for the steps of training, and a gap that takes others is a guess.",
        **remedy(settings, finer(settings)),
    )


def stiff_verdicts(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> list[Verdict]:
    """An adaptive solver's evaluations more than doubled, or a fixed step became too long for the field."""
    verdicts = []
    for n in networks:
        if settings.solver == "dopri5":
            over = n.growth > STIFFER
            words = f"evaluations grew {times(median(n.growth))} times"
        else:
            step = min(settings.step_cap, 2 * settings.longest_gap)
            grown = n.stiffness / np.where(n.early_stiffness > 0, n.early_stiffness, np.nan)
            over = (grown > STIFFER) & (n.stiffness * step > STABLE[settings.solver])
            words = f"norm of df/dh {times(median(n.stiffness))}, {times(median(grown))} times its early one"
        if majority(over):
            verdicts.append(Verdict(n.name, words, over))
    return verdicts


def stiff_field(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """The field grew stiff in training."""
    verdicts = stiff_verdicts(settings, networks)
    if not verdicts:
        return None
    adaptive = settings.solver == "dopri5"
    slower = {"learning_rate": max(1e-6, settings.learning_rate / 3)}
    return Finding(
        kind="stiff_field",
        title="The field grew stiff in training",
        severity="warning",
        number=number(verdicts),
        threshold="evaluations more than doubled, last tenth of the steps against the first"
        if adaptive
        else f"doubled since a third of the run (the early one), and above {STABLE[settings.solver]:g} / longest step",
        confidence=agreement(verdicts),
        explanation="Where f changes fast with h, a step has to be short (document 001, eq. 32). "
        + (
            "dopri5 shortens its steps by itself, and you pay for it in time."
            if adaptive
            else "A fixed step does not notice: errors grow along the gap instead of fading."
        ),
        **remedy(settings, *(() if adaptive else (finer(settings),)), ("Take a third of the learning rate.", slower)),
    )


def saturated_field(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """Many units of the field stand on a flat part of tanh."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.saturation))} of the field's hidden values", n.saturation > SATURATED)
        for n in networks
        if majority(n.saturation > SATURATED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="field_saturated",
        title="The field is saturated",
        severity="warning",
        number=number(verdicts),
        threshold="30 % above 0.97 in size, at the last look",
        confidence=agreement(verdicts),
        explanation="On a flat part of tanh the field no longer depends on the state: h moves at a constant speed, "
        "wherever it is, and hardly any gradient passes back through f (document 001, eq. 31).",
        **remedy(
            settings,
            ("Take a third of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 3)}),
            ("Give the field more units.", {"width": min(128, 2 * settings.width)}),
        ),
    )


def exploding_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks with a hidden value beyond 30."""
    return [
        Verdict(n.name, f"a hidden value of {times(median(n.state_size))}", n.state_size > EXPLODED)
        for n in networks
        if majority(n.state_size > EXPLODED)
    ]


def exploding_state(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """The hidden state runs away along the paths."""
    verdicts = exploding_verdicts(networks)
    if not verdicts:
        return None
    slower = {"learning_rate": max(1e-6, settings.learning_rate / 3), "clip": settings.clip or 1.0}
    return Finding(
        kind="state_exploding",
        title=f"The state explodes in {subject(verdicts)}",
        severity="bad",
        number=number(verdicts),
        threshold=f"{EXPLODED:g}, where a cell's own values stay within 1",
        confidence=agreement(verdicts),
        explanation="Nothing bounds dh/dt = f(h) (document 001, eq. 31): a field that points outwards carries the "
        "state away for as long as the gap lasts, and the next observation has to bring it back.",
        **remedy(
            settings,
            ("Take a third of the learning rate, and cap the gradient's norm.", slower),
            finer(settings),
        ),
    )


def consistent(networks: Sequence[Reading]) -> Finding | None:
    """Refining the steps leaves the error where it is: an ODE was learned."""
    verdicts = []
    for n in networks:
        steady = (n.refined_ratio <= REFINED) & (n.refined_ratio >= 1 / REFINED)
        if majority(steady):
            apart = abs(median(n.refined_ratio) - 1)
            words = "less than 0.1 %" if apart < 1e-3 else f"{100 * apart:.2g} %"
            verdicts.append(Verdict(n.name, f"the error changes by {words}", steady))
    if not verdicts:
        return None
    return Finding(
        kind="solver_consistent",
        title=f"{sentence_subject(verdicts)} learned an ODE, not its solver's steps",
        severity="good",
        number=number(verdicts),
        threshold="10 % with steps four times as fine",
        confidence=agreement(verdicts),
        explanation="Finer steps give the same answer, so what was learned is the flow of f (document 001, eq. 31-32) "
        "and holds for any solver that is good enough.",
    )
