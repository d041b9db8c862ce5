"""A run of *Pre-training and fine-tuning* as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, typical_update

if TYPE_CHECKING:
    import xarray as xr

WORDS, TONE = 1, 2
NEW_DRAWS, NEW_PATTERNS = "new draws", "new patterns"


@dataclass(frozen=True)
class PretrainingReading:
    """What was recorded, for each seed along the last axis; NaN where nothing was.

    ``word_losses`` (step, seed) are phase 1's losses, ``unseen_losses`` (look, seed) those on unseen texts up to its
    end; ``words_trained`` is the mean of the last tenth of the former, ``words_unseen`` the last of the latter and
    ``words_now`` the one at the last look of all. ``tone`` and ``bag`` are shares right on unseen texts by tone set,
    ``majority`` the baseline of always naming one tone, ``tone_trained`` the share of the last tenth of phase 2's
    steps. ``by_kind`` is (kind, seed). Update-to-data ratios are medians over parts and looks of a phase; gradient
    norms by part are medians over phase 1's steps, or phase 2's where there is no phase 1, (part, seed).
    """

    seeds: int
    diverged: Verdicts
    word_losses: Floats
    unseen_losses: Floats
    words_trained: Floats
    words_unseen: Floats
    words_now: Floats
    uniform: float
    unigram: float
    tone: dict[str, Floats]
    bag: dict[str, float]
    majority: dict[str, float]
    tone_trained: Floats
    kinds: tuple[str, ...]
    kind_count: Floats
    by_kind: Floats
    bag_by_kind: Floats
    update: dict[int, Floats]
    parts: tuple[str, ...]
    part_norms: Floats
    largest_norm: Floats
    clipped: Floats

    @classmethod
    def of(cls, ds: xr.Dataset) -> PretrainingReading:
        """Read a run's dataset; variables may be missing or empty."""
        seeds = max(ds.sizes.get("seed", 1), 1)
        found = _Reader(ds, seeds)
        losses = found.at_steps("loss", WORDS)
        every_loss = found.values("loss", "step", "seed")
        unseen = found.at_looks("unseen_masked_loss", WORDS)
        all_unseen = found.values("unseen_masked_loss", "look", "seed")
        norms = found.at_steps("part_gradient_norm", WORDS, "part")
        norms = norms if len(norms) else found.at_steps("part_gradient_norm", TONE, "part")
        return cls(
            seeds=seeds,
            diverged=diverged(every_loss) if len(every_loss) else np.zeros(seeds, dtype=bool),
            word_losses=losses,
            unseen_losses=unseen,
            words_trained=_recent(losses, found.nothing),
            words_unseen=unseen[-1] if len(unseen) else found.nothing,
            words_now=all_unseen[-1] if len(all_unseen) else found.nothing,
            uniform=found.number("uniform_loss"),
            unigram=found.number("unigram_loss"),
            tone={name: found.tone(name) for name in (NEW_DRAWS, NEW_PATTERNS)},
            bag={name: found.baseline("bag of words", name) for name in (NEW_DRAWS, NEW_PATTERNS)},
            majority={name: found.baseline("majority", name) for name in (NEW_DRAWS, NEW_PATTERNS)},
            tone_trained=_recent(found.at_steps("tone_accuracy", TONE), found.nothing),
            kinds=tuple(str(kind) for kind in ds["kind"].values) if "kind" in ds.coords else (),
            kind_count=found.values("kind_count", "kind"),
            by_kind=found.last_look("kind_tone_accuracy", "kind"),
            bag_by_kind=found.values("baseline_kind_accuracy", "baseline", "kind")[:1],
            update={phase: _typical(found.at_looks("update_to_data", phase, "part"), seeds) for phase in (WORDS, TONE)},
            parts=tuple(str(part) for part in ds["part"].values) if "part" in ds.coords else (),
            part_norms=_middle(norms),
            largest_norm=found.values("gradient_norm", "step", "seed").max(0, initial=-np.inf),
            clipped=_recent(found.at_steps("clipped", WORDS), found.nothing, share=1.0),
        )

    @property
    def worth(self) -> Floats:
        """The unseen loss at the end of phase 1 as a share of word frequencies' loss."""
        return quotient(self.words_unseen, np.full(self.seeds, self.unigram))


