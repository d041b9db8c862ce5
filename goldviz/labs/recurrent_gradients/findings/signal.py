"""Rules on the signal's way through time: it explodes, it vanishes, it is kept, the forget gate drops it.

Each gives at most one finding, which names the networks that it holds for (document 001, eq. 6-9, 17-24).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import (
    Finding,
    Verdict,
    agreement,
    majority,
    median,
    number,
    remedy,
    sentence_subject,
    subject,
    times,
)
from goldviz.labs.recurrent_gradients.readings import Reading

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

EXPLODING = 2.0
EXPLODING_NORM = 1e3
KEPT = -1.0
SHORTEST_MEMORY = 0.1
"""A forget gate whose half-life is below this share of the sequence is called too small."""


def training_diverged(settings: RecurrentGradients, networks: Sequence[Reading], status: str) -> Finding | None:
    """The loss of a network, or the run's status, says that training ended in no number."""
    verdicts = [Verdict(n.name, "a loss that is no finite number", n.diverged) for n in networks if n.diverged.any()]
    if not verdicts and status != "diverged":
        return None
    slower = {"learning_rate": max(1e-6, settings.learning_rate / 10), "clip": settings.clip or 1.0}
    return Finding(
        kind="diverged",
        title=f"Training diverged in {subject(verdicts)}" if verdicts else "Training diverged",
        severity="bad",
        number=number(verdicts) if verdicts else "a recorded value that is no finite number",
        threshold="any loss that is NaN or infinite",
        confidence=agreement(verdicts) if verdicts else "the run stopped for it",
        explanation="The same matrix is used at every time step, so once it is too large, states and gradients grow "
        "with every step of the sequence (document 001, eq. 6-9), and one update can end in no number.",
        **remedy(
            settings,
            ("Take a tenth of the learning rate, and cap the gradient's norm.", slower),
            ("Start from an orthogonal matrix.", {"initialisation": "orthogonal", "gain": 1.0}),
        ),
    )


