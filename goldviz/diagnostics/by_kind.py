"""Which of a run's variables are of which kind: what shared figures, rules and measures look their variables up in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

BESIDE = ("epoch", "step", "look", "close_look", "histogram_epoch", "network", "seed", "value_bin", "magnitude_bin")
"""Dimensions that are neither of layers nor of places along a sequence."""


@dataclass(frozen=True)
class ByKind:
    """The kind, the dimensions and the short name of each variable; several may be of one kind, the first counts."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        names: dict[str, tuple[str, ...]] = {}
        for name, kind in self.kinds.items():
            names[kind] = (*names.get(kind, ()), name)
        return names

    def __contains__(self, kind: str) -> bool:
        return kind in self._names

    def __getitem__(self, kind: str) -> str:
        """The variable of this kind, the first of several; raises ``KeyError`` where there is none."""
        return self._names[kind][0]

    def get(self, kind: str) -> str:
        """The same; empty where there is none."""
        return self.every(kind)[0] if kind in self else ""

    def every(self, *kinds: str) -> tuple[str, ...]:
        """All variables of these kinds, in the order of the kinds."""
        return tuple(name for kind in kinds for name in self._names.get(kind, ()))

    def along(self, kind: str) -> str:
        """The dimension of layers, or of places along a sequence, of the variable of this kind."""
        return next(dim for dim in self.dims[self[kind]] if dim not in BESIDE)

    def dimensions(self, *kinds: str) -> tuple[str, ...]:
        """Those dimensions of several kinds, of those that were recorded."""
        return tuple(dict.fromkeys(self.along(kind) for kind in kinds if kind in self))
