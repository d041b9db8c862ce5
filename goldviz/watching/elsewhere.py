"""How often a card's cure helped elsewhere: in the trials of the laboratories' own advice that had no say in it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from goldviz.declare.registry import ROOM
from goldviz.diagnostics.findings.held_out import FEWEST_TRIALS, held_out
from goldviz.diagnostics.findings.trial import Trial, trials_in

REMEDIES: Mapping[str, str] = {
    "saturated": "Draw hidden weights as Kaiming does, with 5/3.",
    "first_loss": "Draw the output's weights a hundred times smaller than N(0, 1).",
    "learning_rate_too_large": "Take a tenth of the learning rate.",
}
"""The words of the advice that does what the cure of this kind of card does."""
OF_RECURRENT: Mapping[str, str] = {"exploding": "Start from an orthogonal matrix that keeps lengths."}
"""The same for cards of networks with recurrent modules."""


@cache
def _trials() -> Sequence[Sequence[Trial]]:
    """Those of each laboratory of goldviz's own, from its file: to import laboratories would keep a script waiting."""
    room = Path(importlib.import_module(ROOM).__path__[0])
    return [trials_in(file) for file in sorted(room.glob("*/recorded/advice.json"))]


@cache
def helped_elsewhere(kind: str, recurrent: bool = False) -> str:
    """In how many trials that kind of card's cure kept what it promises, as a sentence; empty where fewer than ten
    tell."""
    words, kept, counted = (OF_RECURRENT if recurrent else {}).get(kind) or REMEDIES.get(kind), 0, 0
    for of_laboratory in _trials() if words else ():
        trials = [trial for trial in of_laboratory if (trial.kind, trial.words) == (kind, words)]
        if trials:
            held = held_out(trials)
            kept, counted = kept + held.kept, counted + held.counted
    return f"In goldviz's own networks it helped in {kept} of {counted} trials." if counted >= FEWEST_TRIALS else ""
