"""Is the forecast better than token frequency, when, and than whom?"""

from __future__ import annotations

import numpy as np

from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.frames import AtStep
from goldviz.figures.market import days_axis
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, thinned
from goldviz.figures.theme import BASELINES, NETWORKS
from goldviz.labs.price_tokens.figures.quantities import figure, gained, labels
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.settings import PriceTokens
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
    "When is the forecast better than token frequency?",
    title="When is it better?",
    needs=("nats", "baseline_nats"),
    shows="Nats gained over saying how often each token comes, added up over time.",
    cannot_show="Why a curve ends well: one good spell is enough, or a look ahead.",
)
def gains(plot: Plot) -> Figure:
    """Gains in -log p(x) over token frequency, added up, so that a curve ends at the mean gain a day."""
    ds, own = plot.ds, network_of(plot)
    rows, thinning = thinned(ds.sizes["time"], most=400, noun="forecast")
    days = labels(ds)
    dates = [days[day] for day in rows]
    mode = "lines+markers" if len(dates) <= MARKERS_UP_TO else "lines"
    for name in ("garch", "bigram"):
        if name == own:
            continue
        style = look_of(name)
        y = gained(ds, ds["baseline_nats"].sel(baseline=name).values)[rows]
        plot.figure.scatter(
            x=dates,
            y=y,
            mode=mode,
            name=model_name(name, own),
            hovertemplate="%{y:+.4f}",
            line={"color": style.colour, "dash": style.dash, "width": 1.6},
        )
    style, now = look_of(own), plot.now["nats"].mean("seed")
    curve = AtStep("look", gained(ds, now.values)[:, rows])
    plot.figure.scatter(
        x=dates,
        y=curve,
        mode=mode,
        name=model_name("network", own),
        hovertemplate="%{y:+.4f}",
        line={"color": style.colour, "width": 2.6},
    )
    days_axis(plot.figure, plot.limit("time"))
    plot.link("x", "day")
    plot.linear_axis("gain", "Nats a day, added up")
    plot.reference(0.0, "token frequency", x=0)
    return plot.finish(plot.when("Epoch {}.", "look"), sentences(thinning), height=430)


@figure(
    "Who forecasts the next move best?",
    title="Who forecasts best?",
    needs=("score", "score_low", "score_high"),
    shows="Nats a day that each model gains over token frequency, with 95 % intervals. Strokes: each seed alone.",
    cannot_show="How runs with other tokens compare: their zero is another one. Nats a day, in the table, compare.",
)
def scoreboard(plot: Plot) -> Figure:
    """Mean gains with the interval of a bootstrap of blocks of days. A model that knows no token stands beside."""
    ds, own, n = plot.ds, network_of(plot), Reading(plot.ds)
    names = [str(model) for model in reversed(ds["model"].values) if str(model) not in ("frequency", own)]
    for row, model in enumerate(names):
        result, style = n.result(model), look_of(own if model == "network" else model)
        bars = (
            {
                "array": [result.high - result.value],
                "arrayminus": [result.value - result.low],
                "width": 6,
                "color": style.colour,
                "thickness": 2.5 if model == "network" else 1.5,
            }
            if result.sure
            else None
        )
        plot.figure.scatter(
            x=[result.value],
            y=[row],
            mode="markers",
            error_x=bars,
            name=model_name(model, own),
            marker={"symbol": style.symbol, "size": 12, "color": style.colour},
            hovertemplate=f"%{{x:+.4f}} nats a day<extra>{model_name(model, own)}</extra>",
        )
    if ds.sizes["seed"] > 1 and "seed_gain" in ds and "network" in names:
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
    plot.figure.add_vline(x=0, line={"color": plot.ink.accent, "width": 2})
    parts = [(word, result) for word, result in (("size", n.size), ("sign", n.sign)) if np.isfinite(result.value)]
    parts_words = ", ".join(f"{word} {result.value:+.4f}".replace("-", "−") for word, result in parts)
    return plot.finish(
        f"{model_name('network', own)}: {gain_in_words(n.own)}.",
        f"Of it: {parts_words}." if parts_words else "",
        height=190 + 48 * max(len(names), 2),
        legend=False,
        hover="closest",
    )
