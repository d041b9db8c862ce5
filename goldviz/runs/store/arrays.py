"""Arrays as bytes and as a labelled dataset. Bytes are safetensors: they can be read without running anything."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import load, save

from goldviz.arrays.light import LightArray, LightDataset
from goldviz.runs.recorder import Batch

if TYPE_CHECKING:
    import xarray as xr

Stacked = dict[str, tuple[np.ndarray, np.ndarray]]
"""For each variable its steps (n,) and its values (n, ...)."""

MOST_BYTES = 10**9
"""Of a run's numbers in memory, where others may have written it: a few of its rows can stand for very many."""
UNITS_OF = "units_of"
"""The attribute that says by name in which units a run's numbers are, where these depend on its data."""


def batch_to_bytes(batch: Batch) -> bytes:
    """A batch's records as safetensors: ``name`` holds the values, ``name@steps`` the steps."""
    tensors: dict[str, np.ndarray] = {}
    for name, (steps, values) in batch.stacked().items():
        # Safetensors writes an array's memory as it lies, whatever its strides say.
        tensors[name] = np.asarray(values, order="C")
        tensors[f"{name}@steps"] = steps
    return save(tensors)


def batch_from_bytes(data: bytes) -> Stacked:
    """Inverse of :func:`batch_to_bytes`."""
    tensors = load(data)
    return {name: (tensors[f"{name}@steps"], values) for name, values in tensors.items() if not name.endswith("@steps")}


def array_to_bytes(array: np.ndarray) -> bytes:
    """One array as safetensors."""
    return save({"array": np.asarray(array, order="C")})


def array_from_bytes(data: bytes) -> np.ndarray:
    """Inverse of :func:`array_to_bytes`."""
    return load(data)["array"]


def dataset_to_bytes(dataset: xr.Dataset) -> bytes:
    """A dataset as safetensors; labels and attributes travel as JSON in its header."""
    about = {
        "dims": {name: array.dims for name, array in dataset.data_vars.items()},
        "words": {name: array.attrs for name, array in dataset.data_vars.items()},
        "labels": {name: array.values.tolist() for name, array in dataset.coords.items()},
        "attributes": dataset.attrs,
    }
    tensors = {str(name): np.asarray(array.values, order="C") for name, array in dataset.data_vars.items()}
    return save(tensors, metadata={"dataset": json.dumps(about)})


def dataset_from_bytes(data: bytes) -> xr.Dataset:
    """Inverse of :func:`dataset_to_bytes`."""
    import xarray as xr  # It brings pandas, which a script that is watched does without.

    # Safetensors gives metadata of files alone, not of bytes in memory.
    header_length = int.from_bytes(data[:8], "little")
    about = json.loads(json.loads(data[8 : 8 + header_length])["__metadata__"]["dataset"])
    arrays = {
        name: xr.DataArray(values, dims=about["dims"][name], attrs=about["words"][name])
        for name, values in load(data).items()
    }
    return xr.Dataset(arrays, coords=about["labels"], attrs=about["attributes"])


def joined(pieces: Iterable[Stacked]) -> Stacked:
    """Records of several batches, in the order of their steps."""
    steps: dict[str, list[np.ndarray]] = {}
    values: dict[str, list[np.ndarray]] = {}
    for piece in pieces:
        for name, (piece_steps, piece_values) in piece.items():
            steps.setdefault(name, []).append(piece_steps)
            values.setdefault(name, []).append(piece_values)
    return {name: (np.concatenate(steps[name]), np.concatenate(values[name])) for name in steps}


def steps_along(dims: Mapping[str, Sequence[str]], records: Stacked) -> dict[str, np.ndarray]:
    """All steps along each growing dimension, which is the first of its variables' ``dims``."""
    growing: dict[str, list[np.ndarray]] = {}
    for name, (steps, _) in records.items():
        growing.setdefault(dims[name][0], []).append(steps)
    return {dim: np.unique(np.concatenate(steps)) for dim, steps in growing.items()}


