"""A run's numbers as figures read them: numpy arrays with named dimensions, in the words of xarray.

xarray checks, aligns and copies at every step, which takes a tenth of a millisecond or more however small the array
is; a figure takes fifty such steps, for every viewer of every growing run. These arrays know what figures need of
xarray's, under the same names and with the same outcome, and nothing else. Tests hold both alike.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Dims, Run

if TYPE_CHECKING:
    import xarray as xr

FEW = 64
"""Labels in which Python finds one sooner than numpy."""


def _reduction(plain: Callable[..., Any], without_nan: Callable[..., Any], words: str) -> Callable[..., LightArray]:
    """A method that takes dimensions away; ``without_nan`` does where there are gaps."""

    def reduced(array: LightArray, dim: Dims = None) -> LightArray:
        return array._reduced(dim, plain, without_nan)

    reduced.__doc__ = words
    return reduced


class LightArray:
    """An array with a name for each dimension, and labels along some of them."""

    __slots__ = ("attrs", "dims", "labels", "name", "values")
    __array_priority__ = 1000

    def __init__(
        self,
        values: Any,
        dims: Iterable[str],
        labels: Mapping[str, NDArray[Any]],
        name: str = "",
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        self.values: NDArray[Any] = np.asarray(values)
        self.dims = tuple(dims)
        self.labels = labels
        self.name = name
        self.attrs = attrs or {}

    @classmethod
    def of(cls, array: Array) -> LightArray:
        """An array of xarray's; what is light already stays."""
        if isinstance(array, LightArray):
            return array
        labels = {str(dim): array.coords[dim].values for dim in array.dims if dim in array.coords}
        return cls(array.values, map(str, array.dims), labels, str(array.name or ""), array.attrs)

    @property
    def sizes(self) -> dict[str, int]:
        """The length along each dimension."""
        return dict(zip(self.dims, self.values.shape, strict=True))

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.values.size

    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension, in order."""
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The kind of the numbers."""
        return self.values.dtype

    @property
    def coords(self) -> dict[str, NDArray[Any]]:
        """The labels along the dimensions that have any."""
        return {dim: self.labels[dim] for dim in self.dims if dim in self.labels}

    def __len__(self) -> int:
        return len(self.values)

    def __float__(self) -> float:
        return float(self.values.reshape(()))

    def __int__(self) -> int:
        return int(self.values.reshape(()))

    def __bool__(self) -> bool:
        return bool(self.values.reshape(()))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.values if dtype is None else self.values.astype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **how: Any) -> Any:
        """numpy's functions of one array or two."""
        if method != "__call__" or how:
            return NotImplemented
        if len(inputs) == 1:
            return self._new(ufunc(self.values))
        first, second = inputs
        return first._with(second, ufunc) if isinstance(first, LightArray) else second._with(first, _turned(ufunc))

    def __getitem__(self, key: Any) -> LightArray:
        """The labels along a dimension, or what numpy's indexing gives of the first dimensions."""
        if isinstance(key, str):
            labels = self.labels.get(key)
            labels = np.arange(self.sizes[key]) if labels is None else labels
            return LightArray(labels, (key,) if np.ndim(labels) else (), {key: labels}, key)
        keys = key if isinstance(key, tuple) else (key,)
        return self.isel(**dict(zip(self.dims, keys, strict=False)))

    def _new(self, values: Any, dims: Iterable[str] | None = None) -> LightArray:
        return LightArray(values, self.dims if dims is None else dims, self.labels, self.name, self.attrs)

    def isel(self, indexers: Mapping[str, Any] | None = None, drop: bool = False, **more: Any) -> LightArray:
        """The entries at these places along dimensions; of a single place the label stays, and no dimension."""
        values, dims, labels = self.values, list(self.dims), dict(self.labels)
        for dim, place in {**(indexers or {}), **more}.items():
            axis = dims.index(dim)
            at = place.values if isinstance(place, LightArray) else place
            values = values[(slice(None),) * axis + (at,)]
            if isinstance(place, LightArray) and place.dims != (dim,):
                dims[axis : axis + 1] = place.dims
                labels = {**labels, **place.labels}
                continue
            if np.ndim(at) == 0 and not isinstance(at, slice):
                dims.pop(axis)
            if dim in labels:
                labels[dim] = labels[dim][at]
        return LightArray(values, dims, labels, self.name, self.attrs)

    def sel(self, indexers: Mapping[str, Any] | None = None, drop: bool = False, **more: Any) -> LightArray:
        """The entries with these labels; slices hold both their ends. Raises ``KeyError`` for a label that is not."""
        by_dim = {**(indexers or {}), **more}
        return self.isel({dim: _places(dim, self[dim].values, label) for dim, label in by_dim.items()})

    def transpose(self, *order: Any) -> LightArray:
        """The same array with its dimensions in this order; an ellipsis stands for all that are not named."""
        first = [dim for dim in order if dim is not ...]
        rest = [dim for dim in self.dims if dim not in first]
        place = order.index(...) if ... in order else len(order)
        dims = (list(order[:place]) + rest + list(order[place + 1 :])) if order else list(reversed(self.dims))
        return self._new(self.values.transpose([self.dims.index(dim) for dim in dims]), dims)

    def rename(self, names: Mapping[str, str] | str | None = None, **more: str) -> LightArray:
        """Dimensions under other names."""
        if isinstance(names, str):
            return LightArray(self.values, self.dims, self.labels, names, self.attrs)
        new = {**(names or {}), **more}
        labels = {new.get(dim, dim): labels for dim, labels in self.labels.items()}
        return LightArray(self.values, [new.get(dim, dim) for dim in self.dims], labels, self.name, self.attrs)

    def assign_coords(self, **labels: Any) -> LightArray:
        """Other labels along dimensions."""
        new = {dim: np.asarray(one.values if isinstance(one, LightArray) else one) for dim, one in labels.items()}
        return LightArray(self.values, self.dims, {**self.labels, **new}, self.name, self.attrs)

    def expand_dims(self, dim: str | None = None, **labels: Any) -> LightArray:
        """The array with one dimension more, in front, with one entry or with these labels."""
        ((name, along),) = (labels or {str(dim): None}).items()
        new = {} if along is None else {name: np.asarray(along)}
        count = 1 if along is None else len(new[name])
        values = np.broadcast_to(self.values, (count, *self.values.shape))
        return LightArray(values, (name, *self.dims), {**self.labels, **new}, self.name, self.attrs)

    def drop_vars(self, names: Any, /, *, errors: str = "raise") -> LightArray:
        """The array as it is: a label without its dimension is never kept."""
        return self

    def copy(self, data: Any = None) -> LightArray:
        """The same dimensions and labels around other numbers."""
        return self._new(self.values.copy() if data is None else data)

    def astype(self, dtype: Any) -> LightArray:
        """The numbers as another kind."""
        return self._new(self.values.astype(dtype))

    def item(self) -> Any:
        """The only number."""
        return self.values.item()

    def get_axis_num(self, dim: str) -> int:
        """Which dimension, counted from 0, has this name."""
        return self.dims.index(dim)

    def isnull(self) -> LightArray:
        """Where there is no number."""
        return self._new(np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(self.shape, bool))

    def notnull(self) -> LightArray:
        """Where there is a number."""
        return self._new(~self.isnull().values)

    def where(self, condition: Any, other: Any = np.nan) -> LightArray:
        """The numbers where a condition holds, and NaN elsewhere."""
        both = self._with(condition, lambda mine, holds: np.where(holds, mine, other))
        return both.transpose(*self.dims, ...) if set(self.dims) <= set(both.dims) else both

    def cumsum(self, dim: str) -> LightArray:
        """Sums up to each entry along a dimension; NaN counts as zero."""
        return self._new(np.nancumsum(self.values, self.dims.index(dim)))

    def diff(self, dim: str) -> LightArray:
        """Each entry along a dimension less the one before, under its own label."""
        axis = self.dims.index(dim)
        labels = {**self.labels, dim: self.labels[dim][1:]} if dim in self.labels else self.labels
        return LightArray(np.diff(self.values, axis=axis), self.dims, labels, self.name, self.attrs)

    def argmax(self, dim: str) -> LightArray:
        """The place of the largest entry along a dimension."""
        return self._new(self.values.argmax(self.dims.index(dim)), [one for one in self.dims if one != dim])

    def clip(self, min: Any = None, max: Any = None) -> LightArray:
        """The numbers within limits."""
        return self._new(np.clip(self.values, min, max))

    def windows(self, dim: str, width: int) -> LightArray:
        """Means over windows of so many entries along a dimension, each under its last label.

        Entries at the beginning that fill no window are left out, and so is what is no number.
        """
        axis = self.dims.index(dim)
        count = self.shape[axis] // width
        tail = self.isel({dim: slice(self.shape[axis] - count * width, None)})
        shape = (*tail.shape[:axis], count, width, *tail.shape[axis + 1 :])
        parts = LightArray(tail.values.reshape(shape), [*self.dims[: axis + 1], "window", *self.dims[axis + 1 :]], {})
        labels = {**self.labels, dim: tail.labels[dim].reshape(count, width).max(1)} if dim in self.labels else {}
        return LightArray(parts.mean("window").values, self.dims, labels, self.name, self.attrs)

    def _reduced(self, dim: Dims, plain: Callable[..., Any], without_nan: Callable[..., Any]) -> LightArray:
        along = self.dims if dim is None or dim is ... else (dim,) if isinstance(dim, str) else tuple(dim)
        axes = tuple(self.dims.index(one) for one in along)
        dims = [one for one in self.dims if one not in along]
        values = self.values
        if len(axes) == 1 and values.shape[axes[0]] == 1 and plain in (np.median, np.mean, np.min, np.max):
            values = values.take(0, axes[0])
            return self._new(values if values.dtype.kind == "f" or plain in (np.min, np.max) else values * 1.0, dims)
        if not values.size and plain is np.median:
            # Which numpy gives up on where there are several axes.
            return self._new(np.full([self.sizes[one] for one in dims], np.nan), dims)
        if values.size and (values.dtype.kind != "f" or np.isfinite(values).all()):
            # Most are; to hear no warnings of the others takes longer than to reduce them.
            with np.errstate(all="ignore"):
                return self._new(plain(values, axis=axes), dims)
        gaps = values.dtype.kind == "f" and bool(np.isnan(values).any())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return self._new((without_nan if gaps else plain)(values, axis=axes), dims)

    median = _reduction(np.median, np.nanmedian, "Medians along dimensions, without what is no number.")
    mean = _reduction(np.mean, np.nanmean, "Means along dimensions, without what is no number.")
    min = _reduction(np.min, np.nanmin, "The smallest numbers along dimensions.")
    max = _reduction(np.max, np.nanmax, "The largest numbers along dimensions.")
    std = _reduction(np.std, np.nanstd, "Standard deviations along dimensions.")
    any = _reduction(np.any, np.any, "Whether anything along dimensions is true.")
    all = _reduction(np.all, np.all, "Whether everything along dimensions is true.")

    def sum(self, dim: Dims = None, min_count: int = 0, skipna: bool = True) -> LightArray:
        """Sums along dimensions; NaN where fewer than ``min_count`` numbers are known, or any is not."""
        total = self._reduced(dim, np.sum, np.nansum if skipna else np.sum)
        if not min_count:
            return total
        return total.where(self.notnull()._reduced(dim, np.sum, np.sum) >= min_count)

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> LightArray:
        """An operation on two arrays: those of a name go together, whatever their order."""
        if not isinstance(other, LightArray):
            return self._new(operation(self.values, other))
        if other.dims == self.dims:
            return self._new(operation(self.values, other.values))
        dims = [*self.dims, *(dim for dim in other.dims if dim not in self.dims)]
        mine = self.values.reshape(self.shape + (1,) * (len(dims) - len(self.dims)))
        order = [other.dims.index(dim) for dim in dims if dim in other.dims]
        shape = [other.sizes.get(dim, 1) for dim in dims]
        theirs = other.values.transpose(order).reshape(shape)
        return LightArray(operation(mine, theirs), dims, {**other.labels, **self.labels}, self.name, self.attrs)

    def __add__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> LightArray:
        return self._with(other, _divided)

    def __rtruediv__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: _divided(b, a))

    def __pow__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a**b)

    def __rpow__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: b**a)

    def __neg__(self) -> LightArray:
        return self._new(-self.values)

    def __abs__(self) -> LightArray:
        return self._new(np.abs(self.values))

    def __invert__(self) -> LightArray:
        return self._new(~self.values)

    def __lt__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a >= b)

    def __eq__(self, other: object) -> LightArray:  # type: ignore[override]
        return self._with(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> LightArray:  # type: ignore[override]
        return self._with(other, lambda a, b: a != b)

    def __and__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a & b)

    def __or__(self, other: Any) -> LightArray:
        return self._with(other, lambda a, b: a | b)

    __hash__ = None  # type: ignore[assignment]


