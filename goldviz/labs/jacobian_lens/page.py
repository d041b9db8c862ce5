"""The Jacobian lens: the page's figures, and its equations with the network's own numbers."""

from __future__ import annotations

import math

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.labs.jacobian_lens import LAB, measures
from goldviz.labs.jacobian_lens.figures import FIGURES, parting
from goldviz.labs.jacobian_lens.settings import JacobianLens
from goldviz.models.recurrent.cells import CELL_OF_LAYER, CELLS
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part

SECONDS_A_STEP, SECONDS_A_PRODUCT = 1.5e-4, 2.5e-9
"""Of every step, and of every product of the state's size cubed."""


def seconds(settings: JacobianLens) -> float:
    """About how long the numbers take; an LSTM's state is twice as wide."""
    state = settings.hidden * CELLS[CELL_OF_LAYER[settings.cell]].states
    return settings.length * (SECONDS_A_STEP + SECONDS_A_PRODUCT * state**3)


def look(view: View[JacobianLens]) -> None:
    """The map of all pairs beside the products from the step in view; an LSTM's whole Jacobian beside its cell path."""
    view.draw(FIGURES["map"], FIGURES["cell_path" if "cell_path" in view.dataset else "lag"])


def spectrum(view: View[JacobianLens]) -> None:
    """Singular values and eigenvalues."""
    view.draw(FIGURES["singular_values"], FIGURES["eigenvalues"])


def passed(view: View[JacobianLens]) -> None:
    """What each step passes on, what gates leave in all, and, where a cell path took its place, products by lag."""
    by_lag = [FIGURES["lag"]] if "cell_path" in view.dataset else []
    by_unit = [FIGURES["gate_product"]] if "gate_product" in view.dataset else []
    view.draw(*by_lag, FIGURES["passed"], *by_unit)


def why(view: View[JacobianLens]) -> None:
    """Equations 7-9, 18 and 24 of document 001, and what they come to here."""
    ds = view.dataset
    words, numbers = st.columns(2)
    with words:
        st.markdown("A change of the state at step k is multiplied by one Jacobian a step (document 001, eq. 7):")
        st.latex(r"\frac{\partial h_t}{\partial h_k} = \prod_{j=k+1}^{t} \frac{\partial h_j}{\partial h_{j-1}}")
        if "bound" in ds:
            st.latex(r"\frac{\partial h_j}{\partial h_{j-1}} = D_j W_{hh}")
            st.latex(r"\left\|\frac{\partial h_t}{\partial h_k}\right\| \le (\gamma \|W_{hh}\|)^{t-k}")
        elif "cell_path" in ds:
            st.latex(r"\frac{\partial c_t}{\partial c_{t-1}} \supset \mathrm{diag}(f_t), \qquad \prod_j f_j")
        elif "gate_product" in ds:
            st.latex(r"\frac{\partial h_t}{\partial h_k} = \mathrm{diag} \prod_{j=k+1}^{t} (1 - z_j)")
        elif CELL_OF_LAYER[ds.attrs["cell"]] == "gru":
            st.latex(r"h_t = (1 - z_t) \odot h_{t-1} + z_t \odot \tilde h_t")
    with numbers:
        lag, last = f"{measures.longest_lag(ds):.0f}", measures.left_at_the_end(ds)
        if math.isfinite(last):
            st.markdown(
                f"Measured from step {ds.attrs['start']} over {lag} steps: the largest gain is $10^{{{last:.1f}}}$, "
                f"a factor of {measures.left_a_step(ds):.3g} a step."
            )
        else:
            st.markdown(f"Over {lag} steps the product has become exactly zero.")
        if "bound" in ds:
            st.markdown(f"{parting(ds)} γ is 1 for tanh and for ReLU. {_with_the_largest_slope(ds)}")
            st.caption(
                "The document states eq. 9 for the norm and goes on with the spectral radius. Only the norm bounds the "
                "product. The radius says where powers of W alone tend to, and the product is of other matrices, "
                "$D_j W$. With a tanh that saturates it may fade with a radius above 1. And it may grow for ever with "
                "a radius below 1. W = 1.5 [[1, 1], [−1, −1]] has radius 0, but with slopes (1, 0.2) every step "
                "multiplies by 1.2."
            )
        elif "cell_path" in ds:
            path, factor = measures.cell_path_left(ds), measures.cell_path_kept(ds)
            st.markdown(
                f"The cell path alone: $10^{{{path:.1f}}}$, on average a factor of {factor:.3g} a step; "
                f"the forget gates stand at {measures.passed_on(ds):.2f}."
            )
            st.caption(
                "The whole Jacobian of (h, c) also holds the paths through the gates, which the product leaves out."
            )
        elif "gate_product" in ds:
            st.markdown(
                "Its gates read the input alone, so no path leads around them. A running sum of log(1 − z) is the "
                f"whole Jacobian; the product of matrices differs by {measures.gates_off_product(ds):.0e} powers of "
                "ten at most."
            )
        elif CELL_OF_LAYER[ds.attrs["cell"]] == "gru":
            st.markdown(f"On average a step keeps {measures.passed_on(ds):.1%} of the state, 1 − z.")
        else:
            st.markdown(f"On average a step hands on {measures.passed_on(ds):.1%} of a unit by itself, ∂h/∂h.")
        if ds.sizes["lag"] > 1:
            st.caption(
                "An untrained network on random input: training changes all of this. Norms say how long a gradient "
                "is, not whether it points the right way."
            )


def _with_the_largest_slope(ds: Run) -> str:
    """The bound of eq. 9 with the smallest γ that holds for these steps."""
    bound, by_slope = measures.bound_at_the_end(ds), measures.bound_by_slope_at_the_end(ds)
    if not (math.isfinite(bound) and math.isfinite(by_slope)):
        return ""
    return (
        f"No slope of these steps is above {ds.attrs['largest_slope']:.4g}: with it in place of γ, the bound over "
        f"{measures.longest_lag(ds):.0f} steps is $10^{{{by_slope:.1f}}}$, not $10^{{{bound:.1f}}}$."
    )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    seconds=seconds,
    words_of_position=lambda settings: "Follow a change made at step k",
    parts=(Part("spectrum", "Which directions last?", spectrum), Part("passed", "What does a step pass on?", passed)),
)
