"""The arrays that figures read behave as xarray's of the same name do."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from goldviz.arrays.light import LightArray, LightDataset, joined

DIMS = ("look", "network", "seed")
NUMBERS = st.floats(-5, 5, width=32) | st.sampled_from([0.0, np.nan, np.inf, -np.inf])


@st.composite
def runs(draw: st.DrawFn) -> xr.Dataset:
    """A run of a few looks (or none), networks and seeds, with gaps."""
    shape = draw(st.tuples(st.integers(0, 4), st.integers(1, 3), st.integers(1, 3)))
    values = draw(arrays.arrays(np.float32, shape, elements=NUMBERS))
    labels = {"look": 10 * np.arange(shape[0]), "network": list("abc"[: shape[1]]), "seed": np.arange(shape[2]) + 3}
    other = draw(arrays.arrays(np.float64, shape[1:][::-1], elements=NUMBERS))
    return xr.Dataset({"loss": (DIMS, values), "zero": (("seed", "network"), other)}, labels, {"title": "a run"})


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "median": lambda a, b: a.median("seed"),
    "median of two": lambda a, b: a.median(["network", "seed"]),
    "mean of all": lambda a, b: a.mean(),
    "smallest": lambda a, b: a.min("seed"),
    "largest of two": lambda a, b: a.max(["network", "seed"]),
    "sum": lambda a, b: a.sum("network"),
    "sum of some": lambda a, b: a.sum("seed", min_count=1),
    "sum of all or none": lambda a, b: a.sum("seed", skipna=False),
    "one network": lambda a, b: a.sel(network="a"),
    "one of one": lambda a, b: a.sel(network="a").isel(seed=-1),
    "two networks": lambda a, b: a.sel(network=["a"]),
    "looks up to": lambda a, b: a.sel(look=slice(None, 10)),
    "looks from": lambda a, b: a.isel(look=slice(1, None)),
    "last first": lambda a, b: a.isel(seed=[-1, 0]),
    "turned": lambda a, b: a.transpose("seed", ...),
    "turned back": lambda a, b: a.transpose(..., "look"),
    "renamed": lambda a, b: a.rename(look="step"),
    "one more": lambda a, b: a.expand_dims("kind"),
    "one more with a label": lambda a, b: a.sel(network="a").expand_dims(network=["a"]),
    "other labels": lambda a, b: a.assign_coords(seed=a["seed"].values + 1),
    "where": lambda a, b: a.where(a > 0),
    "where beside": lambda a, b: a.where(b > 0),
    "known": lambda a, b: a.notnull().any("seed"),
    "unknown": lambda a, b: a.isnull().all(),
    "sum of two": lambda a, b: a + b,
    "ratio": lambda a, b: a / b,
    "difference from the right": lambda a, b: 1 - b,
    "power": lambda a, b: (b * b) ** 0.5,
    "size": lambda a, b: abs(-a),
    "finite": lambda a, b: np.isfinite(a) & (a > 0),
    "limited": lambda a, b: a.clip(min=0),
    "in steps": lambda a, b: a.diff("network"),
    "as whole numbers": lambda a, b: (a > 0).astype(int),
    "labels": lambda a, b: a["network"],
}


@pytest.mark.parametrize("step", STEPS)
@given(run=runs())
@settings(max_examples=8)
def test_it_does_what_xarray_does(step: str, run: xr.Dataset) -> None:
    light = LightDataset.of(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = STEPS[step](run["loss"], run["zero"])
        found = STEPS[step](light["loss"], light["zero"])
    assert isinstance(found, LightArray)
    assert found.dims == wanted.dims
    assert found.sizes == dict(wanted.sizes)
    if wanted.dtype.kind == "U":
        np.testing.assert_array_equal(found.values, wanted.values)
    else:
        np.testing.assert_allclose(found.values.astype(float), wanted.values.astype(float), rtol=1e-5)
    for dim in wanted.dims:
        if dim in wanted.coords:
            np.testing.assert_array_equal(found[dim].values, wanted[dim].values)


@given(run=runs())
def test_a_light_dataset_is_its_dataset(run: xr.Dataset) -> None:
    light = LightDataset.of(run)
    assert LightDataset.of(light) is light
    assert light.dataset is run
    assert dict(light.sizes) == dict(run.sizes)
    assert "loss" in light
    assert "look" in light
    assert "nothing" not in light
    assert light.get("nothing") is None
    again = LightDataset(light.arrays, light.coords, light.attrs)
    xr.testing.assert_identical(again.dataset, run)
    xr.testing.assert_equal(again.sel(network="a").dataset, run.sel(network="a", drop=True))


@given(run=runs(), width=st.integers(1, 3))
def test_windows_are_means_of_equally_many(run: xr.Dataset, width: int) -> None:
    mine = LightDataset.of(run)["loss"].windows("look", width)
    if run.sizes["look"] < width:
        assert mine.sizes["look"] == 0
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = run["loss"].coarsen(look=width, boundary="trim", side="right", coord_func={"look": "max"}).mean()
    np.testing.assert_allclose(mine.values, theirs.values, rtol=1e-5)
    np.testing.assert_array_equal(mine["look"].values, theirs["look"].values)


def test_places_by_array_and_parts_joined() -> None:
    run = xr.Dataset({"a": (("x", "seed"), np.arange(6.0).reshape(3, 2))}, {"x": [1, 2, 5], "seed": [0, 1]})
    own = LightDataset.of(run)["a"]
    best = own.argmax("x")
    assert own["x"].isel(x=best).values.tolist() == run["a"]["x"].isel(x=run["a"].argmax("x")).values.tolist()
    assert own.sel(x=np.array([5, 1])).values.tolist() == [[4, 5], [0, 1]]
    both = joined([own.isel(x=slice(0, 1)), own.isel(x=slice(1, None))], "x")
    assert both.values.tolist() == own.values.tolist()
    assert both["x"].values.tolist() == [1, 2, 5]


@pytest.mark.parametrize("label", [3, [1, 3]])
def test_a_label_that_is_not_there_is_named(label: Any) -> None:
    own = LightDataset.of(xr.Dataset({"a": ("x", [1.0, 2.0])}, {"x": [1, 2]}))["a"]
    with pytest.raises(KeyError, match=r"x .*3"):
        own.sel(x=label)
