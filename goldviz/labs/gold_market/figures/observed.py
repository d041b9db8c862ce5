"""Who is observed: month by month over the years, and day by day at the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Bar, Figure, Node
from goldviz.figures.elements import link
from goldviz.figures.maps import cells, colour_bar
from goldviz.figures.notes import as_label
from goldviz.figures.reading import sentences
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, SEQUENTIAL, Theme, with_alpha
from goldviz.labs.gold_market import measures

SEEN_HEIGHT, HIDDEN_HEIGHT, GAP = 0.58, 0.24, 0.18
"""Parts of a channel's row in the strip."""


@drawn(
    "Who is observed in which month?",
    shows="New values per weekday, month by month.",
)
def strip(ds: Run, *, theme: Theme = "light") -> Figure:
    """How many values of each channel a month brings, one row a channel."""
    has_hidden = bool(np.nansum(ds["hidden"].values) > 0)
    months = ds["month"].values.astype("datetime64[D]").astype(str)
    weekdays = np.maximum(ds["weekdays"].values, 1.0)
    height = SEEN_HEIGHT if has_hidden else SEEN_HEIGHT + HIDDEN_HEIGHT
    figure = Figure()
    for number in range(ds.sizes["channel"]):
        observations, hidden = ds["seen"].values[:, number], ds["hidden"].values[:, number]
        heading = f"<b>{market.in_template(market.words(ds, number))}</b><br>%{{x|%B %Y}}: "
        figure.add_trace(
            cells(
                np.minimum(observations / weekdays, 1)[None],
                x=months,
                y=[number, number + height],
                customdata=_said(observations, hidden, ds["weekdays"].values),
                hover=f"{heading}new on %{{customdata[0]:.0f}} days<br>%{{customdata[2]:.0f}} weekdays, "
                "%{customdata[1]:.0f} hidden",
                hoverongaps=False,
            )
        )
        if has_hidden:
            share = np.where(hidden > 0, hidden / np.maximum(observations + hidden, 1), np.nan)
            figure.heatmap(
                z=share[None].astype(np.float32),
                x=months,
                y=[number + height, number + height + HIDDEN_HEIGHT],
                customdata=_said(hidden, observations + hidden),
                zmin=0,
                zmax=1,
                showscale=False,
                hoverongaps=False,
                colorscale=[[0, with_alpha(market.HIDDEN, 0.15)], [1, market.HIDDEN]],
                hovertemplate=f"{heading}%{{customdata[0]:.0f}} of %{{customdata[1]:.0f}} values hidden<extra></extra>",
            )
    notes = [hidden_sentence(ds), sentences(market.source_sentence(ds), _empty_sentence(ds))]
    count = ds.sizes["channel"]
    look.apply(
        figure,
        theme,
        title="Who is observed in which month?",
        notes=notes,
        legend=False,
        hover="closest",
        height=230 + 34 * count,
    )
    market.date_axis(figure)
    link(figure, "x", "day")
    market.channel_axis(figure, market.names(ds), (count - GAP / 2, -GAP / 2), middle=(1 - GAP) / 2)
    return colour_bar(
        figure,
        (0, 1),
        SEQUENTIAL,
        "New values per weekday",
        tickvals=[0, 0.5, 1],
        ticktext=["0", "½", "1 +"],
    )


def _said(*counts: NDArray[np.float64]) -> NDArray[np.float32]:
    """What a row of one channel says on hover: (1, month, count)."""
    return np.stack(counts, axis=-1)[None].astype(np.float32)


def release_of(ds: Run, number: int) -> str:
    """When a channel's values are out."""
    return str(ds["released"].values[number])


def hidden_sentence(ds: Run) -> str:
    """Which part of the covariates' rows masking has hidden; empty where none is."""
    share = measures.hidden(ds)
    if not share:
        return ""
    return f"Pink strips: hidden on purpose, {market.percent(share)} of {measures.there_in_months(ds):,.0f} values."


def _empty_sentence(ds: Run) -> str:
    return "Blank: before a channel's first value or after its last." if np.isnan(ds["seen"].values).any() else ""


