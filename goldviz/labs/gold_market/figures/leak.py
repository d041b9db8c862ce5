"""What a covariate tells of the target's next move, as known and as joined by date; and what a document's tone does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures.chart import axis, between, dots, lines
from goldviz.figures.elements import interval_bars
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.theme import with_alpha
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.figures.drawing import DATES, around_zero, channels, free, of, of_market, thin, told

MOST_DAYS = 1_000
MOST_NAMED = 3
TOO_MUCH = "no honest column tells so much of what comes. Is it known later than its date says?"
NO_COVARIATE = "This market has no covariate: there is nothing to join."
WITHOUT_TONE = (
    "No document's tone is in this market: add one on the page Policy documents, or plant a response to the generated "
    "statements."
)


def _rolling(plot: Plot) -> Sequence[Mark]:
    """What chance gives, and the target's next move with one covariate; thick is what the network would see."""
    ds, day, rows = plot.ds, "answer_day", thin(plot, "answer_day", MOST_DAYS)
    kinds = (
        ("joined", "joined by date", market.JOINED, "dot", "date"),
        ("known", "known at the forecast", market.KNOWN, "solid", "release"),
    )
    return [
        between(of(ds["noise"], day=day, rows=rows, factor=-1), of(ds["noise"], day=day, rows=rows), alpha=0.25),
        *(
            lines(
                of(ds[f"{kind}_rolling"], day=day, rows=rows),
                name=name,
                colour=colour,
                dash=dash,
                width=3 if ds.attrs["alignment"] == by else 1.6,
                hover="%{y:+.2f}",
            )
            for kind, name, colour, dash, by in kinds
        ),
    ]


def _in_title(plot: Plot) -> str:
    target, beside = (market.shortened(str(plot.ds["channel"].values[k])) for k in (0, int(plot.ds.attrs["number"])))
    return f"Does {beside} tell {target}'s next move?"


def overall_sentence(ds: Run) -> str:
    """The two correlations over all the years."""
    by_date, by_release = measures.correlation_by_date(ds), measures.correlation_as_known(ds)
    alert = "" if int(ds.attrs["number"]) not in measures.places_ahead(ds) else f" {TOO_MUCH[0].upper()}{TOO_MUCH[1:]}"
    return f"Over all these years: same-day correlation {_signed(by_date)}, usable {_signed(by_release)}.{alert}"


correlation = of_market(
    "correlation",
    "Does the covariate tell the next move?",
    _rolling,
    title=_in_title,
    shows="The correlation over a rolling window.",
    instead=lambda ds: "" if int(ds.attrs["number"]) else NO_COVARIATE,
    over="answer_day",
    x=DATES,
    y=around_zero(lambda ds: f"Correlation, last {ds.attrs['window']}", range=[-1.02, 1.02], dtick=0.5),
    notes=(told(overall_sentence), "Grey: what chance alone gives, in 95 % of windows."),
    height=440,
)


def _both_ways(plot: Plot) -> Sequence[Mark]:
    """Every covariate's two correlations over all the years; the bar is what lies between them."""
    by_release, by_date = plot.ds["known_overall"][1:], plot.ds["joined_overall"][1:]
    names = [as_label(market.words(plot.ds, number + 1)) for number in range(by_date.size)]
    gap = np.nan_to_num(by_release.values - by_date.values)
    ways = (
        ("joined by date", by_date, "diamond", market.JOINED),
        ("known at the forecast", by_release, "circle", market.KNOWN),
    )
    bar = interval_bars(np.maximum(gap, 0), np.maximum(-gap, 0), with_alpha(market.JOINED, 0.45), thickness=5, width=0)
    return [
        dots(
            of(values.copy(data=np.arange(values.size, dtype=float))),
            x=of(values),
            name=name,
            colour=colour,
            symbol=symbol,
            hover=f"<b>%{{customdata}}</b><br>{name}: %{{x:+.3f}}<extra></extra>",
            more={"customdata": names, **({"error_x": bar} if values is by_date else {})},
        )
        for name, values, symbol, colour in ways
    ]


