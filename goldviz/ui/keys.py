"""Which kept files a visitor may choose: those of the visitor's session, and those whose link the visitor has.

The name of a kept file is its key. Whoever else sees a run that used it sees its sealed name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from goldviz.data.markets.kept_markets import is_public
from goldviz.data.tables.sealed_names import KEY, NAME_OF_FILE, SEALED, sealed
from goldviz.data.texts.kept_models import SHIPPED_MODEL
from goldviz.declare.settings import Settings

Declared = TypeVar("Declared", bound=Settings)

OURS = "keys-of-this-session"
"""In the session state: keys that this visitor has brought, or was given by a link."""
_held: ContextVar[frozenset[str]] = ContextVar("held", default=frozenset())


def remember(names: Iterable[Any]) -> None:
    """Note the keys among these as the visitor's."""
    st.session_state[OURS] = ours() | {name for name in names if isinstance(name, str) and KEY.fullmatch(name)}


@contextmanager
def held(names: frozenset[str]) -> Iterator[None]:
    """Answer meanwhile for a visitor who has these keys, outside of the visitor's session."""
    before = _held.set(names)
    try:
        yield
    finally:
        _held.reset(before)


def ours() -> frozenset[str]:
    """The visitor's keys; outside of a visitor's session those that are :func:`held`."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return _held.get()
    return frozenset(st.session_state.get(OURS, frozenset()))


def as_seen(settings: Declared) -> Declared:
    """Settings with sealed names for the keys that are not the visitor's."""
    return _sealed_but(settings, _may_choose)


def as_others_see(settings: Declared) -> Declared:
    """Settings with sealed names for all keys but those that everybody may choose."""
    return _sealed_but(settings, _is_everybodys)


def names_others_file(settings: str) -> bool:
    """Whether settings, as the JSON that is kept of them, could name a file that the visitor may not choose.

    It takes no longer than reading the text; digits that only look like a key count, too.
    """
    return any(SEALED.fullmatch(name) or not _may_choose(name) for name in NAME_OF_FILE.findall(settings))


def others_files(settings: Settings) -> list[str]:
    """The settings that name a file which the visitor may not choose."""
    return [name for name, value in settings if isinstance(value, str) and SEALED.fullmatch(value)]


def _sealed_but(settings: Declared, is_open: Callable[[str], bool]) -> Declared:
    seals = {name: sealed(value) for name, value in _keys(settings) if not is_open(value)}
    return settings.model_copy(update=seals) if seals else settings


def _keys(settings: Settings) -> list[tuple[str, str]]:
    return [(name, value) for name, value in settings if isinstance(value, str) and KEY.fullmatch(value)]


def _may_choose(key: str) -> bool:
    return key in ours() or _is_everybodys(key)


def _is_everybodys(key: str) -> bool:
    return key == SHIPPED_MODEL or is_public(key)
