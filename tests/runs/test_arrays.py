import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from goldviz.runs.recorder import Batch
from goldviz.runs.store.arrays import (
    array_from_bytes,
    array_to_bytes,
    batch_from_bytes,
    batch_to_bytes,
    dataset_from_bytes,
    dataset_to_bytes,
    joined,
    light_dataset,
)
from tests.runs.conftest import same_records, uninterrupted
from tests.runs.toy import Toy

DTYPES = st.sampled_from([np.dtype(kind) for kind in ("float32", "float16", "int64", "int32", "uint8", "bool")])
ARRAYS = DTYPES.flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=3, max_side=4)))
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(lambda name: not name.endswith("@steps"))


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@given(ARRAYS)
def test_an_array_comes_back_to_the_bit(array: np.ndarray) -> None:
    assert identical(array_from_bytes(array_to_bytes(array)), array)


@given(st.dictionaries(NAMES, st.tuples(ARRAYS, st.lists(st.integers(0, 2**40), min_size=1, max_size=3)), max_size=4))
def test_a_batch_comes_back_to_the_bit(content: dict[str, tuple[np.ndarray, list[int]]]) -> None:
    batch = Batch(0)
    for name, (array, steps) in content.items():
        for step in steps:
            batch.add(name, step, array)
    found = batch_from_bytes(batch_to_bytes(batch))
    assert found.keys() == content.keys()
    for name, (array, steps) in content.items():
        assert found[name][0].tolist() == steps
        assert all(identical(value, array) for value in found[name][1])


def test_an_array_that_is_not_contiguous_comes_back() -> None:
    array = np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::-3]
    assert identical(array_from_bytes(array_to_bytes(array)), np.ascontiguousarray(array))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_batches_of_any_length_join_to_the_same_records(lengths: list[int]) -> None:
    steps = np.arange(sum(lengths))
    values = np.stack([[step, np.nan, np.inf] for step in steps]).astype(np.float32)
    cuts = np.cumsum(lengths)[:-1]
    pieces = [{"x": (s, v)} for s, v in zip(np.split(steps, cuts), np.split(values, cuts), strict=True)]
    found_steps, found_values = joined(pieces)["x"]
    assert identical(found_steps, steps)
    assert identical(found_values, values)
    assert joined([]) == {}


def test_a_variable_without_a_record_of_a_step_is_missing_there() -> None:
    variables = {name: {"dims": ("epoch",), "long_name": name, "units": "1"} for name in ("often", "seldom")}
    often = (np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0], np.float32))
    seldom = (np.array([2]), np.array([5], np.int64))
    found = light_dataset(variables, {}, {"often": often, "seldom": seldom}, {}, {}).dataset
    assert found["epoch"].values.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(found["seldom"], [np.nan, 5, np.nan])


def test_only_dimensions_in_use_are_labelled() -> None:
    found = light_dataset({}, {"seed": [0]}, {}, {}, {"status": "queued"}).dataset
    assert dict(found.sizes) == {}
    assert found.attrs == {"status": "queued"}


def test_a_dataset_survives_safetensors_and_netcdf(tmp_path: Path) -> None:
    dataset = uninterrupted(Toy(epochs=7, seeds=(0, 5), diverge_at=5))
    attributes: dict[str, Any] = {"title": "<b>ü & 漢字</b>", "duration": 1.5, "steps": 7, "flag": True, "none": None}
    words = {name: vars(variable) for name, variable in Toy.variables.items()}
    records = {
        name: (dataset[v["dims"][0]].values, dataset[name].values) for name, v in words.items() if name in dataset
    }
    dataset = light_dataset(words, {"network": ["plain", "residual"], "seed": [0, 5]}, records, {}, attributes).dataset
    assert json.loads(dataset.attrs["flag"]) is True

    same = dataset_from_bytes(dataset_to_bytes(dataset))
    same_records(same, dataset)
    assert same.attrs == dataset.attrs

    dataset.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    loaded = xr.load_dataset(tmp_path / "run.nc", engine="h5netcdf")
    xr.testing.assert_equal(loaded, dataset)
    assert loaded.attrs == dataset.attrs
    assert loaded["network"].values.tolist() == ["plain", "residual"]
