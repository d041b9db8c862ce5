"""The figures of the laboratory *Continuous depth*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import SATURATED, percent, times
from goldviz.figures.chart import (
    at,
    averaged,
    axis,
    changed,
    curves,
    dots,
    figure,
    lines,
    offered,
    panel,
    rule,
    thin,
    thinned,
)
from goldviz.figures.diagram import colour_quantities, diagram
from goldviz.figures.elements import power
from goldviz.figures.frames import Words, line
from goldviz.figures.limits import Quantity, log10, log_of, padded
from goldviz.figures.marks import Mark
from goldviz.figures.plot import Plot, unless
from goldviz.figures.reading import absence, networks, positive, sentences, setting_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.continuous_depth.figures.paths import (
    COLOURS,
    DEPTH_NETWORKS,
    carried,
    decision,
    is_regression,
    of_plane,
    parts_of,
)
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.models.continuous.methods import BY_LIBRARY_NAME

ORDER_KEPT = 1 / 3
"""Mean square error of the best answers to x -> -x that keep the order of x: zero for all, where x is uniform."""
AFTER_TRAINING = "Measured after training."
WITHOUT_FLOW = "Only a neural ODE has an adjoint equation: train one beside the residual network."
COUNTS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
FLOW = DEPTH_NETWORKS["ode"]
UNNAMED = {"hoverinfo": "skip", "showlegend": False}
THEORY: dict[str, Any] = {"colour": "muted", "dash": "dot", "width": 1.5, "more": UNNAMED}


def _losses(plot: Plot) -> Sequence[Mark]:
    """Thin, the training loss; beside it what the test and the exact flow make of it, once they are known."""
    tested = not plot.lacks("test_loss")
    training = [
        lines(
            at(averaged("loss"), network=name),
            name=f"{plot.look_of(name).label}, training",
            colour=name,
            dash="solid",
            width=1.2,
            hover="%{y:.4f}",
            legend=not tested,
            more={"opacity": 0.45, "legendgroup": name},
        )
        for name in plot.networks
    ]
    exact = [thin("refined_test_loss", "exact flow", hover="%{y:.4f}", look={"width": 2})]
    measured = [curves("test_loss", hover="%{y:.4f}")] if tested else []
    return [*training, *measured, *([] if plot.lacks("refined_test_loss") else exact)]


def _asked_back(plot: Plot) -> list[str]:
    asked = plot.ds["evaluations_backward"]
    return [name for name in plot.networks if bool((asked.sel(network=name) > 0).any())]


def _way_back(plot: Plot) -> Sequence[Mark]:
    """The adjoint solves an equation of its own; the way back through the solver's kept steps asks for nothing."""
    return [
        lines(
            at(averaged("evaluations_backward"), network=name),
            name=f"{plot.look_of(name).label}, back",
            colour=name,
            dash="dot",
            hover="back %{y:.0f}",
        )
        for name in _asked_back(plot)
    ]


def _hardly_below_zero(plot: Plot) -> Mapping[str, Any]:
    low, high = plot.limit("evaluations_forward + evaluations_backward, zero")
    return {"range": (max(low, -0.02 * high), high)}


def _without_flow(ds: Run) -> str:
    names = ("gradient_difference", "adjoint_cost")
    has_flow = "network" not in ds.coords or "ode" in ds["network"].values
    return absence(ds, *names) if has_flow else unless(WITHOUT_FLOW, *names)(ds)


def _after(ds: Run, *names: str) -> str:
    """Why what is measured after training cannot be drawn; empty if it can."""
    if any(name not in ds for name in names) and ds.attrs.get("status") != "finished":
        return f"{AFTER_TRAINING} It follows when the last step is taken."
    return absence(ds, *names)


def _measured(plot: Plot) -> str:
    """When this was measured, and of which of several seeds."""
    return sentences(AFTER_TRAINING, "First seed." if plot.ds.sizes.get("seed", 1) > 1 else "")


def _own_tolerance(plot: Plot) -> float | None:
    """The tolerance of training, where it had one."""
    own, method = setting_of(plot.ds, "tolerance"), BY_LIBRARY_NAME.get(str(setting_of(plot.ds, "method")))
    return own if method is not None and method.adaptive and "ode" in plot.networks else None


