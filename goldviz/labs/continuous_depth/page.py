"""Continuous depth: the page's figures, and its equations with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import networks
from goldviz.diagnostics.findings.recorded import last_look
from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.continuous_depth import LAB
from goldviz.labs.continuous_depth.figures.paths import DEPTH_NETWORKS
from goldviz.labs.continuous_depth.measures import Reading
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane

NUMBERS = (
    "evaluations of f for a batch {paid_at_last_step:.0f}; loss {loss:.3g}, with the field followed exactly "
    r"{refined:.3g}; largest $\|\partial f / \partial h\|$ {stiffness:.3g}"
)
ADJOINT = (
    "{gradient_difference:fine_percent} from the gradient through the solver over the last quarter of the looks, for "
    "{adjoint_cost:.2g} evaluations back for each one forward"
)


def why(lane: Lane[ContinuousDepth], draw: Callable[[str], None]) -> None:
    """Equations 28-30 of document 001 and the adjoint equation, with what this run measured."""
    with words_beside(draw, "euler_steps"):
        st.markdown("A residual block is a step of Euler's method along a field (eq. 26, 28),")
        st.latex(r"\frac{h_\ell - h_{\ell-1}}{\Delta t} = \mathcal{R}(h_{\ell-1})")
        st.markdown("and with steps that shrink to nothing depth becomes an interval of time (eq. 29, 30):")
        st.latex(r"\frac{dh}{dt} = f_\theta(h, t)")
        st.latex(r"h(1) = h(0) + \int_0^1 f_\theta(h(t), t)\,dt")
        st.markdown("The gradient $a(t) = \\partial L / \\partial h(t)$ comes back by an equation of its own:")
        st.latex(r"\frac{da}{dt} = -a^\top \frac{\partial f_\theta}{\partial h}")
        st.latex(r"\frac{dL}{d\theta} = \int_0^1 a^\top \frac{\partial f_\theta}{\partial \theta}\,dt")
        st.markdown(_numbers(lane.dataset))
        st.caption(
            "Two paths of one field never meet: where they did, they would be one path. So a flow in the plane "
            "cannot take an inner ring out of an outer one. Big steps can, and so can a flow with one more "
            "dimension. The adjoint needs no memory of the steps, and is only as exact as its own solver."
        )


def _numbers(dataset: Run) -> str:
    """What this run measured of the equations above, at its last look."""
    if "test_loss" not in dataset or not dataset.sizes.get("look", 0):
        return "The run's numbers appear here with its first look."
    readings = [Reading.of(dataset, network) for network in networks(dataset)]
    labels = [DEPTH_NETWORKS[network].heading for network in networks(dataset)]
    lines = [f"In this run, at step {last_look(dataset)}:"]
    lines += [f"- **{label}**: {filled(NUMBERS, n)}" for label, n in zip(labels, readings, strict=True)]
    lines += [f"- **Adjoint**: {filled(ADJOINT, n)}" for n in readings if n.by_adjoint]
    return "\n".join(lines)


PAGE = LaboratoryPage(LAB, main="carried", beside="loss", below="network", why=why)
