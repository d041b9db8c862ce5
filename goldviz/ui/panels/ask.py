"""Ask a trained network: boxes, a button, and what a worker answers with the weights that a run has kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from goldviz.declare.registry import laboratories
from goldviz.runs.jobs.jobs import Task
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels import background
from goldviz.ui.panels.kept_weights import kept_weights, offer_weights
from goldviz.ui.panels.lanes import Lane


@dataclass(frozen=True)
class Ask:
    """What a laboratory's page asks its trained network, how it is answered, and how that is shown.

    ``key`` begins the keys of its widgets, ``does`` is what kept weights would do, such as "translates your sentence
    here", and ``working`` says what is under way. ``asked`` draws the boxes and gives what they say: the arguments of
    the laboratory's function ``answer``, such as "translating.translate", after the weights. ``seconds`` is about what
    that takes, by the same arguments. ``show_answer`` draws what comes back.
    """

    key: str
    does: str
    button: str
    icon: str
    working: str
    asked: Callable[[Lane[Any]], tuple[Any, ...]]
    answer: str
    show_answer: Callable[[Lane[Any], Any, KeptWeights], None]
    seconds: Callable[..., float] = lambda *asked: 0.3

    def show(self, lane: Lane[Any], step: int | None) -> None:
        """The boxes of a run that has kept its weights, and the answer, once the button was pressed."""
        weights = kept_weights(lane, step)
        if weights is None:
            offer_weights(lane, self.does)
            return
        asked, pressed = self.asked(lane), f"{self.key}-asked"
        st.button(
            self.button,
            type="primary",
            icon=self.icon,
            key=f"{self.key}-go",
            on_click=st.session_state.update,
            args=({pressed: True},),
        )
        if not st.session_state.get(pressed):
            return
        laboratory = laboratories()[lane.settings.name]
        module, function = self.answer.split(".")
        work, arguments = getattr(laboratory.part(module), function), (weights, *asked)
        answer = background.answer(
            Task.of_arguments(laboratory.name, work, arguments, self.working, self.seconds(*asked))
        )
        if answer is not None:
            self.show_answer(lane, answer, weights)
