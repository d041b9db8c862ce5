"""Gold market: what is observed and when, and document 001, section 1.1, with this market's own numbers."""

from __future__ import annotations

from math import isfinite

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import SEEN_AS
from goldviz.figures.market import percent, source_sentence, unit_of_changes, words
from goldviz.figures.spec import FigureSpec
from goldviz.labs.gold_market import LAB, measures
from goldviz.labs.gold_market.figures import FIGURES
from goldviz.labs.gold_market.figures.leak import ahead_sentence, fit_sentence
from goldviz.labs.gold_market.figures.observed import early_sentence, facts_table, hour_in_words, hour_of, release_of
from goldviz.labs.gold_market.figures.returns import memory_sentence, tail_sentence
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain


def look(view: View[GoldMarket]) -> None:
    """Which values of a day are out, who is observed, and what the covariate in view tells of the next move."""
    if warning := ahead_sentence(view.dataset):
        st.caption(f":material/warning: {plain(warning)}")
    view.explain(FIGURES["clock"])
    view.explain(FIGURES["strip"], FIGURES["correlation"])


def days(view: View[GoldMarket]) -> None:
    """The last days, and every channel's facts."""
    view.explain(FIGURES["last_days"])
    facts(view)


def moment_in_words(settings: GoldMarket) -> str:
    """When the forecast in view is made."""
    return f"Forecast made at {hour_in_words(hour_of(settings.moment))}: drag it across the days"


def moves(view: View[GoldMarket]) -> None:
    """The returns."""
    view.explain(FIGURES["returns"])
    view.explain(FIGURES["distribution"], FIGURES["memory"])


def documents(view: View[GoldMarket]) -> None:
    """What gold does after a document."""
    if view.dataset.sizes["document"]:
        view.explain(FIGURES["answer"])
    else:
        st.caption("This market has no documents. Add some on the page Policy documents.")


def in_report(view: View[GoldMarket]) -> list[FigureSpec]:
    """All figures; without documents there is no answer to them."""
    specs = {name: spec for name, spec in FIGURES.items() if name != "answer" or view.dataset.sizes["document"]}
    return view.drawable(specs.values())


def facts(view: View[GoldMarket]) -> None:
    """The table of every channel's gaps."""
    st.markdown("**What is there of each channel?**")
    st.dataframe(
        facts_table(view.dataset),
        hide_index=True,
        column_config={
            "Channel": st.column_config.TextColumn(pinned=True),
            "Age at the forecast (h)": st.column_config.NumberColumn(
                format="%.1f", help="Median time from a value's release to the forecast of its row."
            ),
            "Share of weekdays": st.column_config.NumberColumn(
                format="percent", help="Mondays to Fridays with a value, between the first and the last one."
            ),
            "Unchanged values": st.column_config.NumberColumn(help="Values equal to the one before."),
            "Listed without value": st.column_config.NumberColumn(help="Days that the source lists, but leaves empty."),
        },
    )
    st.caption(
        f"{plain(source_sentence(view.dataset))} Counted on each channel's own calendar, before anything is aligned or "
        "hidden. Not shown here: the time of day at which prices were made, and revisions."
    )


MOVE_FORMULAS = {
    SEEN_AS["log_return"]: r"y(t_k) = \log P(t_k) - \log P(t_{k-1})",
    SEEN_AS["difference"]: r"y(t_k) = P(t_k) - P(t_{k-1})",
}


def why(view: View[GoldMarket]) -> None:
    """Log returns, observed times and release times (document 001, section 1.1)."""
    ds = view.dataset
    formulas, numbers = st.columns(2)
    with formulas:
        moves = unit_of_changes(ds)
        st.markdown(
            f"The target is the {moves.noun} of {plain(words(ds, 0))} between neighbouring observations (document 001, "
            "section 1.1):"
        )
        st.latex(MOVE_FORMULAS[moves.noun])
        st.markdown("Time goes on between observations, and the loss counts observed times alone:")
        st.latex(r"\mathcal{L}(\theta) = \sum_{k=1}^{K} \ell\big(y(t_k), \hat y(t_k)\big)")
        st.markdown(
            "A forecast may use what is out by then. With r(x) the release time of a value x, and s the moment of the "
            "forecast, that is the set"
        )
        st.latex(r"\mathcal{I}(s) = \{\, x : r(x) \le s \,\}")
        st.latex(r"\hat y(t_{k+1}) = \mathcal{F}_\theta\big(\mathcal{I}(s_k)\big)")
    with numbers:
        for sentence in sentences(ds):
            st.markdown(plain(sentence))
        st.caption(
            "The document writes t for time and k for the number of an observation; release times are this "
            "laboratory's addition. Without them, joining by date lets a network read the answer's own day."
        )


def sentences(ds: Run) -> list[str]:
    """This market's numbers behind the equations."""
    number, days = int(ds.attrs["number"]), int(ds.attrs["calendar_days"])
    unit, spread = unit_of_changes(ds), measures.spread_of_moves(ds)
    sentences_told = [
        f"{words(ds, 0)}: K = {ds.sizes['change_day']:,} observed moves in {days:,} days, with a mean of "
        f"{unit.said(measures.mean_move(ds))} and a standard deviation of {unit.size(spread)}. "
        f"{tail_sentence(ds)}",
        f"A forecast is made when the target's value is out, {release_of(ds, 0)}.",
    ]
    if number:
        sentences_told += [
            f"Partial observation: at a forecast {measures.new_at_a_forecast(ds):.1f} of "
            f"{measures.covariates(ds):.0f} covariates have something new "
            f"on average, and in {percent(measures.whole_rows(ds))} of the forecasts all of them do.",
            release_sentence(ds, number),
            early_sentence(ds),
            fit_sentence(ds),
        ]
    return [*(sentence for sentence in sentences_told if sentence), memory_sentence(ds)]


def release_sentence(ds: Run, number: int) -> str:
    """When the covariate in view is out, and what that means for the forecast."""
    wait = measures.typical_wait(ds)
    out = f"{words(ds, number)} is out at {release_of(ds, number)}"
    if not isfinite(wait):
        return f"{out}; in these years no value of it stands in any row."
    if wait < 0:
        return f"{out}: as the rows are joined now, typically {-wait:.3g} hours after the forecast that uses it."
    return f"{out}, so at the forecast that first uses it a value is typically {wait:.3g} hours old."


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    report=in_report,
    words_of_position=moment_in_words,
    plays=False,
    parts=(
        Part("days", "What is there?", days),
        Part("early", "What if it came early?", lambda view: view.explain(FIGURES["leak"], FIGURES["prices"])),
        Part("moves", "How does gold move?", moves),
        Part("documents", "Does it answer to texts?", documents),
    ),
)
