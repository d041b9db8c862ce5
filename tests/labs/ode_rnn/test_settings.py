"""What the presets claim is so in their recorded runs, whose first steps the contract repeats."""

import pytest

from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.examples import example


def last_look(slug, network):
    return example(ODERNNLaboratory, slug).isel(look=-1, seed=0).sel(network=network)


def test_known_answers_on_the_oscillator():
    ode, gru = (last_look("as-in-the-document", network) for network in ("ode_rnn", "gru"))
    assert float(ode.error) < 0.1 * float(gru.error)
    assert float(ode.long_gap_error) < 0.5 * float(ode.zero_error.sel(horizon="long gap"))
    assert float(gru.error) < float(gru.zero_error.sel(horizon="in range"))
    assert 0.8 < float(ode.coverage) < 0.98


def test_capped_steps_follow_an_ode_and_one_step_a_gap_does_not():
    ode, coarse = (last_look(slug, "ode_rnn") for slug in ("fix-it-capped-steps", "break-it-one-step-a-gap"))
    assert float(ode.refined_error) == pytest.approx(float(ode.error), rel=0.1)
    assert float(coarse.refined_error) > 1.2 * float(coarse.error)
    assert ode.interval_error.max() < 0.1 * coarse.interval_error.max()
