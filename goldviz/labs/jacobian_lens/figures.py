"""The figures of the Jacobian lens: products of step Jacobians over pairs of times, lags and directions."""

from __future__ import annotations

import math

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import drawn_ends, link, power_axis, power_ticks
from goldviz.figures.frames import AtStep
from goldviz.figures.maps import SIGNED, cells, colour_bar, cursor, legend_below, symmetric
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, NETWORKS, SEQUENTIAL, Theme, depth_colours
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.jacobian_lens import measures
from goldviz.models.recurrent.cells import CELL_OF_LAYER
from goldviz.models.style import NetworkStyle

LINES = 16
"""Singular values drawn of each product: the largest, the smallest, and some between."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
BOUND, BY_SLOPE, ASYMPTOTE, STEPWISE = "#d55e00", "#009e73", "#0e7ac0", "#c46a9c"


def network_style(ds: Run) -> NetworkStyle:
    """The fixed look of the dataset's cell."""
    return NETWORKS[CELL_OF_LAYER[str(ds.attrs["cell"])]]


@drawn(
    "How far does a change travel?",
    name="map",
    at="start",
    at_once=True,
    shows="The product's average gain; the identity counts 1.",
)
def product_map(ds: Run, *, start: int | AtStep | None = None, theme: Theme = "light") -> Figure:
    """Average gain of dh_t/dh_k for all pairs of times, with a line at ``start`` or where the dataset looks."""
    what = "(h, c)" if "cell_path" in ds else "h"
    return _pairs(ds, "norm", f"How far does a change of {what} travel?", start, theme)


@drawn(
    "And along the cell path alone?",
    name="cell_path",
    at="start",
    at_once=True,
    needs=("cell_path",),
    shows="The product of forget gates (document 001, eq. 18), in the same colours.",
)
def cell_path_map(ds: Run, *, start: int | AtStep | None = None, theme: Theme = "light") -> Figure:
    """Average gain along the cell path alone, the product of forget gates, in the colours of the whole map."""
    return _pairs(ds, "cell_path", "And along the cell path alone?", start, theme)


def _pairs(ds: Run, name: str, title: str, start: int | AtStep | None, theme: Theme) -> Figure:
    values = ds[name].values
    # Below the diagonal time runs backwards; a product of zero has no logarithm and is left blank as well.
    zeros = int(np.isneginf(values).sum())
    figure = Figure(
        cells(values, x=ds["k"].values, y=ds["t"].values, hover="k = %{x}, t = %{y}<br>gain 10<sup>%{z:.2f}</sup>")
    )
    finite = values[np.isfinite(values)]
    notes = [
        f"From {_factor(finite.min())} to {_factor(finite.max())}. White: unchanged. Red: grown. Blue: faded.",
        f"{zeros} products are exactly zero and left blank." if zeros else "",
    ]
    look.apply(figure, theme, title=title, notes=notes, legend=False, height=450, hover="closest")
    figure.update_xaxes(title_text="Step k of the change", showgrid=False)
    figure.update_yaxes(title_text="Step t of the effect", showgrid=False)
    link(figure, "x", "step")
    limits = symmetric(ds["norm"].values, *([ds["cell_path"].values] if "cell_path" in ds else []), least=1.0)
    colour_bar(figure, limits, SIGNED, "Average gain from k to t", **power_ticks(*limits, most=5))
    cursor(figure, ds.attrs["start"] if start is None else start, theme)
    return figure


def _factor(exponent: float) -> str:
    """Ten to this power as plain text, also beyond what a float holds."""
    if -3 <= exponent <= 4:
        return f"{10**exponent:.3g}"
    return "10" + f"{exponent:.0f}".translate(SUPERSCRIPTS)


