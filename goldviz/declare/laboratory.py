"""A laboratory: one folder under ``goldviz/labs``, and what its files are for.

A folder has ``settings.py`` (what can be set and what is recorded), ``train.py`` or ``compute.py`` (what is done),
``measures`` (what its runs' numbers are), ``figures``, ``findings`` where something is concluded, ``page.py`` and
``recorded/`` (finished runs of its presets and the home page's picture). ``queries.py`` has what it answers the browser
without its page's script, ``assets/`` what draws its own parts of a page. Everything is imported when it is asked for,
so that a list of laboratories costs nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from goldviz.diagnostics.measure import Measure

if TYPE_CHECKING:
    from goldviz.declare.settings import Settings


@dataclass(frozen=True)
class Laboratory:
    """One laboratory by its name (in links, in the shell and in stored runs) and its package.

    ``settings`` names the class in its ``settings.py``. ``text_models`` names the function, as ``module:name``, that
    makes a model of texts of a run's settings and kept state, where the laboratory trains such models.
    """

    package: str
    name: str
    settings: str
    text_models: str = ""

    @property
    def declared(self) -> type[Settings]:
        """The settings class; loads neither torch nor Streamlit."""
        return cast("type[Settings]", getattr(self.part("settings"), self.settings))

    @property
    def folder(self) -> str:
        """The name of its folder and of its file in ``pages/``."""
        return self.package.rpartition(".")[2]

    @property
    def recorded(self) -> Path:
        """Where the finished runs and the picture that ship with the package lie."""
        return Path(str(self.part().__file__)).parent / "recorded"

    def part(self, name: str = "") -> ModuleType:
        """One of its modules, such as ``part("figures")``; the folder's own without a name."""
        return importlib.import_module(f"{self.package}.{name}" if name else self.package)

    def has(self, name: str) -> bool:
        """Whether it has such a module."""
        return importlib.util.find_spec(f"{self.package}.{name}") is not None

    def hook(self, module: str, name: str) -> Any:
        """A function of one of its modules, or None where it has no such module, or the module no such function."""
        return getattr(self.part(module), name, None) if self.has(module) else None

    def figures(self) -> ModuleType:
        """Its figures: a table ``FIGURES``, ``shared_limits`` for runs side by side, ``picture`` for the home page."""
        return self.part("figures")

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Its measures by name, in the order of its file; none where it has no such file. Loads no torch."""
        values = vars(self.part("measures")).values() if self.has("measures") else ()
        every = [one for value in values for one in (value.values() if isinstance(value, dict) else [value])]
        return {one.name: one for one in every if isinstance(one, Measure)}

    def function(self, reference: str) -> Any:
        """What ``module:name`` refers to inside the laboratory."""
        module, _, name = reference.partition(":")
        return getattr(self.part(module), name)


def laboratory_of(declared: type[Settings]) -> Laboratory:
    """The laboratory in whose folder this settings class stands; raises ``TypeError`` for a class of no laboratory."""
    package = importlib.import_module(declared.__module__.rpartition(".")[0])
    found = getattr(package, "LAB", None)
    if not isinstance(found, Laboratory):
        raise TypeError(f"{declared.__name__} stands in no laboratory's folder: {declared.__module__}.")
    return found
