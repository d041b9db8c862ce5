"""A dataset as *Policy documents* computes it, made by hand."""

import numpy as np
import xarray as xr

HOSTILE = "<img src=x onerror=alert(1)>%{x}"


def policy_view(count: int = 12, *, toned: bool = True, projected: bool = True, kinds: int = 2) -> xr.Dataset:
    """Documents two weeks apart, of ``kinds`` kinds in turn; the second half is placed where ``projected``."""
    generator = np.random.default_rng(0)
    kind = [("Statement", "Minutes", HOSTILE, "d", "e", "f")[number % kinds] for number in range(count)]
    released = np.datetime64("2024-01-03T19:00:00", "s") + np.arange(count) * np.timedelta64(14, "D")
    balance = generator.uniform(-1, 1, count) if toned else np.full(count, np.nan)
    previous = [number - kinds if number >= kinds else -1 for number in range(count)]
    change = np.where(np.array(previous) < 0, np.nan, generator.uniform(0, 0.01, count))
    fitted = np.arange(count) < max(3, count // 2) if projected else np.ones(count, bool)
    nearest = np.array([[other for other in range(count) if other != number][:3] for number in range(count)], float)
    return xr.Dataset(
        {
            "balance": ("document", balance),
            "tone": (("document", "label"), np.stack([(1 + balance) / 2, (1 - balance) / 2], 1)[:, : 2 * toned]),
            "change": ("document", change),
            "previous": ("document", np.array(previous, float)),
            "coordinate": (("document", "component"), generator.standard_normal((count, 2))),
            "share": ("component", np.array([0.5, 0.2])),
            "fitted": ("document", fitted.astype(float)),
            "own_coordinate": (("document", "own_component"), generator.standard_normal((count, 2))),
            "own_share": (("document", "own_component"), np.tile([0.6, 0.1], (count, 1))),
            "own_fitted": ("document", (np.arange(count) // kinds < max(1, count // kinds // 2)).astype(float)),
            "nearest": (("document", "neighbour"), nearest.reshape(count, -1)),
            "cosine": (("document", "neighbour"), np.full(nearest.reshape(count, -1).shape, 0.9)),
            **{name: ("document", np.full(count, 9.0)) for name in ("words", "pieces", "chunks")},
        },
        coords={
            "title": ("document", [f"2024 {which} {HOSTILE}" for which in kind]),
            "kind": ("document", kind),
            "released": ("document", released),
        },
        attrs={
            "origin": HOSTILE,
            "generated": 0,
            "clock": "14:00",
            "zone": "America/New_York",
            "model": "A model",
            "pooling": "mean",
            "fitted_on": "first_half",
        },
    )


def change_view(count: int = 3, *, toned: bool = True) -> xr.Dataset:
    return xr.Dataset(
        {
            "distance": ("passage", np.linspace(0, 0.01, count)),
            "balance": ("passage", np.linspace(-0.2, 0.3, count) if toned else np.full(count, np.nan)),
        },
        coords={"passage": np.arange(count)},
        attrs={"whole_distance": 0.02, "whole_balance": 0.1},
    )
