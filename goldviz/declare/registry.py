"""The laboratories that there are: every folder of ``goldviz/labs`` that has a ``LAB``; none needs to be listed.

Nothing outside that folder names a laboratory. Pages, shell and notebook ask here.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, Settings, SettingsError

ROOM = "goldviz.labs"


@cache
def laboratories() -> dict[str, Laboratory]:
    """All laboratories by name, in the order in which the navigation shows them."""
    packages = pkgutil.iter_modules(importlib.import_module(ROOM).__path__, f"{ROOM}.")
    labs = [importlib.import_module(module.name).LAB for module in packages]
    return {lab.name: lab for lab in sorted(labs, key=lambda lab: lab.declared.rank)}


@cache
def experiments() -> dict[str, type[Experiment]]:
    """The laboratories that train, by name. Loads neither torch nor Streamlit."""
    return {
        name: settings_class for name, settings_class in _declared().items() if issubclass(settings_class, Experiment)
    }


@cache
def instants() -> dict[str, type[Instant]]:
    """The laboratories that compute on the spot, by name. Loads neither torch nor Streamlit."""
    return {name: settings_class for name, settings_class in _declared().items() if issubclass(settings_class, Instant)}


def experiment(name: str) -> type[Experiment]:
    """The experiment of this name; raises :class:`SettingsError` where there is none."""
    if name not in experiments():
        raise SettingsError({"experiment": f"There is no experiment {_among(name, experiments())}"})
    return experiments()[name]


def instant(name: str) -> type[Instant]:
    """The instant page of this name; raises :class:`SettingsError` where there is none."""
    if name not in instants():
        raise SettingsError({"page": f"There is no instant page {_among(name, instants())}"})
    return instants()[name]


def _among(name: str, names: Iterable[str]) -> str:
    """A mistaken name beside the one that was meant, or beside all of them.

    >>> _among("dept-gradients", ["depth-gradients", "series"])
    "'dept-gradients'; did you mean 'depth-gradients'?"
    """
    near = get_close_matches(name[:60], names := list(names), 1)
    return f"{name[:60]!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}.")


def _declared() -> dict[str, type[Settings]]:
    return {name: lab.declared for name, lab in sorted(laboratories().items())}
