"""What a run of *Hopfield network* does: Hebb's rule (Hopfield 1982) and Storkey's (1997), one pattern at a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from goldviz.training.seeds import DATA, TEST_DATA, stream
from goldviz.training.state import Part, pack, unpack

if TYPE_CHECKING:
    from goldviz.runs.recorder import Recorder
    from tests.by_recipe.memories.hopfield.settings import Hopfield

RULES = ("hebb", "storkey")
ROUNDS = 20
"""Times that all units answer."""


class Memory(nn.Module):
    """Weights between all units."""

    weights: Tensor

    def __init__(self, units: int, rule: str) -> None:
        super().__init__()
        self.rule = rule
        self.register_buffer("weights", torch.zeros(units, units, dtype=torch.float64))

    def store(self, pattern: Tensor) -> None:
        """Add what the rule says to the weights; no unit is joined to itself."""
        change = torch.outer(pattern, pattern)
        if self.rule == "storkey":
            field = torch.outer(self.weights @ pattern, pattern)
            change = change - field - field.T
        self.weights += change / len(pattern)
        self.weights.fill_diagonal_(0)

    def recalled(self, cues: Tensor) -> Tensor:
        """What comes of cues, (pattern, unit)."""
        for _ in range(ROUNDS):
            cues = torch.where(cues @ self.weights >= 0, 1.0, -1.0).double()
        return cues


def train(settings: Hopfield, record: Recorder[Hopfield]) -> None:
    """Store the patterns of every seed, and recall all of them after each."""
    record.coordinates(network=list(RULES), seed=list(settings.seeds), age=list(range(settings.steps)))
    patterns = {seed: signs(settings, stream(seed, DATA)) for seed in settings.seeds}
    cues = {seed: stream(seed, TEST_DATA) for seed in settings.seeds}
    memories = {(rule, seed): Memory(settings.units, rule) for rule in RULES for seed in settings.seeds}
    parts: dict[str, Part] = {f"{rule}/{seed}": one for (rule, seed), one in memories.items()}
    parts |= {f"cues/{seed}": one for seed, one in cues.items()}
    if record.restored is not None:
        unpack(record.restored, parts)
    for step in record.steps(settings.steps, state=lambda: pack(parts)):
        by_age = torch.full((len(RULES), len(settings.seeds), settings.steps), torch.nan, dtype=torch.float64)
        for column, seed in enumerate(settings.seeds):
            stored = patterns[seed][:step]
            wrong = torch.rand(stored.shape, generator=cues[seed], dtype=torch.float64) < record.settings.noise
            for row, rule in enumerate(RULES):
                memories[rule, seed].store(stored[-1])
                answers = memories[rule, seed].recalled(torch.where(wrong, -stored, stored))
                by_age[row, column, :step] = (answers * stored).mean(1).abs().flip(0)
        record("overlap", by_age.nanmean(-1).numpy())
        record("by_age", by_age.numpy())


def signs(settings: Hopfield, generator: torch.Generator) -> Tensor:
    """Random patterns of -1 and 1, (pattern, unit)."""
    return torch.randint(2, (settings.steps, settings.units), generator=generator).double() * 2 - 1
