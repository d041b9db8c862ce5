"""Forecast lab: the verdict first, then the page's figures, and the loss and scores with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from goldviz.labs.gold_forecast import LAB
from goldviz.labs.gold_forecast.measures import Reading, observed_rows
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_forecast.verdict import score_rows, standing_still, verdict
from goldviz.labs.gold_forecast.words import source_words
from goldviz.ui import chrome
from goldviz.ui.pages.laboratory import LaboratoryPage
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.words import plain


def judge(lane: Lane[GoldForecast]) -> None:
    """The one sentence that matters, and where the numbers come from."""
    said = verdict(lane.dataset, lane.settings.target)
    chrome.finding(said, standing_still(lane.dataset), source_words(lane.dataset))


def why(lane: Lane[GoldForecast], draw: Callable[[str], None]) -> None:
    """The loss at observed times, what walking forward means, every score beside its baselines."""
    st.markdown("**Every model and every simple forecast**")
    rows = score_rows(lane.dataset)
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption("Intervals come from a bootstrap of blocks of days; DM is Diebold and Mariano's test.")
        if still := standing_still(lane.dataset):
            st.caption(plain(still))
    else:
        st.caption("The scores come with the run's first look.")
    _observed(lane)
    words, formulas = st.columns(2)
    with words:
        st.markdown(
            "The network is asked only where the market answers: the loss is a sum over observed times (document 001, "
            "section 1.1). Each refit learns from the past, stops where its own validation part says so, and is asked "
            "about the time after it. Between the parts lie rows that nobody uses, so that no answer is known on both "
            "sides."
        )
        _walk(lane)
    with formulas:
        st.latex(r"\mathcal{L}(\theta) = \sum_{k} \ell\big(y(t_k), \hat y(t_k)\big)")
        st.latex(r"R^2_{\text{oos}} = 1 - \frac{\sum_k (y_k - \hat y_k)^2}{\sum_k y_k^2}")
        st.latex(r"\mathrm{QLIKE} = \frac1n \sum_k \left(\log \hat\sigma_k^2 + \frac{y_k^2}{\hat\sigma_k^2}\right)")


def _observed(lane: Lane[GoldForecast]) -> None:
    shares = observed_rows(lane.dataset)
    if shares:
        st.markdown("**What could each refit learn from?**")
        st.dataframe(pd.DataFrame(shares), hide_index=True, width="stretch")
        st.caption(
            "Share of the training rows on which a channel told something new. A refit leaves out "
            "a channel that it never saw."
        )


def _walk(lane: Lane[GoldForecast]) -> None:
    ds = lane.dataset
    if "block" not in ds or not ds.sizes.get("time"):
        return
    n = Reading.of(ds)
    dates = n.series.dates
    final = str(ds.attrs.get("final_from", ""))
    left_out = f"; what came from {final} on is left out: Forecast lab kept a final block then" if final else ""
    st.markdown(
        f"In this run: {len(dates):,} forecasts from {dates[0]} to {dates[-1]}, by {n.refits_made} refits{left_out}."
    )


PAGE = LaboratoryPage(LAB, main="skill", beside="scoreboard", why=why, verdict=judge)