def quotient(above: Floats, below: Floats) -> Floats:
    """One by the other; NaN where the lower is not above zero.

    >>> quotient(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    with np.errstate(over="ignore"):
        return np.asarray(above / np.where(below > 0, below, np.nan))


class _Reader:
    """Arrays of a dataset in a fixed order of dimensions, empty where nothing was recorded."""

    def __init__(self, ds: xr.Dataset, seeds: int) -> None:
        self.ds = ds
        self.nothing: Floats = np.full(seeds, np.nan)
        steps = ds["step"].values if "step" in ds.coords else np.array([], dtype=int)
        phases = ds["phase"].values if "phase" in ds and len(steps) else np.zeros(len(steps))
        self.in_phase = {phase: phases == phase for phase in (WORDS, TONE)}
        tone_steps = steps[self.in_phase[TONE]]
        began = int(tone_steps[0]) - 1 if len(tone_steps) else int(steps[-1]) if len(steps) else 0
        looks = ds["look"].values if "look" in ds.coords else np.array([], dtype=int)
        self.looks = {WORDS: looks <= began, TONE: looks > began}

    def values(self, name: str, *dims: str) -> Floats:
        if name not in self.ds or self.ds[name].size == 0:
            sizes = [len(self.nothing) if dim == "seed" else self.ds.sizes.get(dim, 0) for dim in dims[1:]]
            return np.empty((0, *sizes))
        return np.asarray(self.ds[name].transpose(*dims).values, dtype=np.float64)

    def at_steps(self, name: str, phase: int, *dims: str) -> Floats:
        found = self.values(name, "step", *dims, "seed")
        return found[self.in_phase[phase]] if len(found) else found

    def at_looks(self, name: str, phase: int, *dims: str) -> Floats:
        found = self.values(name, "look", *dims, "seed")
        return found[self.looks[phase]] if len(found) else found

    def last_look(self, name: str, *dims: str) -> Floats:
        found = self.at_looks(name, TONE, *dims)
        return found[-1] if len(found) else np.empty((0, len(self.nothing)))

    def number(self, name: str) -> float:
        return float(self.ds[name]) if name in self.ds and self.ds[name].size else float("nan")

    def tone(self, tone_set: str) -> Floats:
        found = self.last_look("unseen_tone_accuracy", "tone_set")
        return found[self._place("tone_set", tone_set)] if len(found) else self.nothing

    def baseline(self, baseline: str, tone_set: str) -> float:
        found = self.values("baseline_tone_accuracy", "baseline", "tone_set")
        if not len(found):
            return float("nan")
        return float(found[self._place("baseline", baseline), self._place("tone_set", tone_set)])

    def _place(self, dim: str, label: str) -> int:
        return [str(known) for known in self.ds[dim].values].index(label)


def _recent(values: Floats, nothing: Floats, share: float = 0.1) -> Floats:
    """The mean of the last ``share`` of the steps for each seed."""
    return values[-max(1, int(len(values) * share)) :].mean(0) if len(values) else nothing


def _typical(ratios: Floats, seeds: int) -> Floats:
    """The typical update-to-data ratio over looks and parts (look, part, seed), for each seed."""
    return np.array([typical_update(ratios[..., seed]) for seed in range(seeds)])


def _middle(norms: Floats) -> Floats:
    """The median over the steps of (step, part, seed)."""
    _, parts, seeds = norms.shape
    return np.array([[median(norms[:, part, seed]) for seed in range(seeds)] for part in range(parts)])
