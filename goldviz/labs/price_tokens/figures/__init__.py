"""The figures of the laboratory *Price tokens*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.diagnostics.forecasts.words import signed
from goldviz.figures import theme as look
from goldviz.figures.chart import (
    Channel,
    Panel,
    axis,
    bars,
    between,
    changed,
    colours,
    dots,
    figure,
    heat,
    lines,
    offered,
    panel,
    rule,
    series,
)
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.fits import losses_of_fits
from goldviz.figures.limits import Values
from goldviz.figures.market import days_between, each_seed, in_template, scored
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import thinned
from goldviz.figures.theme import BASELINES, NETWORKS
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.price_tokens.figures.text import DAYS, as_text
from goldviz.labs.price_tokens.measures import Reading, gained_by_looking_ahead, pair_of
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import gain_in_words, model_name
from goldviz.models.style import NetworkStyle

FREQUENCY = NetworkStyle("token frequency", "#76808c", "dot", "line-ew-open")
POINTS, MOST_POINTS, MOST_MOTIFS = 60, 400, 8


def look_of(name: str) -> NetworkStyle:
    """The look of a model; what has none elsewhere has one here."""
    return {"frequency": FREQUENCY, **NETWORKS, **BASELINES}[name]


def _network_of(plot: Plot) -> str:
    return PriceTokens.model_validate_json(str(plot.ds.attrs.get("settings", "{}"))).network


def gained(ds: Run, losses: Array) -> Array:
    """Nats gained over a run's token frequency, added up over time; the last sum is the mean gain: (..., time)."""
    reference = ds["baseline_nats"].sel(baseline="frequency").values.astype(np.float64)
    sums = np.cumsum(reference - losses.values.astype(np.float64), axis=-1)
    return losses.copy(data=sums / max(len(reference), 1))


def reference_of(ds: Run) -> Run:
    """The run whose token frequency gains count from: the honest one of two, else the run itself."""
    pair = pair_of(ds)
    return pair.honest if pair else ds


def _gains(ds: Run) -> Values:
    if "baseline_nats" not in ds or "nats" not in ds or not ds["nats"].size:
        return np.array([])
    zero = reference_of(ds)
    networks = [gained(zero, run["nats"].transpose("look", "seed", "time")) for run in pair_of(ds) or [ds]]
    others = gained(zero, ds["baseline_nats"].sel(baseline=["bigram", "garch"]))
    return np.concatenate([*(one.values.ravel() for one in (*networks, others)), [0.0]])


def _scores(ds: Run) -> Values:
    if "score" not in ds:
        return np.array([])
    ends = [ds[name].sel(metric="gain").values for name in ("score", "score_low", "score_high")]
    return np.concatenate([*ends, [0.0]])


def _quantiles(ds: Run) -> Values:
    if "quantile" not in ds or "came" not in ds:
        return np.array([])
    values = np.concatenate([ds["quantile"].values.ravel(), ds["came"].values[-ds.sizes["recent"] :]])
    return Moves.of_run(ds).shown(values)


def _by_model(plot: Plot) -> Sequence[Mark]:
    """Gains of the run and of what stands beside it; a recorded twin differs in what its tokens may see alone."""
    ds, own, pair, zero = plot.ds, _network_of(plot), pair_of(plot.ds), reference_of(plot.ds)
    rows, plot.thinning = thinned(ds.sizes["time"], most=MOST_POINTS, noun="forecast")
    mode = "lines+markers" if len(rows) <= MARKERS_UP_TO else "lines"

    def line(losses: Array, name: str, colour: str, dash: str, width: float, **more: Any) -> Mark:
        sums = gained(zero, losses).isel(time=rows)
        how: dict[str, Any] = {"name": name, "colour": colour, "dash": dash, "width": width, "mode": mode}
        return lines(lambda _: sums, over="time", hover="%{y:+.4f}", more=more, **how)

    beside = [name for name in ("garch", "bigram") if name != own and not (pair and name == "bigram")]
    drawn = [
        line(zero["baseline_nats"].sel(baseline=name), model_name(name, own), style.colour, style.dash, 1.6)
        for name, style in ((name, look_of(name)) for name in beside)
    ]
    name, colour = model_name("network", own), look_of(own).colour
    for run in pair or [ds]:
        losses = plot.now["nats"] if run is ds else run["nats"].isel(look=-1)
        if pair and run is pair.ahead:
            between_them = {"fill": "tonexty", "fillcolor": look.with_alpha(plot.ink.muted, 0.2)}
            drawn.append(line(losses.mean("seed"), f"{name}, looking ahead", colour, "dash", 2.6, **between_them))
        else:
            drawn.append(line(losses.mean("seed"), f"{name}, honest" if pair else name, colour, "solid", 2.6))
    return drawn


