"""The figures of the laboratory *Transformer for series*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.figures.chart import (
    Channel,
    Panel,
    at,
    attribute,
    axis,
    bars,
    between,
    changed,
    colours,
    curves,
    dots,
    figure,
    heat,
    lines,
    mean,
    offered,
    panel,
    rule,
    series,
    where_recorded,
)
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import Values, values_of
from goldviz.figures.marks import Mark
from goldviz.figures.plot import Plot, unless
from goldviz.figures.reading import finite, single
from goldviz.figures.theme import depth_colours, style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.series_attention.settings import SeriesAttention
from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS
from goldviz.plurals import how_many

FARTHEST = 0.5
"""Heights of a series' own range that its axis follows a forecast up and down, at most."""
DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot", "solid", "dot")
"""Of heads; blocks differ in colour."""


def _of_probe(ds: Run) -> Values:
    """The probe's values and what is forecast of them, as far as half its range beyond it."""
    values = values_of("probe")(ds)
    if not np.isfinite(values).any():
        return np.array([])
    room = FARTHEST * (float(np.ptp(values[np.isfinite(values)])) or 1.0)
    forecasts = values_of("forecast", "fan")(ds)
    near = np.clip(forecasts[np.isfinite(forecasts)], np.nanmin(values) - room, np.nanmax(values) + room)
    return np.concatenate([values, near])


VALUE, PRODUCT = axis("Value", read=_of_probe), axis("q k / √d", "similarity", scale="linear")
SCORE = axis("Score", "score", scale="zero")
MARKED: dict[str, Any] = {"mode": "lines+markers", "symbol": "circle", "size": 5}


def _floor(plot: Plot) -> float | None:
    """What no forecast can pass, where it is known; a log axis has no place for 0."""
    floor = 0.0 if plot.lacks("floor") else float(plot.ds["floor"])
    return floor if floor > 0 else None


def _best_simple(plot: Plot) -> float | None:
    if plot.lacks("simple_weighted"):
        return None
    best = float(finite(plot.ds["simple_weighted"]).median("seed").min("simple"))
    return best if best > 0 else None


SIMPLE = [curves(at("simple_error", simple=name), style=one.style, width=1.5) for name, one in SIMPLE_FORECASTS.items()]
NOISE = rule(y=_floor, words="noise alone")


def _expected(plot: Plot) -> Sequence[Mark]:
    """The first network's drawn courses, the series, and every network's forecast."""
    first, context = plot.networks[0], int(plot.ds.attrs["context"])

    def behind(plot: Plot) -> Array:
        return plot.ds["ahead"] + context

    def quantile(number: int) -> Channel:
        return changed(at("fan", network=first), lambda courses: courses.isel(share=number))

    def part(first: int, last: int | None) -> Channel:
        return changed("probe", lambda values: values.isel(place=slice(first, last)))

    return [
        between(quantile(0), quantile(4), x=behind, colour=first, alpha=0.18),
        between(quantile(1), quantile(3), x=behind, colour=first, alpha=0.28),
        lines(part(0, context), name="past", colour="text"),
        lines(part(context - 1, None), name="what came", colour="text", dash="dot"),
        lines("forecast", by="network", x=behind),
    ]


def _heads(plot: Plot) -> Sequence[Mark]:
    """A line for each head, in its block's colour."""
    blocks, heads = plot.ds["layer_number"].values, plot.ds["head"].values
    return [
        lines(
            at("attention_by_lag", layer_number=block, head=head),
            name=f"block {block}, head {head}",
            colour=colour,
            dash=DASHES[(int(head) - 1) % len(DASHES)],
        )
        for block, colour in zip(blocks, depth_colours(len(blocks), plot.theme), strict=True)
        for head in heads
    ]


def _read_by_row(values: Array) -> Array:
    """Of every row but the first the value of the one before."""
    return values.isel(place=slice(0, -1)).assign_coords(place=values["place"].values[1:])


