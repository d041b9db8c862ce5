"""A recorded run as tests read it: its settings, one network of its one seed, and what a sequence comes to."""

import json
from types import SimpleNamespace

import numpy as np


def settings_of(run):
    """The settings that the run was trained with."""
    return SimpleNamespace(**json.loads(run.attrs["settings"]))


def of(run, network):
    """What was recorded of one network, first seed, in double precision."""
    assert run.sizes["seed"] == 1
    return run.isel(seed=0).sel(network=network).astype(np.float64, copy=False)


def last_quarter(values):
    """The mean over the last quarter of what was looked at."""
    return float(np.asarray(values)[-(len(values) // 4) :].mean())


def joined(groups):
    """The numbers of several networks, one network's after another's."""
    return tuple(number for group in groups for number in group)
