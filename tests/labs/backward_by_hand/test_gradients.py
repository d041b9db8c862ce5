"""Every gradient by hand equals autograd's and finite differences; the claims of document 002, 1.4, hold."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.backward_by_hand.formulas import parse
from goldviz.labs.backward_by_hand.network import BACKWARD, Divisor, closed_forms, nodes
from goldviz.labs.backward_by_hand.passes import beginning, both_ways, forward
from goldviz.labs.backward_by_hand.settings import BackwardByHand

NUDGE = 1e-5
VARIANCES = pytest.mark.parametrize("variance", ["unbiased", "biased"])


@given(
    words=st.text(min_size=1, max_size=40).filter(str.strip),
    samples=st.integers(2, 32),
    context=st.integers(1, 4),
    features=st.integers(1, 6),
    hidden=st.integers(1, 32),
    gain=st.floats(0, 20),
    output_gain=st.floats(0, 10),
    variance=st.sampled_from(["unbiased", "biased"]),
    seed=st.integers(0, 999),
)
def test_any_batch_gives_autograd_s_gradients(**values: object) -> None:
    declared = BackwardByHand.checked(values)
    passes = both_ways(declared)
    assert all(np.isfinite(value) for value in declared.compute().attrs["difference"].values())
    for name in BACKWARD:
        size = float(passes.autograd[name].abs().max())
        assert passes.difference(name) <= 1e-9 * max(size, 1), name
    for name, formula in closed_forms(declared.divisor).items():
        torch.testing.assert_close(passes.board.value(formula), passes.autograd[name], rtol=1e-9, atol=1e-9)


@VARIANCES
def test_gradients_equal_central_differences(variance: str) -> None:
    declared = BackwardByHand.checked({"words": "go", "samples": 4, "hidden": 3, "context": 2, "variance": variance})
    passes, (_, start) = both_ways(declared), beginning(declared)
    for name in BACKWARD:
        value, found = passes.board.tensors[name], torch.empty_like(passes.gradient(name))
        for at in np.ndindex(*value.shape):
            losses = []
            for sign in (1, -1):
                moved = value.clone()
                moved[at] += sign * NUDGE
                losses.append(float(forward(start, declared.divisor, {name: moved}).tensors["loss"]))
            found[at] = (losses[0] - losses[1]) / (2 * NUDGE)
        torch.testing.assert_close(passes.gradient(name), found, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("divisor", ["n - 1", "n"])
def test_the_forward_pass_is_torch_s(divisor: Divisor) -> None:
    declared = BackwardByHand(variance="biased" if divisor == "n" else "unbiased")
    t = both_ways(declared).board.tensors
    normalised = torch.nn.functional.batch_norm(
        t["h_prebn"], None, None, t["bngain"][0], t["bnbias"][0], training=True, eps=1e-5
    )
    if divisor == "n":
        torch.testing.assert_close(t["h_preact"], normalised, rtol=0, atol=1e-12)
    else:
        assert float((t["h_preact"] - normalised).abs().max()) > 0.01, "torch normalises with the biased variance"
        torch.testing.assert_close(t["bnvar"][0], t["h_prebn"].var(0), rtol=0, atol=1e-12)
    loss = torch.nn.functional.cross_entropy(t["logits"], t["Y"])
    torch.testing.assert_close(t["loss"], loss, rtol=0, atol=1e-12)


def test_every_formula_reads_what_is_there_already() -> None:
    known = nodes("n - 1")
    assert set(BACKWARD) == set(known) - {"loss"}
    declared = BackwardByHand(samples=5)
    _, start = beginning(declared)
    board = forward(start, "n - 1")
    for name in BACKWARD:
        assert board.foretold(parse(known[name].gradient)).shape == board.tensors[name].shape
        board.tensors[f"d{name}"] = board.value(known[name].gradient)


@VARIANCES
def test_the_claims_of_the_document_on_five_seeds(variance: str) -> None:
    for seed in range(5):
        attrs = BackwardByHand.checked({"seed": seed, "variance": variance}).compute().attrs
        assert attrs["bias_gradient"] < 1e-15, "C8: a bias before batch norm learns nothing"
        assert attrs["bias_in_logits"] < 1e-12
        assert attrs["identity_error"] < 1e-12, "C9: scale and shift give the input back"
        assert attrs["identity_elsewhere"] > 0.1, "but not another batch's"
        assert attrs["sign_in_gradient"] < 1e-15, "C12: dlogit_maxes is zero, whatever its sign"
        assert max(attrs["shift_in_loss"], attrs["shift_in_gradient"]) < 1e-12
        assert attrs["mean_through_variance"] < 1e-15


def test_three_paths_add_up() -> None:
    ds = BackwardByHand().compute()
    np.testing.assert_allclose(ds["path"].sum("way"), ds["dh_prebn"], atol=1e-15)
    np.testing.assert_allclose(ds["dlogits"].sum("symbol"), 0, atol=1e-15)
    assert np.abs(ds["dlogit_maxes"]).max() < 1e-15 < np.abs(ds["dnorm_logits"]).max()


def test_on_how_many_of_ten_seeds_the_presets_words_hold() -> None:
    words = {preset.slug: preset.words for preset in BackwardByHand.presets}
    of_ten = {slug: [BackwardByHand.preset(slug).changed(seed=seed).compute() for seed in range(10)] for slug in words}
    plain, _, two, flat, sure, many = of_ten.values()

    assert "nine seeds of ten less than 6 %" in words["break-it-two-samples"]
    through = [float(np.abs(ds["dh_prebn"]).max() / np.abs(ds["dh_preact"]).max()) for ds in two]
    assert sum(share < 0.06 for share in through) == 9
    assert all(float(np.abs(np.abs(ds["bnraw"]) - 0.71).max()) < 0.015 for ds in two)

    assert "on ten seeds of ten" in words["fix-it-32-samples"]
    assert "0.7 to 1.7" in words["fix-it-32-samples"]
    through = [float(np.abs(ds["dh_prebn"]).max() / np.abs(ds["dh_preact"]).max()) for ds in many]
    assert (round(min(through), 1), round(max(through), 1)) == (0.7, 1.7)

    assert "82 to 93 % of h beyond 0.97" in words["break-it-saturated-tanh"]
    beyond = [float((np.abs(ds["h"]) > 0.97).mean()) for ds in flat]
    assert (round(min(beyond), 2), round(max(beyond), 2)) == (0.82, 0.93)

    assert "8.4 to 12.7 in place of 2.4 to 2.8" in words["break-it-sure-and-wrong"]
    losses = [[round(float(ds["loss"]), 1) for ds in runs] for runs in (sure, plain)]
    assert [(min(row), max(row)) for row in losses] == [(8.4, 12.7), (2.4, 2.8)]
    assert "74 to 98 %" in words["break-it-sure-and-wrong"]
    push = [ds["dlogits"].values.clip(0) for ds in sure]
    top = [float(np.median(row.max(1) / row.sum(1))) for row in push]
    assert (round(min(top), 2), round(max(top), 2)) == (0.74, 0.98)


def test_two_samples_alike_and_one_unit_have_numbers() -> None:
    runs = [BackwardByHand(words="a b c d", samples=2, hidden=1, context=1, seed=seed).compute() for seed in range(16)]
    assert min(float(np.abs(ds["h_prebn"] - ds["bmean"]).max()) for ds in runs) == 0


def test_words_of_blanks_have_no_batch() -> None:
    with pytest.raises(ValueError, match="Words has only blanks"):
        BackwardByHand(words="  ").compute()
