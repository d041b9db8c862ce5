"""The forecasters that a leaderboard can compare. A new one is an entry of :data:`FORECASTERS`.

Settings, labels, colours and training read the table. Torch is loaded when a network is made, because settings
read it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goldviz.models.series.forecasters.at_once import linear_map, repeat, seasonal_repeat
from goldviz.models.style import NetworkStyle


def _held_by_maps(look_back: int, horizon: int, channels: int) -> float:
    return 4.0 * channels * (look_back + horizon)


@dataclass(frozen=True)
class Forecaster:
    """A row of the table: its line, what it does in words, and what makes it.

    ``build`` of one that is ``learned`` takes (look_back, horizon, channels, generator) and gives a network; else it
    takes (windows, training rows, season) and gives the forecasting function. ``held`` is how many numbers a
    training window of (look_back, horizon, channels) keeps for the way back, fitted to runs.
    """

    words: str
    style: NetworkStyle
    build: Callable[..., Any]
    learned: bool = False
    held: Callable[[int, int, int], float] = _held_by_maps

    @property
    def label(self) -> str:
        """What it is called."""
        return self.style.label


def _network(module: str, name: str) -> Callable[..., Any]:
    def build(*shape: Any) -> Any:
        from goldviz.models.series.forecasters import informer, inverted, linear_family, patches

        modules = {"informer": informer, "inverted": inverted, "linear_family": linear_family, "patches": patches}
        return getattr(modules[module], name)(*shape)

    return build


FORECASTERS = {
    "repeat": Forecaster("Repeats the last value.", NetworkStyle("repeat", "#7b828a", "solid", "circle"), repeat),
    "seasonal_repeat": Forecaster(
        "Repeats the last season.", NetworkStyle("repeat the season", "#a0793d", "dash", "square"), seasonal_repeat
    ),
    "least_squares": Forecaster(
        "One linear map of the look-back less its last value, by least squares.",
        NetworkStyle("least squares", "#d55e00", "dot", "diamond"),
        linear_map,
    ),
    "linear": Forecaster(
        "One linear map, trained.",
        NetworkStyle("Linear", "#8a8f1c", "longdash", "triangle-up"),
        _network("linear_family", "Linear"),
        learned=True,
    ),
    "dlinear": Forecaster(
        "Two linear maps, of a moving average and of the rest, trained.",
        NetworkStyle("DLinear", "#1f98a8", "dashdot", "triangle-down"),
        _network("linear_family", "DLinear"),
        learned=True,
    ),
    "nlinear": Forecaster(
        "The linear map of least squares, trained by gradient steps.",
        NetworkStyle("NLinear", "#0e7ac0", "dash", "cross"),
        _network("linear_family", "NLinear"),
        learned=True,
    ),
    "patches": Forecaster(
        "A Transformer over patches of each channel, like PatchTST.",
        NetworkStyle("patches", "#9263cf", "solid", "star"),
        _network("patches", "Patches"),
        learned=True,
        held=lambda look_back, horizon, channels: 830.0 * channels * (look_back / 8 + 1),
    ),
    "inverted": Forecaster(
        "A Transformer among whole channels, like iTransformer.",
        NetworkStyle("inverted", "#c46a9c", "longdash", "x"),
        _network("inverted", "Inverted"),
        learned=True,
        held=lambda look_back, horizon, channels: channels * (1900.0 + 4 * (look_back + horizon)),
    ),
    "informer": Forecaster(
        "An encoder that distils and a decoder of the whole horizon, like Informer.",
        NetworkStyle("Informer", "#b03a48", "dashdot", "hexagon"),
        _network("informer", "Informer"),
        learned=True,
        held=lambda look_back, horizon, channels: 260.0 * (2 * look_back + horizon),
    ),
}

AT_ONCE = tuple(name for name, one in FORECASTERS.items() if not one.learned)
LEARNED = tuple(name for name, one in FORECASTERS.items() if one.learned)
