"""Document 003's recursion as the page shows it: equal to autograd, sums complete, clipping without a turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand

PARTS = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")


@settings(max_examples=25, deadline=None)
@given(text=st.text(min_size=2, max_size=40), hidden=st.integers(1, 8))
def test_any_text_gives_autograds_gradient(text: str, hidden: int) -> None:
    ds = BackpropagationByHand.checked({"text": text, "hidden": hidden}).compute()
    assert max(ds.attrs["difference"].values()) < 1e-12
    for part in PARTS:
        np.testing.assert_allclose(ds[f"{part}_term"].sum("step"), ds[f"{part}_gradient"], atol=1e-12)


def test_the_recursion_holds_at_every_step() -> None:
    ds = BackpropagationByHand(text="hello world").compute()
    np.testing.assert_allclose(ds["delta_h"], ds["from_output"] + ds["from_later"])
    np.testing.assert_allclose(ds["delta_u"], (1 - ds["h"] ** 2) * ds["delta_h"])
    np.testing.assert_allclose(ds["delta_y"], ds["y_hat"] - ds["y"])
    assert (ds["from_later"].values[-1] == 0).all()


def test_clipping_shortens_and_does_not_turn() -> None:
    ds = BackpropagationByHand.preset("fix-it-clip").compute()
    assert ds.attrs["norm_before"] > ds.attrs["norm_after"] == pytest.approx(1.0)
    assert ds.attrs["cosine"] == pytest.approx(1.0, abs=1e-12)


def test_the_step_is_the_clipped_gradient_times_the_learning_rate() -> None:
    declared = BackpropagationByHand(text="hello", learning_rate=0.3, clip=0.5)
    ds = declared.compute()
    for part in PARTS:
        np.testing.assert_allclose(ds[f"{part}_updated"], ds[part] - 0.3 * ds[f"{part}_clipped"], atol=1e-15)


def test_without_clipping_the_step_fails_and_with_it_the_loss_falls() -> None:
    broken, mended = (
        BackpropagationByHand.preset(slug).compute().attrs for slug in ("break-it-exploding", "fix-it-clip")
    )
    assert broken["loss_after"] > broken["loss_before"] == mended["loss_before"] > mended["loss_after"]