def _reach(plot: Plot) -> dict[str, Any]:
    either = np.abs(np.concatenate([plot.ds[name].values[1:] for name in ("known_overall", "joined_overall")]))
    reach = 1.12 * max(0.1, float(either[np.isfinite(either)].max(initial=0)))
    return {"range": [-reach, reach], "zeroline": True, "zerolinecolor": plot.ink.muted}


def ahead_sentence(ds: Run) -> str:
    """Which covariates tell the next move by more than honest ones; empty where none does."""
    names = [market.words(ds, place) for place in measures.places_ahead(ds)]
    more = " and more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}: {TOO_MUCH}" if names else ""


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


leak = of_market(
    "leak",
    "Which covariates leak when joined by date?",
    _both_ways,
    shows="Each covariate's correlation with the next move, both ways.",
    cannot_show="How a forecast would do.",
    instead=lambda ds: "" if ds.sizes["channel"] > 1 else NO_COVARIATE,
    x=free(_reach, "Correlation with the target's next move"),
    y=free(lambda plot: channels(plot, 1)),
    notes=(told(ahead_sentence), told(fit_sentence)),
    height=lambda plot: max(300, 158 + 32 * plot.ds.sizes["channel"]),
    hover="closest",
)


def _answers(plot: Plot) -> Sequence[Mark]:
    """One point a document: its tone, and the mean move until the next; with the line fitted to all moves."""
    ds, factor, slope = plot.ds, market.unit_of_changes(plot.ds).factor, measures.answer(plot.ds)
    documents = dots(
        of(ds["answer"], factor=factor),
        x=of(ds["tone"]),
        name="a document",
        colour=with_alpha(market.BESIDE, 0.6),
        size=8,
        hover="%{customdata}<br>tone %{x:+.2f} sd, then %{y:+.3f} a day<extra></extra>",
        more={"customdata": market.days(ds["document"])},
    )
    if not np.isfinite(slope):
        return [documents]
    ends = ds["tone"][:2].copy(data=[np.nanmin(ds["tone"].values), np.nanmax(ds["tone"].values)])
    fitted = of(slope * measures.spread_of_moves(ds) * ends + measures.mean_move(ds), factor=factor)
    how: dict[str, Any] = {"name": "fitted to all moves", "colour": "accent", "width": 2.5}
    return [documents, lines(fitted, x=of(ends), **how, hover="%{y:+.3f} a day, as fitted<extra></extra>")]


def _mean_moves(ds: Run) -> str:
    unit = market.unit_of_changes(ds)
    return as_label(unit.called(f"Mean {unit.noun}"))


def answer_sentence(ds: Run) -> str:
    """What a standard deviation of the tone goes with, how sure that is, and what was planted."""
    slope, unsure, truth = measures.answer(ds), measures.answer_unsure(ds), float(ds.attrs["planted"])
    if not np.isfinite(slope):
        return "There are too few documents for a line."
    sure = "more than chance" if abs(slope) > unsure else "no more than chance"
    beside = f"; planted: {truth:g}" if truth else ""
    return (
        (f"One sd of the tone goes with {slope:+.2f} ± {unsure:.2f} sd of a move (95 %): {sure}{beside}.")
        .replace("+-", "−")
        .replace(" -", " −")
    )


answer = of_market(
    "answer",
    "Does the target move with what documents say?",
    _answers,
    title=lambda plot: f"Does {market.shortened(str(plot.ds['channel'].values[0]))} move with what documents say?",
    shows="The mean move from the second working day after a document until that of the next, by tone.",
    instead=lambda ds: "" if ds.sizes["document"] else WITHOUT_TONE,
    x=axis("Tone, standard deviations from its mean", scale="free"),
    y=around_zero(_mean_moves),
    notes=(told(answer_sentence),),
    height=400,
    legend_lines=1,
    hover="closest",
)
