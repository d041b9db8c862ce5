"""One remedy in one set-up: what became of the complaint and of every network's loss, seed by seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from goldviz.diagnostics.findings.finding import Floats, Verdicts
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

OUTCOMES = ("helped", "did not help", "ruined a network", "no seed called for it")
HELPED, IN_VAIN, RUINED_A_NETWORK, NOT_CALLED_FOR = OUTCOMES


@dataclass(frozen=True)
class Trial:
    """One remedy in one set-up, on the same seeds without and with it.

    ``settings`` are what the set-up has other than the laboratory's defaults, ``kind`` and ``line`` the rule's and
    ``words`` the remedy's. ``complaint`` says for each network over the line which seeds were over it before and are
    after; ``loss`` gives for every network of the run the loss of each seed before and after, NaN for none. What
    ``mends`` the measuring is judged by the complaint alone. ``learned`` says of each network which seeds had learned
    their task before, where any had.
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
    learned: Mapping[str, Verdicts] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Trial:
        """The trial that :meth:`to_json` wrote."""
        pairs = {name: (np.array(one, bool), np.array(two, bool)) for name, (one, two) in values["complaint"].items()}
        losses = {name: (np.array(one, float), np.array(two, float)) for name, (one, two) in values["loss"].items()}
        learned = {name: np.array(one, bool) for name, one in values.get("learned", {}).items()}
        return cls(**{**values, "complaint": pairs, "loss": losses, "learned": learned})

    def to_json(self) -> dict[str, Any]:
        """Plain values; losses to four digits, which is more than they tell."""
        complaint = {name: [part.astype(int).tolist() for part in pair] for name, pair in self.complaint.items()}
        loss = {name: [[_short(x) for x in part] for part in pair] for name, pair in self.loss.items()}
        learned = {name: seeds.astype(int).tolist() for name, seeds in self.learned.items() if seeds.any()}
        plain = {**self.__dict__, "complaint": complaint, "loss": loss, "learned": learned}
        return {name: value for name, value in plain.items() if value or name not in ("mends", "learned")}

    @property
    def complained(self) -> Verdicts:
        """The seeds in which the rule complained of any network before."""
        return np.asarray(np.any([before for before, _ in self.complaint.values()], axis=0))

    @property
    def helped(self) -> Verdicts:
        """The seeds that it helped: of each network complained of, the complaint is gone at no cost, or the loss is
        better."""
        return self._of_each(lambda cure, worse, better: cure if self.mends else ~worse & (cure | better))

    @property
    def taken_away(self) -> Verdicts:
        """The seeds in which every complaint is gone, at no higher loss."""
        return self._of_each(lambda cure, worse, _: cure & ~worse)

    @property
    def lowered(self) -> Verdicts:
        """The seeds in which every network complained of has a lower loss."""
        return self._of_each(lambda _, worse, better: better & ~worse)

    def _of_each(self, judge: Callable[[Verdicts, Verdicts, Verdicts], Verdicts]) -> Verdicts:
        """The seeds complained of in which each such network is judged well by whether its complaint is gone, and its
        loss worse or better."""
        every = [~before | judge(~after, *self._losses(name)) for name, (before, after) in self.complaint.items()]
        return np.asarray(self.complained & np.all(every, axis=0))

    def _losses(self, name: str) -> tuple[Verdicts, Verdicts]:
        """In which seeds a network's loss became worse and better; a rule about the run as a whole names no network,
        and all of them answer for it."""
        worse, better = np.zeros((2, len(self.complained)), bool)
        for before, after in [self.loss[name]] if name in self.loss else self.loss.values():
            there = np.isfinite(before)
            worse |= np.where(there, ~(after <= WORSE * before), after > USELESS)
            better |= np.where(there, after < BETTER * before, after <= USELESS)
        return worse, better

    @property
    def ruined(self) -> list[str]:
        """The networks that more than half of the seeds lost much with, or of the seeds that had learned their task;
        none by an honest measurement."""
        return [] if self.mends else [name for name in self.loss if self._ruins(name)]

    def _ruins(self, name: str) -> bool:
        before, after = self.loss[name]
        lost = np.isfinite(before) & ~(after <= np.maximum(RUINED * before, before + NOTABLE))
        learned = lost[self.learned.get(name, np.zeros(lost.size, bool))]
        return bool(np.mean(lost) > 0.5 or (learned.size and np.mean(learned) > 0.5))

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
        changes = ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.changes.items()
        )
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


def trials_in(file: Path) -> list[Trial]:
    """The trials that ``make advice`` wrote into a file; none where there is no such file."""
    return [Trial.from_json(one) for one in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []


def _change(before: Floats, after: Floats) -> str:
    one, two = (float(np.median(np.where(np.isfinite(part), part, np.inf))) for part in (before, after))
    return f"{_number(one)} → {_number(two)}"


def _number(value: float) -> str:
    return "none" if not np.isfinite(value) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
