"""How far back the last state can be moved: dh_T/dh_(T-lag) for every lag (document 001, eq. 7).

One row of what :mod:`goldviz.labs.jacobian_lens.products` tells of all pairs of times, for many sequences and cheap
enough to be read off while a network trains. Changes are carried on by the step Jacobians of
:mod:`goldviz.diagnostics.recurrent.jacobians`, many at once: document 001, eq. 7-8 for the Elman network, the chain
rule over eq. 10-15 (LSTM) and eq. 21-24 (GRU). :mod:`goldviz.diagnostics.recurrent.backward` applies their transposes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.backward import (
    Gradients,
    StepBack,
    gates_and_candidate,
    lstm_slopes,
    steps_back,
    update_slopes,
)
from goldviz.diagnostics.recurrent.gate_products import kept_shares, largest_products_to_last
from goldviz.diagnostics.recurrent.jacobians import jacobians_of_step
from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.gru import GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRU, MinGRUTrace
from goldviz.models.recurrent.weights import DrivenTrace, RecurrentTrace, RecurrentWeights

DIRECTIONS = 6
"""Directions at the end that are drawn, to find those at the beginning that arrive best."""
SCALED = 4
"""Products are scaled at every so many steps, so that float32 loses no factor of 1e-9 a step, however many."""
SMALL = 24
"""A state of so many values at most is followed in all directions, which costs no more than the search does."""

Rows = Float[Tensor, "rows batch state"]
ByLag = Float[Tensor, "lag batch"]
ByLagAndRow = Float[Tensor, "lag batch rows state"]


@torch.no_grad()
def spectral_norms_to_last(layer: RecurrentWeights, trace: RecurrentTrace) -> ByLag:
    """log10 of the spectral norm of dh_T/dh_(T-lag) of each sequence, for lag = 0 to T-1; -inf for a product of zero.

    Exact where gates alone carry the state, which then is multiplied unit by unit, and for states of :data:`SMALL`
    values at most. Of larger ones from below, by a randomised block iteration (Halko,
    Martinsson and Tropp 2011, algorithm 4.4): directions at the end are pulled back to every lag, what arrives best
    from a few of the lags is carried to the end, and the norm is the largest gain over the directions that come out.
    Where many singular values crowd at the top that was seen 0.26 decades below one sequence's norm, and 0.1 below in
    the mean over sequences.
    """
    shares = None if layer.reads_state else kept_shares(trace)
    if shares is not None:
        return largest_products_to_last(shares)
    batch, size = trace.states[0].shape[0], trace.width
    steps, back = len(trace.states) - 1, steps_back(layer, trace)
    dtype = trace.states[0].dtype
    if size <= SMALL or steps == 1:
        return _norms(back, steps, torch.eye(size, dtype=dtype).unsqueeze(1).expand(-1, batch, -1))
    directions = torch.randn(size, DIRECTIONS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rows, _ = _pulled_back(back, steps, torch.linalg.qr(directions)[0].to(dtype).t().unsqueeze(1).expand(-1, batch, -1))
    arriving = _carried_on(steps_on(layer, trace), steps, rows)
    return _norms(back, steps, torch.linalg.qr(arriving.permute(1, 2, 0))[0].permute(2, 0, 1).contiguous())


def _norms(back: StepBack, steps: int, directions: Rows) -> ByLag:
    """log10 of the largest gain over orthonormal directions at the end, each lag's own."""
    by_lag, sizes = _pulled_back(back, steps, directions)
    rows = by_lag.double()
    largest: Tensor = torch.linalg.eigvalsh(rows @ rows.mT)[..., -1]
    logarithms = largest.clamp(min=0).sqrt().log10() + sizes
    # Orthonormal directions are so up to rounding.
    logarithms[0] = 0.0
    return logarithms


def _pulled_back(back: StepBack, steps: int, rows: Rows) -> tuple[ByLagAndRow, ByLag]:
    """Directions at the end pulled back to every lag, and log10 of what each sequence's were divided by."""
    by_lag, peaks, ones = [rows], [rows.new_ones(rows.shape[1])], rows.new_ones(rows.shape[1])
    for lag in range(1, steps):
        rows, peak = back(steps - lag, rows).previous, ones
        if lag % SCALED == 0:
            rows, peak = _scaled(rows, (0, 2))
        by_lag.append(rows)
        peaks.append(peak.flatten())
    return torch.stack(by_lag).transpose(1, 2), torch.stack(peaks).double().log10().cumsum(0)


