"""What figures of layers read, built by hand for runs that are: shares around one bin, ratios around a thousandth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from goldviz.declare.settings import Variable
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS

BINS = {"value_bin": VALUE_BINS.centres, "magnitude_bin": MAGNITUDE_BINS.centres}


def layer_readings(declared: Mapping[str, Variable], sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """All that ``declared`` has of layers, in these sizes."""
    noise = np.random.default_rng(7)
    found = {}
    for name, variable in declared.items():
        shape = [sizes.get(dim, len(BINS.get(dim, ()))) for dim in variable.dims]
        if name.endswith("_histogram"):
            heights = np.exp(-np.abs(np.arange(shape[-1]) - 33) / 2)
            found[name] = np.broadcast_to(heights / heights.sum(), shape)
        elif name.startswith(("update_to_data", "gradient_to_data")) and "layer" in variable.dims:
            found[name] = 1e-3 * np.exp(0.3 * noise.standard_normal(shape))
    return found


def layer_labels(names: Sequence[str], **others: Any) -> dict[str, Any]:
    """The coordinates beside them."""
    return {"layer": list(names), **BINS, **others}
