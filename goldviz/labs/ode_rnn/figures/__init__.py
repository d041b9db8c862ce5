"""The figures of the laboratory *ODE-RNN*, in the order in which a page shows them.

``path``, ``latent``, ``plane``, ``jumps`` and ``solver`` draw in the same way what ``goldviz.labs.ode_rnn.path.path``
gives for observations that were edited, which has no looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures import along_sequence
from goldviz.figures.chart import (
    Channel,
    Panel,
    at,
    averaged,
    axis,
    changed,
    curves,
    dots,
    figure,
    limits_over,
    offered,
    panel,
    rule,
    thinned,
)
from goldviz.figures.elements import log_axis
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values, log10, log_of, values_of
from goldviz.figures.market import counting_log_axis
from goldviz.figures.marks import Rule
from goldviz.figures.plot import Plot
from goldviz.figures.reading import absence, finite, networks, positive, setting_of
from goldviz.figures.theme import NETWORKS, style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.ode_rnn.choices import method_of
from goldviz.labs.ode_rnn.figures.path import (
    TIME,
    as_of,
    flow,
    gaps_before,
    legend_lines,
    longest_gap,
    of_first_channel,
    path,
    time_unit,
)
from goldviz.labs.ode_rnn.figures.states import LATENT, PLANE
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

FLOW = NETWORKS["ode_rnn"]
REFINED = replace(FLOW, label="steps four times as fine", dash="dot", symbol="circle-open")
WORDS_OF_PANEL = 0.14
"""What a line of words takes of a panel's height."""
ERRORS = ("error", "long_gap_error", "zero_error")


