import numpy as np
import pytest

import goldviz.api
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from tests.export.test_script import run_alone

SMALL = ODERNNLaboratory(observations=5, hidden=4, width=5, steps=5, batch=4, look_every=2, seeds=(0, 7))


@pytest.mark.parametrize("changes", [{}, {"task": "market", "solver": "dopri5", "hidden_share": 0.3}])
def test_the_script_repeats_the_run_to_the_bit(tmp_path, changes):
    settings = SMALL.changed(**changes)
    dataset = goldviz.api.run(settings, progress=False)
    seen = run_alone(settings.script(), tmp_path)
    assert seen["coordinates"]["network"] == ["ode_rnn", "gru", "gru_gap", "gru_decay"]
    for name, variable in settings.variables.items():
        values = seen["finals"][name] if variable.once else seen["curves"][name]["values"]
        # JSON has no NaN: what is not finite is kept as None.
        expected = dataset[name].astype(np.float32).where(np.isfinite(dataset[name]))
        np.testing.assert_array_equal(np.array(values, np.float32), expected, err_msg=name)


def test_estimates_grow_with_the_work():
    usual = ODERNNLaboratory().estimated_seconds()
    assert 20 < usual < 80
    for more in ({"seeds": (0, 1)}, {"steps": 1200}, {"observations": 40}, {"step_cap": 0.02}, {"solver": "dopri5"}):
        assert ODERNNLaboratory(**more).estimated_seconds() > 1.4 * usual, more
    for less in ({"networks": "gru"}, {"networks": "ode_rnn"}, {"solver": "euler"}, {"step_cap": 10.0}):
        assert ODERNNLaboratory(**less).estimated_seconds() < 0.9 * usual, less


TRAINED = {"steps": 300, "batch": 32, "look_every": 300}


@pytest.fixture(scope="module")
def last_look():
    """The last looks of an ODE-RNN with capped steps, one with one step a gap, and a plain GRU, on the oscillator."""
    runs = {
        "ode_rnn": {"networks": "ode_rnn"},
        "one step": {"networks": "ode_rnn", "step_cap": 10.0},
        "gru": {"networks": "gru"},
    }
    return {
        name: goldviz.api.run("ode-rnn", progress=False, **TRAINED, **changes).isel(look=-1, seed=0)
        for name, changes in runs.items()
    }


@pytest.mark.slow
def test_known_answers_on_the_oscillator(last_look):
    ode, gru = last_look["ode_rnn"], last_look["gru"]
    assert float(ode.error.item()) < 0.1 * float(gru.error.item())
    assert float(ode.long_gap_error.item()) < 0.5 * float(ode.zero_error.sel(horizon="long gap"))
    assert float(gru.error.item()) < float(gru.zero_error.sel(horizon="in range"))
    assert 0.8 < float(ode.coverage.item()) < 0.98


@pytest.mark.slow
def test_capped_steps_follow_an_ode_and_one_step_a_gap_does_not(last_look):
    ode, coarse = last_look["ode_rnn"], last_look["one step"]
    assert float(ode.refined_error) == pytest.approx(float(ode.error.item()), rel=0.1)
    assert float(coarse.refined_error) > 1.2 * float(coarse.error.item())
    assert ode.interval_error.max() < 0.1 * coarse.interval_error.max()
