"""What a remedy promises, and in how many trials that had no say in the promise it was kept.

A trial is one seed of one set-up in which a rule complained. Set-ups are dealt into five folds. For each fold the other
four choose the promise that the remedy kept most often in them; the fold's own trials count as kept where they keep
that one, and where it is the one that all together would choose. So neither the seeds nor the set-ups that a count is
of have chosen what it counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldviz.diagnostics.findings.finding import Verdicts
from goldviz.diagnostics.findings.trial import Trial

FOLDS = 5
FEWEST_TRIALS = 10
MOSTLY = 0.8
"""Share of the held-out trials in which a promise has to be kept to be made."""


@dataclass(frozen=True)
class Promise:
    """What a remedy may say that it does, and in which seeds of a trial it did."""

    words: str
    kept: Callable[[Trial], Verdicts]


TAKES_AWAY = Promise("takes this away", lambda trial: trial.taken_away)
LOWERS = Promise("lowers the loss", lambda trial: trial.lowered)


@dataclass(frozen=True)
class Held:
    """How a remedy's promise held: kept in so many of the trials counted, and how many set-ups it ruined."""

    promise: Promise
    kept: int
    counted: int
    set_ups: int
    ruined: int

    @property
    def offered(self) -> bool:
        """Whether that is enough to offer the remedy where it was never tried."""
        return self.counted >= FEWEST_TRIALS and self.kept >= MOSTLY * self.counted and not self.ruined

    @property
    def words(self) -> str:
        """The promise and its count, as a sentence."""
        promise = f"{self.promise.words[0].upper()}{self.promise.words[1:]}"
        return f"{promise}: kept in {self.kept} of {self.counted} held-out trials, {self.set_ups} set-ups."


def held_out(trials: Sequence[Trial], promises: Sequence[Promise] = (TAKES_AWAY, LOWERS)) -> Held:
    """How the best of the promises held in trials of one remedy."""
    telling = [trial for trial in trials if trial.tells]
    promise, kept_count, complaints = _best(telling, promises), 0, 0
    folds = _folds(telling)
    for fold in folds:
        rest = [trial for other in folds if other is not fold for trial in other]
        if _complaints(rest):
            complaints += _complaints(fold)
            kept_count += _kept(fold, promise) if _best(rest, promises) is promise else 0
    set_ups = {_name(trial) for trial in telling}
    return Held(promise, kept_count, complaints, len(set_ups), sum(bool(trial.ruined) for trial in telling))


def _folds(trials: Sequence[Trial]) -> list[list[Trial]]:
    """Trials by set-up, which a hash of its settings puts in an order that nobody chose."""
    places = {name: place % FOLDS for place, name in enumerate(sorted({_name(trial) for trial in trials}))}
    return [[trial for trial in trials if places[_name(trial)] == fold] for fold in range(FOLDS)]


def _name(trial: Trial) -> str:
    settings = json.dumps(dict(trial.settings), sort_keys=True, default=list)
    return hashlib.sha256(settings.encode()).hexdigest()


def _best(trials: Sequence[Trial], promises: Sequence[Promise]) -> Promise:
    """The promise kept most often; the first of several alike."""
    return max(promises, key=lambda promise: _kept(trials, promise))


def _kept(trials: Sequence[Trial], promise: Promise) -> int:
    return sum(int(promise.kept(trial).sum()) for trial in trials)


def _complaints(trials: Sequence[Trial]) -> int:
    return sum(int(trial.complained.sum()) for trial in trials)
