"""What a model of irregular observations asks of its input, and the gaps between the observations.

A batch of series is ``times`` (time, batch), ``values`` (time, batch, channels) and ``mask`` of the same shape, true
where a value was observed. Every sample has times of its own. A shorter sample is padded with rows at its last time
in which nothing is observed.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goldviz.coded_errors import CodedError

Times = Float[Tensor, "time batch"]
"""One number a row of each sample: a time, or the gap before the row."""
Values = Float[Tensor, "time batch channels"]
Mask = Bool[Tensor, "time batch channels"]
State = Float[Tensor, "batch hidden"]


class SeriesError(CodedError):
    """A series of observations that a model cannot read, or follow."""


def gaps_before(times: Times) -> Times:
    """How long before every row the row before it was; 0 for the first row.

    >>> gaps_before(torch.tensor([[0.5], [1.5], [1.75]])).flatten().tolist()
    [0.0, 1.0, 0.25]
    """
    return torch.cat([torch.zeros_like(times[:1]), times.diff(dim=0)])


def visible(values: Values, mask: Mask) -> Values:
    """The observed values, and 0 for the others, whatever stands there (NaN too)."""
    return torch.where(mask, values, 0.0)


def check_times(times: Times, mask: Mask) -> None:
    """Raise :class:`SeriesError` unless all times are finite and ascend; equal ones only where nothing is observed."""
    if times.shape != mask.shape[:2]:
        raise SeriesError(f"Times have shape {tuple(times.shape)}; the values allow {tuple(mask.shape[:2])}.", "shape")
    if (bad := first_true(~torch.isfinite(times))) is not None:
        row, sample = bad
        raise SeriesError(
            f"Sample {sample} has the time {float(times[row, sample])} at row {row}; allowed are finite numbers.",
            "not_finite",
        )
    gaps = times.diff(dim=0)
    if (bad := first_true((gaps < 0) | ((gaps == 0) & mask[1:].any(2)))) is not None:
        row, sample = bad[0] + 1, bad[1]
        raise SeriesError(
            f"Sample {sample} has the time {float(times[row, sample]):g} at row {row}, after "
            f"{float(times[row - 1, sample]):g} at row {row - 1}; the times of a sample must ascend. A row may "
            "repeat the time before it only if nothing is observed in it.",
            "not_ascending",
        )


def check_gaps(times: Times, longest: float) -> None:
    """Raise :class:`SeriesError` where two rows are further apart than ``longest``, in the unit of the times."""
    if (bad := first_true(times.diff(dim=0) > longest)) is not None:
        row, sample = bad[0] + 1, bad[1]
        gap = float(times[row, sample] - times[row - 1, sample])
        raise SeriesError(
            f"Sample {sample} has a gap of {gap:g} before the time {float(times[row, sample]):g} (row {row}); the "
            f"solver's step allows at most {longest:g}. Scale the times down or allow longer steps.",
            "too_long",
        )


def check_durations(durations: Float[Tensor, " batch"], longest: float) -> None:
    """Raise :class:`SeriesError` unless every duration is from 0 to ``longest``."""
    if (bad := first_true(~((durations >= 0) & (durations <= longest))[None])) is not None:
        raise SeriesError(
            f"The duration of sample {bad[1]} is {float(durations[bad[1]]):g}; allowed is a number from 0 to "
            f"{longest:g}.",
            "not_allowed",
        )


def check_states(
    times: Times, before: Float[Tensor, "time batch hidden"], after: Float[Tensor, "time batch hidden"]
) -> None:
    """Raise :class:`SeriesError`, which names sample and time, where a state is infinite or NaN."""
    if (bad := first_true(~(torch.isfinite(before) & torch.isfinite(after)).all(2))) is not None:
        row, sample = bad
        raise SeriesError(
            f"The state of sample {sample} is not finite at the time {float(times[row, sample]):g} (row {row}); "
            "allowed are finite states. Try smaller weights, a smaller learning rate or shorter steps.",
            "not_finite",
        )


def check_values(values: Values, mask: Mask, channels: int) -> None:
    """Raise :class:`SeriesError` unless the shapes fit, observed values are finite and every sample has one."""
    if values.ndim != 3 or values.shape[2] != channels or 0 in values.shape:
        raise SeriesError(
            f"The values have shape {tuple(values.shape)}; allowed is (time, batch, {channels}) with at least one "
            "row and one sample.",
            "shape",
        )
    if mask.shape != values.shape or mask.dtype != torch.bool:
        raise SeriesError(
            f"The mask is {mask.dtype} of shape {tuple(mask.shape)}; allowed is torch.bool of shape "
            f"{tuple(values.shape)}, true where a value was observed.",
            "shape",
        )
    if (bad := first_true((mask & ~torch.isfinite(values)).any(2))) is not None:
        row, sample = bad
        raise SeriesError(
            f"Sample {sample} has an observed value at row {row} that is not finite; allowed are finite numbers, or "
            "a mask that is false there.",
            "not_finite",
        )
    if (bad := first_true(~mask.any(2).any(0, keepdim=True))) is not None:
        raise SeriesError(f"Sample {bad[1]} has no observed value at any row; allowed is one or more.", "no_values")


def first_true(bad: Bool[Tensor, "time batch"]) -> tuple[int, int] | None:
    """Row and sample of the earliest true entry, None if there is none."""
    places = bad.nonzero()
    return (int(places[0, 0]), int(places[0, 1])) if len(places) else None
