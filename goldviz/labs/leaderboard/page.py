"""The page of *How a leaderboard fools*."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.labs.leaderboard import LAB
from goldviz.labs.leaderboard.parts import series
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane


def why(lane: Lane[Leaderboard], draw: Callable[[str], None]) -> None:
    """How a score is made, how its interval, and what each trap is."""
    with words_beside(draw, "follows"):
        st.markdown("A score is the squared error of standardised values, over all windows, steps and channels:")
        st.latex(r"\frac{1}{N H C}\sum_{n, h, c}\left(\hat z_{n h c} - z_{n h c}\right)^2")
        st.markdown("Least squares maps the look-back, less its last value, to the horizon (Zeng et al. 2023):")
        st.latex(r"(X^\top X + 10^{-6} N I)\,W = X^\top Y")
        st.markdown(
            "Windows overlap, so they are no independent samples. The interval draws whole blocks of them anew, and "
            "then seeds. Two rows are told apart where the interval of their difference leaves zero out."
        )
        st.caption(
            "A high R² of levels is no skill: the last value has it, too. Published tables are often made with the "
            "traps on this page."
        )


PAGE = LaboratoryPage(LAB, main="same_forecast", beside="table", below="traps", why=why, data=series.show)