@drawn(
    "What becomes of a change?",
    name="lag",
    shows="The product's exact norm over lag, beside bounds, asymptote or gates.",
)
def by_lag(ds: Run, *, theme: Theme = "light") -> Figure:
    """The products that start at the step in view, beside what theory says of them."""
    style, ink = network_style(ds), INKS[theme]
    lags, start = ds["lag"].values, int(ds.attrs["start"])
    figure = Figure()

    def line(values: np.ndarray, name: str, colour: str, dash: str, width: float = 2.5) -> None:
        logs = np.where(np.isfinite(values), values, np.nan)
        figure.scatter(
            x=lags,
            y=logs,
            name=name,
            mode="lines",
            line={"color": colour, "dash": dash, "width": width},
            hovertemplate="10<sup>%{y:.2f}</sup>",
        )

    line(ds["singular_value"].values[:, 0], "largest gain (measured)", style.colour, "solid", 3.5)
    if "bound" in ds:
        line(ds["bound"].values, "bound, with the norm", BOUND, "dash")
        slope = f"bound, with the largest slope {ds.attrs['largest_slope']:.3g}"
        line(ds["bound_by_slope"].values, slope, BY_SLOPE, "dashdot", 1.5)
        line(ds["asymptote"].values, "asymptote, with the radius", ASYMPTOTE, "dot")
    else:
        line(ds["norm"].values[start:, start], "average gain (measured)", style.colour, "dashdot", 2)
    if "cell_path" in ds:
        line(ds["cell_path"].values[start:, start], "cell path alone", ink.text, "dot")
    if "gate_path" in ds:
        line(ds["gate_path"].values, "product of gates, read off", ink.text, "dot", 3.5)
    line(ds["stepwise_bound"].values, "bound, step by step", STEPWISE, "longdash", 1.5)
    look.apply(figure, theme, title=f"What becomes of a change at step {start}?", notes=[parting(ds)], height=450)
    legend_below(figure)
    low, high = _drawn_range(figure)
    power_axis(figure, "y", "Gain from k to k + lag", low, high)
    figure.update_xaxes(title_text="Lag (steps)", showgrid=False)
    link(figure, "x", "lag")
    figure.add_hline(y=0, line={"color": ink.muted, "width": 1})
    lag = measures.parting_lag(ds) if "bound" in ds else math.inf
    if lag <= lags[-1]:
        figure.add_vline(x=lag, line={"color": ink.muted, "width": 1.5, "dash": "dot"})
    return figure


def _drawn_range(figure: Figure) -> tuple[float, float]:
    low, high = drawn_ends(figure)
    low, high = min(low, -1.0), max(high, 0.5)
    return low - 0.04 * (high - low), high + 0.04 * (high - low)


def parting(ds: Run) -> str:
    """Where bound and asymptote part, in a sentence."""
    if "bound" not in ds:
        return ""
    norm, radius, lag = ds.attrs["spectral_norm"], ds.attrs["spectral_radius"], measures.parting_lag(ds)
    if lag == math.inf:
        return f"Norm and spectral radius are both {norm:.3g}: bound and asymptote are one line."
    radii = f"Norm {norm:.3g}, spectral radius {radius:.3g}."
    return f"{radii} From lag {lag:g} on, the bound is over ten times the asymptote."


@drawn(
    "How many directions survive?",
    shows="The singular values of products that start at this step.",
)
def singular_values(ds: Run, *, theme: Theme = "light") -> Figure:
    """Gains of the product in its own directions over lag."""
    values = ds["singular_value"].values
    orders = np.unique(np.linspace(0, values.shape[1] - 1, min(LINES, values.shape[1])).astype(int))
    figure = Figure()
    for order, colour in zip(orders, depth_colours(len(orders), theme), strict=True):
        logs = np.where(np.isfinite(values[:, order]), values[:, order], np.nan)
        figure.scatter(
            x=ds["lag"].values,
            y=logs,
            mode="lines",
            line={"color": colour, "width": 1.8},
            name=f"σ{order + 1}",
            hovertemplate=f"σ<sub>{order + 1}</sub>, lag %{{x}}: 10<sup>%{{y:.2f}}</sup><extra></extra>",
        )
    has_gaps = bool(np.isnan(values).any())
    notes = [
        f"{len(orders)} of {values.shape[1]} singular values, dark to light from the largest."
        if theme == "light"
        else f"{len(orders)} of {values.shape[1]} singular values, from the largest down.",
        "A line ends where float64 holds no digit of its value any more." if has_gaps else "",
    ]
    look.apply(figure, theme, title="How many directions survive?", notes=notes, legend=False, hover="closest")
    low, high = _drawn_range(figure)
    power_axis(figure, "y", "Singular value of the product", low, high)
    figure.update_xaxes(title_text="Lag (steps)", showgrid=False)
    link(figure, "x", "lag")
    return figure.add_hline(y=0, line={"color": INKS[theme].muted, "width": 1})


