"""What a covariate tells of the target's next move: as it is known at the forecast, and as it is joined by date."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import add_band, link, worded
from goldviz.figures.notes import as_label
from goldviz.figures.reading import sentences, thinned
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.gold_market import measures

MOST_DAYS = 1_000
MOST_NAMED = 3
TOO_MUCH = "no honest column tells so much of what comes. Is it known later than its date says?"
NO_COVARIATE = "This market has no covariate: there is nothing to join."


@drawn(
    "Does the covariate tell the next move?",
    shows="The correlation over a rolling window.",
)
def correlation(ds: Run, *, theme: Theme = "light") -> Figure:
    """Rolling correlation of the target's next move with one covariate, known at the forecast and joined by date."""
    number = int(ds.attrs["number"])
    if number == 0:
        return worded(NO_COVARIATE, title="Does a covariate tell the next move?", theme=theme)
    days, thinning = thinned(ds.sizes["answer_day"], MOST_DAYS, "day")
    dates, figure = market.days(ds["answer_day"])[days], Figure()
    noise = ds["noise"].values[days]
    add_band(figure, dates, -noise, noise, look.with_alpha(INKS[theme].muted, 0.25))
    for kind, label, colour, dash in (
        ("joined", "joined by date", market.JOINED, "dot"),
        ("known", "known at the forecast", market.KNOWN, "solid"),
    ):
        is_own = (ds.attrs["alignment"] == "date") == (kind == "joined")
        figure.scatter(
            x=dates,
            y=ds[f"{kind}_rolling"].values[days],
            mode="lines",
            name=label,
            line={"color": colour, "dash": dash, "width": 3 if is_own else 1.6},
            hovertemplate="%{y:+.2f}",
        )
    target, beside = (market.shortened(str(ds["channel"].values[k])) for k in (0, number))
    band = "Grey: what chance alone gives, in 95 % of windows."
    notes = [overall_sentence(ds), band, sentences(market.source_sentence(ds), thinning)]
    look.apply(figure, theme, title=f"Does {beside} tell {target}'s next move?", notes=notes, height=440)
    market.legend_under(figure, lines=2)
    market.date_axis(figure)
    link(figure, "x", "day")
    return figure.update_yaxes(
        title_text=f"Correlation, last {ds.attrs['window']}",
        range=[-1.02, 1.02],
        dtick=0.5,
        zeroline=True,
        zerolinecolor=INKS[theme].muted,
    )


def overall_sentence(ds: Run) -> str:
    """The two correlations over all the years."""
    by_date, by_release = measures.correlation_by_date(ds), measures.correlation_as_known(ds)
    alert = "" if int(ds.attrs["number"]) not in measures.places_ahead(ds) else f" {TOO_MUCH[0].upper()}{TOO_MUCH[1:]}"
    return f"Over all these years: same-day correlation {_signed(by_date)}, usable {_signed(by_release)}.{alert}"


def ahead_sentence(ds: Run) -> str:
    """Which covariates tell the next move by more than honest ones; empty where none does."""
    names = [market.words(ds, place) for place in measures.places_ahead(ds)]
    more = " and more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}: {TOO_MUCH}" if names else ""


@drawn(
    "Which covariates leak when joined by date?",
    shows="Each covariate's correlation with the next move, both ways.",
    cannot_show="How a forecast would do.",
)
def leak(ds: Run, *, theme: Theme = "light") -> Figure:
    """Every covariate's two correlations over all the years, and what lies between them."""
    title = "Which covariates leak when joined by date?"
    count = ds.sizes["channel"] - 1
    if count == 0:
        return worded(NO_COVARIATE, title=title, theme=theme)
    by_release, by_date = ds["known_overall"].values[1:], ds["joined_overall"].values[1:]
    places = np.arange(count)
    figure = Figure().scatter(
        x=np.stack([by_release, by_date, np.full(count, np.nan)], axis=1).ravel(),
        y=np.repeat(places, 3),
        mode="lines",
        line={"color": look.with_alpha(market.JOINED, 0.45), "width": 5},
        showlegend=False,
        hoverinfo="skip",
    )
    for values, name, symbol, colour in (
        (by_date, "joined by date", "diamond", market.JOINED),
        (by_release, "known at the forecast", "circle", market.KNOWN),
    ):
        figure.scatter(
            x=values,
            y=places,
            mode="markers",
            name=name,
            customdata=[as_label(market.words(ds, number + 1)) for number in range(count)],
            marker={"symbol": symbol, "size": 11, "color": colour},
            hovertemplate=f"<b>%{{customdata}}</b><br>{name}: %{{x:+.3f}}<extra></extra>",
        )
    notes = [*filter(None, [ahead_sentence(ds)]), fit_sentence(ds), market.source_sentence(ds)]
    look.apply(figure, theme, title=title, notes=notes, hover="closest", height=max(300, 190 + 32 * count))
    market.legend_under(figure, lines=2, axis=52)
    market.channel_axis(figure, market.names(ds)[1:], (count - 0.4, -0.6))
    either = np.abs(np.concatenate([by_release, by_date]))
    reach = 1.12 * max(0.1, float(either[np.isfinite(either)].max(initial=0)))
    return figure.update_xaxes(
        title_text="Correlation with the target's next move",
        range=[-reach, reach],
        zeroline=True,
        zerolinecolor=INKS[theme].muted,
    )


def fit_sentence(ds: Run) -> str:
    """What a linear fit on all covariates explains, joined by date and as known."""
    by_date, by_release = measures.explained_by_date(ds), measures.explained_as_known(ds)
    if not np.isfinite(by_release) or not np.isfinite(by_date):
        return ""
    return (
        f"A linear fit on all of them explains {market.percent(by_date)} of the next move's variance joined by date, "
        f"{market.percent(by_release)} as known (adjusted R², in sample)."
    )


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−") if np.isfinite(value) else "no number"
