"""Residual steps to flow: the plane, the convergence, and equations 26-30 with this view's own numbers."""

from __future__ import annotations

from math import isfinite

import streamlit as st

from goldviz.labs.residual_flow import LAB, measures
from goldviz.labs.residual_flow.figures import FIGURES
from goldviz.labs.residual_flow.queries import everywhere
from goldviz.labs.residual_flow.settings import TRAINED, ResidualFlow
from goldviz.models.continuous.methods import METHODS
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part


def look(view: View[ResidualFlow]) -> None:
    """The network's plane; beside it the flow's where there is a task, else how fast the one becomes the other."""
    view.explain(FIGURES["carried"], FIGURES["flow" if "true_class" in view.dataset else "convergence"])


def blocks(view: View[ResidualFlow]) -> None:
    """How many blocks come how near to the flow."""
    if "true_class" in view.dataset:
        view.explain(FIGURES["right"], FIGURES["convergence"])
    view.explain(FIGURES["distance"])


def cost(view: View[ResidualFlow]) -> None:
    """What a solver pays that chooses its own steps."""
    view.explain(FIGURES["tolerance"])


def why(view: View[ResidualFlow]) -> None:
    """Document 001, eq. 26 and 28-30, and what they come to here."""
    words, numbers = st.columns(2)
    with words:
        st.markdown("A residual block adds to its input (document 001, eq. 26):")
        st.latex(r"h_\ell = h_{\ell-1} + \mathcal{F}_\ell(h_{\ell-1})")
        st.markdown("Let every block take a step of the depth T (eq. 28), and the steps shrink (eq. 29):")
        st.latex(
            r"\frac{h_\ell - h_{\ell-1}}{\Delta t} = f_\theta(h_{\ell-1}, t_{\ell-1}), \qquad \Delta t = \frac{T}{L}"
        )
        st.latex(r"\Delta t \to 0: \qquad \frac{dh(t)}{dt} = f_\theta(h(t), t)")
        st.markdown("What comes out is the solution of an initial value problem (eq. 30):")
        st.latex(
            r"\begin{aligned} h(T) &= h(0) + \int_0^T f_\theta(h(t), t)\,dt \\ &= \mathrm{ODESolve}"
            r"(f_\theta, h(0), 0, T) \end{aligned}"
        )
    with numbers:
        for sentence in sentences(view):
            st.markdown(sentence)
        st.caption(
            "The document names R first for the difference itself and in eq. 28 for the difference over Δt. Both hold "
            "only for Δt = 1, so here a block's function is F = Δt f. Nothing makes a trained network's blocks shrink "
            "by themselves when it gets deeper: the limit is a choice of scale."
        )


def sentences(view: View[ResidualFlow]) -> list[str]:
    """This view's numbers behind eq. 26-30."""
    ds = view.dataset
    blocks, step, duration = ds.attrs["blocks"], ds.attrs["step"], ds.attrs["duration"]
    error = measures.off_at_the_end(ds)
    distance = f"off by **{error:.3g}**" if isfinite(error) else "**too far off to measure**"
    source = "a formula gives it" if ds.attrs["exact"] else "dopri8 at tolerance 1e-11"
    orders = {solver: measures.ORDERS[solver](ds) for solver in ("euler", "midpoint", "rk4")}
    sentences_told = [
        f"T = {duration:g} and L = {blocks}: every block takes a step of Δt = {step:.4g} and evaluates f once. At the "
        f"end the point farthest from the flow ({source}) is {distance}.",
        f"Twice the blocks halve the error in theory. Measured over the last doublings it falls as L to the power "
        f"**−{orders['euler']:.2f}**; midpoint −{orders['midpoint']:.2f} (theory −2), Runge-Kutta 4 "
        f"−{orders['rk4']:.2f} (theory −4).".replace("−-", ""),
        _cost(view),
        _stability(view),
    ]
    if view.settings.beside != "none":
        sentences_told.append(_beside(view))
    if view.settings.field in TRAINED:
        sentences_told.append(_task(view))
    if ds.attrs["sharing"] == "separate":
        sentences_told.append(
            "Every block has its own weights, turned by 1.5 radians from the first block to the last. Because "
            "neighbours differ little, the network still tends to a flow, whose f depends on t."
        )
    return sentences_told


def _cost(view: View[ResidualFlow]) -> str:
    cost, error = measures.evaluations_asked(view.dataset), measures.error_asked(view.dataset)
    if not isfinite(cost):
        return "dopri5 at tolerance 1e-4 did not arrive."
    return (
        f"ODESolve may choose its own steps: dopri5 at tolerance 1e-4 evaluates f {cost:.0f} times and is off by "
        f"{error:.2g}."
    )


def _stability(view: View[ResidualFlow]) -> str:
    rate, stretch = measures.eigenvalue_of_a_step(view.dataset), measures.stretch_of_a_step(view.dataset)
    growth = (
        "more than 2, so a direction that the flow damps at that rate grows from block to block"
        if rate > 2
        else "no more than 2, within reach of Euler's stable steps for a damped direction"
    )
    crossing = (
        "below 1, so there the network's paths cannot cross either"
        if stretch < 1
        else "above 1, so the network's paths may cross, which a flow's never do"
    )
    return (
        f"Along the flow the largest eigenvalue of ∂f/∂h has size {view.dataset.attrs['fastest_rate']:.3g}. Times Δt "
        f"that is **{rate:.3g}**: {growth}. The largest singular value times Δt is **{stretch:.3g}**: {crossing} "
        "(Behrmann et al. 2019)."
    )


def _beside(view: View[ResidualFlow]) -> str:
    """What the other method costs, how fast its error falls, and which steps it stands."""
    method = METHODS[view.settings.beside]
    order = measures.ORDERS[view.settings.beside](view.dataset)
    return (
        f"{method.words} evaluates f {method.tableau.stages} times a step. Its error falls as L to the power "
        f"**{-order:.2f}** (theory −{method.tableau.order}). What decays stays damped while rate times Δt is at most "
        f"{method.tableau.stability_limit:.3g}; for Euler that is {METHODS['euler'].tableau.stability_limit:.3g}."
    ).replace("-", "−")


def _task(view: View[ResidualFlow]) -> str:
    ds = view.dataset
    shares = (
        f"After training on the spot, the network puts {measures.network_right(ds):.1%} and the flow "
        f"{measures.flow_right(ds):.1%} of the curves on their own side of the line."
    )
    if not ds.attrs["closed"]:
        return shares
    return (
        f"{shares} A flow is a continuous map with a continuous inverse. So in the plane the outer ring's image stays "
        "a loop around the inner one's, and some of it ends on the wrong side. Longer training makes that neck "
        "thinner, never empty (Dupont, Doucet and Teh 2019). A big step or a third coordinate is not bound by this."
    )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    parts=(Part("blocks", "How many blocks are enough?", blocks), Part("cost", "What does exactness cost?", cost)),
    words_of_position=lambda settings: "Depth in view (% of T)",
    # Four solvers and a reference; little more where a field is trained first.
    seconds=lambda settings: 1.0,
    everywhere=everywhere,
)
