"""The recorded run that differs from another in its honesty alone, so that one sees what looking ahead gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.arrays.light import LightDataset
from goldviz.declare.settings import SettingsError
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.examples import example, has_example

HONEST = {"fitted_on": "past", "read": "filter"}
"""The settings of tokens that know the past alone."""
ALIKE = {**HONEST, "device": "cpu", "time_limit": 600.0}
"""Set so, twins are equal."""


class Pair(NamedTuple):
    """Two runs of the same days: one whose tokens know the past alone, and one whose tokens look ahead."""

    honest: Run
    ahead: Run


def honest(settings: PriceTokens) -> bool:
    """Whether tokens are made of the past alone."""
    return all(getattr(settings, name) == value for name, value in HONEST.items())


def pair_of(run: Run) -> Pair | None:
    """A run and its recorded twin; None where no such run ships, or the run's settings are not understood."""
    try:
        settings = PriceTokens.checked_json(str(run.attrs.get("settings", "")))
    except SettingsError:
        return None
    for preset in PriceTokens.presets:
        other = PriceTokens.preset(preset.slug)
        same = other.changed(**ALIKE) == settings.changed(**ALIKE)
        if same and honest(other) != honest(settings) and has_example(PriceTokens, preset.slug):
            twin = LightDataset.of(example(PriceTokens, preset.slug))
            pair = Pair(run, twin) if honest(settings) else Pair(twin, run)
            return pair if np.array_equal(run["time"].values, twin["time"].values) else None
    return None
