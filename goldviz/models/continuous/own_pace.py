"""In which order a batch of irregular series is integrated, so that nobody waits for the longest gap of its company.

Each sample takes the steps that its own gaps need, one at a time and all samples at once: in a *moment* every sample
takes one step, or rests where it has come to its end, and those that arrive at an observation jump. Were the samples
to meet at each row instead, all would take the steps of the longest gap in it: four times as many where gaps are
spread over a factor of a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.models.continuous.ode_solvers import steps_of


@dataclass(frozen=True)
class Pace:
    """A batch's moments in which something jumps, and the steps between them.

    ``steps[e]`` steps lead to jump e. ``step_sizes`` are each sample's in each step, 0 where it rests, for samples in
    the ``order`` in which they come to rest, those that move longest first; in step k the first ``moving[k]`` move.
    ``arriving[e]`` samples jump in jump e. One after the other, over all jumps, ``jumping`` are their positions in that
    order, and ``places`` row * batch + sample of the series, of which each comes once. ``counts`` are the steps before
    each row.
    """

    counts: Int[Tensor, "time batch"]
    steps: list[int]
    step_sizes: Float[Tensor, "step batch 1"]
    moving: list[int]
    order: Int[Tensor, " batch"]
    arriving: list[int]
    jumping: Int[Tensor, " arrival"]
    places: Int[Tensor, " arrival"]

    @cached_property
    def jumps_are_rows(self) -> bool:
        """Whether all samples come to each row in the same moment, and rest in the order in which they were given."""
        return bool((self.places.diff() == 1).all())

    def at_jumps(self, values: Float[Tensor, "time batch rest"]) -> Float[Tensor, "arrival rest"]:
        """What belongs to the samples' rows, in the order in which they come to them."""
        rows = values.flatten(0, 1)
        return rows if self.jumps_are_rows else rows.index_select(0, self.places)

    def at_rows(self, values: Float[Tensor, "arrival rest"]) -> Float[Tensor, "time batch rest"]:
        """What belongs to arrivals, by row and in the order in which the samples were given."""
        rows = values if self.jumps_are_rows else values.index_select(0, torch.argsort(self.places))
        return rows.view(*self.counts.shape, rows.shape[1])


def own_pace(gaps: Float[Tensor, "time batch"], longest_step: float) -> Pace:
    """How samples with these gaps before their rows move, each in equal steps of at most ``longest_step``."""
    counts = steps_of(gaps, longest_step)
    moments = torch.arange(int(counts.clamp(min=1).sum(0).max()), device=gaps.device)
    # The moment in which a sample comes to a row; one that takes no time has a moment all the same.
    last = counts.clamp(min=1).cumsum(0) - 1
    # searchsorted copies what is not contiguous, and warns of it.
    queries = moments.expand(gaps.shape[1], -1).contiguous()
    row = torch.searchsorted(last.t().contiguous(), queries).t().clamp(max=len(gaps) - 1)
    sizes = (gaps / counts.clamp(min=1)).gather(0, row) * (moments[:, None] <= last[-1])
    # A sample that never moves comes after one that moves in moment 0 alone.
    rests = torch.where(sizes > 0, moments[:, None], -1).amax(0)
    order = torch.argsort(rests, descending=True, stable=True)
    row, last, sizes = row[:, order], last[:, order], sizes[:, order]
    arrives = last.gather(0, row) == moments[:, None]
    jumps, moves = arrives.any(1), (sizes > 0).any(1)
    before = torch.cat([moves.new_zeros(1, dtype=torch.long), moves.cumsum(0)[jumps]])
    moment, position = arrives.nonzero(as_tuple=True)
    return Pace(
        counts,
        before.diff().tolist(),
        sizes[moves, :, None],
        (rests[order] >= moments[moves, None]).sum(1).tolist(),
        order,
        arrives.sum(1)[jumps].tolist(),
        position,
        row[moment, position] * gaps.shape[1] + order[position],
    )
