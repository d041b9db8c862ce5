"""*Forecast lab*: what its page shows, recomputed with pandas, scikit-learn, statsmodels, scipy and arch's bootstrap.

Only the network's own forecasts are taken from the run; answers, baselines, scores, tests, intervals and coverage are
made anew from the market file.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from arch.bootstrap import CircularBlockBootstrap, optimal_block_length
from scipy import integrate, optimize, stats
from sklearn import metrics
from statsmodels.api import OLS, add_constant
from statsmodels.stats.proportion import proportion_confint

import goldviz
from goldviz.labs.gold_forecast.figures import FIGURES
from goldviz.labs.gold_forecast.scoring.distributions import crps_gaussian
from goldviz.labs.gold_forecast.verdict import score_rows, verdict

EMBARGO, REFITS, VALIDATION = 5, 2, 0.2
TARGETS = {"return": "gaussian", "volatility": "student", "level": "gaussian"}


def prices(order: int) -> pd.DataFrame:
    """Six years of business days: a price whose moves come in storms, and one that moves with it."""
    drawn = np.random.default_rng([90, order])
    days = pd.bdate_range("2016-03-01", periods=1500)
    noise, other = drawn.standard_t(6, 1500), drawn.standard_normal(1500)
    moves, variance = np.empty(1500), 1e-4
    for day in range(1500):
        moves[day] = np.sqrt(variance) * noise[day]
        variance = 6e-6 + 0.07 * moves[day] ** 2 + 0.85 * variance
    levels = np.exp(np.cumsum(np.stack([moves, 0.5 * moves + 0.01 * other]), axis=1)) * [[1200.0], [20.0]]
    return pd.DataFrame({"Date": days.strftime("%Y-%m-%d"), "Bar": levels[0].round(4), "Coin": levels[1].round(4)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("markets")


@pytest.fixture(scope="module")
def ran(folder):
    @cache
    def one(target: str) -> SimpleNamespace:
        order = list(TARGETS).index(target)
        table, file = prices(order), Path(folder) / f"truth-{target}.csv"
        table.to_csv(file, index=False)
        run = goldviz.run(
            "gold-forecast",
            progress=False,
            data=goldviz.market(file),
            target=target,
            head=TARGETS[target],
            hidden=5,
            window=6,
            epochs=3,
            refits=REFITS,
            train_years=2,
            test_years=1.6,
            embargo=EMBARGO,
            learning_rate=0.01,
            validation_share=VALIDATION,
            seeds=[70 + order],
        )
        return recomputed(run, table, target)

    return one


def recomputed(run, table, target):
    """The problem from the file alone: answers by position, the row of each, and who may learn from what."""
    price = table["Bar"].to_numpy()
    steps = np.diff(np.log(price))
    # The forecast at row j + 1, the first with a return behind it, is of the return at row j + 2.
    changes, base = steps[1:], price[1:-1]
    values, unchanged = (price[2:], base) if target == "level" else (changes, np.zeros(len(changes)))
    count = run.sizes["time"]
    tests = np.array_split(np.arange(len(values) - count, len(values)), REFITS)
    pasts = []
    for test in tests:
        known = np.arange(0, test[0] - 1 - EMBARGO)
        asked = round(VALIDATION * len(known))
        validation = known[-asked:]
        pasts.append((known[: -asked - 1 - EMBARGO], validation))
    return SimpleNamespace(
        run=run,
        table=table,
        target=target,
        values=values,
        unchanged=unchanged,
        tests=tests,
        pasts=pasts,
        change=values - unchanged,
        came=values[-count:],
        zero=unchanged[-count:],
        mean=run["mean"].isel(look=-1, seed=0).values.astype(float),
        scale=run["scale"].isel(look=-1, seed=0).values.astype(float),
    )


EVERY = pytest.mark.parametrize("target", TARGETS)
EXACT = {"rtol": 2e-5}


def forecasts(one, name):
    return one.run["baseline_mean"].sel(baseline=name).values


def widths(one, name):
    return one.run["baseline_scale"].sel(volatility_baseline=name).values


def learnt(one):
    """For each refit the positions it may learn from, and those that it forecasts."""
    return [(np.concatenate(past), test) for past, test in zip(one.pasts, one.tests, strict=True)]


@EVERY
def test_answers_dates_and_refits_are_those_of_the_file(target, ran):
    one = ran(target)
    count = len(one.came)
    dates = pd.DatetimeIndex(one.table["Date"])
    np.testing.assert_allclose(one.run["target"], one.came, **EXACT)
    assert list(one.run["time"].values) == list(one.table["Date"].iloc[-count - 1 : -1])
    np.testing.assert_array_equal(one.run["days_ahead"], np.diff(dates.to_numpy())[-count:] / np.timedelta64(1, "D"))
    np.testing.assert_allclose(one.run["price"], one.table["Bar"].iloc[-count - 1 : -1], **EXACT)
    np.testing.assert_array_equal(np.bincount(one.run["block"].values.astype(int)), [len(test) for test in one.tests])
    # 1.6 years of days before the last forecast, and that one.
    assert dates[-2] - dates[-count - 1] < pd.Timedelta(days=1.6 * 365.25) <= dates[-2] - dates[-count - 2]


@EVERY
def test_mean_and_autoregression_are_least_squares_on_the_past(target, ran):
    one = ran(target)
    running = pd.Series(one.values).expanding().mean().shift(1).to_numpy()
    np.testing.assert_allclose(forecasts(one, "mean"), running[-len(one.came) :], **EXACT)
    np.testing.assert_allclose(forecasts(one, "zero"), one.zero, **EXACT)
    said = []
    for past, test in learnt(one):
        pairs = past[past > 0]
        fit = OLS(one.values[pairs], add_constant(one.values[pairs - 1])).fit()
        said.append(fit.predict(add_constant(one.values[test - 1], has_constant="add")))
    np.testing.assert_allclose(forecasts(one, "ar1"), np.concatenate(said), rtol=1e-4, atol=1e-9)


@EVERY
def test_ridge_is_the_normal_equations_with_the_penalty_that_validation_likes_best(target, ran):
    one = ran(target)
    coin = np.diff(np.log(one.table["Coin"].to_numpy()))[:-1]
    own = np.concatenate([[np.nan], one.change[:-1]])
    columns = [pd.Series(series).shift(lag) for lag in range(3) for series in (own, coin)]
    features = pd.concat(columns, axis=1).to_numpy()

    def ridge(chosen, asked, penalty):
        mean, sd = np.nanmean(features[chosen], axis=0), np.nanstd(features[chosen], axis=0)
        x, new = (np.nan_to_num((features[part] - mean) / sd) for part in (chosen, asked))
        y = one.change[chosen]
        slopes = np.linalg.solve((x - x.mean(0)).T @ (x - x.mean(0)) + penalty * np.eye(6), (x - x.mean(0)).T @ y)
        return y.mean() + (new - x.mean(0)) @ slopes

    said = []
    for (train, validation), test in zip(one.pasts, one.tests, strict=True):
        errors = {
            10.0**p: np.square(one.change[validation] - ridge(train, validation, 10.0**p)).sum() for p in range(7)
        }
        said.append(ridge(np.concatenate([train, validation]), test, min(errors, key=errors.get)))
    # The run keeps its forecasts in single precision, which for prices is coarse beside a change.
    rounding = 1e-6 * one.zero.max() + 1e-8
    np.testing.assert_allclose(forecasts(one, "ridge") - one.zero, np.concatenate(said), rtol=1e-3, atol=rounding)


@EVERY
def test_constant_and_weighted_widths_are_those_of_pandas(target, ran):
    one = ran(target)
    constant, weighted = [], []
    for past, test in learnt(one):
        start = np.square(one.change[past]).mean()
        constant.append(np.full(len(test), np.sqrt(start)))
        carried = pd.Series([start, *np.square(one.change)]).ewm(alpha=0.06, adjust=False).mean()
        weighted.append(np.sqrt(carried.to_numpy()[test]))
    np.testing.assert_allclose(widths(one, "constant"), np.concatenate(constant), **EXACT)
    np.testing.assert_allclose(widths(one, "ewma"), np.concatenate(weighted), **EXACT)


def garch_variances(y, parameters):
    """Variances of y and of the value after it; the squares of its first 75 values, weighted, stand before it."""
    omega, alpha, beta = parameters
    weights = 0.94 ** np.arange(75)
    found = [omega + (alpha + beta) * np.average(np.square(y[:75]), weights=weights)]
    for value in y:
        found.append(omega + alpha * value**2 + beta * found[-1])
    return np.array(found)


@EVERY
def test_garch_is_the_most_likely_recursion(target, ran):
    one = ran(target)
    found = []
    for past, test in learnt(one):
        y = one.change[past[0] : past[-1] + 1]
        unit = y.std()

        def surprise(parameters, y=y / unit):
            variances = garch_variances(y, parameters)[:-1]
            return float((np.log(variances) + np.square(y) / variances).mean())

        bounds = [(1e-6, 2), (1e-6, 1), (1e-6, 0.9999)]
        starts = ((0.05, 0.1, 0.85), (0.3, 0.2, 0.5))
        best = min((optimize.minimize(surprise, at, bounds=bounds) for at in starts), key=lambda fit: fit.fun)
        omega, alpha, beta = best.x
        variances = garch_variances(one.change[past[0] :], (omega * unit**2, alpha, beta))
        found.append(np.sqrt(variances[test - past[0]]))
    # The likelihood is flat around its top: optimisers stop at places whose widths differ by less than this.
    np.testing.assert_allclose(widths(one, "garch"), np.concatenate(found), rtol=0.01)


def shown(text):
    """A number as the page prints it, and half of its last digit; percentages as shares."""
    number = text.replace("−", "-").replace("+", "").replace(",", "").replace(" bp", "").removesuffix(" %")
    digits = len(number.partition(".")[2])
    unit = 100 if text.endswith("%") else 1e4 if text.endswith("bp") else 1
    return float(number) / unit, 0.51 * 10.0**-digits / unit


def agrees(text, value):
    number, rounding = shown(text)
    # From 1,000 % on two digits are shown.
    assert abs(number - value) <= rounding + (1e-5 if abs(value) < 10 else 0.05) * abs(value), (text, value)


def models(one):
    own = {"GRU": one.mean}
    return own | {
        name: forecasts(one, key) for name, key in (("mean so far", "mean"), ("AR(1)", "ar1"), ("ridge", "ridge"))
    }


@pytest.mark.parametrize("target", ["return", "level"])
def test_the_page_s_table_holds_the_scores_of_scikit_learn(target, ran):
    one = ran(target)
    rows = {row["Model"]: row for row in score_rows(one.run)}
    against = "R² against zero" if target == "return" else "R² against no change"
    worst = metrics.mean_squared_error(one.came, one.zero)
    for name, said in models(one).items():
        error = metrics.mean_squared_error(one.came, said)
        agrees(rows[name][against], 1 - error / worst)
        agrees(rows[name]["RMSE"], np.sqrt(error))
        up, right = (said - one.zero) > 0, (one.came - one.zero) > 0
        agrees(rows[name]["Sign right"], metrics.accuracy_score(right, up))
        recorded = one.run["score"].sel(model="network" if name == "GRU" else one_key(name))
        np.testing.assert_allclose(recorded.sel(metric="mae"), metrics.mean_absolute_error(one.came, said), **EXACT)
        np.testing.assert_allclose(recorded.sel(metric="r2_mean"), metrics.r2_score(one.came, said), rtol=1e-4)
        gained = OLS(np.square(one.came - one.zero) - np.square(one.came - said), np.ones(len(said))).fit()
        np.testing.assert_allclose(recorded.sel(metric="dm"), gained.tvalues[0], rtol=1e-3)
        np.testing.assert_allclose(recorded.sel(metric="dm_p"), gained.pvalues[0], rtol=1e-3, atol=1e-12)
    agrees(
        verdict(one.run, target).partition(" [")[0].rpartition("R² " if target == "return" else "and ")[2],
        1 - metrics.mean_squared_error(one.came, one.mean) / worst,
    )


def one_key(name):
    return {"mean so far": "mean", "AR(1)": "ar1"}.get(name, name)


def qlike(came, scale):
    """-2 log likelihood of N(0, scale^2), less its constant."""
    return -2 * stats.norm.logpdf(came, 0, scale) - np.log(2 * np.pi)


def test_the_page_s_table_of_widths_holds_likelihoods(ran):
    one = ran("volatility")
    rows = {row["Model"]: row for row in score_rows(one.run)}
    simplest = qlike(one.came, widths(one, "constant"))
    scales = {"GRU": one.scale, "EWMA": widths(one, "ewma"), "GARCH": widths(one, "garch")}
    for name, scale in scales.items():
        own = qlike(one.came, scale)
        agrees(rows[name]["QLIKE gain"], (simplest - own).mean())
        agrees(rows[name]["QLIKE"], own.mean())
        recorded = one.run["volatility_score"].sel(volatility_model="network" if name == "GRU" else name.lower())
        test = OLS(simplest - own, np.ones(len(own))).fit()
        np.testing.assert_allclose(recorded.sel(volatility_metric="dm_p"), test.pvalues[0], rtol=2e-3, atol=1e-12)
    for name in ("EWMA", "GARCH"):
        inside = np.abs(one.came) <= stats.norm.ppf(0.95) * scales[name]
        agrees(rows[name]["Inside 90 %"], inside.mean())
    # CRPS is the integral of (F(x) - 1{x >= y})^2, here on a few days of GARCH's.
    some = slice(0, 25)
    areas = [
        integrate.quad(lambda x, s=s: stats.norm.cdf(x, 0, s) ** 2, -12 * s, y)[0]
        + integrate.quad(lambda x, s=s: stats.norm.sf(x, 0, s) ** 2, y, 12 * s)[0]
        for y, s in zip(one.came[some], scales["GARCH"][some], strict=True)
    ]
    np.testing.assert_allclose(crps_gaussian(one.came[some], 0.0, scales["GARCH"][some]), areas, rtol=1e-5)


@pytest.mark.parametrize("target", ["return", "level"])
def test_quantiles_probabilities_and_coverage_are_those_of_the_forecast_gaussian(target, ran):
    one = ran(target)
    levels = one.run["level"].values
    expected = stats.norm.ppf(levels, one.mean[:, None], one.scale[:, None])
    np.testing.assert_allclose(one.run["quantile"], expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(one.run["pit"], stats.norm.cdf(one.came, one.mean, one.scale), atol=1e-4)
    drawn = FIGURES["calibration"](one.run)
    (points,) = [trace for trace in drawn.data if trace.type == "scatter"]
    for share, held, high in zip((0.5, 0.8, 0.9, 0.95), points.customdata, points.error_y.array, strict=True):
        inside = np.abs(one.came - one.mean) <= stats.norm.ppf((1 + share) / 2) * one.scale
        assert held == pytest.approx(100 * inside.mean(), abs=0.3)
        wilson = proportion_confint(int(inside.sum()), len(inside), method="wilson")
        assert high == pytest.approx(100 * (wilson[1] - inside.mean()), abs=0.3)


@EVERY
def test_intervals_are_those_of_arch_s_block_bootstrap(target, ran):
    one = ran(target)
    if target == "volatility":
        own, other, third = qlike(one.came, one.scale), qlike(one.came, widths(one, "constant")), None
        recorded = [
            one.run[f"volatility_score{end}"].sel(volatility_model="network", volatility_metric="qlike_gain")
            for end in ("_low", "_high")
        ]
    else:
        own, other = np.square(one.came - one.mean), np.square(one.came - one.zero)
        third = np.abs(one.came - one.mean)
        recorded = [one.run[f"score{end}"].sel(model="network", metric="r2") for end in ("_low", "_high")]
    series = [own, other] if third is None else [own, third, other, one.came - one.came.mean()]
    asked = optimal_block_length(np.stack(series, axis=1))["circular"].max()
    block = int(np.ceil(max(asked, len(own) ** (1 / 3))))
    score = (lambda a, b: (b - a).mean()) if third is None else (lambda a, b: 1 - a.mean() / b.mean())
    drawn = CircularBlockBootstrap(block, own, other, seed=8).apply(score, 3000)[:, 0]
    ends = np.quantile(drawn, (0.025, 0.975))
    np.testing.assert_allclose([float(end) for end in recorded], ends, atol=0.15 * np.ptp(ends))