def row_bytes(records: Stacked) -> dict[str, int]:
    """How many bytes one step of each variable takes, whether it has a record or is filled."""
    return {name: max(values.itemsize, 4) * math.prod(values.shape[1:]) for name, (_, values) in records.items()}


def bytes_needed(dims: Mapping[str, Sequence[str]], records: Stacked) -> int:
    """How many bytes :func:`light_dataset` makes of records, which may be thousands of times their own."""
    steps = steps_along(dims, records)
    return sum(len(steps[dims[name][0]]) * size for name, size in row_bytes(records).items())


def light_dataset(
    variables: Mapping[str, Mapping[str, Any]],
    coordinates: Mapping[str, list[Any]],
    records: Stacked,
    once: Mapping[str, np.ndarray],
    attributes: Mapping[str, Any],
) -> LightDataset:
    """The numbers of a run. ``variables`` says each one's ``dims``, ``long_name``, ``units`` and ``kind``.

    Variables that share a growing dimension share its coordinate; where one has no record of a step, it is NaN. What
    the attribute ``units_of`` says of a variable's unit holds. Attributes that are not text or numbers are kept as
    JSON, so that the dataset can be written to netCDF. Raises ``KeyError`` for a variable that is not declared and
    ``ValueError`` for one that does not fit its dimensions.
    """
    labels: dict[str, Any] = {**steps_along({name: variables[name]["dims"] for name in records}, records)}
    dims_used = {dim for name in (*records, *once) for dim in variables[name]["dims"]}
    labels.update({dim: np.asarray(values) for dim, values in coordinates.items() if dim in dims_used})

    units_of = attributes.get(UNITS_OF)
    units = units_of if isinstance(units_of, Mapping) else {}
    arrays: dict[str, LightArray] = {}
    for name, (steps, values) in records.items():
        dims = variables[name]["dims"]
        arrays[name] = LightArray(
            _aligned(labels[dims[0]], steps, values), dims, labels, name, _words(name, variables, units)
        )
    for name, values in once.items():
        arrays[name] = LightArray(values, variables[name]["dims"], labels, name, _words(name, variables, units))
    for name, array in arrays.items():
        _check_shape(name, array.values.shape, variables[name]["dims"], labels)
    return LightDataset(arrays, labels, {name: _plain(value) for name, value in attributes.items()})


def _plain(attribute: Any) -> str | int | float:
    # A truth value is an int in Python, but netCDF has no attribute for it.
    if isinstance(attribute, str | int | float) and not isinstance(attribute, bool):
        return attribute
    return json.dumps(attribute)


def changes_by_step(dataset: xr.Dataset) -> dict[int, dict[str, Any]]:
    """Hot settings that were changed during a run, by the step after which they were."""
    by_step: dict[int, dict[str, Any]] = {}
    for mark in json.loads(dataset.attrs.get("marks", "[]")):
        by_step.setdefault(int(mark["step"]), {}).update(mark["changes"])
    return by_step


def _aligned(targets: np.ndarray, steps: np.ndarray, values: np.ndarray) -> np.ndarray:
    if np.array_equal(targets, steps):
        return values
    # No float is recorded in more than single precision; whole numbers and truth values have no NaN of their own.
    full = np.full((len(targets), *values.shape[1:]), np.nan, np.float32)
    full[np.searchsorted(targets, steps)] = values
    return full


def _check_shape(name: str, shape: tuple[int, ...], dims: Sequence[str], labels: Mapping[str, Any]) -> None:
    shape_wanted = tuple(len(labels[dim]) if dim in labels else size for dim, size in zip(dims, shape, strict=False))
    if len(dims) != len(shape) or shape_wanted != shape:
        raise ValueError(f"{name} has the shape {shape} along {', '.join(dims)}")


def _words(name: str, variables: Mapping[str, Mapping[str, Any]], units: Mapping[str, str]) -> dict[str, str]:
    about = variables[name]
    words = {"long_name": about["long_name"], "units": units.get(name, about["units"])}
    return {**words, "kind": about["kind"]} if about.get("kind") else words