STATES = (
    ("known at the forecast", market.KNOWN, 0.6),
    ("not out yet: a leak", market.JOINED, 0.34),
    ("hidden on purpose", market.HIDDEN, 0.12),
)
"""What can be said of a value in a row, with its colour and height: nothing is told by colour alone."""


@drawn(
    "Who is new on which of the last days?",
    shows="Each mark is a new value in that day's row, or one that is hidden from it.",
    cannot_show="Revisions.",
)
def last_days(ds: Run, *, theme: Theme = "light") -> Figure:
    """Which channel has a new value in which of the last rows, and whether that value was out by then."""
    present, masks = np.isfinite(ds["dated"].values), ds["masked"].values > 0
    early = present & ~masks & (ds["wait"].values < 0)
    figure = Figure()
    for where, (name, colour, height) in zip((present & ~masks & ~early, early, masks), STATES, strict=True):
        if where.any():
            figure.add_trace(_blocks(ds, where, name, colour, height))
    _shade_rows_without_forecast(figure, ds, theme)
    count = ds.sizes["channel"]
    shading = "Shaded: days without a value of the target, so without a forecast."
    look.apply(
        figure,
        theme,
        title=f"Who is new on which of the last {ds.sizes['row']} days?",
        notes=[early_sentence(ds), sentences(market.source_sentence(ds), shading)],
        hover="closest",
        height=180 + 30 * count,
    )
    market.legend_under(figure, lines=len(figure.data), axis=42)
    figure.update_layout(barmode="overlay")
    market.date_axis(figure)
    link(figure, "x", "day")
    figure.update_xaxes(nticks=5)
    return market.channel_axis(figure, market.names(ds), (count - 0.4, -0.6))


def early_sentence(ds: Run) -> str:
    """How many of the covariates' values stand in a row before they were out, over all the years; empty without any."""
    count, early = measures.placed(ds), measures.placed_too_early(ds)
    if not count:
        return ""
    part = "none of" if not early else "all" if early == count else f"{early:,.0f} of"
    return f"Joined by {ds.attrs['alignment']}: {part} {count:,.0f} covariates' values are used before their release."


def _blocks(ds: Run, where: NDArray[np.bool_], name: str, colour: str, height: float) -> Node:
    rows, channels = np.nonzero(where)
    heading = [as_label(market.words(ds, channel)) for channel in channels.tolist()]
    dates = ds["dated"].values[where].astype(np.int64).astype("datetime64[D]").astype(str)
    ages = [_age(hours) for hours in ds["wait"].values[where]]
    return Bar(
        x=market.days(ds["row"])[rows],
        y=np.full(len(rows), height),
        base=channels - height / 2,
        name=name,
        width=0.78 * _row_width(ds),
        marker={"color": colour, "line": {"width": 0}},
        customdata=np.stack([heading, dates, ages], axis=-1),
        hovertemplate="<b>%{customdata[0]}</b><br>row of %{x|%a %d %b %Y}<br>value of %{customdata[1]}, "
        f"out %{{customdata[2]}}<extra>{name}</extra>",
    )


def _row_width(ds: Run) -> float:
    """The typical distance of two rows in milliseconds, the unit of Plotly's dates."""
    return float(np.median(np.diff(ds["row"].values)) / np.timedelta64(1, "ms"))


def _age(hours: float) -> str:
    """When a value came out, seen from the row's forecast.

    >>> _age(20.5), _age(0.0), _age(-26.5)
    ('20.5 h before the forecast', 'at the forecast', '26.5 h after the forecast')
    """
    if hours == 0:
        return "at the forecast"
    return f"{abs(hours):.3g} h {'before' if hours > 0 else 'after'} the forecast"


def _shade_rows_without_forecast(figure: Figure, ds: Run, theme: Theme) -> None:
    half = np.timedelta64(int(_row_width(ds) / 2), "ms")
    for row in ds["row"].values[ds["forecast"].values == 0].astype("datetime64[ms]"):
        figure.add_shape(
            type="rect",
            x0=str(row - half),
            x1=str(row + half),
            y0=0,
            y1=1,
            yref="paper",
            layer="below",
            line_width=0,
            fillcolor=with_alpha(INKS[theme].muted, 0.16),
        )
