"""Document 003's recursion as the page shows it: equal to autograd, sums complete, clipping without a turn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.backpropagation_by_hand.figures import FIGURES
from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand

PARTS = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")


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


def test_on_how_many_of_ten_seeds_the_presets_words_hold() -> None:
    falls = {
        slug: [attrs["loss_after"] < attrs["loss_before"] for attrs in _of_ten_seeds(slug)]
        for slug in ("break-it-exploding", "fix-it-clip")
    }
    assert falls["break-it-exploding"].count(False) == 6
    words = {preset.slug: preset.words for preset in BackpropagationByHand.presets}
    assert "on six seeds of ten" in words["break-it-exploding"]
    assert falls["fix-it-clip"].count(True) == 10
    assert "on ten seeds of ten" in words["fix-it-clip"]


def _of_ten_seeds(slug: str) -> list[dict[str, float]]:
    declared = BackpropagationByHand.preset(slug)
    return [declared.changed(seed=seed).compute().attrs for seed in range(10)]


def test_the_pairs_of_eq_6_are_on_the_page_with_what_the_total_derivative_would_add() -> None:
    ds = BackpropagationByHand(text="hello world", hidden=5).compute()
    deltas, pairs = ds["delta_of_loss"], ds["pair"]
    np.testing.assert_allclose(deltas.sum("loss_step"), ds["delta_u"], atol=1e-12)
    lengths = np.linalg.norm(deltas, axis=2) * np.linalg.norm(ds["h_previous"], axis=1)
    np.testing.assert_allclose(pairs, lengths, atol=1e-12)
    assert (np.isnan(pairs.values) == np.triu(np.ones(pairs.shape, dtype=bool), 1)).all()
    assert ds.attrs["off_with_direct"] < 1e-12
    assert ds.attrs["off_with_total"] > 0.1


def test_a_text_of_two_characters_has_no_term() -> None:
    ds = BackpropagationByHand(text="ab").compute()
    assert float(ds["pair"].squeeze()) == 0
    assert np.isnan(ds.attrs["off_with_total"])
    assert FIGURES["triangle"](ds, number=1).layout.annotations