def _turned(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda mine, theirs: operation(theirs, mine)


def _divided(above: Any, below: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return above / below


def _places(dim: str, labels: NDArray[Any], label: Any) -> Any:
    """Where labels stand: one place for one label, several for several, a slice for a slice."""
    if isinstance(label, slice):
        start = 0 if label.start is None else int(np.searchsorted(labels, label.start, "left"))
        stop = len(labels) if label.stop is None else int(np.searchsorted(labels, label.stop, "right"))
        return slice(start, stop)
    label = getattr(label, "values", label)
    if isinstance(label, str | int) or np.ndim(label) == 0:
        if len(labels) <= FEW and labels.dtype.kind in "iufU":
            try:
                return labels.tolist().index(label)
            except ValueError:
                raise KeyError(f"{dim} has no {label!r}") from None
        positions = np.flatnonzero(labels == label)
        if not positions.size:
            raise KeyError(f"{dim} has no {label!r}")
        return int(positions[0])
    several = np.asarray(label)
    order = np.argsort(labels, kind="stable")
    positions = np.searchsorted(labels, several, sorter=order).clip(max=max(len(labels) - 1, 0))
    places = order[positions] if len(labels) else positions
    if several.size and (not len(labels) or not (labels[places] == several).all()):
        raise KeyError(f"{dim} does not have all of {several.tolist()!r}")
    return places


def joined(parts: Sequence[Array], dim: str) -> LightArray:
    """Arrays one after the other along a dimension."""
    arrays = [LightArray.of(part) for part in parts]
    first, axis = arrays[0], arrays[0].dims.index(dim)
    labels = {**first.labels, dim: np.concatenate([array.labels[dim] for array in arrays])}
    return LightArray(
        np.concatenate([array.values for array in arrays], axis), first.dims, labels, first.name, first.attrs
    )


class LightDataset:
    """A run's variables and facts, under the names of xarray's dataset."""

    def __init__(
        self,
        arrays: Mapping[str, LightArray],
        labels: Mapping[str, NDArray[Any]],
        attrs: Mapping[str, Any],
        dataset: xr.Dataset | None = None,
    ) -> None:
        self.arrays = arrays
        self.coords = labels
        self.attrs = attrs
        if dataset is not None:
            self.dataset = dataset

    @classmethod
    def of(cls, dataset: Run) -> LightDataset:
        """A dataset's numbers; what is light already stays. Raises ``TypeError`` for what is of neither kind."""
        if isinstance(dataset, LightDataset):
            return dataset
        import xarray as xr

        if not isinstance(dataset, xr.Dataset):
            raise TypeError(f"A run's numbers come in a dataset of xarray's or of goldviz's, not in a {type(dataset)}.")
        labels = {str(dim): labels.values for dim, labels in dataset.coords.items() if labels.dims == (dim,)}
        arrays = {
            str(name): LightArray(one.values, map(str, one.dims), labels, str(name), one.attrs)
            for name, one in dataset.variables.items()
            if name not in labels
        }
        return cls(arrays, labels, dataset.attrs, dataset)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """The same as xarray has it."""
        import xarray as xr

        # As tuples: arrays of xarray's would be compared with one another first.
        arrays = {name: (one.dims, one.values, dict(one.attrs)) for name, one in self.arrays.items()}
        dims = {dim for one in self.arrays.values() for dim in one.dims}
        labels = {dim: labels for dim, labels in self.coords.items() if dim in dims}
        return xr.Dataset(arrays, coords=labels, attrs=dict(self.attrs))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The length of every dimension."""
        lengths = {dim: len(labels) for dim, labels in self.coords.items() if np.ndim(labels)}
        for one in self.arrays.values():
            lengths.update(one.sizes)
        return lengths

    @property
    def dims(self) -> dict[str, int]:
        """The dimensions that there are."""
        return self.sizes

    def __contains__(self, name: object) -> bool:
        return name in self.arrays or name in self.coords

    @overload
    def __getitem__(self, name: str) -> LightArray: ...
    @overload
    def __getitem__(self, name: list[str]) -> LightDataset: ...

    def __getitem__(self, name: str | list[str]) -> LightArray | LightDataset:
        if not isinstance(name, str):
            return LightDataset({one: self.arrays[one] for one in name}, self.coords, self.attrs)
        if name in self.arrays:
            return self.arrays[name]
        return LightArray(self.coords[name], (name,) if np.ndim(self.coords[name]) else (), self.coords, name)

    def get(self, name: str, default: Any = None) -> Any:
        """A variable, or something else where there is none."""
        return self[name] if name in self else default  # noqa: SIM401 - this is that method

    @property
    def data_vars(self) -> Mapping[str, LightArray]:
        """The variables that are no labels."""
        return self.arrays

    def assign(self, arrays: Mapping[str, LightArray]) -> LightDataset:
        """The dataset with these variables, in place of those of the same names."""
        labels = dict(self.coords)
        for one in arrays.values():
            labels |= {dim: one.labels[dim] for dim in one.dims if dim in one.labels}
        return LightDataset({**self.arrays, **arrays}, labels, self.attrs)

    def drop_dims(self, dim: str, errors: str = "raise") -> LightDataset:
        """The dataset without the variables that have this dimension."""
        arrays = {name: one for name, one in self.arrays.items() if dim not in one.dims}
        return LightDataset(arrays, {name: one for name, one in self.coords.items() if name != dim}, self.attrs)

    def isel(self, **indexers: Any) -> LightDataset:
        """All variables at these places."""
        arrays = {
            name: one.isel({dim: place for dim, place in indexers.items() if dim in one.dims})
            for name, one in self.arrays.items()
        }
        labels = dict(self.coords)
        for dim, place in indexers.items():
            if dim in labels:
                labels[dim] = labels[dim][place]
        return LightDataset(arrays, labels, self.attrs)

    def sel(self, **indexers: Any) -> LightDataset:
        """All variables at these labels."""
        return self.isel(**{dim: _places(dim, self.coords[dim], label) for dim, label in indexers.items()})
