import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from goldviz.models.continuous.fused_ode_rnn import FusedODERNN
from goldviz.models.continuous.observed_series import SeriesError, gaps_before
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import FixedSteps
from goldviz.models.continuous.series_forecaster import (
    ORTHOGONAL_START,
    DecaySeriesReader,
    GapSeriesReader,
    ODESeriesReader,
    PlainSeriesReader,
    SeriesForecaster,
    baseline_reader,
    forecast_loss,
)
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.initialisation import initialise
from tests.refusals import refused

NAMES = ("ode_rnn", "ode_rnn_lstm", "gru", "gru_gap", "gru_decay")


@pytest.fixture(autouse=True)
def _in_float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def stream(index):
    return torch.Generator().manual_seed(index)


def forecaster(name, channels=2, hidden=5, steps=0.1):
    if name.startswith("ode_rnn"):
        cell = recurrent_layer("lstm" if name.endswith("lstm") else "gru", 2 * channels, hidden)
        initialise(cell, stream, ORTHOGONAL_START)
        field = TanhField(hidden, (6, 6), stream(50), last_scale=1.0)
        fused = name == "ode_rnn"
        network = FusedODERNN(cell, field, "rk4", steps) if fused else ODERNN(cell, field, FixedSteps("rk4", steps))
        return SeriesForecaster(ODESeriesReader(network), channels, stream(99))
    return SeriesForecaster(baseline_reader(name, channels, hidden, stream), channels, stream(99))


def series(rows=6, batch=3, channels=2, seed=0, seen=0.6):
    times = (0.05 + 0.4 * torch.rand(rows, batch, generator=stream(seed))).cumsum(0)
    values = torch.randn(rows, batch, channels, generator=stream(seed + 1))
    mask = torch.rand(rows, batch, channels, generator=stream(seed + 2)) < seen
    mask[0] = True
    return times, values.masked_fill(~mask, math.nan), mask


