"""The figures of the Jacobian lens: products of step Jacobians over pairs of times, lags and directions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import at, axis, bound, changed, colours, dots, figure, heat, here, lines, rule, series
from goldviz.figures.maps import symmetric
from goldviz.figures.marks import ChannelLike, Mark, given
from goldviz.figures.plot import Plot
from goldviz.figures.theme import NETWORKS, depth_colours
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.jacobian_lens import measures
from goldviz.labs.jacobian_lens.settings import JacobianLens
from goldviz.models.recurrent.cells import CELL_OF_LAYER
from goldviz.models.style import NetworkStyle

LINES = 16
"""Singular values drawn of each product: the largest, the smallest, and some between."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
BOUND, BY_SLOPE, ASYMPTOTE, STEPWISE = "#d55e00", "#009e73", "#0e7ac0", "#c46a9c"
UNCHANGED = rule(y=0, words="1: unchanged")


def network_style(ds: Run) -> NetworkStyle:
    """The fixed look of the dataset's cell."""
    return NETWORKS[CELL_OF_LAYER[str(ds.attrs["cell"])]]


def _whole_map(plot: Plot) -> tuple[float, float]:
    """One colour scale for all paths and for the cell path alone, and never for less than a factor of ten."""
    ds = plot.ds
    return symmetric(*(ds[name].values for name in ("norm", "cell_path") if name in ds), least=1.0)


OF_PAIR = "k = %{x}, t = %{y}<br>gain 10<sup>%{z:.2f}</sup>"
of_pairs = partial(
    figure,
    colour=colours("Average gain from k to t", ends=_whole_map, powers=True, scale="signed"),
    height=450,
    looks_at={"start": None},
    position="start",
    at_once=True,
)
of_gains = partial(axis, scale="exponents", read=lambda ds: np.array([-1.0, 0.5]))


def _factor(exponent: float) -> str:
    """Ten to this power as plain text, also beyond what a float holds."""
    if -3 <= exponent <= 4:
        return f"{10**exponent:.3g}"
    return "10" + f"{exponent:.0f}".translate(SUPERSCRIPTS)


def _told(name: str) -> Callable[..., str]:
    """From where to where a map goes; below its diagonal time would run backwards."""

    def words(plot: Plot, start: int | None) -> str:
        values = plot.ds[name].values
        finite, zeros = values[np.isfinite(values)], int(np.isneginf(values).sum())
        ends = f"From {_factor(finite.min())} to {_factor(finite.max())}. White: unchanged. Red: grown. Blue: faded."
        return f"{ends}<br>{zeros} products are exactly zero and left blank." if zeros else ends

    return words


def _from_start(name: str) -> ChannelLike:
    """The column of a map at the step in view, over lag."""
    return lambda plot: plot.ds["stepwise_bound"].copy(data=plot.ds[name].values[(k := plot.ds.attrs["start"]) :, k])


def _theory(plot: Plot) -> Sequence[Mark]:
    """What was measured, and what bounds, asymptote or gates say of it, of what the cell has."""
    ds, own = plot.ds, network_style(plot.ds).colour
    largest = changed("singular_value", lambda values: values[:, 0])
    drawn = [lines(largest, over="lag", name="largest gain (measured)", colour=own, width=3.5)]
    if "bound" in ds:
        slope = f"bound, with the largest slope {ds.attrs['largest_slope']:.3g}"
        drawn += [
            lines("bound", name="bound, with the norm", colour=BOUND, dash="dash", width=2.5),
            lines("bound_by_slope", name=slope, colour=BY_SLOPE, dash="dashdot", width=1.5),
            lines("asymptote", name="asymptote, with the radius", colour=ASYMPTOTE, dash="dot", width=2.5),
        ]
    else:
        drawn.append(lines(_from_start("norm"), name="average gain (measured)", colour=own, dash="dashdot"))
    if "cell_path" in ds:
        drawn.append(lines(_from_start("cell_path"), name="cell path alone", colour="text", dash="dot", width=2.5))
    if "gate_path" in ds:
        drawn.append(lines("gate_path", name="product of gates, read off", colour="text", dash="dot", width=3.5))
    return [*drawn, lines("stepwise_bound", name="bound, step by step", colour=STEPWISE, dash="longdash", width=1.5)]


