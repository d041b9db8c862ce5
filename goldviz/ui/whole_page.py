"""A page, and its parts that are drawn alone.

A click in such a part has that part alone drawn again. What the click changes may stand elsewhere on the page: settings
in the panel, lanes, the open part, a sentence at the top. Whoever changes such a thing calls :func:`changed`, and the
part has the whole page drawn. That holds in a callback and while the part is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_CHANGED = "whole-page-changed"
"""In the session state: whether something changed that stands outside of the part that is drawn."""

Arguments = ParamSpec("Arguments")


def changed() -> None:
    """Note that more has changed than a part of the page shows."""
    st.session_state[_CHANGED] = True


def drawn() -> None:
    """Note that the whole page was drawn, with all that changed before and meanwhile."""
    st.session_state.pop(_CHANGED, None)


def drawn_alone(draw: Callable[Arguments, None], *, run_every: float | None = None) -> Callable[Arguments, None]:
    """A part of the page that is drawn again without the rest, by a click in it or every so many seconds, until what
    changed concerns the whole page."""

    @wraps(draw)
    def part(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        _rerun_where_changed()
        draw(*args, **kwargs)
        _rerun_where_changed()

    return st.fragment(part, run_every=run_every)


def _rerun_where_changed() -> None:
    context = get_script_run_ctx(suppress_warning=True)
    # As a part of the whole page it shows all that has changed before it.
    is_alone = context is not None and bool(context.fragment_ids_this_run)
    if is_alone and st.session_state.pop(_CHANGED, False):
        st.rerun()
