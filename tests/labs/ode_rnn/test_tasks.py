import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import MarketError
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.labs.ode_rnn.tasks import MarketSequences, sequence_source, turning_course


def stream(index=0):
    return torch.Generator().manual_seed(index)


@pytest.fixture(scope="module")
def market():
    return MarketSequences(ODERNNLaboratory(task="market"))


def test_a_turning_course_is_the_matrix_exponential():
    A = torch.tensor([[0.3, 2.0], [-5.0, -0.9]], dtype=torch.float64)
    times = 3 * torch.rand(7, 4, generator=stream(), dtype=torch.float64)
    start = torch.randn(4, 2, generator=stream(1), dtype=torch.float64)
    flows = torch.matrix_exp(A * times[..., None, None])
    exact = (flows @ start[None, ..., None]).squeeze(-1)
    assert_close(turning_course(A, 4, stream(1))(times), exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("task", ["oscillator", "sines", "linear"])
def test_courses_are_seen_at_their_times(task):
    settings = ODERNNLaboratory(task=task, noise=0.0, hidden_share=0.3, longest_gap=0.4)
    source = sequence_source(settings)
    probe = source.probe(stream())
    seen = probe.seen
    assert seen.values.shape == (20, 1, len(source.channels))
    assert_close(probe.course(seen.times).float(), seen.clean)
    assert torch.equal(torch.isfinite(seen.values), seen.mask)
    assert_close(seen.values[seen.mask], seen.clean[seen.mask])


def test_half_of_what_is_to_be_hidden_is_hidden():
    batch = sequence_source(ODERNNLaboratory(task="linear", hidden_share=0.5)).training(500, stream())
    assert batch.mask[0].all()
    assert batch.mask[1:].double().mean().item() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("task", ["oscillator", "sines", "linear"])
def test_only_a_long_last_gap_is_longer_than_the_longest(task):
    source = sequence_source(ODERNNLaboratory(task=task, longest_gap=0.4))
    for batch in (source.training(300, stream()), source.unseen(300, stream(), long_gap=False)):
        gaps = batch.times.diff(dim=0)
        assert gaps.min() >= 0.02
        assert 0.39 < gaps.max() <= 0.4
    gaps = source.unseen(300, stream(), long_gap=True).times.diff(dim=0)
    assert gaps[:-1].max() <= 0.4
    assert 0.4 <= gaps[-1].min() < 0.41
    assert 0.79 < gaps[-1].max() <= 0.8


def test_the_market_s_windows_are_rows_of_its_panel(market):
    panel = aligned(load_market("simulated"))
    batch = market.training(50, stream())
    assert market.channels[0] == "gold"
    assert torch.equal(torch.isfinite(batch.values), batch.mask)
    assert batch.mask[:, :, 0].all()
    assert (batch.times[0] == 0).all()
    # A weekend is three days from Friday to Monday.
    assert set((7 * batch.times.diff(dim=0)).round().flatten().tolist()) >= {1.0, 3.0}
    gold = panel.values[np.isfinite(panel.price), 0][1:]
    learnt = gold[: market.split]
    standardised = (gold - learnt.mean()) / learnt.std()
    assert_close(market.values[:, 0].double(), torch.as_tensor(standardised.clip(-10, 10)), rtol=1e-4, atol=1e-5)


def test_what_is_tested_on_lies_after_all_that_is_trained_on(market):
    assert market.split == int(0.8 * len(market.times))
    assert market.trained_on.max() < market.split <= market.tested_on.min()
    assert market.tested_on_long.min() >= market.split


def test_the_market_s_last_fifth_does_not_touch_what_is_trained_on(monkeypatch, market):
    usual = market.values[: market.split]
    panel = aligned(load_market("simulated"))
    rows = np.flatnonzero(np.isfinite(panel.price))[1:]
    panel.values[rows[market.split] :] *= 100
    monkeypatch.setattr("goldviz.labs.ode_rnn.market_windows.aligned", lambda market: panel)
    changed = MarketSequences(ODERNNLaboratory(task="market"))
    assert_close(changed.values[: market.split], usual, rtol=0, atol=0, equal_nan=True)
    assert not torch.equal(changed.values[market.split :, 0], market.values[market.split :, 0])


def test_the_market_s_long_gaps_leave_out_what_lies_in_between(market):
    rows = market.tested_on_long
    gaps = market.times[rows].diff(dim=1)
    assert gaps[:, :-1].max() <= 0.6
    assert gaps[:, -1].min() > 0.6
    assert gaps[:, -1].max() <= 1.2
    before = market.times[rows[:, -1] - 1] - market.times[rows[:, -2]]
    assert before.max() <= 0.6 + 1e-9


def test_a_channel_that_is_not_published_on_a_day_is_missing(market):
    weekly = market.channels.index("balance")
    assert 0.7 < torch.isnan(market.values[:, weekly]).double().mean() < 0.9
    assert math.isnan(float(market.values[:, weekly].sum()))


def test_a_market_without_such_windows_is_refused():
    with pytest.raises(
        MarketError, match=r"has no 20 observations in a row for training with gaps of at most 0\.2 weeks"
    ):
        MarketSequences(ODERNNLaboratory(task="market", longest_gap=0.2))
