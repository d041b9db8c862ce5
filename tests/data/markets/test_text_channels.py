"""Components of documents whose axes know the future: which day counts, and when nothing is said."""

from dataclasses import replace
from datetime import date

import pandas as pd
import pytest

from goldviz.data.markets.text_channels import axes_fitted_before, axes_know_the_future, axes_note
from tests.data.markets.small_market import small_market

FITTED = date(2020, 3, 2)
WITHOUT = small_market()
MARKET = replace(WITHOUT, notes={"tone": axes_note(date(2019, 1, 7)), "topic": f"A. {axes_note(FITTED)}", "rate": "B."})


def warnings(market, first: str) -> list[str]:
    return axes_know_the_future(market, pd.Timestamp(first), "the forecasts", "Fit them earlier.")


def test_the_latest_of_several_fits_counts() -> None:
    assert axes_fitted_before(MARKET) == FITTED
    assert axes_fitted_before(WITHOUT) is None


@pytest.mark.parametrize(("first", "told"), [("2020-03-01", True), ("2020-03-02", False), ("2020-03-03", False)])
def test_forecasts_from_the_day_of_the_fit_on_know_no_future(first: str, told: bool) -> None:
    assert bool(warnings(MARKET, first)) == told
    assert warnings(WITHOUT, first) == []


def test_the_warning_names_both_days() -> None:
    [sentence] = warnings(MARKET, "2020-03-01")
    assert "until 2020-03-02" in sentence
    assert "the forecasts begin on 2020-03-01" in sentence
    assert sentence.endswith("Fit them earlier.")
