"""Backward by hand: the graph and one tensor at a time, a field for one's own gradient, closed forms and claims."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.labs.backward_by_hand import LAB, costs, measures
from goldviz.labs.backward_by_hand.figures import FIGURES
from goldviz.labs.backward_by_hand.graph import shape_of
from goldviz.labs.backward_by_hand.network import closed_forms, nodes, place
from goldviz.labs.backward_by_hand.parts.derive import derive
from goldviz.labs.backward_by_hand.passes import nudged
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part


def look(view: View[BackwardByHand]) -> None:
    """The network with the place in it, and the numbers of this place."""
    view.draw(FIGURES["graph"], FIGURES["tensor"])
    st.markdown(chosen(view.settings, view.dataset))


def chosen(settings: BackwardByHand, ds: Run) -> str:
    """How the gradient in view compares with autograd's and with nudges of the loss."""
    at = place(settings.divisor, settings.place)
    if not at.backward:
        return "Go on to a gradient: it is held beside autograd's, and beside central differences of the loss."
    nudge = nudged(settings, at.node.name)
    few = "" if nudge.entries == nudge.of else f" of {nudge.of}"
    entries = "entry" if nudge.of == 1 else "entries"
    return (
        f"**{at.name} by hand**: largest entry {nudge.largest:.2g}. At most {ds.attrs['difference'][at.node.name]:.1e} "
        f"from autograd, and {nudge.difference:.1e} from central differences of the loss, for {nudge.entries}{few} "
        f"{entries}{', drawn by the seed' if few else ''}."
    )


def found(view: View[BackwardByHand]) -> None:
    """What the gradients say: who is pushed, what sums to zero, and the three paths."""
    view.draw(FIGURES["push_and_pull"], FIGURES["column_of_zeros"])
    view.draw(FIGURES["paths"])


def every(view: View[BackwardByHand]) -> None:
    """Every gradient beside autograd's."""
    st.dataframe(_table(view), hide_index=True, width="stretch")
    largest = measures.off_autograd(view.dataset)
    st.caption(f"The largest difference of any entry is {largest:.1e}: rounding in the last digits of float64.")


def closed(view: View[BackwardByHand]) -> None:
    """One line in place of many, and what it spares."""
    for name, formula in closed_forms(view.settings.divisor).items():
        st.code(f"d{name} = {formula}", language=None, wrap_lines=True)
    apart = " and ".join(f"{value:.0e}" for value in view.dataset.attrs["closed_difference"].values())
    st.caption(f"Their largest differences to autograd on this batch: {apart}. What they spare, as written here:")
    st.dataframe(_costs(), hide_index=True, width="stretch")
    sizes = costs.SIZES
    st.caption(
        f"Measured once on this server: {sizes['n']} samples, {sizes['V']:,} characters, {sizes['n1']:,} hidden units, "
        "float64, one thread. Read: tensors that have to be kept from the way forward."
    )


def _costs() -> pd.DataFrame:
    rows = []
    for name, (long, short) in costs.compared().items():
        for way, cost in (("long way", long), ("closed form", short)):
            rows.append(
                {
                    "Gradient": f"{costs.STRETCHES[name][0]}, {way}",
                    "Formulas": cost.formulas,
                    "Read": f"{cost.kept / 1e6:.1f} MB",
                    "Asked for": f"{cost.made / 1e6:.1f} MB",
                    "Time": f"{cost.seconds * 1e3:.1f} ms",
                }
            )
    return pd.DataFrame(rows)


def _table(view: View[BackwardByHand]) -> pd.DataFrame:
    ds = view.dataset
    rows = [
        {
            "Tensor": node.name,
            "Shape": shape_of(ds, node),
            "Forward": node.forward or "learned",
            "Backward": f"d{node.name} = {node.gradient}" if node.gradient else "1",
            "Largest difference": f"{ds.attrs['difference'][node.name]:.1e}" if node.gradient else "",
        }
        for node in nodes(view.settings.divisor).values()
    ]
    return pd.DataFrame(rows)


def why(view: View[BackwardByHand]) -> None:
    """Document 002, 1.4.4 and 1.4.5, carried out to the end, and what they come to here."""
    ds, is_biased = view.dataset, view.settings.variance == "biased"
    left, right = st.columns(2)
    with left:
        st.markdown("Softmax and loss together, for one sample with target y (document 002, 1.4.4):")
        st.latex(
            r"\frac{\partial}{\partial z_j}(-\log P_y) = \begin{cases} P_j - 1 & j = y \\ P_j & j \ne y \end{cases}"
        )
        st.latex(r"\frac{\partial \mathcal{L}}{\partial \mathrm{logits}} = \frac{1}{n}(P - Y)")
        st.markdown(
            "Subtracting the maximum of each row changes nothing. Without it, or with another number in its place, "
            f"the loss differs by {measures.shift_in_loss(ds):.0e} and its gradient by "
            f"{measures.shift_in_gradient(ds):.0e}."
        )
    with right:
        st.markdown("Batch norm, with g = ∂L/∂y (1.4.5, which stops at the three paths; this is their sum):")
        ratio = "" if is_biased else r"\frac{n}{n-1}"
        st.latex(
            r"\frac{\partial \mathcal{L}}{\partial x} = \frac{\gamma}{n\sqrt{\sigma^2 + \epsilon}} "
            rf"\Big[ n g - \sum_i g_i - {ratio}\hat x \sum_i g_i \hat x_i \Big]"
        )
        st.markdown(
            f"A bias before batch norm is lost with the mean: its gradient is {measures.bias_gradient(ds):.0e}, and "
            f"without it the logits differ by {measures.bias_in_logits(ds):.0e}. With γ = √(σ² + ε) and β = μ batch "
            f"norm gives its input back, to {measures.identity_error(ds):.0e}."
        )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    words_of_position=lambda settings: place(settings.divisor, settings.place).words,
    parts=(
        Part("own", "Can you write it?", derive),
        Part("found", "What do gradients say?", found),
        Part("closed", "Is there a shorter way?", closed),
        Part("every", "Does autograd agree?", every),
    ),
)
