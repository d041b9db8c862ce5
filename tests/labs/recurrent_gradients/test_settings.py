import numpy as np
import pytest

import goldviz.api
from goldviz.declare.settings import SettingsError
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.runs.examples import example


def test_reviews_need_an_even_batch():
    with pytest.raises(SettingsError, match=r"^Batch is 63; reviews come in pairs, so an even number is allowed\.$"):
        RecurrentGradients.checked({"task": "reviews", "batch": 63})
    assert RecurrentGradients.checked({"task": "adding", "batch": 63}).batch == 63


def run(slug, **changes):
    return goldviz.api.run(RecurrentGradients.preset(slug).changed(**changes), progress=False)


def test_clipping_tames_what_explodes():
    broken, fixed = run("break-it-exploding"), run("fix-it-clip-at-1", steps=60)
    assert broken.attrs["status"] == "diverged"
    assert fixed.attrs["status"] == "finished"
    assert (fixed.loss.isel(step=slice(-10, None)) < 0.1 * fixed.loss.isel(step=0)).all()


def test_a_small_gain_loses_what_an_orthogonal_matrix_keeps():
    small = run("break-it-small-gain", steps=20, look_every=20)
    first, last = small.state_gradient_norm.isel(look=0, network=0, seed=0, time=[0, -1])
    assert first < 1e-12 * last
    kept = run("fix-it-orthogonal", look_every=0)
    assert kept.accuracy.isel(step=slice(-20, None)).mean() > 0.95


def test_a_shut_forget_gate_shortens_the_cell_s_memory():
    shut, open_ = (run(slug, steps=1) for slug in ("break-it-forget-bias-2", "fix-it-forget-bias-1"))
    for dataset, opening in ((shut, 0.12), (open_, 0.73)):
        path = dataset.log_cell_path.isel(look=0, network=0, seed=0)
        assert path.isel(lag=-1) / path.sizes["lag"] == pytest.approx(np.log10(opening), abs=0.1)


def test_gated_networks_add_over_fifty_steps_where_the_plain_one_says_one():
    """Known answer: saying 1 costs 1/6; with memory the loss falls under 0.02."""
    recorded = example(RecurrentGradients, "adding-50-steps").test_loss.isel(seed=0)
    assert (recorded.sel(network=["lstm", "gru"]) < 0.02).all()
    assert recorded.sel(network="rnn") > 0.12


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_gated_networks_add_over_a_hundred_steps_where_the_plain_one_says_one():
    """Known answer: saying 1 costs 1/6; with memory the loss falls under 0.02."""
    usual = {"length": 100, "batch": 32, "look_every": 0, "progress": False}
    for network, steps in (("gru", 500), ("lstm", 1100)):
        dataset = goldviz.api.run("recurrent-gradients", networks=network, steps=steps, **usual)
        assert dataset.test_loss.item() < 0.02, network
    plain = goldviz.api.run("recurrent-gradients", networks="rnn", steps=1100, **usual)
    assert plain.test_loss.item() > 0.12
