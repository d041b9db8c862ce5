"""Rules that every laboratory has which trains: divergence, and steps that are too long or too short.

Their line, number and severity are said here; title, explanation, advice and what silences them are a laboratory's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings.advice import Candidate, Suited
from goldviz.diagnostics.findings.finding import any_seed, majority
from goldviz.diagnostics.findings.line import Line, above, below, where
from goldviz.diagnostics.findings.measures import RISING, median
from goldviz.diagnostics.findings.rule import Case, Rule
from goldviz.diagnostics.findings.words import times

SMALLEST_UPDATE = 10**-4.5
LARGEST_UPDATE = 10**-1.5
SATURATED = 0.3
USELESS = 0.98
DEAD = 0.2
ALWAYS_CLIPPED = 0.9
MASTERED = 0.2


def learned_below(simple: str) -> Line:
    """A network has learned its task whose loss is a small share of that of a simple answer: of ``simple``.

    Needs the measure ``worth``.
    """
    return below("worth", MASTERED, f"{{at:part}} of {simple}")


Advice = Sequence[Candidate | Suited] | Callable[[Case], Sequence[Candidate | Suited]]


def training_diverged(*, where_it_did: str = "", **own: Any) -> Rule:
    """The loss of a network, or the run's status, says that training ended in no number; no other rule says more of it.

    Needs the measure ``diverged``. ``where_it_did`` ends the title: "in {subject}".
    """

    def title(case: Case) -> str:
        return f"Training diverged {where_it_did if case.verdicts else ''}".rstrip()

    def run_says(dataset: Run) -> str:
        return "a recorded value that is no finite number" if dataset.attrs.get("status") == "diverged" else ""

    return Rule(
        kind="diverged",
        severity="bad",
        enough=any_seed,
        alone=True,
        **{
            "title": title,
            "line": where("diverged", "any loss that is NaN or infinite"),
            "number": "a loss that is no finite number",
            "run_says": run_says,
            **own,
        },
    )


def steps_too_long(**own: Any) -> Rule:
    """Steps overwrite the weights, or the loss rises. Needs the measures ``update`` and ``rising``."""
    return Rule(
        kind="learning_rate_too_large",
        severity=lambda case: "bad" if any(majority(n.rising) for n in case.readings) else "warning",
        line=above("update", LARGEST_UPDATE, "a median ratio above {at:.1g}")
        | where("rising", "a loss that ends {at:part} above its start, beyond its noise", at=RISING - 1),
        number=_long_steps,
        of_training=True,
        **{"explanation": what_long_steps_do, **own},
    )


def what_long_steps_do(case: Case) -> str:
    """A sentence on steps that are too long; a loss may rise though none is long by itself."""
    overwrite = [majority(n.update > LARGEST_UPDATE) for n in case.readings]
    if all(overwrite):
        return "Each of your steps overwrites a good part of the weights."
    return "" if any(overwrite) else "The loss rises, though no step that was looked at is long by itself."


def _long_steps(reading: Any) -> str:
    words = [f"update-to-data ratio {times(median(reading.update))}"] if np.isfinite(reading.update).any() else []
    words += ["the loss rises"] if majority(reading.rising) else []
    return ", ".join(words) or "over the line"


def steps_too_short(*, only: Callable[[Any, Any], bool] = lambda reading, settings: True, **own: Any) -> Rule:
    """Steps hardly move the weights of a network whose loss does not rise. Needs ``update`` and ``rising``."""
    return Rule(
        kind="learning_rate_too_small",
        severity="warning",
        line=below("update", SMALLEST_UPDATE, "a median ratio below {at:.5f}"),
        number="update-to-data ratio {update:times}",
        only=lambda reading, settings: not majority(reading.rising) and only(reading, settings),
        of_training=True,
        **{"explanation": "At such steps training takes many thousands of them.", **own},
    )


def saturated(kind: str = "saturated", *, measure: str = "saturation", of: str, of_what: str, **own: Any) -> Rule:
    """Many values lie on a flat part of the nonlinearity. ``of`` ends the line, ``of_what`` says of what the share is.

    Needs the measure ``saturation``, or the one named.
    """
    number = f"{{{measure}:percent}} of {of_what}"
    line = above(measure, SATURATED, f"{{at:percent}}{of}")
    return Rule(kind=kind, severity="warning", line=line, **{"number": number, "of_training": True, **own})


def units_dead(at: float = DEAD, *, of: str, number: str = "{dead:percent} of the units", **own: Any) -> Rule:
    """Many units are activated by no sample. ``of`` ends the line. Needs the measure ``dead``."""
    return Rule(
        kind="dead_units",
        severity="warning",
        line=above("dead", at, f"{{at:percent}}{of}"),
        number=number,
        **{"explanation": "A unit that nothing activates gets no gradient.", "of_training": True, **own},
    )


def clipped_at_every_step(of: str = "the steps", **own: Any) -> Rule:
    """Nearly all steps are clipped. ``of`` says of which the share is. Needs the measure ``clipped``."""
    return Rule(
        kind="clipping_every_step",
        severity="warning",
        line=above("clipped", ALWAYS_CLIPPED, "{at:percent} of the steps"),
        number=f"{{clipped:percent}} of {of}",
        of_training=True,
        **{"explanation": "All gradients then have one length.", **own},
    )