def _trained_steps(ds: Run, network: str) -> Any:
    """With how many Euler steps a network was trained; None for another solver."""
    if network == "residual":
        return setting_of(ds, "blocks")
    return setting_of(ds, "solver_steps") if setting_of(ds, "method") == "euler" else None


def _stars(plot: Plot) -> Sequence[Mark]:
    """What each network was trained with: a large distance there is a network that learned its steps."""
    errors, trained = positive(plot.ds["error_by_blocks"]), {one: _trained_steps(plot.ds, one) for one in plot.networks}
    edge = {"line": {"width": 1.5, "color": plot.ink.background}}
    return [
        dots(
            at("error_by_blocks", network=name, steps_taken=[steps]),
            colour=name,
            symbol="star",
            size=16,
            marker=edge,
            more=UNNAMED,
        )
        for name, steps in trained.items()
        if steps in errors["steps_taken"].values.tolist() and np.isfinite(errors.sel(network=name, steps_taken=steps))
    ]


def _slope(errors: Array) -> Array:
    """From the last distance back, twice as large for half the steps."""
    steps = errors["steps_taken"].values.astype(float)
    last = float(positive(errors).isel(steps_taken=-1).max("network"))
    return errors.isel(network=0, drop=True).copy(data=last * steps[-1] / steps)


def _halving(plot: Plot) -> Words:
    """By what the last doubling of the steps divides the distance."""
    errors = positive(plot.ds["error_by_blocks"])
    ratios = errors.isel(steps_taken=-2) / errors.isel(steps_taken=-1)
    return plot.each(ratios, times, within="128 → 256 steps divide it by: {}.")


def _by_blocks(plot: Plot) -> Mapping[str, Any]:
    steps = plot.ds["steps_taken"].values.astype(float)
    ends = (-0.08, np.log10(steps[-1]) + 0.08)
    return {"type": "log", "tickvals": steps, "range": ends, "unifiedhovertitle_text": "%{x} steps"}


def _by_tolerance(plot: Plot) -> Mapping[str, Any]:
    tolerances = plot.ds["tolerance"].values
    powers = [power(round(np.log10(value))) for value in tolerances]
    ticks = {"tickvals": tolerances, "ticktext": powers, "unifiedhovertitle_text": "tolerance %{x:.0e}"}
    return {"type": "log", "range": (-0.6, -8.4), **ticks}


