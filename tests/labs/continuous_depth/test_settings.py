import pytest

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import SettingsError
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.runs.examples import example


def test_what_is_out_of_range_is_named():
    with pytest.raises(SettingsError, match=r"Tolerance is 1\.0; allowed is a number from 1e-08 to 0\.1\."):
        ContinuousDepth.checked({"tolerance": 1.0})
    with pytest.raises(SettingsError, match="Method is 'dopri8'; allowed is one of dopri5, bosh3, rk4"):
        ContinuousDepth.checked({"method": "dopri8"})


@pytest.mark.parametrize(
    ("slug", "kinds"),
    [
        ("as-in-the-document", ["learned", "residual_is_flow"]),
        ("adjoint", ["learned"]),
        ("break-it-two-rings", ["nested_classes", "growing_stiff"]),
        ("fix-it-one-more-dimension", ["learned"]),
        ("break-it-one-big-step", ["solver_s_map", "learned"]),
        ("fix-it-small-steps", ["saturated_field", "not_learned"]),
        ("regression-x-becomes-x", ["order_kept", "solver_s_map", "growing_stiff", "learned"]),
    ],
)
def test_a_preset_s_words_hold_in_its_recorded_run(slug, kinds):
    settings, dataset = ContinuousDepth.preset(slug), example(ContinuousDepth, slug)
    assert [finding.kind for finding in laboratory_of(settings).findings(settings, dataset)] == kinds
    for finding in laboratory_of(settings).findings(settings, dataset):
        assert settings.changed(**finding.changes)
        assert bool(finding.advice) == bool(finding.changes)


def test_rings_are_parted_with_one_more_dimension_and_not_in_the_plane():
    """Known answer: Dupont, Doucet and Teh 2019, proposition 3."""
    plane, space = (
        example(ContinuousDepth, slug).isel(look=slice(-3, None), network=0, seed=0)
        for slug in ("break-it-two-rings", "fix-it-one-more-dimension")
    )
    assert float(plane.test_accuracy.mean()) < 0.995
    assert (space.test_accuracy >= 0.995).all()
    assert float(space.test_loss[-1]) < 0.1 * float(plane.test_loss[-1])


def test_x_to_minus_x_is_a_jump_and_no_flow():
    """Known answer: the best that keeps the order leaves E[x^2]."""
    last = example(ContinuousDepth, "regression-x-becomes-x").isel(look=-1, seed=0)
    assert float(last.test_loss.sel(network="residual")) < 0.03
    assert float(last.test_loss.sel(network="ode")) > 0.25
    assert float(last.refined_test_loss.sel(network="residual")) > 0.25


def test_one_euler_step_learns_a_map_that_is_no_flow():
    last = example(ContinuousDepth, "break-it-one-big-step").isel(look=-1, seed=0, network=0)
    assert float(last.test_loss) < 0.1
    assert float(last.refined_test_loss) > 3 * float(last.test_loss)
