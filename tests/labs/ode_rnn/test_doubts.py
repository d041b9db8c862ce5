"""What does not fit is told before an ODE-RNN is trained on a visitor's own market, and nothing of what fits."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import goldviz.api
from goldviz.coded_errors import Code
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.text_channels import axes_note
from goldviz.labs.ode_rnn.doubts import doubts, windows_doubts
from goldviz.labs.ode_rnn.findings import findings_of
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from tests.labs.ode_rnn.cases import OF_A_MARKET, SMALL
from tests.refusals import refused

DAYS = pd.bdate_range("2019-01-01", periods=600)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    # The same numbers with other notes have the same name.
    windows_doubts.cache_clear()


def own(days: pd.DatetimeIndex = DAYS, silver: slice = slice(None), note: str = "", spread: float = 0.01) -> str:
    """A market of gold on these days, with silver on some of them."""
    drawn = np.exp(np.cumsum(spread * np.random.default_rng(3).standard_normal((2, len(days))), axis=1))
    gold = Channel("gold", "Gold", pd.Series(1900 * drawn[0], days), "log_return")
    other = Channel("silver", "Silver", pd.Series(20 * drawn[1], days).loc[silver], "log_return")
    notes = {"silver": note} if note else {}
    return keep(Market((gold, other), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC"), notes))


def told(**changes: Any) -> tuple[str, ...]:
    return doubts(ODERNNLaboratory(task="market", **changes))


def test_what_fits_is_not_doubted_and_neither_is_what_is_not_used() -> None:
    assert told(data=own()) == told() == ()
    assert doubts(ODERNNLaboratory(data=own(DAYS[:40]))) == ()


@pytest.mark.parametrize(
    ("market", "words"),
    [
        ({"days": DAYS[:200]}, "Few sequences can be cut: 140 to learn from and 21 to test on"),
        ({"days": DAYS[[*range(300), *range(540, 600)]]}, "From 2020-02-24 to 2021-01-26 there are no values: 40 %"),
        ({"silver": slice("2020-12-31", None)}, "Nothing is learned from Silver"),
        ({"silver": slice(None, "2020-06-30")}, "Silver ends on 2020-06-30, and tests begin on 2020-11-03"),
        ({"note": axes_note(date(2021, 1, 1))}, "fitted on documents until 2021-01-01, and tests begin on 2020-11-03"),
    ],
)
def test_what_does_not_fit_is_told_with_what_to_do(market: dict[str, Any], words: str) -> None:
    said = told(data=own(**market))
    assert any(words in sentence for sentence in said), said
    assert all(sentence.endswith(".") for sentence in said)


@pytest.mark.parametrize(
    ("market", "code", "fact"),
    [
        ({"days": DAYS[:60]}, "too_few", "Take fewer observations"),
        ({"days": pd.date_range("2019-01-31", periods=80, freq="ME")}, "too_few", "gaps of at most 0.6 weeks"),
        ({"spread": 0.0}, "constant", "The moves of Gold are all the same before 2020-11-03"),
    ],
)
def test_what_no_network_can_learn_from_is_refused(market: dict[str, Any], code: Code, fact: str) -> None:
    with refused(MarketError, code, fact):
        told(data=own(**market))


def test_observations_that_stand_in_no_sequence_are_counted() -> None:
    days = pd.bdate_range("2019-01-01", periods=900)
    [sentence] = told(data=own(days[[*range(0, 600, 5), *range(600, 900)]]))
    assert "Only 216 of 335 observations before the tests are in a sequence" in sentence


def test_a_column_that_knows_the_next_move_is_named_before_training_and_on_a_card_after() -> None:
    moves = np.random.default_rng(5).standard_normal((2, len(DAYS)))
    plan = np.append(moves[0, 1:], 0.0) + 2 * moves[1]
    channels = [
        Channel(name, words, pd.Series(100 * np.exp(0.01 * np.cumsum(values)), DAYS), "log_return")
        for name, words, values in (("gold", "Gold", moves[0]), ("plan", "The plan", plan))
    ]
    data = keep(Market(tuple(channels), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC"), {}))
    settings = ODERNNLaboratory(**SMALL | OF_A_MARKET | {"data": data, "solver": "euler", "networks": "gru"})
    [sentence] = doubts(settings)
    assert sentence.startswith("The plan tells the next move: correlation +0.")
    run = goldviz.api.run(settings, progress=False)
    [card] = [one for one in findings_of(settings, run) if one.kind == "column_ahead"]
    assert card.number.startswith("The plan (+0.")
    assert card.number[10:14] in sentence
    assert all(one.kind != "column_ahead" for one in findings_of(settings, run.assign_attrs(columns_ahead="[]")))