@pytest.mark.parametrize("name", NAMES)
def test_between_ends_where_the_next_row_begins(name):
    """Waiting for the whole gap gives what the forecast of the next row reads."""
    network, (times, values, mask) = forecaster(name), series(batch=1)
    trace = network(times, values, mask)
    later = torch.cat([gaps_before(times)[1:], torch.zeros(1, 1)])
    found = network.reader.between(trace, times, values, mask, later[None])
    assert_close(found[0, :-1], trace.before[1:], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gru_gap"])
def test_between_begins_where_the_row_ended(name):
    network, (times, values, mask) = forecaster(name), series()
    trace = network(times, values, mask)
    found = network.reader.between(trace, times, values, mask, torch.zeros(1, *times.shape))
    decayed = name == "gru_decay"
    seen = mask.all(2) if decayed else torch.ones_like(mask[..., 0])
    assert_close(found[0][seen], trace.after[seen], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_chain_gives_the_same_states_and_every_one_on_the_way(name):
    network, (times, values, mask) = forecaster(name), series()
    trace, chain = network(times, values, mask), network.reader.chain(times, values, mask)
    assert_close(chain.before, trace.before, rtol=0, atol=1e-12)
    assert_close(torch.stack(chain.states), trace.after, rtol=0, atol=1e-12)
    mean, _ = network.decode(chain.before[-1])
    slopes = torch.autograd.grad(mean.sum(), chain.states[:-1])
    assert all(slope.abs().sum() > 0 for slope in slopes)


@pytest.mark.parametrize("name", NAMES)
@given(row=st.integers(1, 5), seed=st.integers(0, 1))
def test_a_forecast_does_not_know_its_row_nor_what_comes_later(name, row, seed):
    network, (times, values, mask) = forecaster(name), series(seed=seed)
    usual = network(times, values, mask).before[: row + 1]
    values[row:], mask[row:] = 7.0, True
    times[row + 1 :] += 0.3
    assert_close(network(times, values, mask).before[: row + 1], usual, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "knows"), [(name, name != "gru") for name in NAMES])
def test_who_knows_the_time_of_the_next_row(name, knows):
    network, (times, values, mask) = forecaster(name), series()
    usual = network(times, values, mask).before[-1]
    times[-1] += 0.25
    assert torch.equal(network(times, values, mask).before[-1], usual) is not knows


@pytest.mark.parametrize("name", NAMES)
def test_a_hidden_value_is_not_looked_at(name):
    network, (times, values, mask) = forecaster(name), series()
    usual = network(times, values, mask)
    other = network(times, torch.where(mask, values, 1e9), mask)
    assert torch.equal(usual.after, other.after)


@pytest.mark.parametrize("name", ["ode_rnn", "ode_rnn_lstm"])
def test_padding_changes_nothing(name):
    """A row at the time of the row before it in which nothing is observed. A GRU would take it for news."""
    network, (times, values, mask) = forecaster(name), series(batch=1)
    t, x, m = (torch.cat([part, part[-1:]]) for part in (times, values, mask))
    m[-1] = False
    assert_close(network(t, x, m).after[-1], network(times, values, mask).after[-1], rtol=0, atol=1e-12)


def test_only_a_field_is_evaluated():
    times, values, mask = series()
    assert forecaster("ode_rnn")(times, values, mask).evaluations[1:].min() >= 4
    for name in ("gru", "gru_gap", "gru_decay"):
        trace = forecaster(name)(times, values, mask)
        assert trace.evaluations.sum() == trace.steps.sum() == 0


def test_decay_halves_the_state_when_it_is_told_to():
    network, (times, values, mask) = forecaster("gru_decay", channels=1), series(channels=1, seen=1.0)
    with torch.no_grad():
        network.reader.network.W_d.copy_(torch.tensor([0.0, math.log(2)]).expand(5, 2))
    trace = network(times, values, mask)
    found = network.reader.between(trace, times, values, mask, torch.full((1, *times.shape), 2.0))
    assert_close(found[0], trace.after / 4, rtol=0, atol=1e-12)


def test_the_read_out_starts_small_and_its_scale_has_a_floor():
    network = forecaster("gru")
    mean, scale = network.decode(torch.zeros(4, 5))
    assert mean.shape == scale.shape == (4, 2)
    assert torch.equal(mean, torch.zeros(4, 2))
    assert_close(scale, torch.full((4, 2), 1.005))
    with torch.no_grad():
        network.b[2:] = -100.0
    assert_close(network.decode(torch.zeros(5))[1], torch.full((2,), 5e-3))


def test_the_loss_is_that_of_torch_where_values_were_observed():
    mean, values = torch.randn(2, 4, 3, generator=stream(0)).unbind(0)
    scale = 0.2 + torch.rand(4, 3, generator=stream(1))
    mask = torch.rand(4, 3, generator=stream(2)) < 0.5
    expected = -torch.distributions.Normal(mean, scale).log_prob(values)[mask].mean()
    assert_close(forecast_loss(mean, scale, values.masked_fill(~mask, math.nan), mask), expected)


def test_hidden_values_leave_the_gradient_finite():
    network, (times, values, mask) = forecaster("ode_rnn"), series()
    mean, scale = network.decode(network(times, values, mask).before)
    forecast_loss(mean, scale, values, mask).backward()
    assert all(parameter.grad.isfinite().all() for parameter in network.parameters())


@pytest.mark.parametrize("name", NAMES)
def test_times_that_do_not_ascend_are_refused(name):
    network, (times, values, mask) = forecaster(name), series()
    mask[3] = True
    values[3] = 0.0
    times[3, 1] = times[2, 1]
    with refused(SeriesError, "not_ascending", "Sample 1", "row 3"):
        network(times, values, mask)


def test_an_unknown_baseline_is_refused():
    with pytest.raises(ValueError, match=r"'lstm'.* gru, gru_gap, gru_decay"):
        baseline_reader("lstm", 1, 2, stream)


def test_the_baselines_have_the_same_recurrent_matrices():
    plain, gap, decay = (baseline_reader(name, 2, 5, stream) for name in ("gru", "gru_gap", "gru_decay"))
    assert isinstance(plain, PlainSeriesReader)
    assert isinstance(gap, GapSeriesReader)
    assert isinstance(decay, DecaySeriesReader)
    assert torch.equal(plain.cell.W_h, gap.network.cell.W_h)
    assert torch.equal(plain.cell.W_h, decay.network.cell.W_h)
    W = plain.cell.block(plain.cell.W_h, "candidate")
    assert_close(W @ W.t(), torch.eye(5))
