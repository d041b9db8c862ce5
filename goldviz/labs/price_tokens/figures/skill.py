"""Is the forecast better than token frequency, when, and than whom?"""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.words import signed
from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO, interval_bars
from goldviz.figures.frames import AtStep, line
from goldviz.figures.market import days_axis
from goldviz.figures.plot import Plot
from goldviz.figures.reading import thinned
from goldviz.figures.theme import BASELINES, NETWORKS, with_alpha
from goldviz.labs.price_tokens.figures.quantities import figure, gained, labels, reference_of
from goldviz.labs.price_tokens.measures import Reading, gained_by_looking_ahead
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.twins import Pair, pair_of
from goldviz.labs.price_tokens.verdict import gain_in_words, model_name
from goldviz.models.style import NetworkStyle

STYLES = {
    "frequency": NetworkStyle("token frequency", "#76808c", "dot", "line-ew-open"),
}


def look_of(name: str) -> NetworkStyle:
    """The look of a model; what has none elsewhere has one here."""
    return {**STYLES, **NETWORKS, **BASELINES}[name]


def network_of(plot: Plot) -> str:
    """The run's network."""
    return PriceTokens.model_validate_json(str(plot.ds.attrs.get("settings", "{}"))).network


@figure(
    "What does looking ahead gain?",
    needs=("nats", "baseline_nats"),
    shows="Nats gained over token frequency, added up. Of recorded twins: honest tokens, and such as look ahead.",
    cannot_show="Why a curve ends well.",
)
def gains(plot: Plot) -> Figure:
    """Gains in -log p(x) over token frequency, added up, so that a curve ends at the mean gain a day.

    A run that has a recorded twin is drawn beside it: the same but for what its tokens may see. Both count from the
    honest run's token frequency, so that what lies between them is what looking ahead gains.
    """
    ds, own, pair = plot.ds, network_of(plot), pair_of(plot.ds)
    zero = reference_of(ds)
    rows, thinning = thinned(ds.sizes["time"], most=400, noun="forecast")
    days = labels(ds)
    dates = [days[day] for day in rows]
    mode = "lines+markers" if len(dates) <= MARKERS_UP_TO else "lines"
    for name in ("garch", "bigram"):
        if name == own or (pair and name == "bigram"):
            continue
        style = look_of(name)
        plot.figure.scatter(
            x=dates,
            y=gained(zero, zero["baseline_nats"].sel(baseline=name).values)[rows],
            mode=mode,
            name=model_name(name, own),
            hovertemplate="%{y:+.4f}",
            line={"color": style.colour, "dash": style.dash, "width": 1.6},
        )
    style = look_of(own)
    now = AtStep("look", gained(zero, plot.now["nats"].mean("seed").values)[:, rows])
    curves: list[tuple[Run, Any]] = [(ds, now)]
    if pair:
        twin = pair.ahead if ds is pair.honest else pair.honest
        last = gained(zero, twin["nats"].isel(look=-1).mean("seed").values)[rows]
        curves = [(pair.honest, last), (ds, now)] if ds is pair.ahead else [(ds, now), (twin, last)]
    for run, curve in curves:
        ahead = pair is not None and run is pair.ahead
        plot.figure.scatter(
            x=dates,
            y=curve,
            mode=mode,
            name=model_name("network", own) + (", looking ahead" if ahead else ", honest" if pair else ""),
            hovertemplate="%{y:+.4f}",
            line={"color": style.colour, "width": 2.6, "dash": "dash" if ahead else "solid"},
            fill="tonexty" if ahead else None,
            fillcolor=with_alpha(plot.ink.muted, 0.2) if ahead else None,
        )
    days_axis(plot.figure, plot.limit("time"))
    plot.link("x", "day")
    plot.linear_axis("gain", "Nats a day, added up", zeroline=True, zerolinewidth=2)
    zero_words = "Zero: honest token frequency." if pair else "Zero: token frequency."
    return plot.finish(_gap(pair), line(plot.step_in_words("look"), zero_words, thinning), height=430)


def _gap(pair: Pair | None) -> str:
    """What looking ahead gains, in words."""
    if pair is None:
        return ""
    gap = gained_by_looking_ahead(*pair)
    if gap <= 0:
        return f"Shaded: looking ahead gains nothing here ({signed(gap, 3)} nats a day)."
    return f"Shaded: looking ahead gains {signed(gap, 3)} nats a day."


@figure(
    "Who forecasts the next move best?",
    title="Who forecasts best?",
    needs=("score", "score_low", "score_high"),
    shows="Nats a day gained over token frequency, with 95 % intervals. Strokes below: each of several seeds.",
    cannot_show="Runs with other tokens.",
)
def scoreboard(plot: Plot) -> Figure:
    """Mean gains with the interval of a bootstrap of blocks of days. A model that knows no token stands beside."""
    ds, own, n = plot.ds, network_of(plot), Reading(plot.ds)
    names = [str(model) for model in reversed(ds["model"].values) if str(model) not in ("frequency", own)]
    for row, model in enumerate(names):
        result, style = n.result(model), look_of(own if model == "network" else model)
        above, below = [result.high - result.value], [result.value - result.low]
        thickness = 2.5 if model == "network" else 1.5
        bars = interval_bars(above, below, style.colour, thickness=thickness, width=6) if result.sure else None
        plot.figure.scatter(
            x=[result.value],
            y=[row],
            mode="markers",
            error_x=bars,
            name=model_name(model, own),
            marker={"symbol": style.symbol, "size": 12, "color": style.colour},
            hovertemplate=f"%{{x:+.4f}} nats a day<extra>{model_name(model, own)}</extra>",
        )
    if "seed_gain" in ds and ds.sizes["seed"] > 1 and "network" in names:
        gains_alone = ds["seed_gain"].values
        plot.figure.scatter(
            x=gains_alone,
            y=np.full(gains_alone.size, names.index("network") - 0.26),
            mode="markers",
            name="each seed",
            marker={"symbol": "line-ns-open", "size": 10, "color": look_of(own).colour, "line": {"width": 1.5}},
            hovertemplate="one seed alone: %{x:+.4f} nats a day<extra></extra>",
        )
    ticks = [model_name(model, own).replace("normal, ", "normal,<br>") for model in names]
    plot.figure.update_xaxes(title_text="Nats a day over token frequency", range=plot.limit("score"), nticks=5)
    plot.figure.update_yaxes(range=(-0.6, len(names) - 0.4), tickvals=list(range(len(names))), ticktext=ticks)
    plot.figure.update_yaxes(showgrid=False)
    plot.figure.add_vline(x=0, line={"color": plot.ink.muted, "width": 2})
    parts = [(word, result) for word, result in (("size", n.size), ("sign", n.sign)) if np.isfinite(result.value)]
    parts_words = ", ".join(f"{word} {result.value:+.4f}".replace("-", "−") for word, result in parts)
    return plot.finish(
        f"{model_name('network', own)}: {gain_in_words(n.own)}.",
        f"Of it: {parts_words}." if parts_words else "",
        height=190 + 48 * max(len(names), 2),
        legend=False,
        hover="closest",
    )