def _parts_at(plot: Plot) -> float | None:
    lag = measures.parting_lag(plot.ds) if "bound" in plot.ds else math.inf
    return lag if lag <= plot.ds["lag"].values[-1] else None


def parting(ds: Run) -> str:
    """Where bound and asymptote part, in a sentence."""
    if "bound" not in ds:
        return ""
    norm, radius, lag = ds.attrs["spectral_norm"], ds.attrs["spectral_radius"], measures.parting_lag(ds)
    if lag == math.inf:
        return f"Norm and spectral radius are both {norm:.3g}: bound and asymptote are one line."
    radii = f"Norm {norm:.3g}, spectral radius {radius:.3g}."
    return f"{radii} From lag {lag:g} on, the bound is over ten times the asymptote."


def _orders(plot: Plot) -> list[int]:
    count = plot.ds.sizes["order"]
    return sorted({round(one) for one in np.linspace(0, count - 1, min(LINES, count)).astype(int).tolist()})


def _directions(plot: Plot) -> Sequence[Mark]:
    orders = _orders(plot)
    colours_of = zip(orders, depth_colours(len(orders), plot.theme), strict=True)
    looks = tuple(series(order, f"σ{order + 1}", colour) for order, colour in colours_of)
    some = changed("singular_value", lambda values: values.isel(order=orders).assign_coords(order=orders))
    hover = "%{fullData.name}, lag %{x}: 10<sup>%{y:.2f}</sup><extra></extra>"
    return [lines(some, by="order", looks=looks, width=1.8, hover=hover)]


def _how_many(plot: Plot) -> str:
    of_all = f"{len(_orders(plot))} of {plot.ds.sizes['order']} singular values"
    light = plot.theme == "light"
    return f"{of_all}, dark to light from the largest." if light else f"{of_all}, from the largest down."


def _ends_early(plot: Plot) -> str:
    gaps = bool(np.isnan(plot.ds["singular_value"].values).any())
    return "A line ends where float64 holds no digit of its value any more." if gaps else ""


def _eigenvalues(plot: Plot) -> Sequence[Mark]:
    """Eigenvalues of the recurrent matrix and of one step's Jacobian, with the unit circle."""
    ds, angle = plot.ds, np.linspace(0, 2 * np.pi, 181)
    across, up = (given(places, angle=None) for places in (np.cos(angle), np.sin(angle)))
    circle = lines(up, x=across, name="unit circle", colour="muted", width=1.5, more={"hoverinfo": "skip"})
    clouds = (
        ("weight_eigenvalue", "recurrent matrix W", "text", "circle-open", 8),
        ("step_eigenvalue", f"Jacobian of step {int(ds.attrs['start']) + 1}", network_style(ds).colour, "diamond", 7),
    )
    return [
        circle,
        *(
            dots(
                at(name, part="imaginary"),
                x=at(name, part="real"),
                name=words,
                colour=colour,
                symbol=symbol,
                size=size,
                hover="%{x:.3f} + %{y:.3f} i, modulus %{customdata:.3f}<extra></extra>",
                more={"customdata": np.hypot(*ds[name].values)},
            )
            for name, words, colour, symbol, size in clouds
            if name in ds
        ),
    ]


def _round_circle(plot: Plot) -> dict[str, Any]:
    """Both axes, as far as any eigenvalue or the circle reaches."""
    names = ("weight_eigenvalue", "step_eigenvalue")
    most = 1.1 * max(1.0, *(float(np.abs(plot.ds[name].values).max()) for name in names if name in plot.ds))
    return {"range": [-most, most], "constrain": "domain"}


def _outside(plot: Plot) -> str:
    outside = int((np.hypot(*plot.ds["step_eigenvalue"].values) > 1 + 1e-9).sum())
    return f"{outside} of {plot.ds.sizes['step_eigenvalue_number']} eigenvalues of the step lie outside the circle."