def exploding_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose Jacobian product exceeds 100 at any lag, or whose gradient is longer than 1,000 at any step."""
    verdicts = []
    for n in networks:
        over = (n.peak > EXPLODING) | (n.largest_norm > EXPLODING_NORM)
        if majority(over):
            peak, longest = median(n.peak), median(n.largest_norm)
            words = [f"a signal {_power(peak)} times larger on its way"] if peak > EXPLODING else []
            words += [f"a gradient of norm {times(longest)}"] if longest > EXPLODING_NORM else []
            verdicts.append(Verdict(n.name, ", ".join(words) or "a signal or a norm over the line", over))
    return verdicts


def exploding(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """The gradient explodes through time."""
    verdicts = exploding_verdicts(networks)
    if not verdicts:
        return None
    return Finding(
        kind="exploding",
        title=f"The gradient explodes in {subject(verdicts)}",
        severity="bad",
        number=number(verdicts),
        threshold="a Jacobian product above 100 at any lag, or a gradient's norm above 1,000",
        confidence=agreement(verdicts),
        explanation="Going back k steps multiplies the gradient by k Jacobians (document 001, eq. 6-9). Most of yours "
        "stretch it, and every time step makes it worse. Clipping (document 003) caps the update, not the cause.",
        **remedy(
            settings,
            ("Cap the gradient's norm at 1.", {"clip": settings.clip or 1.0}),
            ("Start from an orthogonal matrix that keeps lengths.", {"initialisation": "orthogonal", "gain": 1.0}),
            ("Let tanh hold the states.", {"activation": "tanh"}),
            ("Draw smaller recurrent matrices.", {"gain": max(0.1, settings.gain / 2)}),
        ),
    )


def _power(logarithm: float) -> str:
    return times(10**logarithm) if logarithm < 300 else f"more than {times(1e300)}"


def vanishing_verdicts(networks: Sequence[Reading]) -> list[Verdict]:
    """Networks whose Jacobian product falls below 1/100 within the lags that were measured."""
    verdicts = []
    for n in networks:
        gone = np.isfinite(n.faded_at)
        if majority(gone):
            verdicts.append(Verdict(n.name, f"below 1/100 from lag {median(n.faded_at):.0f} of {n.longest_lag}", gone))
    return verdicts


def vanishing(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """The gradient vanishes on its way back through time, from a lag that is named."""
    verdicts = vanishing_verdicts(networks)
    if not verdicts:
        return None
    names = {verdict.network for verdict in verdicts}
    lag = min(median(n.faded_at) for n in networks if n.name in names)
    gated = names & {"LSTM", "GRU"}
    orthogonal = (
        "Start from an orthogonal matrix that keeps lengths.",
        {"initialisation": "orthogonal", "gain": max(1.0, min(settings.gain, 1.2)), "activation": settings.activation},
    )
    compare = ("Compare all three: gates open a path that W does not shrink.", {"networks": "all"})
    remember = ("Raise the LSTM's forget bias: its gate then starts open.", {"forget_bias": 3.0})
    easier = ("Take a sequence half as long.", {"length": max(4, settings.length // 2)})
    candidates = (remember, orthogonal, easier) if gated == {"LSTM"} else (orthogonal, compare, easier)
    return Finding(
        kind="vanishing",
        title=f"The gradient vanishes by lag {lag:.0f} in {subject(verdicts)}",
        severity="bad" if not gated or len(names) == len(networks) else "warning",
        number=number(verdicts),
        threshold="a Jacobian product below 1/100 within the sequence, at the last look",
        confidence=agreement(verdicts),
        explanation="Going back k steps multiplies the gradient by k Jacobians dh(t)/dh(t−1) (document 001, eq. 6-9). "
        "Yours shrink it, so a cue farther back than that lag is hardly heard, however healthy the weights' own "
        "gradients look: those add up near lags.",
        **remedy(settings, *candidates),
    )


def forgetful(settings: RecurrentGradients, networks: Sequence[Reading]) -> Finding | None:
    """The LSTM's forget gate is so small that the cell path loses its memory well within the sequence.

    One whose whole Jacobian keeps the signal all the same, through other units or paths, is let be.
    """
    verdicts = []
    for n in networks:
        short = (n.memory_half_life < SHORTEST_MEMORY * n.longest_lag) & ~(n.farthest >= KEPT)
        if majority(short):
            opening, half_life = median(n.forget), median(n.memory_half_life)
            verdicts.append(Verdict(n.name, f"opening {opening:.2f}: memory halves in {half_life:.1f} steps", short))
    if not verdicts:
        return None
    raised = 1.0 if settings.forget_bias < 1 else min(8.0, settings.forget_bias + 2)
    return Finding(
        kind="forget_bias_too_small",
        title="The LSTM's forget gate closes too early",
        severity="warning",
        number=number(verdicts),
        threshold=f"a half-life of a tenth of the {settings.length} steps, at the last look",
        confidence=agreement(verdicts),
        explanation="The cell path multiplies the gradient by the forget gate at every step (document 001, eq. 18). "
        "At this opening little is left after a few of them; a larger initial bias opens the gate.",
        **remedy(settings, (f"Start with a forget bias of {raised:g}.", {"forget_bias": raised})),
    )


def kept(networks: Sequence[Reading], compared: Sequence[Reading]) -> Finding | None:
    """The signal arrives at the largest lag with at least a tenth of its size, and at most ten times it."""
    verdicts = []
    for n in networks:
        within = (n.farthest >= KEPT) & (n.farthest <= -KEPT)
        if n.longest_lag and majority(within):
            factor = f"a factor of {times(10 ** median(n.farthest))} over {n.longest_lag} steps"
            verdicts.append(Verdict(n.name, factor, within))
    if not verdicts:
        return None
    names = {verdict.network for verdict in verdicts}
    beside = "".join(
        f" In the {n.name} the signal is below 1/100 from lag {median(n.faded_at):.0f}."
        for n in compared
        if n.name not in names and majority(np.isfinite(n.faded_at))
    )
    why = (
        "Gates near 1 pass the state on almost unchanged, a path that W does not shrink (document 001, eq. 17-24)."
        if not names & {"RNN"}
        else "The Jacobians of your steps neither stretch nor shrink much (document 001, eq. 6-9)."
    )
    return Finding(
        kind="gradient_kept",
        title=f"{sentence_subject(verdicts)} keep{'s' if len(verdicts) == 1 else ''} the signal over "
        f"{max(n.longest_lag for n in networks)} steps",
        severity="good",
        number=number(verdicts),
        threshold="between a tenth and ten times its size at the largest lag",
        confidence=agreement(verdicts),
        explanation=f"{why}{beside} A kept norm does not prove that the gradient points the right way.",
    )
