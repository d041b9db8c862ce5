"""Advice as an experiment: what a remedy did when it was tried, and which remedies that leaves to offer.

``make advice`` takes each rule that fires on a laboratory's presets and on settings that are drawn, applies each of its
remedies, trains both on the same five seeds, and keeps what became of every network as a :class:`Trial`. A remedy is
offered for what it promises, where it kept that in most trials that did not choose it
(:mod:`goldviz.diagnostics.findings.held_out`) and did not fail in the set-up itself; never one that ruined a network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from goldviz.diagnostics.findings.advice import Remedy
from goldviz.diagnostics.findings.finding import Finding, Verdicts
from goldviz.diagnostics.findings.held_out import LOWERS, TAKES_AWAY, Held, held_out
from goldviz.diagnostics.findings.trial import Trial

MENDS = "Mends the measuring."


@dataclass(frozen=True)
class Tried:
    """All trials of a laboratory.

    ``unit`` names its loss, ``sizes`` says on a card that set-ups were made smaller, ``how`` in the page of trials by
    how much, and which presets were tried.
    """

    trials: Sequence[Trial] = ()
    unit: str = "loss"
    sizes: str = ""
    how: str = ""
    _by_remedy: dict[tuple[str, str], list[Trial]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for trial in self.trials:
            self._by_remedy.setdefault((trial.kind, trial.words), []).append(trial)

    def of(self, kind: str, remedy: Remedy) -> list[Trial]:
        """The trials of a rule's remedy."""
        return self._by_remedy.get((kind, remedy.words), [])

    def held_out(self, kind: str, remedy: Remedy) -> Held:
        """How a rule's remedy kept its promise in trials that did not choose it."""
        return held_out(self.of(kind, remedy), (LOWERS,) if remedy.switches_off else (TAKES_AWAY, LOWERS))

    def advised(self, finding: Finding, set_up: Mapping[str, Any]) -> Finding:
        """The finding with the first of its remedies that keeps its promise where it was not chosen for it, and did not
        fail in this set-up if it was tried there; without advice where none does. ``set_up`` are the settings as trials
        name them.

        What a good finding suggests is no cure, and a check promises nothing: both stay as they are, but for a
        suggestion that another rule's trial in this set-up was in vain with. What mends the measuring is offered unless
        it was tried in vain.
        """
        if finding.severity == "good":
            vain = any(t.changes == finding.changes and t.settings == set_up and not t.helps for t in self.trials)
            return replace(finding, advice="", changes={}) if vain and finding.changes else finding
        failures: list[str] = []
        for remedy in finding.remedies:
            if remedy.check:
                return replace(finding, advice=remedy.advice, changes=remedy.changes)
            telling = [trial for trial in self.of(finding.kind, remedy) if trial.tells]
            # By its words: made smaller, a set-up trains "three times as long" for fewer steps than the page's.
            here = next((trial for trial in telling if trial.settings == set_up), None)
            if here and not here.helps:
                failures.append(f"{remedy.advice.rstrip('.')} ({here.counts or 'made a network worse'})")
                continue
            effect = self._mended(telling) if remedy.mends else self._promised(finding.kind, remedy, here)
            if effect:
                return replace(finding, advice=remedy.advice, changes=remedy.changes, effect=effect)
        without = f"Tried on this set-up{self.sizes}, without success: {'; '.join(failures)}." if failures else ""
        return replace(finding, advice="", changes={}, effect=without)

    def _promised(self, kind: str, remedy: Remedy, here: Trial | None) -> str:
        """The promise, its count, and what the remedy did in this set-up; nothing where it is not offered."""
        record = self.held_out(kind, remedy)
        if not record.offered:
            return ""
        beside = f" Tried on this set-up{self.sizes}. {self.unit}: {here.changes_of_loss()}." if here else ""
        return f"{record.words}{beside}"

    def _mended(self, trials: Sequence[Trial]) -> str:
        """That it mends the measuring, without a count, for the complaint may be gone by definition; nothing where it
        was tried in vain."""
        successes, complaints = (sum(int(part.sum()) for part in parts) for parts in _counts(trials))
        return "" if complaints and 2 * successes <= complaints else MENDS


def _counts(trials: Iterable[Trial]) -> tuple[list[Verdicts], list[Verdicts]]:
    return [trial.helped for trial in trials], [trial.complained for trial in trials]