def _alike(plot: Plot) -> Sequence[Panel]:
    """The values that rows read, and the products of the networks that have queries and keys."""
    products = plot.ds["similarity"]
    attending = [one for one in plot.networks if np.isfinite(products.sel(network=one).values).any()]
    return [
        panel(
            lines(changed("probe", _read_by_row), name="value", colour="text", width=1.5, legend=False, **MARKED),
            heading="Value that the row reads",
            y=VALUE,
        ),
        panel(
            lines(changed("similarity", lambda of_all: of_all.sel(network=attending)), by="network", **MARKED),
            y=PRODUCT,
        ),
    ]


def _all_heard(plot: Plot) -> str:
    whole = np.flatnonzero(plot.ds["heard"].values.all(1))
    return f"All heard after {how_many(int(plot.ds['depth'].values[whole[0]]), 'block')}." if whole.size else ""


def _attending(plot: Plot) -> Sequence[Panel]:
    """The first head's scores, the highest first, and its active rows on the series."""
    score, active = (plot.now[name].isel(layer_number=0, head=0) for name in ("score", "active"))
    order = np.argsort(-score.values, axis=-1)
    colour_of = np.where(active.values > 0, plot.ink.accent, plot.ink.muted)
    values = np.where(active.values > 0, plot.ds["probe"].values, np.nan)
    return [
        panel(
            bars(
                lambda _: score.copy(data=single(np.take_along_axis(score.values, order, -1))),
                marker={"color": AtStep("look", np.take_along_axis(colour_of, order, -1).tolist())},
                more={"customdata": AtStep("look", plot.ds["place"].values[order])},
                hover="row %{customdata}: %{y:.3f}<extra></extra>",
            ),
            heading="Score, highest first",
            y=SCORE,
        ),
        panel(
            lines("probe", name="value", colour="text", width=1.5),
            dots(lambda _: active.copy(data=values), name="attends", colour="accent", size=8, hover="%{y:.3f}"),
            y=VALUE,
        ),
    ]


def _errors(plot: Plot) -> Array:
    """Errors of the whole forecast, of every network at each look and of the simple rules; (look, forecaster)."""
    own = finite(plot.now["weighted_error"]).median("seed").transpose("look", "network")
    simple = finite(plot.ds["simple_weighted"]).median("seed")
    names = [plot.look_of(name).label for name in plot.networks]
    names += [SIMPLE_FORECASTS[str(name)].style.label for name in simple["simple"].values]
    values = np.concatenate([own.values, np.tile(simple.values, (own.sizes["look"], 1))], axis=-1)
    return LightArray(values, ("look", "forecaster"), {"look": own["look"].values, "forecaster": np.array(names)})


def _bars_of_errors(plot: Plot) -> Sequence[Mark]:
    """A bar for every forecaster, the simple rules in grey."""
    inks = [plot.look_of(name).colour for name in plot.networks]
    inks += [plot.ink.muted] * plot.ds.sizes["simple"]
    return [bars(_errors, rows="forecaster", marker={"color": inks}, hover="%{y}: %{x:.1%}", legend=False)]


