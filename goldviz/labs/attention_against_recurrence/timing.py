"""How long a step of training takes on this machine, by the length of the sequence."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
import xarray as xr
from torch.nn.functional import cross_entropy

from goldviz.labs.attention_against_recurrence.marked_symbols import anywhere
from goldviz.labs.attention_against_recurrence.networks import SIDE_BY_SIDE
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
from goldviz.labs.attention_against_recurrence.train import reader
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report

TIMED_LENGTHS = (16, 64, 256, 1024)
SEQUENCES, ROUNDS = 4, 3


def measure(report: Report, settings_json: str) -> xr.Dataset:
    """Seconds (network, series_length) of one step, forwards and backwards, on one thread: the quickest of three.

    ``report`` is told how far it is and may stop it.
    """
    settings = AttentionAgainstRecurrence.checked_json(settings_json)
    seconds = np.full((len(SIDE_BY_SIDE), len(TIMED_LENGTHS)), np.inf)
    generator = torch.Generator().manual_seed(0)
    with one_thread():
        for column, length in enumerate(TIMED_LENGTHS):
            batch = anywhere(length, SEQUENCES, generator)
            for row, name in enumerate(SIDE_BY_SIDE):
                network = reader(settings, name, 0)
                for _ in range(ROUNDS):
                    report(column * len(SIDE_BY_SIDE) + row, seconds.size)
                    began = time.perf_counter()
                    cross_entropy(network(batch.inputs), batch.targets).backward()
                    seconds[row, column] = min(seconds[row, column], time.perf_counter() - began)
    coords = {"network": [*SIDE_BY_SIDE], "series_length": [*TIMED_LENGTHS]}
    return xr.Dataset({"seconds": (("network", "series_length"), seconds)}, coords=coords)
