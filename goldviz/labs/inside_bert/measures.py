"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    import xarray as xr


@measure()
def off_one(run: xr.Dataset) -> float:
    """How far a query's weights are from summing to 1, the worst of all heads."""
    return float(np.abs(run["all_attention"].values.sum(-1) - 1).max())


@measure()
def moved_without_positions(run: xr.Dataset) -> float:
    """How far the last states move when the pieces are read backwards without positions, as a share of their length."""
    return float(run["moved"].sel(positions="without").isel(state=-1).mean())


@measure()
def moved_with_positions(run: xr.Dataset) -> float:
    """How far they move with positions, as a share of their length."""
    return float(run["moved"].sel(positions="with").isel(state=-1).mean())


@measure()
def looks_left(run: xr.Dataset) -> float:
    """The share of ordinary pieces' attention that goes to what stands before them; all heads of all layers."""
    return float(np.tril(_weights(run), -1).sum(-1).mean())


@measure()
def looks_right(run: xr.Dataset) -> float:
    """The share of ordinary pieces' attention that goes to what stands after them; all heads of all layers."""
    return float(np.triu(_weights(run), 1).sum(-1).mean())


@measure()
def on_itself(run: xr.Dataset) -> float:
    """The share of heads and pieces in which a piece gives itself the largest weight."""
    weights = run["all_attention"].values
    return float((weights.argmax(-1) == np.arange(weights.shape[-1])).mean())


@measure()
def heads_alike(run: xr.Dataset) -> float:
    """The correlation between two heads' weights, mean over the pairs of a layer."""
    layers = run["all_attention"].values
    return float(np.mean([_alike(heads.reshape(len(heads), -1)) for heads in layers]))


@measure()
def attention_beside_evidence(run: xr.Dataset) -> float:
    """The rank correlation of the attention that pieces receive with what they add to the tone."""
    return float(run.attrs["rank_correlation"])


def _weights(run: xr.Dataset) -> np.ndarray:
    ordinary = ~run["special"].values.astype(bool)
    return np.asarray(run["all_attention"].values[..., ordinary, :][..., ordinary])


def _alike(heads: np.ndarray) -> float:
    return float(np.corrcoef(heads)[np.triu_indices(len(heads), 1)].mean())
