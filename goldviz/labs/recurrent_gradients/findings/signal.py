"""Rules on the signal's way through time: it explodes, it vanishes, it is kept, the forget gate drops it.

Document 001, eq. 6-9 and 17-24.
"""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import (
    Candidate,
    Case,
    DividedBy,
    IfZero,
    Rule,
    above,
    at_most,
    below,
    majority,
    median,
    part,
    power,
    times,
    training_diverged,
    where,
)
from goldviz.labs.recurrent_gradients.readings import FADED, Reading

PEAK = 2.0
LONGEST_NORM = 1000.0
KEPT_WITHIN = 10
CLIP = ("Cap the gradient's norm at 1.", {"clip": IfZero(1.0)})
ORTHOGONAL = ("Start from an orthogonal matrix that keeps lengths.", {"initialisation": "orthogonal", "gain": 1.0})
SHORTER = ("Take a sequence half as long.", {"length": DividedBy(2)})

DIVERGED = training_diverged(
    where_it_did="in {subject}",
    explanation="The same matrix is used at every time step, so once it is too large, states and gradients grow "
    "with every step of the sequence (document 001, eq. 6-9), and one update can end in no number.",
    advice=[
        (
            "Take a tenth of the learning rate, and cap the gradient's norm.",
            {"learning_rate": DividedBy(10), "clip": IfZero(1.0)},
        ),
        ("Start from an orthogonal matrix.", {"initialisation": "orthogonal", "gain": 1.0}),
    ],
)


def _explosion(n: Reading) -> str:
    peak, longest = median(n.peak), median(n.largest_norm)
    words = [f"a signal {power(peak)} times larger on its way"] if peak > PEAK else []
    words += [f"a gradient of norm {times(longest)}"] if longest > LONGEST_NORM else []
    return ", ".join(words) or "a signal or a norm over the line"


EXPLODING = Rule(
    kind="exploding",
    severity="bad",
    title="The gradient explodes in {subject}",
    line=above("peak", PEAK, "a Jacobian product above {at:power} at any lag")
    | above("largest_norm", LONGEST_NORM, "a gradient's norm above {at}"),
    number=_explosion,
    explanation="Going back k steps multiplies the gradient by k Jacobians (document 001, eq. 6-9). Most of yours "
    "stretch it, and every time step makes it worse. Clipping (document 003) caps the update, not the cause.",
    advice=[
        CLIP,
        ORTHOGONAL,
        ("Let tanh hold the states.", {"activation": "tanh"}),
        ("Draw smaller recurrent matrices.", {"gain": DividedBy(2)}),
    ],
    silenced_by=("diverged",),
)


def _title_with_lag(case: Case) -> str:
    return f"The gradient vanishes by lag {min(median(n.faded_at) for n in case.readings):.0f} in {{subject}}"


def _against_vanishing(case: Case) -> list[Candidate]:
    orthogonal = {"initialisation": "orthogonal", "gain": lambda settings: max(1.0, min(settings.gain, 1.2))}
    if case.names & {"LSTM", "GRU"} == {"LSTM"}:
        first = ("Raise the LSTM's forget bias: its gate then starts open.", {"forget_bias": 3.0})
        return [first, (ORTHOGONAL[0], orthogonal), SHORTER]
    compare = ("Compare all three: gates open a path that W does not shrink.", {"networks": "all"})
    return [(ORTHOGONAL[0], orthogonal), compare, SHORTER]


VANISHING = Rule(
    kind="vanishing",
    severity=lambda case: "bad" if case.names <= {"RNN"} or len(case.names) == len(case.considered) else "warning",
    title=_title_with_lag,
    line=where("faded", "a Jacobian product below {at:power} within the sequence, at the last look", at=FADED),
    number=lambda n: f"below {power(FADED)} from lag {median(n.faded_at):.0f} of {n.longest_lag}",
    explanation="Going back k steps multiplies the gradient by k Jacobians dh(t)/dh(t−1) (document 001, eq. 6-9). "
    "Yours shrink it, so a cue farther back than that lag is hardly heard, however healthy the weights' own "
    "gradients look: those add up near lags.",
    advice=_against_vanishing,
    silenced_by=("diverged", "exploding", "task_solved"),
)

FORGETFUL = Rule(
    kind="forget_bias_too_small",
    severity="warning",
    title="The LSTM's forget gate closes too early",
    line=lambda settings: below(
        "memory", 0.1, f"a half-life of {{at:part}} of the {settings.length} steps, at the last look"
    ),
    number="opening {forget:.2f}: memory halves in {memory_half_life:.1f} steps",
    explanation="The cell path multiplies the gradient by the forget gate at every step (document 001, eq. 18). "
    "At this opening little is left after a few of them; a larger initial bias opens the gate.",
    advice=[
        (
            "Start with a forget bias of {forget_bias:g}.",
            {"forget_bias": lambda settings: 1.0 if settings.forget_bias < 1 else settings.forget_bias + 2},
        )
    ],
    silenced_by=("diverged", "exploding", "task_solved"),
)


def _title_with_steps(case: Case) -> str:
    return f"{{Subject}} keep{{s|}} the signal over {max(n.longest_lag for n in case.considered)} steps"


def _why_it_is_kept(case: Case) -> str:
    others = [n for n in case.everything if n.name not in case.names | case.crossed["diverged"] and majority(n.faded)]
    beside = "".join(
        f" In the {n.name} the signal is below {power(FADED)} from lag {median(n.faded_at):.0f}." for n in others
    )
    why = (
        "The Jacobians of your steps neither stretch nor shrink much (document 001, eq. 6-9)."
        if "RNN" in case.names
        else "Gates near 1 pass the state on almost unchanged, a path that W does not shrink (document 001, eq. 17-24)."
    )
    return f"{why}{beside} A kept norm does not prove that the gradient points the right way."


KEPT = Rule(
    kind="gradient_kept",
    severity="good",
    title=_title_with_steps,
    line=at_most(
        "drift", np.log10(KEPT_WITHIN), f"between {part(1 / KEPT_WITHIN)} and ten times its size at the largest lag"
    ),
    number=lambda n: f"a factor of {times(10 ** median(n.farthest))} over {n.longest_lag} steps",
    explanation=_why_it_is_kept,
    only=lambda n, settings: n.longest_lag > 0,
    silenced_by=("diverged", "exploding"),
)
