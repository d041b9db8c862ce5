"""The network as a diagram that a person steps through and changes numbers in; the browser draws it.

Its script computes both passes by itself, so that an edit is answered at once, and then tells the page, which answers
with autograd's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import INKS
from goldviz.labs.backpropagation_steps import LAB
from goldviz.labs.backpropagation_steps.exchange import autograd_data, network_data
from goldviz.labs.backpropagation_steps.settings import LONGEST, MOST, BackpropagationSteps, parsed
from goldviz.ui.components import component
from goldviz.ui.theme import theme_now

KEY = "network-diagram"

_component = component("network", LAB.package, isolated=True)


def network_diagram(settings: BackpropagationSteps, ds: Run, keep: Callable[[str, str | int], None]) -> None:
    """Show the network; ``keep`` hears of the ``edits`` and the ``step`` of the visitor before the page runs again."""
    data = {
        "network": network_data(settings),
        "edits": settings.edits,
        "autograd": autograd_data(settings, ds),
        "step": settings.step,
        "theme": theme_now(),
        "inks": {name: asdict(ink) for name, ink in INKS.items()},
    }

    def pass_on_edits() -> None:
        edits = told(st.session_state[KEY].get("edits"))
        if edits is not None:
            keep("edits", edits)

    def pass_on_step() -> None:
        step = told_step(st.session_state[KEY].get("step"))
        if step is not None:
            keep("step", step)

    _component(data=data, key=KEY, on_edits_change=pass_on_edits, on_step_change=pass_on_step)


def told_step(message: Any) -> int | None:
    """The step that the browser tells; None for anything else, whoever wrote it."""
    step = message.get("to") if isinstance(message, Mapping) else None
    return step if isinstance(step, int) and not isinstance(step, bool) and 0 <= step <= MOST else None


def told(message: Any) -> str | None:
    """The changed numbers that the browser tells; None for anything else, whoever wrote it."""
    text = message.get("text") if isinstance(message, Mapping) else None
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    try:
        parsed(text)
    except ValueError:
        return None
    return text