FIGURES, shared_limits = offered(
    SeriesAttention,
    # Each forecast is rolled on from its own answers; 1 is the error of the mean.
    figure(
        "horizon",
        "Who forecasts best?",
        curves("horizon_error"),
        where_recorded(*SIMPLE),
        NOISE,
        also="Thin: simple rules.",
        cannot_show="What other sizes or more steps would give.",
        y=axis(None, "horizon_error", "simple_error", "floor"),
        height=470,
        legend="under",
        legend_lines=4,
    ),
    figure(
        "fan",
        "What does it expect?",
        _expected,
        rule(x=attribute("context", 0.5), width=1, dash="dash"),
        needs=("forecast", "fan", "probe"),
        shows="One series, what followed, and what is expected. Shaded: half and nine tenths of the draws.",
        over="place",
        y=VALUE,
        height=470,
        legend="under",
    ),
    # What Li et al. report, over all rows to forecast.
    figure(
        "errors",
        "Who errs least?",
        _bars_of_errors,
        needs=("weighted_error", "simple_weighted"),
        shows="Absolute errors of the whole forecast, as a share of the values. Grey: simple rules.",
        x=axis("Error as a share of the values", scale="free", rangemode="tozero", tickformat=".0%"),
        height=lambda plot: 200 + 38 * (len(plot.networks) + plot.ds.sizes["simple"]),
        legend="none",
        hover="closest",
    ),
    "attention",
    # A peak at the period means that the head copies from one period ago.
    figure(
        "by_lag",
        "How far back does attention look?",
        _heads,
        needs=("attention_by_lag",),
        over="lag",
        cannot_show="What is made of it.",
        y=axis(None, "attention_by_lag", scale="zero"),
        height=450,
        legend="under",
        legend_lines=lambda plot: 2 + plot.ds.sizes["layer_number"] // 2,
    ),
    # q k / sqrt(d): with k = 1 rows that read equal values score alike, whatever stands around them.
    figure(
        "similarity",
        "Which rows are like this one?",
        _alike,
        needs=("similarity", "probe"),
        shows="One row's query times the key of every row before. Above: the values read.",
        instead=lambda ds: (
            "A GRU has no queries and keys." if "loss" in ds and not np.isfinite(ds["similarity"].values).any() else ""
        ),
        axes=(VALUE, PRODUCT),
        over="place",
        height=560,
        legend="under",
        legend_lines=1,
    ),
    figure(
        "kernels",
        "What are queries and keys made of?",
        bars(
            mean("kernel_norm", "layer_number", "head"),
            over="kernel_lag",
            by="side",
            looks=(series("query", "query", "text"), series("key", "key", "muted", pattern="/")),
        ),
        height=400,
    ),
    # A LogSparse row hears all after log2 L blocks, and not before.
    figure(
        "heard",
        "Who hears whom?",
        heat("heard", "lag", "depth", hover="%{x} rows back after %{y} blocks: %{z}", more={"xgap": 1, "ygap": 2}),
        instead=unless("With ProbSparse attention the series decide which rows look back.", "heard"),
        y=axis(dtick=1),
        colour=colours("Heard", ends=(0.0, 1.0), below=True, tickmode="array", tickvals=[0, 1], ticktext=["no", "yes"]),
        lead=_all_heard,
        height=380,
    ),
    figure(
        "scores",
        "Which rows attend?",
        _attending,
        needs=("score", "active", "probe"),
        shows="The rows' scores, and the series. Gold: rows that attend.",
        instead=unless("Every row attends: choose ProbSparse attention to see a choice.", "score"),
        axes=(VALUE, SCORE),
        over="place",
        height=560,
        legend="none",
        hover="closest",
    ),
    # Sinusoids: a sum of cosines, which depends on the distance alone, and hardly falls. Learned: what training made.
    figure(
        "positions",
        "How alike are two positions?",
        lines("position_product", name="product", colour="text", **MARKED),
        instead=unless("Rows carry no position.", "position_product"),
        x=axis("Rows apart", unifiedhovertitle_text="%{x} rows apart"),
        legend="none",
    ),
    # Learned positions end with training, and later rows take the last one.
    figure(
        "longer",
        "Does it hold in longer series?",
        curves("row_error"),
        NOISE,
        rule(x=lambda plot: plot.ds.sizes["place"] + 0.5, width=1, dash="dash"),
        needs=("row_error", "probe"),
        instead=lambda ds: (
            "No series is longer than those that are learned from: set Longest, with a pattern that comes again."
            if "loss" in ds and not ds.sizes.get("row")
            else ""
        ),
        y=axis(None, "row_error", "floor"),
        notes=("Dashed: the longest series learned.",),
    ),
    figure(
        "training",
        "Does training improve the forecast?",
        curves("weighted_error"),
        rule(y=_best_simple, words="best simple rule", end=0),
        y=axis(None, "weighted_error", "simple_weighted"),
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: a series and what the first network forecasts of it."""
    values, context = ds["probe"].values.astype(np.float64), int(ds.attrs["context"])
    style = style_of(str(ds["network"].values[0]))
    forecast = np.full(len(values), np.nan)
    forecast[context:] = ds["forecast"].isel(look=-1, network=0).values
    return polyline_svg(
        [Curve("series", values, "#76808c", "dot"), Curve(style.label, forecast, style.colour)],
        label="A series of three sines, and the forecast of the last one by a Transformer.",
        axes=("time", "value"),
    )