FIGURES, shared_limits = offered(
    ContinuousDepth,
    # Two classes are parted when their ends lie on the two sides of the dashed line, where the read-out is undecided.
    figure(
        "carried",
        "Where does depth carry the points?",
        draw=carried,
        needs=("path", "label"),
        limits={name: Quantity(partial(of_plane, place), padded) for place, name in enumerate(("across", "up"))},
        shows="Paths of unseen points through depth.",
        cannot_show="Added dimensions.",
    ),
    # Where the loss and that of the exact flow part, the network has learned its solver's steps and not a flow.
    figure(
        "loss",
        "Is it learned, and is it a flow?",
        _losses,
        rule(y=lambda plot: ORDER_KEPT if is_regression(plot.ds) else None, words="1/3: best that keeps the order"),
        needs=("loss",),
        shows="The loss, and that of the same weights with the field followed exactly.",
        y=axis("Loss", "loss", "test_loss", "refined_test_loss", scale="log"),
        notes=(lambda plot: "" if plot.lacks("test_loss") else "Lines: unseen points. Dotted: exact flow.",),
        lead=lambda plot: "" if plot.lacks("test_loss") else "Thin: training.",
    ),
    figure(
        "decision",
        "What is said of every place?",
        draw=decision,
        needs=("decision", "path"),
        shows="What is answered, wherever a point may start.",
        cannot_show="How sure one may be.",
    ),
    # An adaptive solver takes more steps where the field bends more.
    figure(
        "evaluations",
        "What does the solver pay?",
        curves(averaged("evaluations_forward")),
        _way_back,
        needs=("evaluations_forward", "evaluations_backward"),
        y=axis("Evaluations of the field", "evaluations_forward", "evaluations_backward", told=_hardly_below_zero),
        lead=lambda plot: "" if _asked_back(plot) else "Back: none.",
    ),
    # Doubling the blocks halves the distance once they are many (document 001, eq. 28-29).
    figure(
        "euler_steps",
        "Do more blocks become the flow?",
        curves("error_by_blocks"),
        _stars,
        lines(changed("error_by_blocks", _slope), **THEORY),
        needs=(),
        instead=lambda ds: _after(ds, "error_by_blocks"),
        cannot_show="What networks trained with that many blocks would do.",
        x=axis("Euler steps (blocks with shared weights)", scale="free", told=_by_blocks),
        y=axis("Mean distance (units of h)"),
        notes=(
            _halving,
            lambda plot: line("Dotted: slope −1.", "Star: trained." if _stars(plot) else ""),
            _measured,
        ),
    ),
    # Explicit solvers need steps of about one over the stretch. A saturated unit passes almost no gradient.
    figure(
        "field",
        "Does the field grow stiff?",
        panel(curves(thinned("field_stiffness")), y=axis("Stretch")),
        panel(
            curves(thinned("field_saturation")),
            rule(y=SATURATED, words=percent(SATURATED)),
            y=axis("Share", tickvals=[0, 0.5, 1]),
        ),
        height=560,
    ),
    # The gradient through the solver's steps is exact for them; the adjoint's is the flow's, to the solver's tolerance
    # (Chen et al. 2018).
    figure(
        "adjoint",
        "Is the adjoint right?",
        panel(
            curves(thinned("gradient_difference"), style=FLOW),
            rule(y=0.01, words="1 %"),
            y=axis("Distance", scale="log", read=lambda ds: np.append(log_of("gradient_difference")(ds), -2.0)),
        ),
        panel(curves(thinned("adjoint_cost"), style=FLOW), y=axis("Ratio")),
        needs=(),
        instead=_without_flow,
        shows="How far the adjoint's gradient is from the one through the steps, and its cost.",
        height=560,
        legend="none",
    ),
    # The tolerance is a promise for one step, so the error at the end may be larger or smaller than it.
    figure(
        "tolerance",
        "What does accuracy cost?",
        panel(
            curves("evaluations_by_tolerance"),
            y=axis("Evaluations", dtick=None, tickfont=None, tickvals=COUNTS, ticktext=[*map(str, COUNTS)]),
        ),
        panel(
            curves("error_by_tolerance"),
            lines(lambda plot: plot.ds["tolerance"], **THEORY),
            y=axis("Error (units of h)"),
        ),
        rule(x=_own_tolerance, dash="dash"),
        needs=(),
        instead=lambda ds: _after(ds, "evaluations_by_tolerance", "error_by_tolerance"),
        x=axis("Relative tolerance (tighter to the right)", scale="free", told=_by_tolerance),
        notes=(
            _measured,
            lambda plot: line(
                "Dotted: error = tolerance.", "Dashed: used in training." if _own_tolerance(plot) else ""
            ),
        ),
        height=600,
    ),
    lambda make, _: diagram(
        make,
        parts_of,
        COLOURS,
        noun="block",
        question="Where in depth?",
        shows="The way through depth and the field on it. Choose a piece: other figures mark it.",
    ),
    look_of=DEPTH_NETWORKS.__getitem__,
    more=colour_quantities(COLOURS),
)


def picture(ds: Run) -> str:
    """The home page's picture: the distance from the flow over the number of Euler steps, on log scales."""
    label = "Distance between a residual network and the flow, which shrinks as its blocks grow in number."
    if absence(ds, "error_by_blocks"):
        return polyline_svg([], label=label)
    errors = log10(ds["error_by_blocks"])
    looks = {name: DEPTH_NETWORKS[name] for name in networks(ds)}
    drawn = [
        Curve(look.label, np.asarray(errors.sel(network=name)), look.colour, look.dash) for name, look in looks.items()
    ]
    return polyline_svg(drawn, label=label, axes=("blocks, log scale", "distance, log scale"))
