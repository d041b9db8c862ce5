"""The laboratories that there are: every folder of ``goldviz/labs`` that has a ``LAB``; none needs to be listed.

Nothing outside that folder names a laboratory. Pages, shell and notebook ask here. Other packages bring laboratories of
their own by an entry point of the group ``goldviz.labs`` that names the folder's package.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import metadata

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, Settings, SettingsError

ROOM = "goldviz.labs"
"""The package of goldviz's own laboratories, and the group of entry points by which others are found."""

CHAPTERS = {
    "Depth": "Why do deep networks stop learning?",
    "Memory": "How far back does a network remember?",
    "Attention": "Where does a network look?",
    "Machines": "Can a network learn to compute?",
    "Continuous time": "What if depth and time have no steps?",
    "Language": "How does a network learn to write?",
    "Markets": "Can a network forecast?",
}
"""The navigation's headings in an order for learning, and what the laboratories of each ask of networks."""

log = logging.getLogger(__name__)


@cache
def laboratories() -> dict[str, Laboratory]:
    """All laboratories by name, in the order in which the navigation shows them."""
    packages = pkgutil.iter_modules(importlib.import_module(ROOM).__path__, f"{ROOM}.")
    labs = {lab.name: lab for module in packages if (lab := importlib.import_module(module.name).LAB)}
    labs = {lab.name: lab for lab in _of_others()} | labs
    return {lab.name: lab for lab in sorted(labs.values(), key=lambda lab: lab.declared.rank)}


def _of_others() -> Iterator[Laboratory]:
    """Laboratories of other packages; one that cannot be loaded is left out, and the log says so."""
    for point in metadata.entry_points(group=ROOM):
        try:
            lab = point.load().LAB
            if not isinstance(lab, Laboratory):
                raise TypeError(f"LAB is a {type(lab).__name__}")
            lab.declared  # noqa: B018 - what cannot be declared cannot be listed
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            log.warning("The laboratory %s of %s is left out: %s", point.name, point.value, error)
        else:
            yield lab


def question_of(section: str) -> str:
    """What the laboratories below a heading of the navigation ask; the heading itself where it is not among ours."""
    return CHAPTERS.get(section, section)


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


def named(name: str) -> Laboratory:
    """The laboratory of this name, of either kind; raises :class:`SettingsError` where there is none."""
    if name not in laboratories():
        raise SettingsError({"laboratory": f"There is no laboratory {_among(name, laboratories())}"})
    return laboratories()[name]


def _among(name: str, names: Iterable[str]) -> str:
    """A mistaken name beside the one that was meant, or beside all of them.

    >>> _among("dept-gradients", ["depth-gradients", "series"])
    "'dept-gradients'; did you mean 'depth-gradients'?"
    """
    near = get_close_matches(name[:60], names := list(names), 1)
    return f"{name[:60]!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}.")


def _declared() -> dict[str, type[Settings]]:
    return {name: lab.declared for name, lab in sorted(laboratories().items())}
