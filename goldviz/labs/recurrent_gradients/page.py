"""Memory through time: the page's figures, and its equations with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import median, networks
from goldviz.diagnostics.findings.finding import majority
from goldviz.labs.recurrent_gradients import LAB
from goldviz.labs.recurrent_gradients.figures import GATES
from goldviz.labs.recurrent_gradients.figures.words import OF_WORDS, word_table
from goldviz.labs.recurrent_gradients.measures import LABELS, Reading, sizes_of, weights_of
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.pages.laboratory import LaboratoryPage
from goldviz.ui.panels import background
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain

UMBRELLA = (
    "I forgot to bring an umbrella in such a heavy rainy weather, and I missed the last bus to go back home. What a "
    "wonderful day!"
)
"""Document 004's example, which gave the task its idea."""


def to_start_from(length: int) -> dict[str, str]:
    """Reviews by their names: two with the words and the length of the task, and document 004's."""
    from goldviz.labs.recurrent_gradients.reviews import IRONIC, MEANT, spelled_out

    return {
        "Meant": spelled_out(MEANT, length),
        "Ironic": spelled_out(IRONIC, length),
        "Document 004's umbrella": UMBRELLA,
    }


def why(lane: Lane[RecurrentGradients], draw: Callable[[str], None]) -> None:
    """Equations 6-9, 14-18 and 24 of document 001, with the factor that this run's networks apply at each step."""
    words, figure = st.columns([2, 3])
    with words:
        st.markdown("What a weight did k steps ago counts as far as a product of Jacobians carries it (eq. 6, 7):")
        st.latex(r"\frac{\partial h_t}{\partial h_k} = \prod_{j=k+1}^{t} \frac{\partial h_j}{\partial h_{j-1}}")
        st.markdown("In a plain RNN the product has a bound, with the spectral **norm** of W (eq. 8, 9):")
        st.latex(r"\left\| \frac{\partial h_t}{\partial h_k} \right\| \le (\gamma \|W_{hh}\|)^{t-k}")
        st.markdown("Gates open a second way. Along the LSTM's cell it is the forget gates alone (eq. 14, 18),")
        st.latex(r"\frac{\partial c_t}{\partial c_k} \supset \prod_{j=k+1}^{t} f_j")
        st.markdown("and in the GRU what the update gate leaves (eq. 24): $h_t = (1 - z_t) h_{t-1} + z_t \\tilde h_t$.")
        st.markdown(_numbers(lane.dataset))
        st.caption(
            "The document states growth and decay with the spectral radius of W. That is no bound, at any lag. The "
            "steps' Jacobians are not powers of W: their product may grow for ever with a radius of 0. Good "
            "gradients of the weights do not guarantee memory. The product of the Jacobians shows how far back the "
            "network reaches."
        )
    with figure:
        draw("lag_contribution")
        _how_many_weights(lane)


def _how_many_weights(lane: Lane[RecurrentGradients]) -> None:
    """Sections 2.2.3 and 2.3 of document 001: what gates cost, with this run's numbers."""
    settings, ds = lane.settings, lane.dataset
    if not isinstance(settings, RecurrentGradients) or "parameter_count" not in ds:
        return
    rows = []
    for name in networks(ds):
        count = weights_of(settings, name)
        rows.append(
            {
                "Network": LABELS[name],
                "Recurrent layer": count.formula,
                "here": f"{count.layer:,}",
                "Read-out o (h + 1)": f"{count.read_out:,}",
                "In all": f"{median(Reading.of(ds, name).parameters):,.0f}",
            }
        )
    inputs, outputs = sizes_of(settings)
    st.markdown("What gates cost: every gate has a W_x, a W_h and a bias of its own (document 001, 2.2.3 and 2.3).")
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    st.caption(
        f"d = {inputs} inputs a step, h = {settings.hidden} units, o = {outputs} numbers an answer. PyTorch's own "
        "layers keep two biases for every block, which add up to one."
    )


def _numbers(dataset: Run) -> str:
    """The factor of one step back, for each network, at the last look: the median of the seeds, as cards have it."""
    if "log_jacobian_norm" not in dataset or not dataset.sizes.get("look", 0) or dataset.sizes.get("lag", 0) < 2:
        return "The run's numbers appear here with its first look."
    readings = [Reading.of(dataset, network) for network in networks(dataset)]
    steps = readings[0].longest_lag
    return "\n".join([f"In this run, from one end of {steps} steps to the other:", *map(_left, readings)])


