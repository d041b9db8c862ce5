"""What does attention cost?: costs beside errors, times of this machine, and who sees what."""

from __future__ import annotations

import streamlit as st
import xarray as xr

from goldviz.labs.attention_cost import LAB, figures, measures
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels import background
from goldviz.ui.panels.parts import Part

SECONDS, SECONDS_A_PAIR = 0.03, 2e-6
"""Of all numbers, and of every pair of rows."""
MEASURED_SECONDS = 15.0
"""About how long it takes to measure all kinds and lengths."""
TRAINING_SECONDS, TRAINING_SECONDS_A_ROW = 0.6, 0.02
"""Of a head, and of every row of its series."""


def seconds(settings: AttentionCost) -> float:
    """About how long the numbers take."""
    training = TRAINING_SECONDS + TRAINING_SECONDS_A_ROW * settings.length if settings.data == "trained" else 0.0
    return SECONDS + SECONDS_A_PAIR * settings.length**2 + training


def look(view: View[AttentionCost]) -> None:
    """Who looks at whom, and what is saved beside what is lost."""
    view.draw(*(figures.FIGURES[f"{kind}_mask"] for kind in ("full", "log_sparse", "prob_sparse")))
    view.draw(figures.FIGURES["multiplications"], figures.FIGURES["error"])


def timing_task(settings: AttentionCost) -> Task[xr.Dataset]:
    """The measurement of what times depend on."""
    from goldviz.labs.attention_cost.timing import measure

    names = ("width", "sampling_factor", "window", "restart")
    json_text = AttentionCost(**{name: getattr(settings, name) for name in names}).model_dump_json()
    return Task(f"attention-time-{json_text}", measure, (json_text,), "Measuring eight lengths", MEASURED_SECONDS)


def timed(view: View[AttentionCost]) -> None:
    """Seconds and bytes on this machine, measured by a worker."""
    timings = background.made(timing_task(view.settings))
    if timings is None:
        view.draw(figures.FIGURES["bytes"])
        return
    View(view.settings, timings).explain(figures.FIGURES["time"], figures.FIGURES["memory"])


def rows(view: View[AttentionCost]) -> None:
    """Which rows attend, and what their score means."""
    view.draw(figures.FIGURES["scores"])
    view.explain(figures.FIGURES["max_mean"], figures.FIGURES["top_weight"])


def reach(view: View[AttentionCost]) -> None:
    """Whom LogSparse hears, beside what memory the weights take."""
    view.explain(figures.FIGURES["reach"], figures.FIGURES["bytes"])


def future(view: View[AttentionCost]) -> None:
    """What moves when one row changes."""
    view.explain(figures.FIGURES["moves"])
    full, log_sparse = (measures.EARLIER_MOVED[name](view.dataset) for name in ("full", "log_sparse"))
    sentence = f"Full attention and LogSparse in the same test: {full:.0%} and {log_sparse:.0%} of the past move."
    st.caption(sentence.replace("%", " %"))


def why(view: View[AttentionCost]) -> None:
    """Document 002, section 4.2, and what it comes to here."""
    words, numbers = st.columns(2)
    with words:
        st.markdown("Full attention takes a product for every pair of rows (document 002, section 4):")
        st.latex(r"O = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d}} + M\right) V")
        st.markdown("ProbSparse scores how uneven a row's attention is, and lets the u highest attend (4.2):")
        st.latex(r"s_i = \ln \sum_j e^{q_i k_j / \sqrt{d}} - \frac{1}{t} \sum_j \frac{q_i k_j}{\sqrt{d}}")
        st.latex(r"s_i - \ln t = \mathrm{KL}(\mathrm{uniform} \,\|\, \mathrm{attention}) \geq 0")
        st.markdown("LogSparse sees few keys, at distances that double (Li et al. 2019):")
        st.latex(r"\{\ell\} \cup \{\ell - 2^j\}, \quad j = 0, 1, 2, \dots")
    with numbers:
        for sentence in sentences(view):
            st.markdown(sentence)
        st.caption(
            "Here a row's score counts the keys that it sees, i of them, not all t. With those of later rows the score "
            "itself would know the future. A head that was trained is among the choices of data."
        )


def sentences(view: View[AttentionCost]) -> list[str]:
    """This view's numbers."""
    ds = view.dataset
    exact, sampled = measures.GROWTHS["prob_sparse"](ds), measures.GROWTHS["prob_sparse_sampled"](ds)
    return [
        f"Multiplications of full attention grow with the power **{measures.GROWTHS['full'](ds):.2f}** of the length, "
        f"LogSparse's with **{measures.GROWTHS['log_sparse'](ds):.2f}**. ProbSparse as printed needs all products for "
        f"its score: **{exact:.2f}**. With sampled products it is **{sampled:.2f}**.",
        f"s − ln i is off KL(uniform ‖ attention) by {measures.off_from_even(ds):.0e} nat, and off "
        f"KL(attention ‖ uniform) by up to {measures.off_to_even(ds):.2f} nat. Both order the rows nearly alike: "
        f"rank correlation {measures.order_of_both_divergences(ds):.2f}.",
        figures.lost(ds),
        figures.leaks(ds),
        "A mask of minus infinity saves no memory: LogSparse as a mask takes "
        f"{measures.mask_saves(ds):.2f} of the bytes of full attention. Only leaving out keys saves any.",
        f"One LogSparse layer is {measures.lost_by_log_sparse(ds):.2f} of the output's norm away from full attention. "
        "It is no approximation: a network has to be trained with it.",
    ]


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    seconds=seconds,
    parts=(
        Part("time", "How long here?", timed),
        Part("rows", "Which rows attend?", rows),
        Part("reach", "Who hears whom?", reach),
        Part("future", "Does it see the future?", future),
    ),
)
