"""The page's gradients, its presets' words on ten seeds, and what storing costs."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.labs.backpropagation_steps.compute import costs
from goldviz.labs.backpropagation_steps.gradients import softmax_jacobian
from goldviz.labs.backpropagation_steps.measures import largest_gradient_without_news, weights_without_news
from goldviz.labs.backpropagation_steps.network import changed, sizes
from goldviz.labs.backpropagation_steps.settings import LAST, LOSSES, BackpropagationSteps
from goldviz.models.feedforward.activations import ACTIVATIONS

SEEDS = range(10)
GRADIENTS = ("arriving", "delta", "weight_gradient", "bias_gradient")


def computed(**values: object) -> xr.Dataset:
    return BackpropagationSteps.checked(values).compute()


@pytest.mark.parametrize(("activation", "loss", "last"), [*product(ACTIVATIONS, LOSSES, LAST)])
def test_by_hand_by_autograd_and_nudged_agree(activation: str, loss: str, last: str) -> None:
    """1e-9 from autograd and 1e-6 from central differences, entry by entry, in float64."""
    ds = computed(activation=activation, loss=loss, last=last, layers=4, outputs=3, samples=3, penalty=0.2, gain=1.5)
    for name in GRADIENTS:
        np.testing.assert_allclose(ds[name], ds[f"{name}_autograd"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(ds[name], ds[f"{name}_nudge"], rtol=0, atol=1e-6)
    assert ds.attrs["difference_to_autograd"] < 1e-12
    np.testing.assert_allclose(ds["arriving"] * ds["slope"], ds["delta"], rtol=0, atol=1e-15)


def test_the_largest_and_the_smallest_network() -> None:
    largest = {"layers": 6, "width": 8, "inputs": 8, "outputs": 8, "samples": 4}
    for values in (largest, {"layers": 2, "width": 1, "inputs": 1, "outputs": 1, "loss": "cross_entropy"}):
        ds = computed(**values)
        assert ds.attrs["difference_to_nudges"] < 1e-6
        assert int(ds["weight"].notnull().sum()) == sum(
            w.numel() for w in changed(BackpropagationSteps(**values)).weights
        )


def test_several_samples_add_up() -> None:
    both, first = computed(samples=2), computed()
    inputs = both["x"].sel(level=0, sample=2).values[:3]
    targets = (both["x"].sel(level=3, sample=2) - both["arriving"].sel(layer=3, sample=2)).values[:2]
    changes = {f"x1.{place}": value for place, value in enumerate(inputs, 1)}
    changes |= {f"y1.{place}": value for place, value in enumerate(targets, 1)}
    second = computed(edits=";".join(f"{place}={value:.2f}" for place, value in changes.items()))
    np.testing.assert_allclose(
        both["weight_gradient"], first["weight_gradient"] + second["weight_gradient"], atol=1e-12
    )
    assert both.attrs["loss"] == pytest.approx(first.attrs["loss"] + second.attrs["loss"])


def test_an_edit_is_the_number_that_it_says() -> None:
    ds = computed(edits="w1.2.3=0.5;b2.1=-0.75;x1.1=2")
    assert float(ds["weight"].sel(layer=1, unit=2, before=3)) == 0.5
    assert float(ds["bias"].sel(layer=2, unit=1)) == -0.75
    assert float(ds["x"].sel(level=0, sample=1, unit=1)) == 2


def test_the_penalty_adds_lambda_w() -> None:
    plain, penalised = computed(), computed(penalty=0.1)
    added = penalised["weight_gradient"] - plain["weight_gradient"]
    np.testing.assert_allclose(added, 0.1 * plain["weight"], atol=1e-15)
    squares = float((plain["weight"] ** 2).sum())
    assert penalised.attrs["loss"] - plain.attrs["loss"] == pytest.approx(0.05 * squares)


def test_the_softmaxs_matrix_collapses_to_g_minus_y() -> None:
    ds = computed(loss="cross_entropy", outputs=5).isel(sample=0)
    share, target = ds["share"], ds["target"]
    left = -(target / share * ds["softmax_jacobian"]).sum("unit").rename(before="unit")
    np.testing.assert_allclose(left, share - target, atol=1e-15)
    np.testing.assert_allclose(ds["delta"].isel(layer=-1), share - target, atol=1e-15)
    logits = torch.randn(6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    expected = torch.autograd.functional.jacobian(lambda o: o.softmax(0), logits)
    torch.testing.assert_close(softmax_jacobian(logits), expected, rtol=0, atol=1e-15)


def test_one_update_is_what_the_loss_after_says() -> None:
    ds = computed(learning_rate=1.0)
    at_one = int(np.argmin(np.abs(ds["learning_rate"].values - 1)))
    assert float(ds["loss_after"][at_one]) == pytest.approx(ds.attrs["loss_after_update"], rel=1e-9)
    slope = float(ds["loss_after"][1] - ds["loss_after"][0]) / float(ds["learning_rate"][1])
    foreseen = float(ds["loss_foreseen"][1] - ds["loss_foreseen"][0]) / float(ds["learning_rate"][1])
    assert slope == pytest.approx(foreseen, rel=0.1)


def test_costs_count_what_the_passes_do() -> None:
    """Counted once more by walking through the layers."""
    sides = sizes(BackpropagationSteps(layers=5, width=7, inputs=4, outputs=3))
    products = [before * after for before, after in pairwise(sides)]
    again = sum(sum(products[:layer]) for layer in range(1, len(products) + 1))
    cost = costs(sides, samples=2)
    assert cost.forward == 2 * sum(products)
    assert cost.backward_anew - cost.backward_stored == 2 * again
    assert cost.stored == 2 * (4 + 2 * (7 * 4 + 3))


def on_ten_seeds(slug: str) -> list[xr.Dataset]:
    return [BackpropagationSteps.preset(slug).changed(seed=seed).compute() for seed in SEEDS]


def said(slug: str) -> str:
    return next(preset.words for preset in BackpropagationSteps.presets if preset.slug == slug)


def test_large_weights_flatten_half_of_the_slopes() -> None:
    broken, mended = (
        [float(ds["slope"].median()) for ds in on_ten_seeds(slug)]
        for slug in ("break-it-saturated", "fix-it-not-so-large-weights")
    )
    assert "On ten seeds of ten, half of the slopes are below 0.45. On seven, below 0.07." in said("break-it-saturated")
    assert max(broken) < 0.45
    assert sum(slope < 0.07 for slope in broken) == 7
    assert "above 0.68 on ten seeds of ten" in said("fix-it-not-so-large-weights")
    assert min(mended) > 0.68


def test_a_dead_neuron_and_its_remedy() -> None:
    for ds in on_ten_seeds("break-it-a-dead-neuron"):
        assert float(ds["z"].sel(layer=1, sample=1, unit=2)) < 0
        assert (ds["weight_gradient"].sel(layer=1, unit=2).dropna("before") == 0).all()
        assert (ds["weight_gradient"].sel(layer=2, before=2).dropna("unit") == 0).all()
    for ds in on_ten_seeds("fix-it-a-slope-below-zero"):
        here = ds.sel(layer=1, unit=2, sample=1)
        assert float(here["delta"]) == pytest.approx(0.1 * float(here["arriving"]))
        assert float(here["delta"]) != 0


def test_too_long_a_step_ends_higher_up() -> None:
    assert "on ten seeds of ten" in said("break-it-too-long-a-step")
    assert all(ds.attrs["loss_after_update"] > ds.attrs["loss"] for ds in on_ten_seeds("break-it-too-long-a-step"))


def test_a_weight_without_news_never_learns() -> None:
    for seed in SEEDS:
        ds = computed(activation="relu", layers=4, width=8, seed=seed)
        count, silent = weights_without_news(ds)
        assert 0 < silent <= count == 3 * 8 + 2 * 64 + 16
        assert largest_gradient_without_news(ds) == 0
    assert weights_without_news(computed()) == (36, 0)
