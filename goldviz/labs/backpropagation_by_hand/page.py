"""The unrolled network: forward and backward through a text, one step at a time."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from goldviz.figures.spec import FigureSpec
from goldviz.labs.backpropagation_by_hand import LAB, measures
from goldviz.labs.backpropagation_by_hand.figures import FIGURES
from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand
from goldviz.labs.backpropagation_by_hand.unrolled import place
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part


def words_of_position(settings: BackpropagationByHand) -> str:
    """What the slider's ends mean."""
    first, last = settings.positions()
    return f"Step through it: forward from {first} to {last // 2}, backward from {last // 2 + 1} to {last}"


def look(view: View[BackpropagationByHand]) -> None:
    """The unrolled network with the place in it, what it expects, and every vector of that step."""
    view.draw(FIGURES["unrolled"])
    view.draw(FIGURES["predictions"], FIGURES["vectors"])


def sums(view: View[BackpropagationByHand]) -> None:
    """The matrices of this place, and the five sums beside autograd's."""
    ds = view.dataset
    view.draw(*_of_place(view))
    st.subheader("The five sums, beside autograd's", anchor=False)
    st.dataframe(_table(view), hide_index=True, width="stretch")
    st.caption(
        f"The largest difference of any entry is {measures.off_autograd(ds):.1e}: rounding in float64's last digit."
    )


def update(view: View[BackpropagationByHand]) -> None:
    """Clip, then step."""
    ds = view.dataset
    before, after = ds.attrs["norm_before"], measures.clipped_norm(ds)
    columns = st.columns(4)
    columns[0].metric("Norm of the gradient", f"{before:.4g}")
    columns[1].metric("After clipping", f"{after:.4g}", help="g · min(1, C / ‖g‖), over all five parts (document 003).")
    columns[2].metric("Loss before", f"{ds.attrs['loss_before']:.4f}")
    columns[3].metric(
        "Loss after",
        f"{ds.attrs['loss_after']:.4f}",
        delta=f"{measures.change_of_loss(ds):+.4f}",
        delta_color="inverse",
        help="The same text read again with the updated weights.",
    )
    st.caption(
        f"The clipped gradient points the same way: the cosine between the two is {ds.attrs['cosine']:.6f}."
        if after < before
        else f"The gradient is not longer than C = {view.settings.clip:g}, so it stays as it is."
    )
    view.draw(FIGURES["gradient"], FIGURES["updated"])


def pairs(view: View[BackpropagationByHand]) -> None:
    """Eq. 6 of document 001 term by term, and document 003's deltas of one loss."""
    st.latex(
        r"\begin{aligned} \frac{\partial \mathcal{L}}{\partial W_{aa}} &= \sum_{t=1}^{T} \sum_{k=1}^{t} "
        r"\frac{\partial \mathcal{L}_t}{\partial h_t} \frac{\partial h_t}{\partial h_k} "
        r"\frac{\partial^{+} h_k}{\partial W_{aa}} \\ &= \sum_{t=1}^{T} \sum_{k=1}^{t} \delta^{u,(t)}_k "
        r"h_{k-1}^\top \end{aligned}"
    )
    view.draw(FIGURES["triangle"], FIGURES["one_loss"])
    view.draw(FIGURES["direct_and_total"])
    ds = view.dataset
    if math.isfinite(measures.off_with_direct(ds)):
        st.markdown(
            f"The terms add up to autograd's gradient, to {measures.off_with_direct(ds):.0e} of its norm. Document 001 "
            r"writes its eq. 6 with $\partial \mathcal{L} / \partial h_t$. It has to be the **direct** derivative, of "
            "the loss at t through the answer at t. The recursion carries the **total** one. With it, the loss of step "
            "t counts t − k + 1 times for step k. The sum is then off by "
            f"{measures.off_with_total(ds):.2g} times the gradient's norm."
        )
    st.caption("∂⁺ is the immediate derivative: W as used at step k alone, with what step k − 1 hands over held fixed.")


def _of_place(view: View[BackpropagationByHand]) -> list[FigureSpec]:
    """Forward: the weights. Backward: what this step adds to the five sums, and the sums so far."""
    if place(view.dataset, view.settings.place).backward:
        return [FIGURES["terms"], FIGURES["sums"]]
    return [FIGURES["weights"]]


OF_ALL_PLACES = ("triangle", "one_loss", "direct_and_total", "gradient", "updated")


def in_report(view: View[BackpropagationByHand]) -> list[FigureSpec]:
    """The figures of all parts, at this place."""
    first = [FIGURES[name] for name in ("unrolled", "predictions", "vectors")]
    others = [FIGURES[name] for name in OF_ALL_PLACES]
    return view.drawable([*first, *_of_place(view), *others])


def _table(view: View[BackpropagationByHand]) -> pd.DataFrame:
    ds = view.dataset
    return pd.DataFrame(
        {
            "Part": part,
            "Shape": " × ".join(str(size) for size in ds[f"{part}_gradient"].shape),
            "Norm by hand": f"{measures.BY_HAND[part](ds):.12g}",
            "Norm by autograd": f"{measures.BY_AUTOGRAD[part](ds):.12g}",
            "Largest difference": f"{ds.attrs['difference'][part]:.1e}",
        }
        for part in measures.PARTS
    )


def why(view: View[BackpropagationByHand]) -> None:
    """The recursion, the sums and the update."""
    left, right = st.columns(2)
    with left:
        st.markdown("Forward, and the deltas back from the end, with δᵘ zero beyond it:")
        st.latex(r"u_t = W_{aa} h_{t-1} + W_{ax} x_t + b_a")
        st.latex(r"h_t = \tanh(u_t)")
        st.latex(r"\hat y_t = \mathrm{softmax}(W_{ya} h_t + b_y)")
        st.latex(r"\mathcal{L} = -\sum_t \log \hat y_{t, y_t}")
        st.latex(r"\delta^y_t = \hat y_t - y_t")
        st.latex(r"\delta^h_t = W_{ya}^\top \delta^y_t + W_{aa}^\top \delta^u_{t+1}")
        st.latex(r"\delta^u_t = (1 - h_t^2) \odot \delta^h_t")
    with right:
        st.markdown("The five sums over time, and the step:")
        for part, terms_of in (
            ("W_{ya}", r"\delta^y_t h_t^\top"),
            ("b_y", r"\delta^y_t"),
            ("W_{aa}", r"\delta^u_t h_{t-1}^\top"),
            ("W_{ax}", r"\delta^u_t x_t^\top"),
            ("b_a", r"\delta^u_t"),
        ):
            st.latex(rf"\partial \mathcal{{L}} / \partial {part} = \textstyle\sum_t {terms_of}")
        st.latex(r"g \leftarrow g \cdot \min\left(1, \frac{C}{\|g\|}\right)")
        st.latex(r"W \leftarrow W - \eta\, g")


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    report=in_report,
    words_of_position=words_of_position,
    parts=(
        Part("sums", "What does a step add?", sums),
        Part("pairs", "Which loss teaches what?", pairs),
        Part("update", "Clip, then step", update),
    ),
)
