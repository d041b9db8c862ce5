"""A part of a run for figures, which draw runs: what xarray's ``sel``, ``isel``, ``squeeze`` and ``mean`` took away."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

AVERAGED = ("seed",)
"""Dimensions over which a mean is drawn as one entry: figures draw the middle of them anyway."""


def given_back(ds: xr.Dataset, dims: Mapping[str, tuple[str, ...]]) -> tuple[xr.Dataset, dict[str, str]]:
    """The dataset with every variable's declared dimensions, in their order, and what cannot be drawn any more.

    A dimension of which one entry was chosen comes back from the label that xarray keeps of it, and one of
    :data:`AVERAGED` without a label. A variable that lost another dimension, or has one more, is left out: its name
    comes with the dimension.

    >>> ds = xr.Dataset({"loss": (("step", "seed"), [[1.0, 2.0]])}, {"step": [4], "seed": [0, 1]})
    >>> whole, lost = given_back(ds.isel(step=0).mean("seed"), {"loss": ("step", "seed")})
    >>> whole.loss.dims, whole.step.values, lost
    (('step', 'seed'), array([4]), {})
    >>> given_back(ds.mean("step"), {"loss": ("step", "seed")})[1]
    {'loss': 'step'}
    """
    arrays: dict[str, xr.Variable] = {}
    missing_dims: dict[str, str] = {}
    for name, own_dims in dims.items():
        if name not in ds.data_vars:
            continue
        array = ds[name].variable
        absent = [dim for dim in own_dims if dim not in array.dims]
        missing = [dim for dim in absent if dim not in ds.coords and dim not in AVERAGED]
        more = [str(dim) for dim in array.dims if dim not in own_dims]
        if missing or more:
            missing_dims[name] = (missing or more)[0]
        else:
            arrays[name] = array.set_dims({**dict.fromkeys(absent, 1), **array.sizes}).transpose(*own_dims)
    whole = {dim for one in arrays.values() for dim in one.dims}
    labels = {dim: (dim, np.atleast_1d(one.values)) for dim, one in ds.coords.items() if dim in whole}
    return xr.Dataset(arrays, labels, ds.attrs), missing_dims
