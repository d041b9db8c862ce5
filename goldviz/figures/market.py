"""What the figures of *Gold market* share: colours, names that fit, units, and the source of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.figures.draft import Figure
from goldviz.figures.notes import as_label

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
    return [as_label(shortened(str(name))) for name in ds["channel"].values]


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


def channel_axis(figure: Figure, labels: list[str], ends: tuple[float, float], *, middle: float = 0.0) -> Figure:
    """Channels from top to bottom, the target first."""
    return figure.update_yaxes(**channel_rows(labels, ends, middle=middle))


def channel_rows(labels: list[str], ends: tuple[float, float], *, middle: float = 0.0) -> dict[str, Any]:
    """What makes an axis one of channels."""
    names = {"tickmode": "array", "tickvals": (np.arange(len(labels)) + middle).tolist(), "ticktext": labels}
    return {**names, "showgrid": False, "ticks": "", "ticklabelstandoff": 6, "range": ends}


def days_axis(figure: Figure, ends: tuple[float, float], ticks: int = 6) -> None:
    """An axis of dates for every panel, between two days since 1970."""
    figure.update_xaxes(**days_between(ends, ticks))


def days_between(ends: tuple[float, float] | None = None, ticks: int = 6) -> dict[str, Any]:
    """What makes an axis one of dates; between two days since 1970 where they are told."""
    dates = {"type": "date", "nticks": ticks, "tickangle": 0, "showgrid": False}
    dates |= {"unifiedhovertitle_text": "%{x|%d %b %Y}"}
    if ends is None:
        return dates
    low, high = (str(np.datetime64(0, "D") + np.timedelta64(round(end), "D")) for end in ends)
    return {**dates, "range": (low, high)}


def date_axis(figure: Figure, **options: Any) -> None:
    """An axis of dates for every panel."""
    figure.update_xaxes(**DATES, **options)
