"""Two GRUs that know about time without following an equation of motion: one is told the gaps, one forgets over them.

Baselines of Rubanova et al. 2019, section 4; the second is GRU-D of Che et al. 2018. Both use the document's GRU
(document 001, eq. 21-24) and read rows of values, a mask that is true where a value was observed, and gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from goldviz.models.continuous.observed_series import (
    Mask,
    SeriesError,
    State,
    Times,
    Values,
    check_values,
    first_true,
    gaps_before,
    visible,
)
from goldviz.models.recurrent.gru import GRUTrace, ResetBeforeGRU


@dataclass(frozen=True)
class DecayGRUTrace:
    """Everything one pass of :class:`DecayGRU` computed.

    ``states`` h_0 to h_T, each (batch, hidden), has one entry more than ``decays``, the factors gamma_t by which
    h_(t-1) had faded when row t came, and than the gates and candidates. ``filled`` is what the network read in place
    of the values: observed ones as they are, missing ones on their way to the mean.
    """

    states: tuple[State, ...]
    decays: tuple[State, ...]
    update_gates: tuple[State, ...]
    reset_gates: tuple[State, ...]
    candidates: tuple[State, ...]
    filled: Values

    @property
    def hidden(self) -> Float[Tensor, "time batch hidden"]:
        """h_1 to h_T."""
        return torch.stack(self.states[1:])


class GapGRU(nn.Module):
    """A GRU that reads [values, mask, gaps]: ``gaps`` numbers a row, such as the gap before it and the gap after it.

    Where the state is to forecast the next row, the gap after it must be among them: else the network cannot know how
    far ahead it looks. A missing value is read as 0. All weights are zero until those of ``cell`` are drawn.
    """

    def __init__(self, channels: int, hidden: int, gaps: int = 1, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if gaps < 1:
            raise ValueError(f"The number of gaps a row is {gaps}; allowed is a whole number from 1.")
        self.channels = channels
        self.gaps = gaps
        self.cell = ResetBeforeGRU(2 * channels + gaps, hidden, dtype=dtype)

    def forward(
        self, values: Values, mask: Mask, gaps: Float[Tensor, "time batch gaps"], initial: State | None = None
    ) -> GRUTrace:
        """Run over a batch of series; raises :class:`SeriesError` for values or gaps that cannot be read."""
        check_values(values, mask, self.channels)
        _check_gaps("gaps", gaps, (*values.shape[:2], self.gaps))
        inputs = torch.cat([visible(values, mask), mask.to(values.dtype), gaps.to(values.dtype)], 2)
        trace: GRUTrace = self.cell(inputs, initial)
        return trace


class DecayGRU(nn.Module):
    """GRU-D: the state fades with time, and a missing value fades from the last one seen to the mean.

    Che et al. 2018, with delta_t the gaps since each channel was last observed and Delta_t the gap since the last row:

        gamma_x = exp(-max(0, w_x * delta_t + b_x))                    one factor a channel
        x^_t    = m_t x_t + (1 - m_t) (gamma_x x_last + (1 - gamma_x) mean)
        gamma_h = exp(-max(0, W_d [delta_t, Delta_t] + b_d))           one factor a hidden unit
        h_t     = GRU([x^_t, m_t], gamma_h * h_(t-1))

    Che et al. have no column for Delta_t; with it a state can fade at one rate however long a channel is silent. A
    channel that was never observed is read as its mean. ``mean`` (channels,) is the training mean, a buffer that starts
    at 0. All rates start at 1 in total per unit of time (at 0 they would have no gradient), biases at 0; ``cell`` is
    zero until its weights are drawn.
    """

    mean: Tensor

    def __init__(self, channels: int, hidden: int, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.channels = channels
        self.cell = ResetBeforeGRU(2 * channels, hidden, dtype=dtype)
        self.w_x = nn.Parameter(torch.ones(channels, dtype=dtype))
        self.b_x = nn.Parameter(torch.zeros(channels, dtype=dtype))
        self.W_d = nn.Parameter(torch.full((hidden, channels + 1), 1 / (channels + 1), dtype=dtype))
        self.b_d = nn.Parameter(torch.zeros(hidden, dtype=dtype))
        self.register_buffer("mean", torch.zeros(channels, dtype=dtype))

    def forward(
        self, values: Values, mask: Mask, gaps: Values, row_gaps: Times, initial: State | None = None
    ) -> DecayGRUTrace:
        """Run over a batch of series; :func:`channel_gaps` and :func:`gaps_before` make the gaps from times.

        Raises :class:`SeriesError` for values or gaps that cannot be read.
        """
        check_values(values, mask, self.channels)
        _check_gaps("gaps since each channel was observed", gaps, values.shape)
        _check_gaps("gaps since the last row", row_gaps, values.shape[:2])
        gaps, row_gaps = gaps.to(values.dtype), row_gaps.to(values.dtype)
        complete = self.fill(values, mask, gaps)
        inputs = torch.cat([complete, mask.to(values.dtype)], 2)
        decays = self.decays(gaps, row_gaps).unbind(0)
        states = [self.cell.zero_state(inputs) if initial is None else initial]
        gates: list[tuple[Tensor, Tensor, Tensor]] = []
        for row, decay in zip(inputs.split(1), decays, strict=True):
            step = self.cell(row, decay * states[-1])
            states.append(step.states[-1])
            gates.append((step.update_gates[0], step.reset_gates[0], step.candidates[0]))
        z_t, r_t, candidates = zip(*gates, strict=True)
        return DecayGRUTrace(tuple(states), decays, z_t, r_t, candidates, complete)

    def decays(
        self, gaps: Float[Tensor, "*any channels"], row_gaps: Float[Tensor, "*any"]
    ) -> Float[Tensor, "*any hidden"]:
        """gamma_h: the factors by which a state fades while each channel is silent so long, and no row comes."""
        rates = nn.functional.linear(torch.cat([gaps, row_gaps[..., None]], -1), self.W_d, self.b_d)
        return torch.exp(-torch.relu(rates))

    def fill(self, values: Values, mask: Mask, gaps: Values) -> Values:
        """x^: the values, and for missing ones the last observed value on its way to the mean."""
        row = torch.arange(len(values), device=values.device)[:, None, None]
        last_row = torch.where(mask, row, -1).cummax(0).values
        last = visible(values, mask).gather(0, last_row.clamp(min=0))
        last = torch.where(last_row >= 0, last, self.mean)
        weight = torch.exp(-torch.relu(self.w_x * gaps + self.b_x))
        return torch.where(mask, last, torch.lerp(self.mean.expand_as(last), last, weight))


def channel_gaps(times: Times, mask: Mask) -> Values:
    """delta_t of Che et al. 2018, eq. 2: how long ago each channel was last observed before this row.

    A channel that was not observed yet counts from the first row.

    >>> times = torch.tensor([[0.0], [1.0], [3.0], [3.5]])
    >>> mask = torch.tensor([[[True]], [[False]], [[True]], [[True]]])
    >>> channel_gaps(times, mask).flatten().tolist()
    [0.0, 1.0, 3.0, 0.5]
    """
    since = torch.zeros_like(mask[0], dtype=times.dtype)
    rows = []
    for gap, present in zip(gaps_before(times), mask, strict=True):
        since = since + gap[:, None]
        rows.append(since)
        since = torch.where(present, 0.0, since)
    return torch.stack(rows)


def _check_gaps(name: str, gaps: Tensor, shape: tuple[int, ...]) -> None:
    if gaps.shape != shape:
        raise SeriesError(f"The {name} have shape {tuple(gaps.shape)}; the values allow {tuple(shape)}.", "shape")
    bad = ~(torch.isfinite(gaps) & (gaps >= 0))
    if (place := first_true(bad if bad.ndim == 2 else bad.any(2))) is not None:
        raise SeriesError(
            f"Of the {name}, one is negative or not finite in sample {place[1]} at row {place[0]}; allowed are "
            "numbers from 0.",
            "not_allowed",
        )