def _carried_on(on: StepOn, steps: int, directions: ByLagAndRow) -> Rows:
    """What arrives at the end of the direction that the drawn ones come from most, one from each of the lags 1, 3, 9,
    ... and the largest: how a signal arrives differs little from one lag to the next."""
    lags = [steps - 1, *(3**power for power in reversed(range(20)) if 3**power < steps - 1)]
    rows = directions[lags].double()
    best = torch.linalg.eigh(rows @ rows.mT).eigenvectors[..., -1:]
    changes, _ = _scaled((best.mT @ rows).squeeze(2).to(directions.dtype), (2,))
    live_rows = 0
    for step in range(1, steps):
        while live_rows < len(lags) and steps - lags[live_rows] <= step:
            live_rows += 1
        changes[:live_rows] = on(step, changes[:live_rows])
        if step % SCALED == 0:
            changes, _ = _scaled(changes, (2,))
    return changes


def _scaled(rows: Tensor, over: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Rows with a largest entry of 1 over these dimensions, and what they were divided by; zeros stay zeros."""
    peak: Tensor = torch.linalg.vector_norm(rows, ord=math.inf, dim=over, keepdim=True)
    return rows / peak.clamp(min=torch.finfo(rows.dtype).tiny), peak


Changes = Gradients
StepOn = Callable[[int, Changes], Changes]


@torch.no_grad()
def steps_on(layer: RecurrentWeights, trace: RecurrentTrace) -> StepOn:
    """A function (step, changes) that turns changes of the state at t-1 into those at t = ``step`` + 1 of this pass.

    ``changes`` may have any leading dimensions; the state is h, or h before c for an LSTM. Raises ``TypeError`` if the
    trace belongs to another kind of network.
    """
    match layer, trace:
        case Elman(), ElmanTrace():
            return _elman_on(layer, trace)
        case LSTM(), LSTMTrace():
            return _lstm_on(layer, trace)
        case ResetBeforeGRU(), GRUTrace():
            return _reset_before_on(layer, trace)
        case ResetAfterGRU(), GRUTrace():
            return _reset_after_on(layer, trace)
        case MinGRU(), MinGRUTrace():
            retention = [1 - z.detach() for z in trace.update_gates]
            return lambda step, dh: dh * retention[step]
        case _, DrivenTrace() if isinstance(trace, layer.trace):
            return _step_on(layer, trace)
    raise TypeError(f"A {type(trace).__name__} is not what a {type(layer).__name__} layer leaves behind.")


def _step_on(layer: RecurrentWeights, trace: DrivenTrace) -> StepOn:
    """By automatic differentiation: each sequence's own Jacobian of the step."""

    def on(step: int, changes: Tensor) -> Tensor:
        jacobians = jacobians_of_step(layer, trace.drives[step], trace.state_before(step))
        return torch.einsum("bij,...bj->...bi", jacobians, changes)

    return on


def _elman_on(layer: Elman, trace: ElmanTrace) -> StepOn:
    slopes = ACTIVATIONS[layer.activation].slope(trace.hidden).unbind(0)
    W_h = layer.W_h.detach().t()
    return lambda step, dh: (dh @ W_h).mul_(slopes[step])


def _lstm_on(layer: LSTM, trace: LSTMTrace) -> StepOn:
    slopes, exposures = lstm_slopes(trace)
    W_h = layer.W_h.detach().t()

    def on(step: int, changes: Tensor) -> Tensor:
        dh, dc = changes.split(layer.hidden, -1)
        d_input, d_forget, d_output, d_candidate = (dh @ W_h).mul_(slopes[step]).split(layer.hidden, -1)
        dc = (d_input + d_forget).add_(d_candidate).addcmul_(dc, trace.forget_gates[step].detach())
        return torch.cat([torch.addcmul(d_output, dc, exposures[step]), dc], -1)

    return on


def _reset_before_on(layer: ResetBeforeGRU, trace: GRUTrace) -> StepOn:
    r, last, update, candidate, past = update_slopes(trace)
    resets = last * r * (1 - r)
    W_gates, W_candidate = (matrix.t() for matrix in gates_and_candidate(layer))

    def on(step: int, dh: Tensor) -> Tensor:
        d_update, d_reset = (dh @ W_gates).split(layer.hidden, -1)
        d_reset_state = (d_reset * resets[step]).addcmul_(dh, r[step])
        change: Tensor = (d_update * update[step]).addcmul_(d_reset_state @ W_candidate, candidate[step])
        return change.addcmul_(dh, past[step])

    return on


def _reset_after_on(layer: ResetAfterGRU, trace: GRUTrace) -> StepOn:
    r, last, update, candidate, past = update_slopes(trace)
    inner = last @ gates_and_candidate(layer)[1].t() + layer.b_hh.detach()
    slopes = torch.cat([update, candidate * inner * r * (1 - r), candidate * r], -1)
    W_h = layer.W_h.detach().t()

    def on(step: int, dh: Tensor) -> Tensor:
        d_update, d_reset, d_candidate = (dh @ W_h).mul_(slopes[step]).split(layer.hidden, -1)
        change: Tensor = (d_update + d_reset).add_(d_candidate)
        return change.addcmul_(dh, past[step])

    return on
