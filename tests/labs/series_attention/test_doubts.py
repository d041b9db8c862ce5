"""An input that knows the target's next move is named before training and on a card after; honest ones are not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import goldviz
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, Release
from goldviz.labs.series_attention.doubts import doubts, problem_doubts
from goldviz.labs.series_attention.findings import findings_of
from goldviz.labs.series_attention.settings import SeriesAttention
from goldviz.labs.series_attention.tasks.windows import SeriesProblemError
from tests.diagnostics.forecasts.test_lookahead import COLUMNS, honest_file, with_leak
from tests.labs.small_runs import small_run

HORIZON = 5
OUT_BEFORE = Release("12:00", "UTC", days=-60)
SMALL = {
    "task": "market",
    "networks": "gru",
    "context": 4,
    "horizon": HORIZON,
    "width": 4,
    "heads": 1,
    "steps": 2,
    "batch": 2,
    "look_every": 1000,
}
DAYS = 1500


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    problem_doubts.cache_clear()


def own(news: np.ndarray, moves: np.ndarray) -> str:
    """A market of gold with these moves, and a plan that is out long before and holds the news of the same rows."""
    dates = pd.bdate_range("2015-01-01", periods=len(moves))
    gold = Channel("gold", "Gold", pd.Series(1900 * np.exp(0.005 * np.cumsum(moves)), dates), "log_return")
    plan = Channel("plan", "The plan", pd.Series(news, dates), "level", OUT_BEFORE)
    return keep(Market((gold, plan), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC")))


def leaking(seed: int, correlation: float) -> str:
    news, moves = with_leak(seed, DAYS, correlation)
    return own(news[:, 0], moves)


def honest(seed: int, column: int, days: int = DAYS) -> str:
    news, moves = honest_file(seed, days)
    return own(news[:, column], moves)


def told(data: str, covariate: str = "plan", **changes: object) -> tuple[str, ...]:
    return doubts(SeriesAttention(**{**SMALL, "data": data, "covariate": covariate, **changes}))


def test_an_input_that_knows_the_next_move_is_named_before_training_and_on_a_card_after() -> None:
    settings = SeriesAttention(**SMALL, data=leaking(0, 0.3), covariate="plan")
    [sentence] = goldviz.doubts(settings)
    assert sentence.startswith("The plan tells the next move: correlation +0.")
    assert told(settings.data) == (sentence,)
    [card] = [one for one in findings_of(settings, small_run(settings)) if one.kind == "column_ahead"]
    assert card.number.startswith("The plan (+0.")
    assert card.number[10:14] in sentence
    assert told(settings.data, covariate="") == told(settings.data, task="sines", context=24) == ()


def test_an_honest_input_is_not_named_and_what_cannot_be_learned_is_said() -> None:
    settings = SeriesAttention(**SMALL, data=honest(1, 0), covariate="plan")
    assert told(settings.data) == ()
    assert all(one.kind != "column_ahead" for one in findings_of(settings, small_run(settings)))
    assert told("simulated", covariate="silver") == ()
    with pytest.raises(SeriesProblemError, match=r"The plan of .* is not known yet on"):
        told(settings.data, horizon=128)
    with pytest.raises(SeriesProblemError, match="Gold has 59 moves, of which the last fifth is for tests"):
        told(honest(2, 0, 60), horizon=20)


def test_what_differs_by_rounding_alone_does_not_vary() -> None:
    """Steady growth has moves whose standard deviation is not exactly zero."""
    noise = np.random.default_rng(0).standard_normal(DAYS)
    with pytest.raises(SeriesProblemError, match="The moves of Gold are all the same before the tests"):
        told(own(noise, np.ones(DAYS)), covariate="")
    with pytest.raises(SeriesProblemError, match="The plan never changes before the tests"):
        told(own(np.full(DAYS, 0.1), noise))


@pytest.mark.slow
def test_the_two_rates_in_many_draws() -> None:
    leaks = sum(bool(told(leaking(seed, 0.15))) for seed in range(200))
    assert leaks >= 0.95 * 200, leaks
    alarms = sum(bool(told(honest(seed, column))) for seed in range(60) for column in range(COLUMNS))
    assert alarms <= 0.05 * 300, alarms
