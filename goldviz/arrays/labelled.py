"""What can be asked of a run's numbers: the names that xarray's arrays and goldviz's light ones share.

Figures, measures, findings, claims and stories are typed against these, so that a name which the light arrays of a
page do not have is found by the type checker, although xarray has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import EllipsisType
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

Dims = str | Collection[str] | EllipsisType | None


class Array(Protocol):  # noqa: PLW1641 - equality is by entry, so none of its kind has a hash
    """Numbers with a name for each dimension, and labels along some of them."""

    @property
    def values(self) -> NDArray[Any]:
        """The numbers as numpy has them."""

    @property
    def dims(self) -> tuple[Any, ...]:
        """The names of the dimensions, in order."""

    @property
    def name(self) -> Any:
        """The variable's name."""

    @property
    def attrs(self) -> Any:
        """Facts about the variable, such as its unit."""

    @property
    def sizes(self) -> Mapping[Any, int]:
        """The length along each dimension."""

    @property
    def coords(self) -> Mapping[Any, Any]:
        """The labels along the dimensions that have any."""

    @property
    def size(self) -> int:
        """How many numbers there are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension, in order."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The kind of the numbers."""

    def __len__(self) -> int: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __array__(self, dtype: Any = None, /, *, copy: bool | None = None) -> NDArray[Any]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **how: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Array: ...

    def isel(self, indexers: Mapping[Any, Any] | None = None, drop: bool = False, **more: Any) -> Array:
        """The entries at these places along dimensions."""

    def sel(self, indexers: Mapping[Any, Any] | None = None, *, drop: bool = False, **more: Any) -> Array:
        """The entries with these labels; slices hold both their ends. Raises ``KeyError`` for a label that is not."""

    def transpose(self, *order: Any) -> Array:
        """The same array with its dimensions in this order; an ellipsis stands for all that are not named."""

    def rename(self, names: Any = None, /, **more: Any) -> Array:
        """Dimensions under other names."""

    def assign_coords(self, **labels: Any) -> Array:
        """Other labels along dimensions."""

    def expand_dims(self, dim: Any = None, **labels: Any) -> Array:
        """The array with one dimension more, in front, with one entry or with these labels."""

    def drop_vars(self, names: Any, /, *, errors: Any = "raise") -> Array:
        """The array without labels that stand along no dimension."""

    def copy(self, *, data: Any = None) -> Array:
        """The same dimensions and labels around other numbers."""

    def astype(self, dtype: Any) -> Array:
        """The numbers as another kind."""

    def item(self) -> Any:
        """The only number."""

    def get_axis_num(self, dim: str, /) -> Any:
        """Which dimension, counted from 0, has this name."""

    def isnull(self) -> Array:
        """Where there is no number."""

    def notnull(self) -> Array:
        """Where there is a number."""

    def where(self, condition: Any, other: Any = ...) -> Array:
        """The numbers where a condition holds, and ``other``, else NaN, elsewhere."""

    def cumsum(self, dim: str) -> Array:
        """Sums up to each entry along a dimension; NaN counts as zero."""

    def diff(self, dim: str) -> Array:
        """Each entry along a dimension less the one before, under its own label."""

    def argmax(self, dim: str) -> Any:
        """The place of the largest entry along a dimension."""

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """The numbers within limits."""

    def median(self, dim: Dims = None) -> Array:
        """Medians along dimensions, without what is no number."""

    def mean(self, dim: Dims = None) -> Array:
        """Means along dimensions, without what is no number."""

    def min(self, dim: Dims = None) -> Array:
        """The smallest numbers along dimensions."""

    def max(self, dim: Dims = None) -> Array:
        """The largest numbers along dimensions."""

    def std(self, dim: Dims = None) -> Array:
        """Standard deviations along dimensions."""

    def any(self, dim: Dims = None) -> Array:
        """Whether anything along dimensions is true."""

    def all(self, dim: Dims = None) -> Array:
        """Whether everything along dimensions is true."""

    def sum(self, dim: Dims = None, *, min_count: int = 0, skipna: bool = True) -> Array:
        """Sums along dimensions; NaN where fewer than ``min_count`` numbers are known, or any is not."""

    def __add__(self, other: Any) -> Array: ...
    def __radd__(self, other: Any) -> Array: ...
    def __sub__(self, other: Any) -> Array: ...
    def __rsub__(self, other: Any) -> Array: ...
    def __mul__(self, other: Any) -> Array: ...
    def __rmul__(self, other: Any) -> Array: ...
    def __truediv__(self, other: Any) -> Array: ...
    def __rtruediv__(self, other: Any) -> Array: ...
    def __pow__(self, other: Any) -> Array: ...
    def __rpow__(self, other: Any) -> Array: ...
    def __neg__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __lt__(self, other: Any) -> Array: ...
    def __le__(self, other: Any) -> Array: ...
    def __gt__(self, other: Any) -> Array: ...
    def __ge__(self, other: Any) -> Array: ...
    def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __and__(self, other: Any) -> Array: ...
    def __or__(self, other: Any) -> Array: ...


class Run(Protocol):
    """A run's variables by name, with the labels along their dimensions and the run's facts."""

    @property
    def attrs(self) -> Any:
        """Facts about the run."""

    @property
    def sizes(self) -> Mapping[Any, int]:
        """The length of every dimension."""

    @property
    def dims(self) -> Any:
        """The dimensions that there are."""

    @property
    def coords(self) -> Mapping[Any, Any]:
        """The labels along dimensions."""

    @property
    def data_vars(self) -> Mapping[Any, Array]:
        """The variables that are no labels."""

    def __contains__(self, name: object, /) -> bool: ...
    @overload
    def __getitem__(self, name: str) -> Array: ...
    @overload
    def __getitem__(self, name: list[str]) -> Run: ...

    @overload
    def get(self, name: str, /) -> Array | None: ...
    @overload
    def get(self, name: str, default: Any, /) -> Any: ...

    def assign(self, arrays: Any, /) -> Run:
        """The run with these variables, in place of those of the same names."""

    def drop_dims(self, dim: str, *, errors: Any = "raise") -> Run:
        """The run without the variables that have this dimension."""

    def isel(self, **indexers: Any) -> Run:
        """All variables at these places."""

    def sel(self, **indexers: Any) -> Run:
        """All variables at these labels."""