def _saturated(plot: Plot) -> str:
    is_tanh = plot.ds.attrs["cell"] == "rnn_tanh"
    return f"{measures.saturated(plot.ds):.0%} of the units are saturated, |h| above 0.97." if is_tanh else ""


def _forgotten(plot: Plot) -> str:
    steps = measures.forgotten_by(plot.ds)
    return f"After {steps:.0f} steps no unit keeps 1/100." if steps < math.inf else "To the end one keeps 1/100."


def _least_kept(plot: Plot) -> tuple[float, float]:
    values = plot.ds["gate_product"].values
    return min(-1.0, float(values[np.isfinite(values)].min())), 0.0


FIGURES = bound(
    JacobianLens,
    of_pairs(
        "map",
        "How far does a change travel?",
        heat("norm", "k", "t", hover=OF_PAIR),
        here("start", "start"),
        title=lambda plot, start: f"How far does a change of {'(h, c)' if 'cell_path' in plot.ds else 'h'} travel?",
        also="The identity counts 1.",
        notes=(_told("norm"),),
    ),
    of_pairs(
        "cell_path",
        "And along the cell path alone?",
        heat("cell_path", "k", "t", hover=OF_PAIR),
        here("start", "start"),
        shows="The product of forget gates (document 001, eq. 18), in the same colours.",
        notes=(_told("cell_path"),),
    ),
    figure(
        "lag",
        "What becomes of a change?",
        _theory,
        UNCHANGED,
        rule(x=_parts_at),
        title=lambda plot: f"What becomes of a change at step {int(plot.ds.attrs['start'])}?",
        over="lag",
        shows="The product's exact norm over lag, beside bounds, asymptote or gates.",
        y=of_gains("Gain from k to k + lag"),
        notes=(lambda plot: parting(plot.ds),),
        legend="below",
        height=450,
    ),
    figure(
        "singular_values",
        "How many directions survive?",
        _directions,
        UNCHANGED,
        over="lag",
        y=of_gains("Singular value of the product"),
        notes=(_how_many, _ends_early),
        legend="none",
        hover="closest",
    ),
    figure(
        "eigenvalues",
        "Where are the eigenvalues?",
        _eigenvalues,
        shows="Eigenvalues of the recurrent matrix and of one step's Jacobian.",
        # A plane, whose two axes are one scale.
        x=axis("Real part", scale="free", told=_round_circle),
        y=axis("Imaginary part", scale="free", told=lambda plot: {**_round_circle(plot), "scaleanchor": "x"}),
        notes=(_outside,),
        legend="below",
        height=470,
        hover="closest",
    ),
    figure(
        "passed",
        "What does each unit hand on?",
        heat("passed", "step", "unit", hover="unit %{y}, step %{x}<br>%{z:.3f}"),
        shows="The slope, forget gate or kept share of every unit and step.",
        colour=colours(ends=lambda plot: (0, max(1.0, float(plot.ds["passed"].max())))),
        notes=(lambda plot: f"On average {measures.passed_on(plot.ds):.2f}.", _saturated),
    ),
    figure(
        "gate_product",
        "How long does each unit remember?",
        heat("gate_product", "lag", "unit", hover="unit %{y}, lag %{x}<br>left 10<sup>%{z:.2f}</sup>"),
        title=lambda plot: f"How long does each unit remember step {int(plot.ds.attrs['start'])}?",
        shows="What each unit's gates leave of a change from this step on.",
        colour=colours("Left of a change", ends=_least_kept, powers=True),
        notes=(_forgotten,),
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: the measured gain between bound and asymptote, log scale."""
    return polyline_svg(
        [
            Curve("bound", ds["bound"].values, BOUND, "dash"),
            Curve("measured", ds["singular_value"].values[:, 0], NETWORKS["rnn"].colour),
            Curve("radius", ds["asymptote"].values, ASYMPTOTE, "dot"),
        ],
        label="Gain of a recurrent network over the lag, below its bound and beside its asymptote, on a log scale.",
        axes=("steps", "gain, log scale"),
    )