@drawn(
    "Where are the eigenvalues?",
    name="eigenvalues",
    shows="Eigenvalues of the recurrent matrix and of one step's Jacobian.",
)
def eigenvalue_plane(ds: Run, *, theme: Theme = "light") -> Figure:
    """Eigenvalues of the recurrent matrix and of one step's Jacobian, with the unit circle."""
    ink, style = INKS[theme], network_style(ds)
    angle = np.linspace(0, 2 * np.pi, 181)
    figure = Figure().scatter(
        x=np.cos(angle),
        y=np.sin(angle),
        mode="lines",
        line={"color": ink.accent, "width": 1.5},
        name="unit circle",
        hoverinfo="skip",
    )
    step = int(ds.attrs["start"]) + 1
    of_matrix = ("recurrent matrix W", "weight_eigenvalue", {"symbol": "circle-open", "color": ink.text, "size": 8})
    of_step = (f"Jacobian of step {step}", "step_eigenvalue", {"symbol": "diamond", "color": style.colour, "size": 7})
    clouds = [cloud for cloud in (of_matrix, of_step) if cloud[1] in ds]
    for name, variable, marker in clouds:
        real, imaginary = ds[variable].values
        figure.scatter(
            x=real,
            y=imaginary,
            mode="markers",
            name=name,
            marker=marker,
            customdata=np.hypot(real, imaginary),
            hovertemplate="%{x:.3f} + %{y:.3f} i, modulus %{customdata:.3f}<extra></extra>",
        )
    outside = int((np.hypot(*ds["step_eigenvalue"].values) > 1 + 1e-9).sum())
    notes = [f"{outside} of {ds.sizes['step_eigenvalue_number']} eigenvalues of the step lie outside the circle."]
    look.apply(figure, theme, title="Where are the eigenvalues?", notes=notes, height=470, hover="closest")
    legend_below(figure)
    most = 1.1 * max(1.0, *(float(np.abs(ds[variable].values).max()) for _, variable, _ in clouds))
    figure.update_xaxes(title_text="Real part", range=[-most, most], constrain="domain")
    return figure.update_yaxes(title_text="Imaginary part", range=[-most, most], scaleanchor="x", constrain="domain")


@drawn(
    "What does each unit hand on?",
    name="passed",
    shows="The slope, forget gate or kept share of every unit and step.",
)
def passed_on(ds: Run, *, theme: Theme = "light") -> Figure:
    """What each unit hands on by itself at each step: tanh's slope, the forget gate, the share kept."""
    words = str(ds["passed"].attrs["long_name"])
    figure = Figure(
        cells(ds["passed"].values.T, x=ds["step"].values, y=ds["unit"].values, hover="unit %{y}, step %{x}<br>%{z:.3f}")
    )
    notes = [f"On average {measures.passed_on(ds):.2f}."]
    if ds.attrs["cell"] == "rnn_tanh":
        notes.append(f"{measures.saturated(ds):.0%} of the units are saturated, |h| above 0.97.")
    look.apply(figure, theme, title="What does each unit hand on?", notes=notes, legend=False, hover="closest")
    figure.update_xaxes(title_text="Step", showgrid=False)
    figure.update_yaxes(title_text="Unit", showgrid=False)
    link(figure, "x", "step")
    link(figure, "y", "unit")
    most = max(1.0, float(ds["passed"].max()))
    return colour_bar(figure, (0, most), SEQUENTIAL, words)


@drawn(
    "How long does each unit remember?",
    name="gate_product",
    needs=("gate_product",),
    shows="What each unit's gates leave of a change from this step on.",
)
def unit_memory(ds: Run, *, theme: Theme = "light") -> Figure:
    """Each unit's product of gates over lag: entry by entry the whole Jacobian of a minGRU, which is diagonal."""
    values, start = ds["gate_product"].values, int(ds.attrs["start"])
    hover = "unit %{y}, lag %{x}<br>left 10<sup>%{z:.2f}</sup>"
    figure = Figure(cells(values.T, x=ds["lag"].values, y=ds["unit"].values, hover=hover))
    forgotten = measures.forgotten_by(ds)
    end = f"After {forgotten:.0f} steps no unit keeps 1/100." if forgotten < math.inf else "To the end one keeps 1/100."
    look.apply(
        figure,
        theme,
        title=f"How long does each unit remember step {start}?",
        notes=[end],
        legend=False,
        hover="closest",
    )
    figure.update_xaxes(title_text="Lag (steps)", showgrid=False)
    figure.update_yaxes(title_text="Unit", showgrid=False)
    link(figure, "x", "lag")
    link(figure, "y", "unit")
    limits = (min(-1.0, float(values[np.isfinite(values)].min())), 0.0)
    return colour_bar(figure, limits, SEQUENTIAL, "Left of a change", **power_ticks(*limits, most=5))


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


FIGURES = by_name(product_map, cell_path_map, by_lag, singular_values, eigenvalue_plane, passed_on, unit_memory)