def _of_zero(plot: Plot, name: str, horizon: str) -> Sequence[Rule]:
    """The line of forecasting zero, its words on the side where fewer curves pass."""
    value = float("nan") if plot.lacks("zero_error") else float(plot.ds["zero_error"].sel(horizon=horizon))
    if not (np.isfinite(value) and value > 0):
        return []
    (low, high), drawn = plot.limit(f"{' + '.join(ERRORS)}, log"), positive(plot.thinned(name))
    steps = drawn.dims[0]
    under = np.log10(drawn.isel({steps: slice(drawn.sizes[steps] // 2, None)}).values) - np.log10(value)
    room = WORDS_OF_PANEL * (high - low)
    above, below = ((under > 0) & (under < room)).sum(), ((under < 0) & (under > -room)).sum()
    side = {"yanchor": "bottom" if above <= below else "top"}
    return [rule(y=value, words=f"predicting zero: {value:.3g}", more=side)]


def _errors(plot: Plot) -> Sequence[Panel]:
    recorded = [("error", "in range")] + ([] if plot.lacks("long_gap_error") else [("long_gap_error", "long gap")])
    return [panel(curves(thinned(name)), *_of_zero(plot, name, horizon)) for name, horizon in recorded]


def refined_ratio(ds: Run) -> Array:
    """The ODE-RNN's error with steps four times as fine over its own, by look and seed; NaN where it has none."""
    own = ds["error"].sel(network="ode_rnn", drop=True).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ds["refined_error"] / own.where(own > 0)


def _has_flow(ds: Run) -> bool:
    return "error" in ds and "ode_rnn" in ds["network"].values


def _of_ratio(ds: Run) -> Values:
    has_ratio = "refined_error" in ds and _has_flow(ds)
    tenths = 2 * np.log10([1 / 1.1, 1.1])
    return np.append(log10(refined_ratio(ds)).values.ravel(), tenths) if has_ratio else tenths


def _field(plot: Plot) -> Sequence[Panel]:
    if plot.lacks("field_stiffness", "field_saturation"):
        return []
    return [
        panel(curves(thinned("field_stiffness"), style=FLOW, legend=False), y=axis("Norm")),
        panel(curves(thinned("field_saturation"), style=FLOW, legend=False), y=axis("Share", tickformat=".0%")),
    ]


WITHOUT_GAP = "One observation alone has no gap before it."
SOLID = {"opacity": 0.85}


def _of_gaps(ds: Run) -> Values:
    gaps = gaps_before(ds) if ds.sizes.get("observation") and "probe_time" in ds else np.array([])
    return np.asarray(np.log10(gaps[gaps > 0]))


def _wide(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room for whole markers, half a decade apart at least."""
    room = max(0.06 * (high - low), (0.5 - (high - low)) / 2)
    return low - room, high + room


def _gap_axis(plot: Plot) -> Mapping[str, Any]:
    low, high = plot.limit("gap")
    title = {"title_text": f"Gap before the observation ({time_unit(plot.ds)})"}
    return {**counting_log_axis(10**low, 10**high), "range": (low, high), **title}


def _longest(plot: Plot) -> float | None:
    """The longest gap of training, where it lies on the axis."""
    longest, (low, high) = longest_gap(plot.ds), plot.limit("gap")
    return longest if np.isfinite(longest) and low < np.log10(longest) < high else None


LONGEST = rule(x=_longest, foot="longest gap in training")
by_gap = partial(
    figure,
    instead=lambda ds: WITHOUT_GAP if ds.sizes["observation"] < 2 else "",
    limits={"gap": Quantity(_of_gaps, _wide)},
    over="gap",
    x=axis("Gap before the observation", scale="free", told=_gap_axis),
    hover="closest",
)


def _after_first(values: Array) -> Array:
    """Without the first observation, which has no gap before it."""
    return values.isel(observation=slice(1, None)).astype(np.float32)


def _gaps(plot: Plot) -> Array:
    return _after_first(plot.ds["probe_time"].copy(data=gaps_before(plot.ds)))


def _sizes(plot: Plot) -> Array:
    """Jumps, without times at which nothing was seen."""
    sizes = finite(plot.now["jump"])
    if "probe_value" in plot.ds:
        sizes = sizes.where(plot.ds["probe_value"].notnull().any("channel"))
    return sizes.isel(observation=slice(1, None))


def _correlations(plot: Plot) -> Words:
    rows, gaps = _sizes(plot).transpose(..., "observation"), gaps_before(plot.ds)[1:]
    ranks = [rank_correlation(gaps, one) for one in rows.values.reshape(-1, len(gaps))]
    correlations = rows.isel(observation=0).copy(data=np.reshape(ranks, rows.shape[:-1]))
    signed = lambda value: f"{value:+.2f}".replace("-", "−")  # noqa: E731
    return plot.each(correlations, signed, within="Rank correlation with the gap: {}.")


def rank_correlation(x: NDArray[np.floating], y: NDArray[np.floating]) -> float:
    """Spearman's rank correlation of the pairs without NaN; NaN for fewer than three, or if all x or all y are equal.

    >>> rank_correlation(np.array([1.0, 2.0, 4.0]), np.array([5.0, 6.0, 60.0]))
    1.0
    """
    pairs = pd.DataFrame({"x": x, "y": y})
    return round(float(pairs.corr("spearman", min_periods=3).to_numpy()[0, 1]), 12)


def _told(plot: Plot) -> Mapping[str, Any]:
    """Which observation, and, of edited ones, how long the solver's steps before it were."""
    numbers = plot.ds["observation"].values[1:].tolist()
    steps = plot.ds["step_size"].values[1:].tolist() if "step_size" in plot.ds else []
    words = [f"<br>steps of {step:.3g}" for step in steps] or [""] * len(numbers)
    return {"customdata": [*zip(numbers, words, strict=True)]}


def _cost(name: str, title: str) -> Panel:
    style = style_of("ode_rnn")
    look: dict[str, Any] = {"name": style.label, "colour": "ode_rnn", "symbol": style.symbol, "size": 10}
    hover = "before observation %{customdata[0]}<br>gap %{x:.3g}: %{y:.3~g}%{customdata[1]}<extra></extra>"
    return panel(
        dots(changed(name, _after_first), x=_gaps, marker=SOLID, hover=hover, more=_told, **look), y=axis(title)
    )


def _hidden(plot: Plot) -> Words:
    def said(error: Array) -> str:
        count = int(error.isnull().sum())
        return f"Not on the log axis: {count} of {error.size} (exactly 0 or not finite)." if count else ""

    return plot.say(said, positive(as_of(plot, "interval_error")["interval_error"].isel(observation=slice(1, None))))


def _method(plot: Plot) -> str:
    solver_name = setting_of(plot.ds, "solver")
    if solver_name is None:
        return ""
    method = method_of(str(solver_name))
    if method.adaptive:
        return f"{method.words}, tolerance {times(float(setting_of(plot.ds, 'tolerance')))}."
    return f"{method.words}, steps of at most {float(setting_of(plot.ds, 'step_cap')):.3g}."


# A network that knows how things go on is moved less; where jumps grow with the gap, its knowledge runs out. The first
# observation meets an empty state and has no gap.
JUMPS = by_gap(
    "jumps",
    "How much news is an observation?",
    dots(
        Channel("jump", _sizes, _sizes),
        x=_gaps,
        by="network",
        size=9,
        marker=SOLID,
        hover="observation %{customdata}<br>gap %{x:.3g}, jump %{y:.3g}",
        more=lambda plot: {"customdata": plot.ds["observation"].values[1:]},
    ),
    LONGEST,
    needs=("jump", "probe_time"),
    notes=(_correlations,),
    legend="under",
    legend_lines=legend_lines,
)

# The error is the distance between the state at the gap's end and a solution refined in double precision. With one
# step for every gap it grows as a high power of the gap; a cap on the steps makes long gaps cost more instead.
SOLVER = by_gap(
    "solver",
    "What does a long gap cost?",
    _cost("interval_evaluations", "Evaluations"),
    _cost("interval_error", "Distance"),
    LONGEST,
    needs=("interval_evaluations", "interval_error", "probe_time"),
    notes=(_hidden,),
    lead=_method,
    height=560,
    legend="none",
)

FIGURES, shared_limits = offered(
    ODERNNLaboratory,
    figure(
        "flow",
        "What does it expect between two observations?",
        draw=flow,
        title="What does it expect in between?",
        needs=("decoded_mean", "decoded_scale", "probe_time", "probe_value"),
        limits={"time": TIME, "value": limits_over(of_first_channel)},
        shows="The forecast with its 90 % band, and its jump at each observation.",
        cannot_show="Other sequences.",
    ),
    PLANE,
    figure(
        "path",
        "What does each network know between two observations?",
        draw=path,
        title="What is known between observations?",
        needs=("decoded_mean", "decoded_scale", "probe_time", "probe_value"),
        limits={"time": TIME, "value": limits_over(of_first_channel)},
        shows="The forecast with its 90 % band, and its jump at each observation.",
        cannot_show="Other sequences.",
    ),
    # A network above the dotted line in the lower panel would do better to say nothing of gaps that it has not met.
    figure(
        "error",
        "Does it know how things go on?",
        _errors,
        needs=("error",),
        shows="The squared error on unseen sequences, after usual and longer gaps.",
        cannot_show="What a step of each network costs.",
        y=axis("Squared error", *ERRORS, scale="log"),
        height=lambda plot: 430 if plot.lacks("long_gap_error") else 600,
        legend="under",
        legend_lines=legend_lines,
    ),
    LATENT,
    JUMPS,
    SOLVER,
    # If refining the steps changes the error by more than a tenth, the network has learned its solver's map and not an
    # ODE (document 001, eq. 31-32).
    figure(
        "consistency",
        "Is it an ODE that was learned, or the solver's map?",
        panel(
            curves(at(thinned("error"), network="ode_rnn"), style=FLOW, hover="as trained %{y:.3~g}"),
            curves(thinned("refined_error"), style=REFINED, hover="refined %{y:.3~g}", width=2),
            heading="Error of the next value",
            y=axis(
                "Squared error",
                scale="log",
                read=lambda ds: (
                    log_of("error", "refined_error")(ds.sel(network=["ode_rnn"])) if _has_flow(ds) else np.array([])
                ),
            ),
        ),
        panel(
            curves(
                lambda plot: positive(refined_ratio(plot.ds)).sel(look=plot.thinned("refined_error")["look"].values),
                over="look",
                style=FLOW,
                legend=False,
            ),
            rule(y=1.1, words="+10 %"),
            rule(y=1 / 1.1, words="−10 %", more={"yanchor": "top"}),
            heading="Refined error / error",
            y=axis("Ratio", scale="free", told=lambda plot: log_axis(plot.limit("refined_ratio"))),
        ),
        title="Is it an ODE that was learned?",
        needs=("refined_error", "error"),
        limits={"refined_ratio": limits_over(_of_ratio, "log")},
        shows="The error with these steps and with steps four times as fine.",
        cannot_show="Which is nearer to the truth.",
        height=560,
        legend="under",
        legend_lines=2,
    ),
    # Below the line a network is surer than it may be; above it, its bands say less than it knows.
    figure(
        "coverage",
        "Are the bands honest?",
        curves(thinned("coverage")),
        rule(y=0.9, words="90 % promised", end=0),
        cannot_show="Where they fail.",
        y=axis(None, read=lambda ds: np.append(values_of("coverage")(ds), [0.5, 1.0]), tickformat=".0%"),
        legend="under",
        legend_lines=legend_lines,
    ),
    # A solver that chooses its own steps takes more as the field grows stiff; one with fixed steps pays no more and
    # errs.
    figure(
        "evaluations",
        "Does the field grow stiff?",
        panel(curves(averaged("evaluations"), style=FLOW, legend=False), y=axis("Evaluations")),
        _field,
        needs=("evaluations",),
        axes=(axis(None, "field_stiffness", scale="log"), axis(None, "field_saturation", scale="zero")),
        shows="Evaluations a step, how much the field stretches, and its saturated units.",
        height=lambda plot: 400 if plot.lacks("field_stiffness", "field_saturation") else 620,
        legend="none",
    ),
    # Through each jump (document 001, eq. 33), and in the ODE-RNN also back through the flow between two (eq. 32).
    partial(
        along_sequence.state_gradient.of,
        name="gradient_by_observation",
        shows="How long dL/dh is after each observation.",
    ),
    "loss",
    # It goes under another name here.
    without=("state_gradient",),
)

PICTURE_POINTS = 240
"""Places in time at which the home page's picture is drawn: close enough for a jump to look upright."""


def picture(ds: Run) -> str:
    """The home page's picture: what the ODE-RNN says of the probe sequence over time, its jumps, and the signal."""
    label = "What the ODE-RNN expects over time: it bends between observations and jumps at each of them."
    if absence(ds, "decoded_mean") or "ode_rnn" not in networks(ds):
        return polyline_svg([], label=label)
    now = ds.isel(look=-1) if "look" in ds.dims else ds
    times, last = ds["moment"].values.astype(np.float64), float(ds["probe_time"].values[-1])
    places = np.linspace(times[0], last, PICTURE_POINTS)
    style = style_of("ode_rnn")
    mean = now["decoded_mean"].sel(network="ode_rnn").isel(channel=0).values
    curves = [Curve(style.label, np.interp(places, times, mean), style.colour)]
    if not absence(ds, "probe_truth"):
        truth = ds["probe_truth"].isel(channel=0).values
        curves.insert(0, Curve("signal", np.interp(places, times, truth), "#76808c", "dot"))
    return polyline_svg(curves, label=label, axes=("time", "value"), is_revealed=True)
