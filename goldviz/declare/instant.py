"""What an instant page declares: its settings, its presets, and how settings become labelled arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from goldviz.arrays.readings import Coordinate
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Settings, Variable

if TYPE_CHECKING:
    import xarray as xr


class Instant(Settings):
    """Base of all instant pages. Same settings, same numbers; nothing is kept."""

    position: ClassVar[str] = ""
    """The whole-number setting that only says where to look; the page draws it over its figures."""

    variables: ClassVar[Mapping[str, Variable]] = {}
    """How what is computed is read, where its own name does not say it."""
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}
    """What places along its dimensions are called."""
    units: ClassVar[Mapping[str, str]] = {}
    """Units of what is computed, by the variable's name, as :class:`goldviz.declare.settings.Variable` has them."""

    def positions(self) -> tuple[int, int]:
        """The first and last place to look at with these settings."""
        raise TypeError(f"{type(self).__name__} declares no positions")

    def compute(self) -> xr.Dataset:
        """The numbers behind every figure of the page, in float64 on one thread: ``compute`` of its laboratory.

        Raises ``ValueError`` with a sentence for settings that have no result.
        """
        lab = laboratory_of(self)
        lab.check_installed()
        dataset: xr.Dataset = lab.part("compute").compute(self)
        for name, unit in self.units.items():
            if name in dataset:
                dataset[name].attrs["units"] = unit
        return dataset