def _gap(plot: Plot) -> str:
    """What looking ahead gains, in words."""
    if not (pair := pair_of(plot.ds)):
        return ""
    gap = gained_by_looking_ahead(*pair)
    if gap <= 0:
        return f"Shaded: looking ahead gains nothing here ({signed(gap, 3)} nats a day)."
    return f"Shaded: looking ahead gains {signed(gap, 3)} nats a day."


def _models(plot: Plot) -> list[str]:
    """Models with a gain, the lowest row first."""
    apart = ("frequency", _network_of(plot))
    return [str(model) for model in reversed(plot.ds["model"].values) if str(model) not in apart]


def _by_score(plot: Plot) -> Sequence[Mark]:
    """A row for each model, with its interval where it has one; strokes for seeds alone."""
    own, names, n = _network_of(plot), _models(plot), Reading(plot.ds)
    look: dict[str, Any] = {"unit": " nats a day", "digits": 4}
    drawn: list[Mark] = []
    for row, model in enumerate(names):
        style, network = look_of(own if model == "network" else model), model == "network"
        drawn.append(scored(n.result(model), row, style, model_name(model, own), own=network, **look))
    if "seed_gain" in plot.ds and plot.ds.sizes["seed"] > 1 and "network" in names:
        drawn.append(each_seed(plot.ds["seed_gain"].values, names.index("network"), look_of(own).colour, **look))
    return drawn


def _rows(plot: Plot) -> dict[str, Any]:
    names = _models(plot)
    words = [model_name(model, _network_of(plot)).replace("normal, ", "normal,<br>") for model in names]
    return {"range": (-0.6, len(names) - 0.4), "tickvals": [*range(len(names))], "ticktext": words, "showgrid": False}


def _of_it(plot: Plot) -> str:
    n = Reading(plot.ds)
    parts = [(word, result.value) for word, result in (("size", n.size), ("sign", n.sign)) if np.isfinite(result.value)]
    words = ", ".join(f"{word} {value:+.4f}".replace("-", "−") for word, value in parts)
    return f"Of it: {words}." if words else ""


def _level(plot: Plot, number: int) -> Array:
    quantiles = plot.ds["quantile"].isel(level=number)
    return quantiles.copy(data=Moves.of_run(plot.ds).shown(quantiles.values.astype(np.float64)))


def _came(plot: Plot) -> Array:
    came = plot.ds["came"].isel(time=slice(-plot.ds.sizes["recent"], None))
    return came.copy(data=Moves.of_run(plot.ds).shown(came.values.astype(np.float64)))


def _tomorrow(plot: Plot) -> Sequence[Mark]:
    def middle(low: int, high: int, share: str, alpha: float) -> Mark:
        named = {"name": f"middle {share}", "showlegend": None}
        ends = (lambda plot: _level(plot, low)), (lambda plot: _level(plot, high))
        return between(*ends, colour="muted", alpha=alpha, more=named)

    hover = "%{y:+.2f}" + in_template(Moves.of_run(plot.ds).suffix)
    return [
        middle(0, 4, "90 %", 0.18),
        middle(1, 3, "50 %", 0.34),
        lines(_came, name="what came", colour="text", mode="markers", symbol="circle", size=5, hover=hover),
    ]


def _inside(plot: Plot) -> str:
    came = _came(plot).values
    ends = [(_level(plot, low).values, _level(plot, high).values) for low, high in ((1, 3), (0, 4))]
    half, most = (float(np.mean((came >= low) & (came <= high))) for low, high in ends)
    return f"Inside the bands: {half:.0%} and {most:.0%} of {len(came)} days."


