"""What a run of *Pre-training and fine-tuning* recorded in its phases, as plain arrays: masked words, then tone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from goldviz.diagnostics.findings import Floats

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

WORDS, TONE = 1, 2
NEW_DRAWS, NEW_PATTERNS = "new draws", "new patterns"
OWN = "unseen texts"
"""Those of a person's file, in place of both."""
LEAST_TEXTS = 25


class Kind(NamedTuple):
    """One kind of text: shares right in it and in all kinds, how far it is behind them, the bag of words' share, and
    how many ``texts`` of it are judged."""

    name: str
    right: Floats
    overall: Floats
    behind: Floats
    bag: float
    texts: int


class Phases:
    """Arrays of a run, phase by phase, in a fixed order of dimensions; empty where nothing was recorded."""

    def __init__(self, ds: Run) -> None:
        self.ds = ds
        self.nothing: Floats = np.full(max(ds.sizes.get("seed", 1), 1), np.nan)
        steps = ds["step"].values if "step" in ds.coords else np.array([], dtype=int)
        phases = ds["phase"].values if "phase" in ds and len(steps) else np.zeros(len(steps))
        self.in_phase = {phase: phases == phase for phase in (WORDS, TONE)}
        self.last = int(steps[-1]) if len(steps) else 0
        self.words_end = int(steps[self.in_phase[WORDS]].max(initial=0))
        tone_steps = steps[self.in_phase[TONE]]
        began = int(tone_steps[0]) - 1 if len(tone_steps) else self.last
        looks = ds["look"].values if "look" in ds.coords else np.array([], dtype=int)
        self.looks = {WORDS: looks <= began, TONE: looks > began}

    def values(self, name: str, *dims: str) -> Floats:
        """The variable with these dimensions as its axes."""
        if name not in self.ds or self.ds[name].size == 0:
            sizes = [len(self.nothing) if dim == "seed" else self.ds.sizes.get(dim, 0) for dim in dims[1:]]
            return np.empty((0, *sizes))
        variable = self.ds[name] if "seed" in self.ds.dims or "seed" not in dims else self.ds[name].expand_dims("seed")
        return np.asarray(variable.transpose(*dims).values, dtype=np.float64)

    def at_steps(self, name: str, phase: int, *dims: str) -> Floats:
        """The variable at a phase's steps, (step, *dims, seed)."""
        values = self.values(name, "step", *dims, "seed")
        return values[self.in_phase[phase]] if len(values) else values

    def at_looks(self, name: str, phase: int, *dims: str) -> Floats:
        """The variable at a phase's looks, (look, *dims, seed)."""
        values = self.values(name, "look", *dims, "seed")
        return values[self.looks[phase]] if len(values) else values

    def last_look(self, name: str, *dims: str) -> Floats:
        """The variable at fine-tuning's last look, (*dims, seed)."""
        values = self.at_looks(name, TONE, *dims)
        return values[-1] if len(values) else np.empty((0, len(self.nothing)))

    def number(self, name: str) -> float:
        """The one number of a variable; NaN where it was not recorded."""
        return float(self.ds[name]) if name in self.ds and self.ds[name].size else float("nan")

    def tone(self, tone_set: str, name: str = "unseen_tone_accuracy") -> Floats:
        """The share of tones judged rightly in these texts, for each seed; ``name`` says by which network."""
        shares = self.last_look(name, "tone_set")
        there = len(shares) and tone_set in self.labels("tone_set")
        return shares[self.labels("tone_set").index(tone_set)] if there else self.nothing

    @property
    def familiar(self) -> str:
        """The unseen texts that are like the labelled ones."""
        return OWN if OWN in self.labels("tone_set") else NEW_DRAWS

    def baseline(self, baseline: str, tone_set: str) -> float:
        """The same of a baseline."""
        shares = self.values("baseline_tone_accuracy", "baseline", "tone_set")
        if not len(shares) or tone_set not in self.labels("tone_set"):
            return float("nan")
        return float(shares[self.labels("baseline").index(baseline), self.labels("tone_set").index(tone_set)])

    def hardest_kind(self) -> Kind:
        """The kind, of those with enough texts, that is judged worst; NaN where kinds were not recorded."""
        right, counts = self.last_look("kind_tone_accuracy", "kind"), self.values("kind_count", "kind")[:, None]
        if not len(right) or not len(counts):
            return Kind("", self.nothing, self.nothing, self.nothing, np.nan, 0)
        overall = (right * counts).sum(0) / counts.sum()
        behind = np.where(counts >= LEAST_TEXTS, overall - right, -np.inf)
        row = int(np.median(behind, axis=1).argmax())
        bag = self.values("baseline_kind_accuracy", "baseline", "kind")[:1, row : row + 1]
        name = str(self.ds["kind"].values[row]).replace("_", " ")
        of_bag = float(bag[0, 0]) if bag.size else np.nan
        return Kind(name, right[row], overall, behind[row], of_bag, int(counts[row, 0]))

    def labels(self, dim: str) -> tuple[str, ...]:
        """What stands along a dimension; nothing where there is no such dimension."""
        return tuple(str(name) for name in self.ds[dim].values) if dim in self.ds.coords else ()
