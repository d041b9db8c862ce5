"""What the presets' words say of ten seeds, trained anew; a few per cent are left to the processor's rounding."""

from functools import cache

import numpy as np
import pytest

import goldviz.api
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def said(slug):
    return next(preset.words for preset in ODERNNLaboratory.presets if preset.slug == slug)


@cache
def ode_rnns(slug):
    """The ODE-RNNs of ten seeds at the end of training; they are the same whatever other networks learn beside."""
    settings = ODERNNLaboratory.preset(slug).changed(seeds=tuple(range(10)), networks="ode_rnn", time_limit=1800.0)
    run = goldviz.api.run(settings, progress=False, look_every=settings.steps)
    return run.isel(look=-1).sel(network="ode_rnn")


def refined(slug):
    """The error with steps four times as fine, as a multiple of the error, for each seed."""
    last = ode_rnns(slug)
    return (last.refined_error / last.error).values


def test_the_state_goes_on_in_longer_gaps_than_those_of_training():
    words = said("as-in-the-document")
    assert "On ten seeds of ten the ODE-RNN goes on swinging in gaps longer than any of training" in words
    last = ode_rnns("as-in-the-document")
    assert (last.long_gap_error < 0.5 * last.zero_error_by_seed.sel(horizon="long gap")).all()


def test_one_step_a_gap_learns_the_solver_s_map():
    assert "is 1.8 to 5 times as large, on ten seeds of ten" in said("break-it-one-step-a-gap")
    assert refined("break-it-one-step-a-gap").min() > 1.7
    assert refined("break-it-one-step-a-gap").max() < 5.3


def test_capped_steps_learn_an_ode():
    assert "refining changes the error by less than 1 %, on ten seeds of ten" in said("fix-it-capped-steps")
    np.testing.assert_allclose(refined("fix-it-capped-steps"), 1, atol=0.01)


def test_euler_s_steps_are_part_of_what_is_learned():
    assert "its error is 4 to 9 times as large, on ten seeds of ten" in said("break-it-euler")
    assert refined("break-it-euler").min() > 3.8
    assert refined("break-it-euler").max() < 9.5


def test_the_market_s_returns_are_hardly_better_than_zero():
    words = said("the-market-s-returns")
    assert "on ten seeds of ten the ODE-RNN's error is 0.97 of predicting zero's" in words
    last = ode_rnns("the-market-s-returns")
    worth = last.error / last.zero_error_by_seed.sel(horizon="in range")
    np.testing.assert_allclose(worth, 0.97, atol=0.0051)
