"""Known answers on two public sets: published scores, and what was computed of the same files elsewhere."""

import gzip

import numpy as np
import pytest

from goldviz.labs.leaderboard.multivariate import MultivariateSeries
from goldviz.labs.leaderboard.public_sets import PUBLIC_SETS
from goldviz.labs.leaderboard.splits import Scaling, parts_of
from goldviz.labs.leaderboard.table import errors_of, kept_windows
from goldviz.models.series.forecasters.at_once import linear_map, repeat, seasonal_repeat
from goldviz.models.series.sliding_windows import SlidingWindows
from tests.places import REAL_DATA
from tests.thinned import thinned

SETS = {"ETTh1": ("ETTh1.csv", "months-hourly"), "exchange": ("exchange_rate.txt.gz", "70-10-20")}


def values_of(name):
    path = REAL_DATA / "series" / SETS[name][0]
    if not path.exists():
        pytest.skip(f"needs the real data file {path.name} beside the project")
    if name == "exchange":
        with gzip.open(path, "rt") as file:
            return np.loadtxt(file, delimiter=",")
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 8))


def errors(name, look_back, horizon, build):
    values, split = values_of(name), SETS[name][1]
    parts = parts_of(split, len(values), look_back, horizon)
    series = MultivariateSeries(tuple(map(str, range(values.shape[1]))), values, "row", name)
    windows = SlidingWindows(Scaling.of(series, parts.train).applied(values), look_back, horizon)
    forecast = build(windows, parts.training(look_back, horizon), 24)
    return errors_of(forecast, windows, parts.tested(horizon), parts.test, 0).windows[-1]


@pytest.mark.parametrize(
    ("horizon", "scores"),
    [
        (96, (0.0811, 0.0807, 0.0856)),
        (192, (0.1671, 0.1670, 0.1753)),
        (336, (0.3057, 0.3054, 0.3115)),
        (720, (0.8101, 0.8226, 0.6544)),
    ],
)
def test_repeating_exchange_rates_scores_by_the_loader_s_batch(horizon, scores):
    every = errors("exchange", 96, horizon, repeat)
    kept = [every, *(every[: kept_windows(len(every), batch, "drop")] for batch in (32, 512))]
    assert [one.mean() for one in kept] == pytest.approx(scores, abs=6e-5)


@pytest.mark.parametrize(
    ("horizon", "last", "day"),
    [(96, 1.294, 0.512), (192, 1.325, 0.581), (336, 1.330, 0.650), (720, 1.335, 0.655)],
)
def test_repeating_the_last_value_and_the_last_day_of_etth1(horizon, last, day):
    assert errors("ETTh1", 96, horizon, repeat).mean() == pytest.approx(last, abs=6e-4)
    assert errors("ETTh1", 96, horizon, seasonal_repeat).mean() == pytest.approx(day, abs=6e-4)


def test_least_squares_on_etth1():
    assert errors("ETTh1", 96, 96, linear_map).mean() == pytest.approx(0.383, abs=6e-4)


@pytest.mark.parametrize(("name", "public"), [*zip(SETS, PUBLIC_SETS, strict=True)])
@pytest.mark.parametrize("horizons", thinned([[96, 336], [96, 192, 336, 720]]))
def test_a_linear_map_of_what_is_less_the_last_value_is_published_as_nlinear(name, public, horizons):
    """NLinear's own least squares, on its published look-back, is nearer to its row than to DLinear's, over several
    horizons: at one of them the two rows may differ by 0.001."""
    off = {"NLinear": 0.0, "DLinear": 0.0}
    for horizon in horizons:
        published, own = public.published(horizon, public.split), errors(name, 336, horizon, linear_map).mean()
        off = {row: far + abs(own - published[row]) for row, far in off.items()}
    assert off["NLinear"] < off["DLinear"]


@pytest.mark.slow
@pytest.mark.parametrize(("horizon", "score"), [(96, 0.370), (192, 0.403), (336, 0.428), (720, 0.434)])
def test_least_squares_with_a_longer_look_back_on_etth1(horizon, score):
    assert errors("ETTh1", 336, horizon, linear_map).mean() == pytest.approx(score, abs=6e-4)
