import numpy as np
import pytest

import goldviz.api
from goldviz.declare.settings import SettingsError
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.runs.examples import example
from tests.export.test_script import run_alone

SMALL = ContinuousDepth(samples=20, width=4, steps=5, batch=8, look_every=2, seeds=(0, 7))
PRESETS = pytest.mark.parametrize("slug", [preset.slug for preset in ContinuousDepth.presets])


@pytest.mark.parametrize("changes", [{}, {"task": "flip", "in_time": True, "gradient": "adjoint", "method": "rk4"}])
def test_the_script_repeats_the_run_to_the_bit(tmp_path, changes):
    settings = SMALL.changed(**changes)
    dataset = goldviz.api.run(settings, progress=False)
    script = settings.script()
    assert "needs Python 3.11 and torch and torchdiffeq." in script
    seen = run_alone(script, tmp_path)
    assert seen["coordinates"]["network"] == ["ode", "residual"]
    for name in dataset.data_vars:
        values = seen["finals"][name] if settings.variables[name].once else seen["curves"][name]["values"]
        expected = dataset[name].astype(np.float32).where(np.isfinite(dataset[name]))
        np.testing.assert_array_equal(np.array(values, np.float32), expected, err_msg=name)


def test_what_is_out_of_range_is_named():
    with pytest.raises(SettingsError, match=r"Tolerance is 1\.0; allowed is a number from 1e-08 to 0\.1\."):
        ContinuousDepth.checked({"tolerance": 1.0})
    with pytest.raises(SettingsError, match="Method is 'dopri8'; allowed is one of dopri5, bosh3, rk4"):
        ContinuousDepth.checked({"method": "dopri8"})


def test_estimates_grow_with_the_work():
    usual = ContinuousDepth().estimated_seconds()
    assert 2 < usual < 30
    for more in ({"seeds": (0, 1)}, {"steps": 600}, {"method": "rk4", "solver_steps": 64}, {"look_every": 2}):
        assert ContinuousDepth(**more).estimated_seconds() > 1.4 * usual, more
    assert ContinuousDepth(gradient="adjoint").estimated_seconds() > usual
    for less in ({"networks": "residual"}, {"method": "euler"}, {"look_every": 100}):
        assert ContinuousDepth(**less).estimated_seconds() < usual, less


@PRESETS
def test_a_preset_s_recorded_run_is_of_today_s_declaration(slug):
    dataset = example(ContinuousDepth, slug)
    assert dataset.attrs["status"] == "finished"
    assert ContinuousDepth.checked_json(dataset.attrs["settings"]) == ContinuousDepth.preset(slug)
    assert all(array.dims == ContinuousDepth.variables[name].dims for name, array in dataset.data_vars.items())


@pytest.mark.parametrize(("slug", "kinds"), [
    ("as-in-the-document", ["learned", "residual_is_flow"]),
    ("adjoint", ["learned"]),
    ("break-it-two-rings", ["nested_classes", "growing_stiff"]),
    ("fix-it-one-more-dimension", ["learned"]),
    ("break-it-one-big-step", ["solver_s_map", "learned"]),
    ("fix-it-small-steps", ["saturated_field", "not_learned"]),
    ("regression-x-becomes-x", ["order_kept", "solver_s_map", "growing_stiff", "learned"]),
])  # fmt: skip
def test_a_preset_s_words_hold_in_its_recorded_run(slug, kinds):
    settings, dataset = ContinuousDepth.preset(slug), example(ContinuousDepth, slug)
    assert [finding.kind for finding in settings.findings(dataset)] == kinds
    for finding in settings.findings(dataset):
        assert settings.changed(**finding.changes)
        assert bool(finding.advice) == bool(finding.changes)
