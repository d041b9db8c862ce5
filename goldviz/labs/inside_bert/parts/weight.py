"""The largest weight of a query worked out with its own numbers, which follow the head in view without the server."""

from __future__ import annotations

from collections.abc import Mapping

from goldviz.labs.inside_bert import LAB
from goldviz.ui.components import component

_component = component("weight_by_hand", LAB.package)


def weight_shown(words: Mapping[str, str], *, page: str, name: str, subject: str) -> None:
    """Show the ``words`` of :func:`goldviz.labs.inside_bert.parts.steps.weight_by_hand` in their sentences.

    What the browser has under ``name`` of the ``page`` for another ``subject`` takes their place.
    """
    data = {"words": dict(words), "page": page, "name": name, "subject": subject}
    _component(data=data, key="weight-by-hand")
