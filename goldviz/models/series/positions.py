"""How a row says where it stands: an entry of the table each. Settings, labels and networks read it.

Torch is loaded when a code is made, because settings read the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class PositionCode:
    """What a code of positions is called, what it ``counts``, and how it acts.

    ``added`` gives, of places (time,), the width and the learned table or None, what is added to the rows, (time,
    width). ``turned`` gives queries or keys (..., time, width) turned by their places. One that ``learns`` has a table
    (longest, width) of parameters.
    """

    label: str
    words: str
    counts: Literal["nothing", "rows", "days"] = "rows"
    added: Callable[[Tensor, int, Tensor | None], Tensor] | None = None
    turned: Callable[[Tensor, Tensor], Tensor] | None = None
    learns: bool = False


def _sinusoidal(places: Tensor, width: int, _table: Tensor | None) -> Tensor:
    from goldviz.models.series.sinusoids import sinusoidal_code

    return sinusoidal_code(places, width)


def _learned(places: Tensor, width: int, table: Tensor | None) -> Tensor:
    if table is None or table.shape[1] != width:
        shape = None if table is None else tuple(table.shape)
        raise ValueError(f"The table of learned positions is {shape}; it has to be of width {width}.")
    last = int(places.max())
    if last >= len(table):
        raise ValueError(
            f"Row {last + 1} has no learned position; allowed are at most {len(table)} rows, as many as were trained."
        )
    return table[places.long()]


def _rotary(x: Tensor, places: Tensor) -> Tensor:
    from goldviz.models.series.sinusoids import rotated

    return rotated(x, places)


POSITIONS = {
    "none": PositionCode("None", "Rows carry no position: attention sees their order by the mask alone.", "nothing"),
    "sinusoidal": PositionCode(
        "Sinusoidal, by row", "Sines and cosines of the row's number, added to the row.", added=_sinusoidal
    ),
    "sinusoidal_days": PositionCode(
        "Sinusoidal, by time", "Sines and cosines of the time in days, so that a gap counts.", "days", _sinusoidal
    ),
    "learned": PositionCode(
        "Learned", "A learned vector for each row, up to the longest series trained.", added=_learned, learns=True
    ),
    "rotary": PositionCode(
        "Rotary", "Queries and keys are turned by their row's angle: products know the lag.", turned=_rotary
    ),
}
"""Code of positions by name."""
