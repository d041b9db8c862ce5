"""Advice as an experiment: what a remedy did when it was tried, and which remedies that leaves to offer.

``make advice`` takes each rule that fires on a laboratory's presets and on settings that are drawn, applies each of its
remedies, trains both on the same five seeds, and keeps what became of every network as a :class:`Trial`. A remedy that
was never tried is not offered, nor one that did not help most seeds, nor one that ruined a network beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from goldviz.diagnostics.findings.advice import Remedy
from goldviz.diagnostics.findings.finding import Finding, Floats, Verdicts
from goldviz.diagnostics.findings.words import Later

BETTER, WORSE = 0.95, 1.05
"""Shares of the loss before, from which on a loss after counts as better or worse."""
USELESS = 2.0
"""Where there was no loss before, as after a divergence, one above so many times a simple answer's is no help. Rules
about divergence are in laboratories whose loss is such a share."""
RUINED = 1.25
"""Times the loss before, from which on a network was ruined, if it also lost ``NOTABLE``."""
NOTABLE = 0.02
"""In units of the loss: what is smaller nobody would miss."""
MOST_RUINED = 0.1
"""Share of other set-ups in which a remedy may have ruined a network and still be offered, with that said."""

HELPED, IN_VAIN, RUINED_A_NETWORK, NOT_CALLED_FOR = OUTCOMES = (
    "helped",
    "did not help",
    "ruined a network",
    "no seed called for it",
)


@dataclass(frozen=True)
class Trial:
    """One remedy in one set-up, on the same seeds without and with it.

    ``settings`` are what the set-up has other than the laboratory's defaults, ``kind`` and ``line`` the rule's and
    ``words`` the remedy's. ``complaint`` says for each network over the line which seeds were over it before and are
    after; ``loss`` gives for every network of the run the loss of each seed before and after, NaN for none. What
    ``mends`` the measuring is judged by the complaint alone.
    """

    where: str
    settings: Mapping[str, Any]
    kind: str
    line: str
    words: str
    changes: Mapping[str, Any]
    complaint: Mapping[str, tuple[Verdicts, Verdicts]]
    loss: Mapping[str, tuple[Floats, Floats]]
    mends: bool = False

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Trial:
        """The trial that :meth:`to_json` wrote."""
        pairs = {name: (np.array(one, bool), np.array(two, bool)) for name, (one, two) in values["complaint"].items()}
        losses = {name: (np.array(one, float), np.array(two, float)) for name, (one, two) in values["loss"].items()}
        return cls(**{**values, "complaint": pairs, "loss": losses})

    def to_json(self) -> dict[str, Any]:
        """Plain values; losses to four digits, which is more than they tell."""
        complaint = {name: [part.astype(int).tolist() for part in pair] for name, pair in self.complaint.items()}
        loss = {name: [[_short(x) for x in part] for part in pair] for name, pair in self.loss.items()}
        plain = {**self.__dict__, "complaint": complaint, "loss": loss}
        return plain if self.mends else {name: value for name, value in plain.items() if name != "mends"}

    @property
    def complained(self) -> Verdicts:
        """The seeds in which the rule complained of any network before."""
        return np.asarray(np.any([before for before, _ in self.complaint.values()], axis=0))

    @property
    def helped(self) -> Verdicts:
        """The seeds that it helped: of each network complained of, the complaint is gone at no cost, or the loss is
        better."""
        return np.asarray(self.complained & np.all([self._helped(name) for name in self.complaint], axis=0))

    def _helped(self, name: str) -> Verdicts:
        before, after = self.complaint[name]
        if self.mends:
            return np.asarray(~before | ~after)
        # A rule about the run as a whole names no network: all of them answer for it.
        networks = [name] if name in self.loss else list(self.loss)
        worse = np.any([np.zeros(len(before), bool), *(self._worse(one) for one in networks)], axis=0)
        better = np.any([np.zeros(len(before), bool), *(self._better(one) for one in networks)], axis=0)
        return np.asarray(~before | (~worse & (~after | better)))

    def _better(self, name: str) -> Verdicts:
        before, after = self.loss[name]
        return np.asarray(np.where(np.isfinite(before), after < BETTER * before, after <= USELESS))

    def _worse(self, name: str) -> Verdicts:
        before, after = self.loss[name]
        return np.asarray(np.where(np.isfinite(before), ~(after <= WORSE * before), after > USELESS))

    @property
    def without_a_lower_loss(self) -> int:
        """How many of the seeds that it helped lost the complaint alone: no network complained of has a lower loss."""
        of = [name for name in self.complaint if name in self.loss] or list(self.loss)
        lower = [~(self.loss[name][1] >= self.loss[name][0]) for name in of]
        return int((self.helped & ~np.any(lower, axis=0)).sum()) if lower else 0

    @property
    def ruined(self) -> list[str]:
        """The networks that more than half of the seeds lost much with; none by an honest measurement."""
        return [] if self.mends else [name for name, pair in self.loss.items() if np.mean(_ruined(*pair)) > 0.5]

    @property
    def helps(self) -> bool:
        """Whether it helped most seeds and ruined no network."""
        return bool(2 * self.helped.sum() > self.complained.sum()) and not self.ruined

    @property
    def outcome(self) -> str:
        """What came of it, as one of ``OUTCOMES``."""
        return RUINED_A_NETWORK if self.ruined else HELPED if self.helps else IN_VAIN if self.tells else NOT_CALLED_FOR

    @property
    def remedy(self) -> str:
        """What was advised, with the values that it sets."""
        changes = ", ".join(f"{name} {_setting(value)}" for name, value in self.changes.items())
        return f"{self.words.format_map(Later(self.changes))} ({changes})"

    @property
    def tells(self) -> bool:
        """Whether it tells anything of the remedy: a rule that fires in the recorded run may, in the set-up made
        smaller, complain of no seed."""
        return bool(self.complained.any()) or bool(self.ruined)

    @property
    def counts(self) -> str:
        """How many of the seeds complained of it helped, in words; none where there was no complaint."""
        return f"{self.helped.sum()} of {self.complained.sum()}" if self.complained.any() else ""

    def changes_of_loss(self) -> str:
        """Every network's median loss before and after, in words: of the seeds complained of, where there are any."""
        of = self.complained if self.complained.any() else np.ones_like(self.complained)
        pairs = {name: (before[of], after[of]) for name, (before, after) in self.loss.items()}
        parts = [f"{name} {_change(*pair)}".strip() for name, pair in pairs.items() if np.isfinite(pair).any()]
        return "; ".join(parts)

    def losses_by_seed(self) -> str:
        """Every network's loss before and after, of each seed, in words."""
        return "; ".join(
            f"{name} {', '.join(f'{_number(one)} → {_number(two)}' for one, two in zip(*pair, strict=True))}".strip()
            for name, pair in self.loss.items()
        )


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

    def advised(self, finding: Finding, set_up: Mapping[str, Any]) -> Finding:
        """The finding with the first of its remedies that helped, in this set-up if it was tried there, and its
        measured effect; without advice where none did. ``set_up`` are the settings as trials name them.

        What a good finding suggests is no cure, and a check promises nothing: both stay as they are, but for a
        suggestion that another rule's trial in this set-up was in vain with. What mends the measuring is offered unless
        it was tried in vain.
        """
        if finding.severity == "good":
            vain = any(t.changes == finding.changes and t.settings == set_up and not t.helps for t in self.trials)
            return replace(finding, advice="", changes={}) if vain and finding.changes else finding
        failed: list[str] = []
        for remedy in finding.remedies:
            if remedy.check:
                return replace(finding, advice=remedy.advice, changes=remedy.changes)
            # By its words: made smaller, a set-up trains "three times as long" for fewer steps than the page's.
            here = [t for t in self.of(finding.kind, remedy) if t.settings == set_up and t.tells]
            if here and not here[0].helps:
                failed.append(f"{remedy.advice.rstrip('.')} ({here[0].counts or 'made a network worse'})")
                continue
            telling = [trial for trial in self.of(finding.kind, remedy) if trial.tells]
            effect = self._effect_here(here[0]) if here else self._effect_elsewhere(telling)
            if effect or (remedy.mends and not telling):
                return replace(finding, advice=remedy.advice, changes=remedy.changes, effect=effect)
        without = f"Tried on this set-up{self.sizes}, without success: {'; '.join(failed)}." if failed else ""
        return replace(finding, advice="", changes={}, effect=without)

    def _effect_here(self, trial: Trial) -> str:
        of = f"{trial.helped.sum()} of {_seeds(trial.complained.sum())}"
        if trial.mends:
            return f"Tried on this set-up{self.sizes}: this was gone in {of}."
        at_no_gain = f", {count} of them without a lower loss" if (count := trial.without_a_lower_loss) else ""
        return f"Tried on this set-up{self.sizes}: helped {of}{at_no_gain}. {self.unit}: {trial.changes_of_loss()}."

    def _effect_elsewhere(self, trials: Sequence[Trial]) -> str:
        helped, complained = (sum(int(part.sum()) for part in parts) for parts in _counts(trials))
        ruined = sum(bool(trial.ruined) for trial in trials)
        if 2 * helped <= complained or ruined > MOST_RUINED * len(trials):
            return ""
        beside = f", and made a network much worse in {ruined} of them" if ruined else ""
        places = f"{len(trials)} other set-ups" if len(trials) > 1 else "another set-up"
        did = "this was gone in" if all(trial.mends for trial in trials) else "helped"
        return f"Tried in {places}: {did} {helped} of {_seeds(complained)}{beside}."


def _counts(trials: Iterable[Trial]) -> tuple[list[Verdicts], list[Verdicts]]:
    return [trial.helped for trial in trials], [trial.complained for trial in trials]


def _seeds(count: int) -> str:
    return f"{count} seed" if count == 1 else f"{count} seeds"


def _ruined(before: Floats, after: Floats) -> Verdicts:
    lost = ~(after <= np.maximum(RUINED * before, before + NOTABLE))
    return np.asarray(np.isfinite(before) & lost)


def _change(before: Floats, after: Floats) -> str:
    one, two = (float(np.median(np.where(np.isfinite(part), part, np.inf))) for part in (before, after))
    return f"{_number(one)} → {_number(two)}"


def _number(value: float) -> str:
    return "none" if not np.isfinite(value) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _setting(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
