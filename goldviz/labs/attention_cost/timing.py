"""How long kinds of attention take on this machine, and how many bytes their tensors hold at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
import xarray as xr

from goldviz.labs.attention_cost.compute import LENGTHS, options_of
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.labs.attention_cost.tensor_bytes import peak_bytes
from goldviz.models.series.attention import ATTENTIONS
from goldviz.models.series.full import full_attention_with_maps
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report

KEPT_MAP = "full_map"
"""Full attention that keeps its map, as the document writes it; its bytes end it before the longest series."""
LONGEST_MAP = 2048
HEADS = 4
ROUNDS = 3


def measure(report: Report, settings_json: str) -> xr.Dataset:
    """Seconds and bytes by kind and length, four heads in float32 on one thread: the quickest of three rounds.

    ``report`` is told how far it is and may stop it. What takes too much memory is NaN.
    """
    settings = AttentionCost.checked_json(settings_json)
    options = options_of(settings)
    kinds = {KEPT_MAP: None, **ATTENTIONS}
    plan = [
        (place, number, (kind or ATTENTIONS["full"]).cost(length, settings.width, options).multiplications)
        for number, length in enumerate(LENGTHS)
        for place, kind in enumerate(kinds.values())
        if kind is not None or length <= LONGEST_MAP
    ]
    seconds, sizes = np.full((2, len(kinds), len(LENGTHS)), np.nan)
    total, cost_so_far = sum(cost for *_, cost in plan), 0.0
    generator = torch.Generator().manual_seed(settings.seed)
    with one_thread(), torch.no_grad():
        for place, number, cost in plan:
            q, k, v = torch.randn(3, 1, HEADS, LENGTHS[number], settings.width, generator=generator)
            kind = [*kinds.values()][place]
            work: Callable[[], object] = (
                partial(full_attention_with_maps, q, k, v) if kind is None else partial(kind.attend, q, k, v, options)
            )
            sizes[place, number] = peak_bytes(work, q, k, v)
            rounds = []
            for _ in range(ROUNDS):
                report(cost_so_far, total)
                began = time.perf_counter()
                work()
                rounds.append(time.perf_counter() - began)
                cost_so_far += cost / ROUNDS
            seconds[place, number] = min(rounds)
    places = {"timed": [*kinds], "series_length": [*LENGTHS]}
    return xr.Dataset(
        {"seconds": (("timed", "series_length"), seconds), "peak_bytes": (("timed", "series_length"), sizes)},
        coords=places,
        attrs={"width": settings.width, "heads": HEADS},
    )
