import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

from goldviz.figures import reading
from goldviz.figures.elements import log_axis, number_ticks, power_ticks
from goldviz.labs.depth_gradients.figures import FIGURES, shared_limits


@given(st.integers(1, 5000), st.integers(1, 400))
def test_thinning_keeps_the_last_epoch_and_the_cap(count, most):
    kept, words = reading.thinned(count, most)
    assert kept[-1] == count - 1
    assert len(kept) <= most
    assert bool(words) == (len(kept) < count)


def test_the_scrubber_finds_the_last_measurement_before_it(run):
    assert reading.recorded(run, None) == 20
    assert reading.recorded(run, 7) == 7
    assert reading.recorded(run, 7, "histogram_epoch") == 5
    assert reading.recorded(run, 0) == 1


def test_absence_tells_the_three_cases_apart(run):
    assert reading.absence(run, "loss") == ""
    assert "did not record banana" in reading.absence(run, "banana")
    assert "nothing measured yet" in reading.absence(run.isel(epoch=slice(0, 0)), "loss")
    assert "no recorded value" in reading.absence(run.assign(loss=run["loss"] * np.nan), "loss")


def test_band_is_median_and_range_of_the_seeds_that_have_a_value(build_run):
    run = build_run(seeds=3)
    run["gradient_norm"].loc[{"layer": 0, "seed": 0, "epoch": 1, "network": "plain"}] = np.nan
    norms = run["gradient_norm"].sel(epoch=1, network="plain")
    low, high, middle = (trace.y for trace in FIGURES["gradient_by_layer"](run, epoch=1).data[:3])
    assert middle[1] == pytest.approx(np.median(norms.sel(layer=1)))
    assert low[0] == pytest.approx(np.nanmin(norms.sel(layer=0)))
    assert (low <= high).all()


def test_shared_limits_cover_every_run(build_run):
    small, large = build_run(depth=5), build_run(depth=30, epochs=50)
    large["gradient_norm"] *= 1e4
    both = shared_limits([small, large])
    for run in (small, large):
        for name, (low, high) in shared_limits([run]).items():
            assert both[name][0] <= low
            assert both[name][1] >= high
    assert both["layer"] == (-0.5, 30.5)
    assert both["epoch"] == (0.5, 50.5)


def test_limits_survive_zeros_infinities_and_nothing(run):
    run["gradient_norm"][0, 0, 0, :3] = [0.0, np.inf, np.nan]
    low, high = shared_limits([run])["gradient_norm"]
    assert -8 <= low < high <= 2
    assert shared_limits([])["gradient_norm"] == (0.0, 1.0)
    assert shared_limits([run * 0])["gradient_norm"] == (0.0, 1.0)


def test_only_empty_bins_are_left_out(run):
    first, last = (int(end) for end in shared_limits([run])["gradient_histogram_bins"])
    shares = run["gradient_histogram"].values
    assert shares[..., [0, *range(first, last + 1)]].sum(-1) == pytest.approx(np.ones(shares.shape[:-1]))
    assert shares[..., first].max() > 0
    assert shares[..., last].max() > 0


@example(-1.8, 1.6)
@given(st.floats(-40, 10), st.floats(0.2, 60))
def test_log_axes_always_have_a_tick_and_two_where_one_is_no_scale(low, span):
    axis = log_axis((low, low + span))
    ticks = axis.get("tickvals")
    if ticks is None:
        assert span / axis["dtick"] <= 7.01
        assert np.floor((low + span) / axis["dtick"]) > np.ceil(low / axis["dtick"])
    else:
        assert (2 if span > 0.8 else 1) <= len(ticks) <= 17
        assert all(low <= np.log10(tick) <= low + span for tick in ticks)


@given(st.integers(0, 3), st.integers(1, 5000))
def test_number_ticks_are_few_and_keep_the_named_places(low, span):
    ticks = number_ticks(low, low + span, {low: "input", low + span: "read-out"})
    assert len(ticks["tickvals"]) <= 9
    assert ticks["ticktext"][0] == "input"
    assert ticks["ticktext"][-1] == "read-out"


def test_power_ticks_are_whole_decades():
    ticks = power_ticks(-12.5, 2.5)
    assert ticks["tickvals"] == [-12, -9, -6, -3, 0]
    assert ticks["ticktext"][0] == "10<sup>−12</sup>"


def test_windows_are_averaged_up_to_the_last_step():
    array = xr.DataArray([9.0, 1.0, 3.0, np.inf, 5.0], {"step": [1, 2, 3, 4, 5]}, "step")
    means, words = reading.averaged(array, "step", most=3)
    np.testing.assert_array_equal(means["step"], [3, 5])
    np.testing.assert_allclose(means, [2.0, 5.0])
    assert words == "Means of 2 steps."
    whole, nothing = reading.averaged(array, "step", most=5)
    assert whole.sizes["step"] == 5
    assert nothing == ""
    assert np.isnan(whole[3])
