"""Where the target and the covariate beside it went."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import link, panels
from goldviz.figures.notes import as_label
from goldviz.figures.reading import sentences, single, thinned
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme

MOST_DAYS = 1_300
"""Days drawn of a curve at most."""

LONGEST_WORDS = 34
"""Characters of a channel's words in a legend."""


@drawn(
    "Where did the target and the covariate go?",
    shows="Prices on a log axis, or both as an index on one: equal heights are equal ratios.",
    cannot_show="Whether the two are related.",
)
def prices(ds: Run, *, theme: Theme = "light") -> Figure:
    """The target and the covariate beside it: on one log axis from 100 on, or in panels of their own."""
    kinds = ds["transformation"].values[[0, int(ds.attrs["number"])]]
    common = np.intersect1d(ds["day"].values, ds["beside_day"].values)
    together = common.size > 0 and set(kinds) == {"log_return"}
    figure = _index_prices(ds, common[0], theme) if together else _own_prices(ds, theme)
    market.date_axis(figure)
    link(figure, "x", "day")
    return figure


def _index_prices(ds: Run, start: np.datetime64, theme: Theme) -> Figure:
    """Both as an index that is 100 on the first day on which both are observed."""
    figure, curves, thinning = Figure(), [], ""
    for name, dates, channel, colour, dash in _curves(ds, theme):
        base = float(ds[name].values[ds[dates].values == start][0])
        rows, thinning = thinned(ds.sizes[dates], MOST_DAYS, "day")
        index = 100 * ds[name].values[rows] / base
        curves.append(index)
        figure.scatter(
            x=market.days(ds[dates])[rows],
            y=single(index),
            customdata=single(ds[name].values[rows]),
            mode="lines",
            name=as_label(market.shortened(market.words(ds, channel), LONGEST_WORDS)),
            line={"color": colour, "dash": dash, "width": 2},
            hovertemplate="%{y:.4~g} (%{customdata:,.6~g}" + _after_number(ds, channel) + ")",
        )
    notes = [f"Both start at 100 on {str(start)[:10]}.", sentences(market.source_sentence(ds), thinning)]
    look.apply(figure, theme, title=_title(ds), notes=notes, height=460)
    market.legend_under(figure, lines=2)
    every = np.concatenate(curves)
    return figure.update_yaxes(
        title_text="Index, log axis", **market.counting_log_axis(0.94 * every.min(), 1.06 * every.max())
    )


def _own_prices(ds: Run, theme: Theme) -> Figure:
    """Each in a panel and a unit of its own, prices above zero on a log axis."""
    curves, thinning = _curves(ds, theme), ""
    figure = panels([market.shortened(market.words(ds, channel), 44) for _, _, channel, _, _ in curves], theme)
    for row, (name, dates, channel, colour, _) in enumerate(curves, start=1):
        rows, thinning = thinned(ds.sizes[dates], MOST_DAYS, "day")
        values = ds[name].values[rows]
        figure.scatter(
            x=market.days(ds[dates])[rows],
            y=single(values),
            mode="lines",
            line={"color": colour, "width": 2},
            name=as_label(market.shortened(market.words(ds, channel), LONGEST_WORDS)),
            hovertemplate="%{y:,.6~g}" + _after_number(ds, channel),
            row=row,
        )
        unit = as_label(str(ds["unit"].values[channel]) or "its own unit")
        figure.update_yaxes(title_text=unit, row=row, col=1)
        if ds["transformation"].values[channel] == "log_return":
            axis = market.counting_log_axis(0.94 * values.min(), 1.06 * values.max())
            figure.update_yaxes(title_text=f"{unit}, log axis", **axis, row=row, col=1)
    look.apply(
        figure,
        theme,
        title=_title(ds),
        notes=[_absence(ds), sentences(market.source_sentence(ds), thinning)],
        legend=False,
        height=460,
    )
    return figure.update_layout(margin_t=figure.layout.margin.t + 18)


def _curves(ds: Run, theme: Theme) -> list[tuple[str, str, int, str, str]]:
    """Variable, its days, channel number, colour and dash of what is drawn."""
    curves = [("price", "day", 0, INKS[theme].accent, "solid")]
    if ds.sizes["beside_day"]:
        curves.append(("beside", "beside_day", int(ds.attrs["number"]), market.BESIDE, "dot"))
    return curves


def _absence(ds: Run) -> str:
    number = int(ds.attrs["number"])
    return f"{market.words(ds, number)} has no value in these years." if number and not ds.sizes["beside_day"] else ""


def _title(ds: Run) -> str:
    both = [market.shortened(str(name)) for name in ds["channel"].values[[0, int(ds.attrs["number"])]]]
    return f"Where did {' and '.join(dict.fromkeys(both))} go?"


def _after_number(ds: Run, channel: int) -> str:
    unit = str(ds["unit"].values[channel])
    return f" {market.in_template(unit)}" if unit else ""
