"""What recorded numbers say about a network, as findings that name their number and their threshold.

Works on labelled arrays alone, so a page can ask for findings without loading torch. Rules that hold for every
network stand here; each laboratory adds its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Severity = Literal["bad", "warning", "good"]
Floats = NDArray[np.floating[Any]]
Verdicts = NDArray[np.bool_]

SMALLEST_UPDATE = 10**-4.5
LARGEST_UPDATE = 10**-1.5
RISING = 1.1
SATURATED = 0.3
DEAD = 0.2
USELESS = 0.98
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Finding:
    """One conclusion: what happened, the number that says so, where the line is, and what to try.

    ``number`` and ``threshold`` are ready to read ("4,100 times smaller", "100 times"). ``confidence`` says
    how sure it is and why. ``changes`` are the settings of the paired run that *Try this* starts.
    """

    kind: str
    title: str
    severity: Severity
    number: str
    threshold: str
    confidence: str
    explanation: str
    advice: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)


def diverged(loss: Floats, axis: int = 0) -> Verdicts:
    """Where the loss stopped being a number: NaN or infinite at any step along ``axis``."""
    return np.asarray(~np.isfinite(loss).all(axis=axis))


def rising(loss: Floats) -> Verdicts:
    """Whether the loss went up: the last quarter's mean over 1.1 times the first quarter's, along the first axis.

    Fewer than eight steps say nothing. A loss that is not finite is *diverged*, not rising.

    >>> bool(rising(np.linspace(1.0, 2.0, 20)))
    True
    """
    quarter = len(loss) // 4
    if quarter < 2:
        return np.zeros(loss.shape[1:], dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(loss[-quarter:].mean(axis=0) > RISING * loss[:quarter].mean(axis=0))


def typical_update(ratio: Floats) -> float:
    """The median update-to-data ratio over steps and layers, of what is finite and not zero; NaN if nothing is.

    A layer whose gradient is exactly zero does not move at any learning rate, so it says nothing about the rate.
    """
    usable = ratio[np.isfinite(ratio) & (ratio > 0)]
    return float(np.median(usable)) if usable.size else float("nan")


def median(values: Floats) -> float:
    """The median of the finite values; NaN if there are none."""
    usable = values[np.isfinite(values)]
    return float(np.median(usable)) if usable.size else float("nan")


def times(factor: float) -> str:
    """A factor as a person reads it: about two digits, and powers of ten for what is very large or small.

    >>> times(3704.2), times(1.42), times(3.2e9), times(0.0002)
    ('3,700', '1.4', '3.2 × 10⁹', '2 × 10⁻⁴')
    """
    if not np.isfinite(factor):
        return "infinitely many"
    if factor >= 1e6 or 0 < factor < 1e-3:
        mantissa, exponent = f"{factor:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')} × 10{str(int(exponent)).translate(SUPERSCRIPT)}"
    if factor >= 100:
        return f"{float(f'{factor:.2g}'):,.0f}"
    return f"{factor:.1f}" if 1 <= factor < 10 else f"{factor:.2g}"


def percent(share: float) -> str:
    """A share as a percentage.

    >>> percent(0.634)
    '63 %'
    """
    return f"{100 * share:.0f} %"


@dataclass(frozen=True)
class Verdict:
    """What one rule says about one network: its number in words, and which seeds cross the line."""

    network: str
    number: str
    seeds: Verdicts


def majority(verdicts: Verdicts) -> bool:
    """Whether more than half of the seeds cross the line."""
    return bool(np.mean(verdicts) > 0.5)


def named(verdicts: Sequence[Verdict]) -> str:
    """The networks of some verdicts, as the subject of a sentence.

    >>> named([Verdict("plain", "", np.array([True]))])
    'the plain network'
    """
    names = [verdict.network for verdict in verdicts]
    return f"the {' and '.join(names)} network{'s' if len(names) > 1 else ''}"


def subject(verdicts: Sequence[Verdict]) -> str:
    """The networks of some verdicts, as the subject of a sentence.

    >>> subject([Verdict(name, "", np.array([True])) for name in ("RNN", "LSTM", "GRU")])
    'the RNN, LSTM and GRU'
    """
    *others, last = [verdict.network for verdict in verdicts]
    return f"the {', '.join(others)} and {last}" if others else f"the {last}"


def sentence_subject(verdicts: Sequence[Verdict]) -> str:
    """The same at the beginning of a sentence: 'The RNN and LSTM'."""
    return f"T{subject(verdicts)[1:]}"


def number(verdicts: Sequence[Verdict]) -> str:
    """The numbers of some verdicts, each with its network where there are several."""
    if len(verdicts) == 1:
        return verdicts[0].number
    return "; ".join(f"{verdict.network}: {verdict.number}" for verdict in verdicts)


def agreement(verdicts: Sequence[Verdict]) -> str:
    """How sure some verdicts are: the share of seeds that cross the line in the least certain of them.

    >>> agreement([Verdict("plain", "", np.array([True, True, False]))])
    '2 of 3 seeds agree'
    """
    seeds = min((verdict.seeds for verdict in verdicts), key=np.sum)
    if len(seeds) == 1:
        return "one seed: run several to be sure"
    agreed = int(np.sum(seeds))
    return f"all {len(seeds)} seeds agree" if agreed == len(seeds) else f"{agreed} of {len(seeds)} seeds agree"


def remedy(settings: object, *candidates: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    """``advice`` and ``changes`` of the first candidate that changes something in the settings.

    A candidate is a sentence and the values that it asks for; values that the settings have already are left out.
    Without any candidate left there is no advice.
    """
    for advice, values in candidates:
        changes = {name: value for name, value in values.items() if getattr(settings, name) != value}
        if changes:
            return {"advice": advice, "changes": changes}
    return {}
