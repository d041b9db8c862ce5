"""What figures of markets share: colours, names that fit, units, dates, and the source of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.diagnostics.forecasts.result import Result
from goldviz.figures.draft import Figure
from goldviz.figures.elements import interval_bars
from goldviz.figures.marks import Dots, dots, given
from goldviz.figures.notes import as_label
from goldviz.models.style import NetworkStyle

KNOWN, JOINED, HIDDEN, BESIDE = "#0e7ac0", "#d55e00", "#c46a9c", "#009e73"
"""What is known at a forecast, what is joined by date, what was hidden, and the covariate beside the target."""

DATES: dict[str, Any] = {"type": "date", "nticks": 6, "showgrid": False, "tickangle": 0, "hoverformat": "%a %d %b %Y"}
"""What makes an axis one of dates, as wide as what is drawn."""
LONGEST_NAME = 12
"""Characters of a channel's name at an axis; more leave a phone no room for the plot."""


def source_sentence(ds: Run) -> str:
    """Where the numbers come from and until when they go; simulated ones are always called so.

    >>> import xarray as xr
    >>> source_sentence(xr.Dataset(attrs={"simulated": 1, "data_last": "2024-12-31"}))
    'Simulated market, until 2024-12-31.'
    """
    origin = "Simulated market" if ds.attrs["simulated"] else f"Data: {ds.attrs['data_origin']}"
    return f"{origin}, until {ds.attrs['data_last']}."


def names(ds: Run) -> list[str]:
    """The channels' names as axes show them, escaped."""
    return [as_label(name_of(ds, number)) for number in range(ds.sizes["channel"])]


def name_of(ds: Run, number: int) -> str:
    """The name of a channel, cut to what fits, not escaped; the target is number 0."""
    return shortened(str(ds["channel"].values[number]))


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """A name cut to what fits.

    >>> shortened("gold"), shortened("a_column_with_a_long_name")
    ('gold', 'a_column_wi…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def in_template(text: str) -> str:
    """Text for a hover template: escaped, and a word joiner keeps Plotly from filling in what looks like a field.

    >>> in_template("<i>"), "%{" in in_template("%{x}")
    ('&lt;i&gt;', False)
    """
    return as_label(text).replace("%{", "%\u2060{")


def words(ds: Run, number: int) -> str:
    """The words of a channel, not escaped; the target is number 0."""
    return str(ds["words"].values[number])


def unit_of_changes(ds: Run) -> Moves:
    """How the target's changes are told: log returns in percent, differences in its own unit."""
    return Moves.of(str(ds["transformation"].values[0]), str(ds["unit"].values[0]))


def days(dates: Array) -> NDArray[np.str_]:
    """Dates as Plotly reads them."""
    return dates.values.astype("datetime64[D]").astype(str)


def counting_log_axis(low: float, high: float) -> dict[str, Any]:
    """A log axis from ``low`` to ``high`` with plain numbers: decades, or parts of them where there are few.

    >>> counting_log_axis(30, 450)["ticktext"]
    ['50', '100', '200']
    """
    ratio = high / low
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if ratio < 6 else (1, 2, 5) if ratio < 300 else (1,)
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    values = [step * 10.0**decade for decade in decades for step in steps]
    ticks = [value for value in values if low <= value <= high]
    return {
        "type": "log",
        "range": [float(np.log10(low)), float(np.log10(high))],
        "tickvals": ticks,
        "ticktext": [f"{value:,.0f}" if value >= 10 else f"{value:g}" for value in ticks],
    }


def percent(share: float, digits: int = 2) -> str:
    """A share with so many digits that count.

    >>> percent(0.6405), percent(-0.00032), percent(1.0)
    ('64 %', '−0.032 %', '100 %')
    """
    size = abs(100 * share)
    text = f"{100 * share:.0f}" if size >= 10 else f"{100 * share:.{digits}g}"
    return f"{text} %".replace("-", "−")


def legend_under(figure: Figure, *, lines: int, axis: int = 34) -> None:
    """Put the legend under the plot, with room for its lines on a phone. Call it after ``theme.apply``.

    ``axis`` is the height in pixels of the tick labels, and of the axis title where there is one.
    """
    layout = figure.layout
    layout.margin.t -= 24
    layout.margin.b = axis + 16 + 20 * lines
    layout.height += layout.margin.b - 68
    plot = layout.height - layout.margin.t - layout.margin.b
    figure.update_layout(legend={"y": -(axis + 6) / plot, "yanchor": "top"})


def channel_rows(labels: list[str], *, middle: float = 0.0, room: float = 0.6) -> dict[str, Any]:
    """What makes an axis one of channels, the first on top, with ``room`` beyond the first's and the last's middle."""
    middles = (np.arange(len(labels)) + middle).tolist()
    names = {"tickmode": "array", "tickvals": middles, "ticktext": labels, "showgrid": False, "ticks": ""}
    return {**names, "ticklabelstandoff": 6, "range": (middles[-1] + room, middle - room)}


def days_between(ends: tuple[float, float] | None = None, ticks: int = 6) -> dict[str, Any]:
    """What makes an axis one of dates; between two days since 1970 where they are told."""
    dates = {"type": "date", "nticks": ticks, "tickangle": 0, "showgrid": False}
    dates |= {"unifiedhovertitle_text": "%{x|%d %b %Y}"}
    if ends is None:
        return dates
    low, high = (str(np.datetime64(0, "D") + np.timedelta64(round(end), "D")) for end in ends)
    return {**dates, "range": (low, high)}


def in_rows(values: ArrayLike, rows: ArrayLike, **how: Any) -> Dots:
    """Marks at numbers that lie in one row, or each in its own; the lowest row is 0."""
    x, y = (given(np.broadcast_to(one, np.shape(values)), mark=None) for one in (values, rows))
    return dots(y, x=x, **how)


def scored(
    result: Result, row: float, style: NetworkStyle, name: str, *, digits: int = 3, unit: str = "", own: bool = False
) -> Dots:
    """A model's score in a row, with its 95 % interval where it has one; that of a run's ``own`` network stands out."""
    said, bars = f"%{{x:+.{digits}f}}{unit}", None
    if result.sure:
        above, below = [result.high - result.value], [result.value - result.low]
        bars = interval_bars(above, below, style.colour, thickness=2.5 if own else 1.5, width=6)
        said += f"<br>95 %: {result.low:+.{digits}f} to {result.high:+.{digits}f}{unit}".replace("-", "−")
    look = {"name": name, "colour": style.colour, "symbol": style.symbol, "size": 13 if own else 10}
    return in_rows([result.value], row, **look, hover=f"{said}<extra>{name}</extra>", more={"error_x": bars})


def each_seed(values: ArrayLike, row: float, colour: str, unit: str = "", digits: int = 3) -> Dots:
    """The scores of several seeds alone, as strokes under a row."""
    said = f"one seed alone: %{{x:+.{digits}f}}{unit}<extra></extra>"
    look = {"name": "each seed", "colour": colour, "symbol": "line-ns-open", "size": 10}
    return in_rows(values, row - 0.26, **look, hover=said, marker={"line": {"width": 1.5}})