def _left(n: Reading) -> str:
    power, factor = median(n.farthest), median(n.factor_a_step)
    if majority(n.lost):
        return f"- **{n.name}**: nothing of the gradient is left, or it is no longer finite"
    return f"- **{n.name}**: × {factor:.3g} a step, × $10^{{{power:.1f}}}$ in all"


READERS = "fix-it-forget-bias-1"
"""The preset whose recorded run reads a review."""


def explore(lane: Lane[RecurrentGradients], step: int | None) -> None:
    """Type a review, and see what the trained networks make of it word by word."""
    settings, ds = lane.settings, lane.dataset
    if not isinstance(settings, RecurrentGradients) or "weights" not in ds:
        _offer_readers(lane)
        return
    text = _typed(to_start_from(settings.length))
    names = networks(ds)
    network = (
        st.segmented_control(
            "Look into",
            names,
            default=names[0],
            format_func=LABELS.__getitem__,
            key=f"words-{'-'.join(names)}",
            persist_state="session",
        )
        or names[0]
    )
    read = _read(lane, settings, text)
    if read is None:
        return
    unknown_words = [
        word for word, is_known in zip(read.attrs["words"], read.attrs["known"], strict=True) if not is_known
    ]
    if read.sizes["time"] != settings.time_steps():
        st.caption(
            f"The networks were trained on reviews of {settings.time_steps()} words alone. Yours has "
            f"{read.sizes['time']}: they may be wrong on it though they are right on theirs."
        )
    if unknown_words:
        st.caption(
            f"{len(unknown_words)} of {read.sizes['time']} words were never seen in training, and are read as nothing: "
            f"{plain(', '.join(dict.fromkeys(unknown_words)))}."
        )
    inside = ("states", "word_gates") if network in GATES else ("states",)
    for row in (("verdict", "heard"), inside):
        for column, name in zip(st.columns(len(row)), row, strict=True):
            with column:
                _draw_words(lane, text, read, name, **({"network": network} if name in inside else {}))
    st.dataframe(word_table(read, network), hide_index=True, width="stretch")
    st.caption(
        "m is the last verdict's margin: its number of praise less that of blame. The derivative dm/dh says how "
        "much m moves with the state at a word. And dm/dx says what m would lose without the word, if it were "
        "linear in it. Weights of the first seed, after training."
    )


def _offer_readers(lane: Lane[RecurrentGradients]) -> None:
    """Why there is nothing to read a review with, and the click that opens a recorded run that can."""
    if lane.settings.task == "reviews" and lane.unfinished:
        st.caption("The networks are learning. They read your review here as soon as they have learned.")
        return
    st.caption("Only networks that learned reviews can read one.")
    st.button(
        "Open one that learned reviews",
        key="open-readers",
        type="primary",
        icon=":material/menu_book:",
        on_click=settings_panel.open_preset,
        args=(RecurrentGradients, READERS),
    )


def _typed(reviews: dict[str, str]) -> str:
    """The review: one of those, or one's own. It stays for the next run."""
    key = "words-typed"
    st.session_state.setdefault(key, reviews["Ironic"])
    for column, (name, text) in zip(st.columns(len(reviews)), reviews.items(), strict=True):
        column.button(name, key=f"{key}-{name}", width="stretch", on_click=st.session_state.update, args=({key: text},))
    review: str = st.text_area("Review", key=key, max_chars=2000, height=100, persist_state="session")
    return review


def _read(lane: Lane[RecurrentGradients], settings: RecurrentGradients, text: str) -> Run | None:
    from goldviz.labs.recurrent_gradients.word_by_word import READ_SECONDS, weights_of, word_by_word

    arguments = settings.model_dump_json(), weights_of(lane.dataset), text
    return background.answer(
        Task(f"words-{(lane.id, lane.version, text)}", word_by_word, arguments, "Reading the words", READ_SECONDS)
    )


def _draw_words(lane: Lane[RecurrentGradients], text: str, read: Run, name: str, **more: str) -> None:
    spec = OF_WORDS[name]
    subject = f"{lane.id} {text} {more}"
    drawn_figure(spec, read, key=f"words-{name}-{lane.id}", subject=subject, version=lane.version, **more)
    if spec.limits:
        st.caption(spec.limits)


PAGE = LaboratoryPage(
    LAB,
    main="jacobian_by_lag",
    beside="loss",
    below="network",
    why=why,
    parts=(Part("words", "Read a review", explore, shows=lambda settings: settings.task == "reviews"),),
)
