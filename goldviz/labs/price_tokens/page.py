"""Price tokens: what looking ahead gains first, a future to edit, and the chain from a token to a move's density."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from goldviz.labs.price_tokens import LAB
from goldviz.labs.price_tokens.parts.future import PUSH, edit_future
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import score_rows, standing_still, verdict
from goldviz.ui.pages.laboratory import LaboratoryPage
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain


def judge(lane: Lane[PriceTokens]) -> None:
    """The one sentence that matters."""
    notes = plain(str(lane.dataset.attrs.get("data_notes", "")))
    st.markdown(f"### {plain(verdict(lane.dataset, lane.settings))}", help=notes or None)
    if still := standing_still(lane.dataset):
        st.markdown(plain(still))
    st.caption(plain(" ".join(filter(None, [fitted_before(lane), "A laboratory, not investment advice."]))))


def fitted_before(lane: Lane[PriceTokens]) -> str:
    """The day before which the first tokeniser is fitted, where it is fitted on the past."""
    first = str(lane.dataset.attrs.get("first_forecast", ""))
    return f"First fit: days before {first}." if first and lane.settings.fitted_on == "past" else ""


def why(lane: Lane[PriceTokens], draw: Callable[[str], None]) -> None:
    """Every model's nats a day, and the formulas from a token to the density of the next return."""
    rows = score_rows(lane.dataset, lane.settings.network)
    st.markdown("**Every model and every simple forecast**")
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption(
            "Fewer nats are better. Intervals come from a bootstrap of blocks of days. DM p is how likely Diebold and "
            "Mariano's test finds such a difference between equally good forecasts."
        )
        if still := standing_still(lane.dataset):
            st.caption(plain(still))
    else:
        st.caption("The scores come when the run ends.")
    words, formulas = st.columns(2)
    with words:
        st.markdown(
            "Document 002 (1.3.4 and 2.4) names ways to make tokens of prices, and gives no formulas. What follows is "
            "goldviz's choice. A model says how likely each token is next. Each token says which moves it stands "
            "for: bins are flat inside and fall off exponentially beyond the outermost edges, clusters and states are "
            "normal. Together they make the density of the next move, and its loss can be compared with any other "
            "forecast's, whatever the tokens."
        )
    with formulas:
        st.latex(r"p(x) = \sum_k P(k \mid \text{past}) \, f_k(x)")
        st.latex(r"-\log p(x) = -\log P(k) + \log w_k")
        st.caption("In a bin of width w: the token's loss, and the width that it leaves open.")
        st.latex(r"-\log[p(x) + p(-x)]")
        st.latex(r"-\log\frac{p(x)}{p(x) + p(-x)}")
        st.caption("These two add up to the loss: what is said of the size, and what of the sign.")


PAGE = LaboratoryPage(
    LAB,
    main="gains",
    beside="scoreboard",
    why=why,
    verdict=judge,
    parts=(Part("future", "Edit the future", edit_future, kept=PUSH, shows=lambda settings: True),),
)
