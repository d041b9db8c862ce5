import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.standard_scores import FARTHEST, ChannelMoments
from goldviz.labs.gold_forecast.windows import GAP_UNIT_DAYS, LONGEST_GAP_DAYS, Windows, weeks_since_observed
from goldviz.models.continuous.gru_decay import channel_gaps


def drawn(seed, rows=40, channels=3, missing=0.4):
    generator = np.random.default_rng(seed)
    values = generator.normal(5, 3, (rows, channels))
    values[generator.random(values.shape) < missing] = np.nan
    days = np.cumsum(generator.integers(1, 4, rows)).astype(float)
    return values, days


problems = st.builds(drawn, st.integers(0, 1000), missing=st.sampled_from([0.0, 0.4, 0.9, 1.0]))


@given(problems, st.integers(1, 12), st.integers(0, 20), st.integers(22, 40))
def test_windows_are_the_rows_up_to_the_forecast_standardised_as_they_were_learnt(problem, length, first, end):
    values, days = problem
    batch = Windows(values, days, length, slice(first, end)).ending_at(
        torch.arange(len(values)), torch.ones(len(values))
    )
    moments = ChannelMoments.of(values[first:end])
    for row in range(len(values)):
        for step in range(length):
            source = row - length + 1 + step
            for channel in range(values.shape[1]):
                seen = batch.mask[step, row, channel]
                value = float(batch.values[step, row, channel])
                if source < 0 or not np.isfinite(values[source, channel] - moments.mean[channel]):
                    assert not seen
                    assert value == 0
                else:
                    expected = (values[source, channel] - moments.mean[channel]) / moments.spread[channel]
                    assert seen
                    np.testing.assert_allclose(value, np.clip(expected, -10, 10), atol=1e-5)


@given(problems)
def test_mask_and_values_stand_side_by_side(problem):
    batch = Windows(*problem, 5, slice(0, 30)).ending_at(torch.tensor([3, 17, 39]), torch.tensor([1.0, 3.0, 14.0]))
    assert batch.table.shape == (5, 3, 10)
    torch.testing.assert_close(batch.values_and_mask, torch.cat([batch.values, batch.mask.float()], 2))


@given(problems, st.integers(1, 39))
def test_what_comes_later_changes_no_window(problem, last):
    values, days = problem
    later = values.copy()
    later[last + 1 :] = 100 * later[last + 1 :] + 7
    rows = torch.arange(last + 1)
    before, after = (
        Windows(v, days, 6, slice(0, last + 1)).ending_at(rows, torch.ones(len(rows))).table for v in (values, later)
    )
    assert torch.equal(before, after)


@given(problems)
def test_gaps_are_those_of_the_decaying_network(problem):
    values, days = problem
    seen = np.isfinite(values)
    times = torch.from_numpy(days / GAP_UNIT_DAYS)[:, None]
    expected = channel_gaps(times, torch.from_numpy(seen)[:, None])[:, 0].clamp(max=LONGEST_GAP_DAYS / GAP_UNIT_DAYS)
    np.testing.assert_allclose(weeks_since_observed(days, seen), expected, atol=1e-12)
    batch = Windows(values, days, 1, slice(0, 40)).ending_at(torch.arange(40), torch.ones(40))
    np.testing.assert_allclose(batch.row_gaps[0], np.diff(days, prepend=days[0]) / GAP_UNIT_DAYS, rtol=1e-6)


def test_rows_before_the_first_have_no_gaps():
    values, days = drawn(1)
    batch = Windows(values, days, 8, slice(0, 40)).ending_at(torch.tensor([2]), torch.ones(1))
    assert not batch.gaps[:6].any()
    assert not batch.row_gaps[:6].any()
    assert batch.row_gaps[6:].all()


def test_a_channel_that_does_not_vary_where_one_learns_is_never_seen():
    values, days = drawn(2, missing=0.0)
    values[:30, 1] = 0.1 + 0.2
    batch = Windows(values, days, 4, slice(0, 30)).ending_at(torch.arange(40), torch.ones(40))
    assert not batch.mask[:, :, 1].any()
    assert not batch.values[:, :, 1].any()
    assert batch.mask[-1, :, [0, 2]].all()


def test_values_are_read_no_farther_out_than_ten_standard_deviations():
    values, days = drawn(3, missing=0.0)
    values[35, 0], values[36, 0] = 1e9, -1e9
    last = Windows(values, days, 1, slice(0, 30)).ending_at(torch.tensor([35, 36]), torch.ones(2)).values[0, :, 0]
    assert last.tolist() == [FARTHEST, -FARTHEST]