def _meaning(plot: Plot) -> Sequence[Panel]:
    """Mean, spread and share of each token in the last fit's past; a token that never came has no mark."""
    moves, spread = Moves.of_run(plot.ds), plot.ds["token_deviation"].isel(fold=-1).values.astype(np.float64)

    def of_last(name: str, factor: float) -> Channel:
        return changed(name, lambda values: factor * values.isel(fold=-1).astype(np.float64))

    side = {"array": np.nan_to_num(moves.shown(spread)), "color": plot.ink.muted, "thickness": 1.5, "width": 3}
    hover = "mean %{y:+.2f}" + in_template(moves.suffix)
    means = dots(of_last("token_mean", moves.factor), colour="text", size=8, hover=hover, more={"error_y": side})
    shares = bars(of_last("occupancy", 100), colour="muted", hover="%{y:.1f} % of the days")
    free = axis(scale="free")
    return [
        panel(means, heading=moves.called(f"{moves.noun.capitalize()} of its days"), y=free),
        panel(shares, heading="Share of all days (%)", y=free),
    ]


def _used(plot: Plot) -> str:
    by = ", last fit" if plot.ds.sizes["fold"] > 1 else ""
    perplexity = float(plot.ds["code_perplexity"].isel(fold=-1))
    return f"Perplexity{by}: {perplexity:.1f} of {plot.ds.sizes['token_name']} tokens."


def _while_learned(plot: Plot) -> str:
    """From how many codes to how many, where they were learned: fewer and fewer is their collapse."""
    if not plot.ds.sizes.get("code_look"):
        return ""
    first, last = (float(plot.ds["codes_in_use"].isel(code_look=at)) for at in (0, -1))
    return f"While they were learned, first fit: from {first:.1f} to {last:.1f}."


