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
from goldviz.labs.gold_market.figures.drawing import DATES, around_zero, channels, of_market, on_days, thin, told

WAYS = {
    "joined": ("joined by date", market.JOINED, "dot", "diamond"),
    "known": ("known at the forecast", market.KNOWN, "solid", "circle"),
}
"""Name, colour, dash and symbol of what a covariate tells by date, and as it was known."""
MOST_NAMED = 3
TOO_MUCH = "no honest column tells so much of what comes. Is it known later than its date says?"
NO_COVARIATE = "This market has no covariate: there is nothing to join."
WITHOUT_TONE = (
    "No document's tone is in this market: add one on the page Policy documents, or plant a response to the generated "
    "statements."
)


def _rolling(plot: Plot) -> Sequence[Mark]:
    ds, rows = plot.ds, thin(plot, "answer_day")
    thick = "joined" if ds.attrs["alignment"] == "date" else "known"
    return [
        between(on_days(-ds["noise"], rows), on_days(ds["noise"], rows), alpha=0.25),
        *(
            lines(
                on_days(ds[f"{way}_rolling"], rows),
                name=name,
                colour=colour,
                dash=dash,
                width=3 if way == thick else 1.6,
                hover="%{y:+.2f}",
            )
            for way, (name, colour, dash, _) in WAYS.items()
        ),
    ]


def overall_sentence(ds: Run) -> str:
    """The two correlations over all the years."""
    by_date, by_release = map(_signed, (measures.correlation_by_date(ds), measures.correlation_as_known(ds)))
    alert = f" {TOO_MUCH[0].upper()}{TOO_MUCH[1:]}" if int(ds.attrs["number"]) in measures.places_ahead(ds) else ""
    return f"Over all these years: same-day correlation {by_date}, usable {by_release}.{alert}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−") if np.isfinite(value) else "no number"


correlation = of_market(
    "correlation",
    "Does the covariate tell the next move?",
    _rolling,
    title=lambda plot: (
        f"Does {market.name_of(plot.ds, int(plot.ds.attrs['number']))} tell {market.name_of(plot.ds, 0)}'s next move?"
    ),
    shows="Thick: as the rows are joined now.",
    instead=lambda ds: "" if int(ds.attrs["number"]) else NO_COVARIATE,
    over="answer_day",
    x=DATES,
    y=around_zero(lambda ds: f"Correlation, last {ds.attrs['window']}", range=[-1.02, 1.02], dtick=0.5),
    notes=(told(overall_sentence), "Grey: what chance alone gives, in 95 % of windows."),
    height=440,
)


def _both_ways(plot: Plot) -> Sequence[Mark]:
    joined, known = (plot.ds[f"{way}_overall"].values[1:] for way in WAYS)
    gap = np.nan_to_num(known - joined)
    bar = interval_bars(np.maximum(gap, 0), np.maximum(-gap, 0), with_alpha(market.JOINED, 0.45), thickness=5, width=0)
    return [_overall(plot, "joined", error_x=bar), _overall(plot, "known")]


def _overall(plot: Plot, way: str, **more: Any) -> Mark:
    (name, colour, _, symbol), values = WAYS[way], plot.ds[f"{way}_overall"].values[1:]
    said = [as_label(str(words)) for words in plot.ds["words"].values[1:]]
    hover = f"<b>%{{customdata}}</b><br>{name}: %{{x:+.3f}}<extra></extra>"
    look = {"name": name, "colour": colour, "symbol": symbol}
    return market.in_rows(values, np.arange(values.size), **look, hover=hover, more={"customdata": said, **more})


def _reach(plot: Plot) -> dict[str, Any]:
    either = np.abs(np.concatenate([plot.ds[f"{way}_overall"].values for way in WAYS]))
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


leak = of_market(
    "leak",
    "Which covariates leak when joined by date?",
    _both_ways,
    shows="Bar: what joining by date gives away.",
    cannot_show="How a forecast would do.",
    instead=lambda ds: "" if ds.sizes["channel"] > 1 else NO_COVARIATE,
    x=axis("Correlation with the target's next move", scale="free", told=_reach),
    y=axis(scale="free", told=lambda plot: channels(plot, 1)),
    notes=(told(ahead_sentence), told(fit_sentence)),
    height=lambda plot: max(300, 158 + 32 * plot.ds.sizes["channel"]),
    hover="closest",
)


def _answers(plot: Plot) -> Sequence[Mark]:
    """One point a document: its tone, and the mean move until the next; with the line fitted to all moves."""
    ds, factor, slope = plot.ds, market.unit_of_changes(plot.ds).factor, measures.answer(plot.ds)
    documents = dots(
        lambda plot: factor * plot.ds["answer"],
        x="tone",
        name="a document",
        colour=with_alpha(market.BESIDE, 0.6),
        size=8,
        hover="%{customdata}<br>tone %{x:+.2f} sd, then %{y:+.3f} a day<extra></extra>",
        more={"customdata": market.days(ds["document"])},
    )
    if not np.isfinite(slope):
        return [documents]
    ends = ds["tone"][:2].copy(data=[np.nanmin(ds["tone"].values), np.nanmax(ds["tone"].values)])
    fitted = lines(
        lambda plot: factor * (slope * measures.spread_of_moves(ds) * ends + measures.mean_move(ds)),
        x=lambda plot: ends,
        name="fitted to all moves",
        colour="accent",
        width=2.5,
        hover="%{y:+.3f} a day, as fitted<extra></extra>",
    )
    return [documents, fitted]


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
    said = f"One sd of the tone goes with {slope:+.2f} ± {unsure:.2f} sd of a move (95 %): {sure}{beside}."
    return said.replace("+-", "−").replace(" -", " −")


answer = of_market(
    "answer",
    "Does the target move with what documents say?",
    _answers,
    title=lambda plot: f"Does {market.name_of(plot.ds, 0)} move with what documents say?",
    shows="The mean move from the second working day after a document until that of the next, by tone.",
    instead=lambda ds: "" if ds.sizes["document"] else WITHOUT_TONE,
    x=axis("Tone, standard deviations from its mean", scale="free"),
    y=around_zero(_mean_moves),
    notes=(told(answer_sentence),),
    height=400,
    legend_lines=1,
    hover="closest",
)
