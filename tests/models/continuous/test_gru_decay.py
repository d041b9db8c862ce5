"""The GRUs that know about gaps: against a plain loop in float64, and where they must be an ordinary GRU."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.models.continuous.gru_decay import DecayGRU, GapGRU, channel_gaps
from goldviz.models.continuous.observed_series import SeriesError, gaps_before
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from tests.models.continuous.irregular_networks import series, stream
from tests.refusals import refused


def shaken(network, seed):
    """The network with every parameter drawn, and a mean away from zero."""
    initialise(network.cell, lambda index: stream(1000 * seed + index), RecurrentInitialisation("gaussian"))
    with torch.no_grad():
        for key, parameter in network.named_parameters():
            if not key.startswith("cell.W"):
                parameter.copy_(torch.randn(parameter.shape, generator=stream(seed + len(key)), dtype=torch.float64))
        if hasattr(network, "mean"):
            network.mean.copy_(torch.randn(network.mean.shape, generator=stream(seed), dtype=torch.float64))
    return network


def decay_states(network, values, mask, gaps, row_gaps):
    """GRU-D number by number, as in Che et al. 2018, with one more column in W_d for the gap since the last row."""
    time, batch, channels = values.shape
    hidden = network.cell.hidden
    W_xz, W_xr, W_xh = network.cell.W_x.chunk(3)
    W_hz, W_hr, W_hh = network.cell.W_h.chunk(3)
    b_z, b_r, b_h = network.cell.b.chunk(3)
    found = torch.zeros(time, batch, hidden, dtype=torch.float64)
    for s in range(batch):
        h = torch.zeros(hidden, dtype=torch.float64)
        last = network.mean.clone()
        for t in range(time):
            read = torch.zeros(2 * channels, dtype=torch.float64)
            for d in range(channels):
                if mask[t, s, d]:
                    last[d] = read[d] = values[t, s, d]
                    read[channels + d] = 1
                else:
                    fade = math.exp(-max(0.0, float(network.w_x[d] * gaps[t, s, d] + network.b_x[d])))
                    read[d] = fade * last[d] + (1 - fade) * network.mean[d]
            for j in range(hidden):
                rate = network.b_d[j] + network.W_d[j, channels] * row_gaps[t, s]
                rate = rate + sum(network.W_d[j, d] * gaps[t, s, d] for d in range(channels))
                h[j] = h[j] * math.exp(-max(0.0, float(rate)))
            z = torch.sigmoid(W_xz @ read + W_hz @ h + b_z)
            r = torch.sigmoid(W_xr @ read + W_hr @ h + b_r)
            h = (1 - z) * h + z * torch.tanh(W_xh @ read + W_hh @ (r * h) + b_h)
            found[t, s] = h
    return found


@settings(max_examples=12)
@given(
    rows=st.integers(1, 6),
    batch=st.integers(1, 3),
    channels=st.integers(1, 3),
    hidden=st.integers(1, 4),
    seen=st.sampled_from([0.2, 0.6, 1.0]),
    seed=st.integers(0, 99),
)
@torch.no_grad()
def test_decay_states_are_those_of_a_plain_loop(rows, batch, channels, hidden, seen, seed):
    network = shaken(DecayGRU(channels, hidden, dtype=torch.float64), seed)
    times, values, mask = series(rows, batch, channels, seed, seen)
    gaps, row_gaps = channel_gaps(times, mask), gaps_before(times)
    trace = network(values.masked_fill(~mask, math.nan), mask, gaps, row_gaps)
    assert torch.allclose(trace.hidden, decay_states(network, values, mask, gaps, row_gaps), atol=1e-12, rtol=0)
    assert len(trace.states) == rows + 1
    assert len(trace.decays) == len(trace.update_gates) == rows


def test_with_everything_seen_and_no_gaps_the_decay_gru_is_a_gru():
    network = DecayGRU(2, 5, dtype=torch.float64)
    initialise(network.cell, stream, RecurrentInitialisation())
    _, values, mask = series(7, 3, 2, seen=1.0)
    mask = torch.ones_like(mask)
    zeros = torch.zeros_like(values)
    trace = network(values, mask, zeros, zeros[..., 0])
    expected = network.cell(torch.cat([values, torch.ones_like(values)], 2))
    assert torch.allclose(trace.hidden, expected.hidden, atol=1e-14, rtol=0)
    assert torch.equal(trace.filled, values)


def test_after_a_long_silence_the_decay_gru_has_forgotten_state_and_value():
    network = DecayGRU(1, 4, dtype=torch.float64)
    initialise(network.cell, stream, RecurrentInitialisation())
    network.mean.fill_(0.7)
    values = torch.tensor([[[5.0]], [[0.0]]], dtype=torch.float64)
    mask = torch.tensor([[[True]], [[False]]])
    times = torch.tensor([[0.0], [60.0]], dtype=torch.float64)
    trace = network(values, mask, channel_gaps(times, mask), gaps_before(times))
    assert float(trace.decays[1].detach().abs().max()) < 1e-12
    assert float(trace.filled[1].detach()) == pytest.approx(0.7, abs=1e-12)


def test_all_rates_learn_from_the_start():
    network = DecayGRU(2, 4, dtype=torch.float64)
    initialise(network.cell, stream, RecurrentInitialisation())
    times, values, mask = series(8, 3, 2, seen=0.5)
    trace = network(values, mask, channel_gaps(times, mask), gaps_before(times))
    gradients = torch.autograd.grad(trace.hidden.square().sum(), [network.w_x, network.W_d])
    assert all((gradient != 0).all() for gradient in gradients)


@settings(max_examples=15)
@given(rows=st.integers(1, 8), seed=st.integers(0, 99))
def test_channel_gaps_count_from_the_last_row_that_showed_the_channel(rows, seed):
    times, _, mask = series(rows, 2, 3, seed)
    found = channel_gaps(times, mask)
    for t in range(rows):
        for s in range(2):
            for d in range(3):
                seen = [k for k in range(t) if mask[k, s, d]]
                since = seen[-1] if seen else 0
                assert float(found[t, s, d]) == pytest.approx(float(times[t, s] - times[since, s]), abs=1e-12)


def test_the_gap_gru_is_a_gru_that_reads_values_mask_and_gaps():
    network = shaken(GapGRU(2, 4, gaps=2, dtype=torch.float64), 3)
    times, values, mask = series(6, 3, 2)
    before = gaps_before(times)
    gaps = torch.stack([before, torch.cat([before[1:], before[:1]])], 2)
    trace = network(values.masked_fill(~mask, math.nan), mask, gaps)
    expected = network.cell(torch.cat([values * mask, mask.double(), gaps], 2))
    assert torch.equal(trace.hidden, expected.hidden)


def test_bad_input_is_named():
    times, values, mask = series(4, 2, 2)
    gaps, row_gaps = channel_gaps(times, mask), gaps_before(times)
    network = DecayGRU(2, 3, dtype=torch.float64)
    with refused(SeriesError, "shape", "(4, 2, 1)", "(time, batch, 2)"):
        network(values[..., :1], mask, gaps, row_gaps)
    with refused(SeriesError, "shape", "gaps since the last row", "(3, 2)", "(4, 2)"):
        network(values, mask, gaps, row_gaps[1:])
    negative, endless = row_gaps.clone(), gaps.clone()
    negative[2, 1], endless[3, 0, 1] = -0.1, math.inf
    with refused(SeriesError, "not_allowed", "gaps since the last row", "sample 1 at row 2"):
        network(values, mask, gaps, negative)
    with refused(SeriesError, "not_allowed", "each channel", "sample 0 at row 3"):
        network(values, mask, endless, row_gaps)
    with pytest.raises(ValueError, match="gaps a row is 0"):
        GapGRU(2, 3, gaps=0)