def _chain(of: str, x: str, y: str, heading: str, **ticks: Any) -> Panel:
    rows = axis(
        "from",
        told=lambda plot: {
            "autorange": "reversed",
            "range": None,
            "dtick": max(1, plot.ds.sizes["token_name"] // 8),
            **ticks,
        },
    )
    return panel(heat(of, x, y, hover="%{z:.1%} from %{y} to %{x}"), heading=heading, y=rows)


def _planted(plot: Plot) -> Sequence[Panel]:
    there = "planted_transition" in plot.ds
    return [_chain("planted_transition", "next_planted", "planted", "Planted chain", dtick=1)] if there else []


def _diagonal(plot: Plot, name: str) -> str:
    """How likely a token stays, its ends where there are many."""
    stays = np.diag(plot.ds[name].values)
    if len(stays) <= 4:
        return ", ".join(f"{stay:.1%}" for stay in stays)
    return f"{stays.min():.0%} to {stays.max():.0%}"


def _stays(plot: Plot) -> str:
    beside = f"; planted {_diagonal(plot, 'planted_transition')}" if "planted_transition" in plot.ds else ""
    return f"Stays: {_diagonal(plot, 'transition')}{beside}."


def _first_merges(plot: Plot) -> str:
    first = [str(name).split(": ")[1] for name in plot.ds["motif"].values[:MOST_MOTIFS]]
    return f"First merges: {', '.join(first)}." if first else ""


def _all_alike(plot: Plot) -> str:
    """ln K is the loss of saying all alike."""
    count = plot.ds.sizes["token_name"]
    return f"All {count} alike: {np.log(count):.3f} nat."


FIGURES, shared_limits = offered(
    PriceTokens,
    # Gains in -log p(x), added up, so that a curve ends at the mean gain a day. A run with a recorded twin and the
    # twin count from the honest run's token frequency: what lies between them is what looking ahead gains.
    figure(
        "gains",
        "What does looking ahead gain?",
        _by_model,
        needs=("nats", "baseline_nats"),
        shows="Nats gained over token frequency, added up. Of recorded twins: honest tokens, and such as look ahead.",
        cannot_show="Why a curve ends well.",
        over="time",
        x=axis(scale="free", told=lambda plot: days_between(plot.limit("time"))),
        y=axis("Nats a day, added up", read=_gains, zeroline=True, zerolinewidth=2),
        notes=(_gap,),
        lead=lambda plot: "Zero: honest token frequency." if pair_of(plot.ds) else "Zero: token frequency.",
        limits=DAYS,
    ),
    # Mean gains with the interval of a bootstrap of blocks of days. A model that knows no token stands beside.
    figure(
        "scoreboard",
        "Who forecasts the next move best?",
        _by_score,
        rule(x=0, width=2, dash="solid"),
        title="Who forecasts best?",
        needs=("score", "score_low", "score_high"),
        shows="Nats a day gained over token frequency, with 95 % intervals. Strokes below: each of several seeds.",
        cannot_show="Runs with other tokens.",
        x=axis("Nats a day over token frequency", read=_scores, nticks=5),
        y=axis(scale="free", told=_rows),
        notes=(
            lambda plot: f"{model_name('network', _network_of(plot))}: {gain_in_words(Reading(plot.ds).own)}.",
            _of_it,
        ),
        height=lambda plot: 190 + 48 * max(len(_models(plot)), 2),
        legend="none",
        hover="closest",
    ),
    as_text,
    figure(
        "fan",
        "What is said of tomorrow's move?",
        _tomorrow,
        title="What is said of tomorrow?",
        needs=("quantile", "came"),
        shows="The middle 50 % and 90 % of the last forecasts, and what came.",
        over="recent",
        x=axis(scale="free", told=lambda plot: days_between(ticks=5)),
        y=axis(read=_quantiles, told=lambda plot: {"title_text": as_label(Moves.of_run(plot.ds).next)}),
        lead=_inside,
    ),
    figure(
        "meaning",
        "What does each token stand for?",
        _meaning,
        title="What does each token mean?",
        needs=("token_mean", "token_deviation", "occupancy", "code_perplexity"),
        shows="The mean move of each token's days. Below: how often it was written.",
        notes=(_used, _while_learned),
        height=480,
        legend="none",
    ),
    # Shares of the tokens that follow, by rows, and the planted chain from one trading day to the next.
    figure(
        "transitions",
        "Which token follows which?",
        _chain("transition", "next_token", "token_name", "Tokens as written"),
        _planted,
        shows="How often one token follows another. Below: the same of planted regimes, where there are some.",
        colour=colours("Share of the days that follow", ends=(0, 1), tickformat=".0%"),
        notes=(
            _stays,
            lambda plot: (
                f"The fit itself: {_diagonal(plot, 'fitted_transition')}." if "fitted_transition" in plot.ds else ""
            ),
        ),
        height=lambda plot: 680 if "planted_transition" in plot.ds else 460,
    ),
    # Byte-pair merges learned on the past, later days coded with them (document 002, 2.4).
    figure(
        "motifs",
        "Do pairs of days earn a name of their own?",
        lines(
            "bits",
            by="order",
            looks=(series("shuffled", "shuffled", "muted", "dot"), series("as it came", "as it came", "text")),
            mode="lines+markers",
            symbol="circle",
            size=5,
            width=2.4,
            hover="%{y:.3f} bits a day",
        ),
        title="Do days make words?",
        needs=("bits", "motif_count"),
        cannot_show="Whether a shape comes again.",
        y=axis("Bits a day"),
        lead=_first_merges,
        height=400,
    ),
    # The shared figure of fits, over the epochs, with one sentence more.
    replace(
        losses_of_fits(PriceTokens.variables_by_kind, _all_alike, title="Loss (nat)"),
        name="loss",
        question="Does it learn, or learn by heart?",
        needs=("loss", "validation_loss", "token_name"),
        shows="Training and validation loss, and the epochs that forecast.",
    ),
    # It is called loss here.
    without=("loss_by_fit",),
)


def picture(ds: Run) -> str:
    """The home page's picture: nats gained over token frequency, added up over time."""
    label = "What a network gains over saying how often each token comes; GARCH gains more."
    own = gained(ds, ds["nats"].isel(look=-1).mean("seed")).values
    garch = gained(ds, ds["baseline_nats"].sel(baseline="garch")).values
    rows, _ = thinned(len(own), most=POINTS, noun="forecast")
    curves = [
        Curve("frequency", np.zeros(len(rows)), look_of("frequency").colour, "dot"),
        Curve("GARCH", garch[rows], look_of("garch").colour, "longdash"),
        Curve("MLP", own[rows], look_of("mlp").colour),
    ]
    return polyline_svg(curves, label=label, axes=("time", "gain, added up"))
