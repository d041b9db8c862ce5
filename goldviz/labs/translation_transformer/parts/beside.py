"""Cross-attention beside the alignment of two recurrent networks on the same task, as their page recorded it."""

from __future__ import annotations

from typing import cast

import streamlit as st

from goldviz.declare.registry import experiments, laboratories
from goldviz.figures.spec import FigureSpec
from goldviz.labs.translation_transformer.figures import FIGURES
from goldviz.labs.translation_transformer.settings import TranslationTransformer
from goldviz.runs.examples import example
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

RECURRENT = "attention-interface"
EXAMPLES = {"reversal": "turn-letters-round", "phrases": "european-economic-area", "dates": "dates-to-iso"}
"""The other laboratory's recorded run of each task that it has one of."""


def show(lane: Lane[TranslationTransformer], step: int | None) -> None:
    """This run's cross-attention to the left, the recurrent networks' to the right, where their task is the same."""
    slug = EXAMPLES.get(lane.settings.task) if lane.settings.corpus == "generated" else None
    if slug is None:
        st.caption("The recurrent networks have no recorded run of this task. Turn letters round to compare.")
        return
    if "cross_attention" not in lane.dataset or not lane.dataset.sizes.get("look"):
        st.caption("Cross-attention appears here with the run's first look.")
        return
    other = cast("FigureSpec", laboratories()[RECURRENT].figures().FIGURES["alignment"])
    alignment, theme = FIGURES["alignment"], theme_now()
    runs = (
        (
            f"{lane.id} {lane.last_step} {step}",
            alignment,
            lambda: alignment.draw(lane.dataset, epoch=step, theme=theme),
        ),
        (slug, other, lambda: other.draw(example(experiments()[RECURRENT], slug), theme=theme)),
    )
    for column, heading, (subject, spec, draw) in zip(
        st.columns(2), ("Transformer, this run", "Two recurrent networks, recorded"), runs, strict=True
    ):
        with column:
            st.markdown(f"**{heading}**")
            live_figure(
                services.figure_json((f"beside {spec.name}", subject, theme), draw),
                key=f"transformer-beside-{heading.partition(',')[0]}",
                subject=subject,
                description=spec.description,
            )
    st.caption(
        "Sequences, sizes and steps differ: compare where the dark and bright cells stand, not how many there are."
    )
