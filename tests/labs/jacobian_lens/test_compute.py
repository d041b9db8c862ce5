"""The Jacobian lens' numbers: bounds hold, the cell path is the forget gates' product, gains equal autograd's."""

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.diagnostics.recurrent.jacobians import step_jacobians
from goldviz.labs.jacobian_lens.compute import unrolled
from goldviz.labs.jacobian_lens.settings import LAYERS, JacobianLens
from goldviz.models.recurrent.lstm import LSTMTrace
from goldviz.models.recurrent.matrices import MATRICES

SMALL = {"hidden": 6, "length": 9, "input_scale": 0.7, "size": 1.1}


@pytest.mark.parametrize("initialisation", MATRICES)
@pytest.mark.parametrize("cell", ["rnn_tanh", "rnn_relu"])
def test_the_bound_with_the_norm_is_never_broken(cell: str, initialisation: str) -> None:
    for start in (0, 4):
        ds = JacobianLens.checked({**SMALL, "cell": cell, "initialisation": initialisation, "start": start}).compute()
        measured = ds["singular_value"].values[:, 0]
        assert (measured <= ds["stepwise_bound"].values + 1e-9).all()
        assert (ds["stepwise_bound"].values <= ds["bound_by_slope"].values + 1e-9).all()
        assert (ds["bound_by_slope"].values <= ds["bound"].values + 1e-9).all()


def test_the_largest_slope_makes_the_bound_tighter_where_all_units_saturate() -> None:
    ds = JacobianLens.checked({**SMALL, "input_scale": 5.0, "hidden": 2, "seed": 3, "start": 2}).compute()
    assert ds.attrs["largest_slope"] == float(ds["passed"][2:].max()) < 0.999
    tighter = np.arange(8) * np.log10(ds.attrs["largest_slope"] * ds.attrs["spectral_norm"])
    np.testing.assert_allclose(ds["bound_by_slope"], tighter, atol=1e-9)
    assert ds["bound_by_slope"][-1] < ds["bound"][-1] - 0.01


def test_the_line_with_the_spectral_radius_is_no_bound() -> None:
    ds = JacobianLens.preset("break-it-non-normal-growth").compute()
    measured = ds["singular_value"].values[:, 0]
    assert ds.attrs["spectral_radius"] == pytest.approx(0.9)
    assert measured.max() > 0.5
    assert (measured[1:] > ds["asymptote"].values[1:]).all()
    assert (measured <= ds["bound"].values + 1e-9).all()


@pytest.mark.parametrize("cell", LAYERS)
def test_the_average_gain_is_the_mean_square_of_the_singular_values(cell: str) -> None:
    ds = JacobianLens.checked({**SMALL, "cell": cell, "start": 3}).compute()
    column = ds["norm"].values[3:, 3]
    singular = 10.0 ** ds["singular_value"].values
    np.testing.assert_allclose(10.0**column, np.sqrt(np.mean(np.nan_to_num(singular) ** 2, axis=1)), rtol=1e-6)


@pytest.mark.parametrize("cell", [cell for cell in LAYERS if cell != "lstm"])
def test_the_largest_gain_equals_that_of_autograds_jacobian(cell: str) -> None:
    settings = JacobianLens.checked({**SMALL, "cell": cell, "start": 2})
    layer, trace = unrolled(settings)
    inputs = torch.zeros(0)
    first = trace.states[2].detach()

    def last(h: torch.Tensor) -> torch.Tensor:
        return layer(inputs, h).states[-1][0]

    inputs = _inputs(settings)[2:]
    jacobian = torch.autograd.functional.jacobian(last, first)[:, 0]
    expected = float(torch.linalg.matrix_norm(jacobian, ord=2).log10())
    assert float(settings.compute()["singular_value"][-1, 0]) == pytest.approx(expected, abs=1e-6)


def _inputs(settings: JacobianLens) -> torch.Tensor:
    from goldviz.labs.jacobian_lens.compute import INPUTS
    from goldviz.training.seeds import DATA, stream

    generator = stream(settings.seed, DATA)
    return torch.randn(settings.length, 1, INPUTS, generator=generator, dtype=torch.float64)


def test_the_cell_path_is_the_product_of_forget_gates() -> None:
    settings = JacobianLens.checked({**SMALL, "cell": "lstm", "forget_bias": 2.0})
    ds = settings.compute()
    _, trace = unrolled(settings)
    assert isinstance(trace, LSTMTrace)
    forget = torch.stack(trace.forget_gates)[:, 0].numpy()
    for t, k in ((9, 0), (7, 3), (5, 5)):
        product = forget[k:t].prod(0)
        expected = np.log10(np.sqrt(np.mean(product**2)))
        assert float(ds["cell_path"].sel(t=t, k=k)) == pytest.approx(expected, abs=1e-12)


def test_a_shut_update_gate_keeps_the_state() -> None:
    ds = JacobianLens.checked({"cell": "gru", "update_bias": -8.0, "length": 20, "hidden": 8}).compute()
    assert np.abs(ds["singular_value"].values).max() < 0.02
    assert float(ds["passed"].min()) > 0.98


def test_only_the_cells_own_gate_bias_has_an_effect() -> None:
    assert JacobianLens(cell="rnn_relu", input_scale=0.0).without_effect().keys() == {"forget_bias", "update_bias"}
    relu = JacobianLens(cell="rnn_relu", initialisation="identity", length=12, hidden=8)
    assert "input_scale" in relu.without_effect()
    small, large = (relu.changed(input_scale=scale).compute() for scale in (0.5, 2.0))
    assert not [name for name in small.data_vars if name != "saturated" and not small[name].equals(large[name])]
    assert JacobianLens(cell="lstm").without_effect().keys() == {"update_bias"}
    assert JacobianLens(cell="gru").without_effect().keys() == {"forget_bias"}
    assert JacobianLens().without_effect().keys() == {"forget_bias", "update_bias"}


def test_a_start_beyond_the_sequence_is_its_last_step_but_one() -> None:
    assert JacobianLens.checked({"length": 5, "start": 150}).compute().attrs["start"] == 4


def _of_ten_seeds(slug: str) -> list[xr.Dataset]:
    declared = JacobianLens.preset(slug)
    return [declared.changed(seed=seed).compute() for seed in range(10)]


def test_what_the_presets_words_say_holds_on_ten_seeds() -> None:
    """Every step of orthogonal 0.7 shrinks to 0.7 or less; an orthogonal matrix keeps 10 to 25 % over 60 steps."""
    words = {preset.slug: preset.words for preset in JacobianLens.presets}
    assert "to 0.7 of its length or less" in words["break-it-vanishing"]
    for seed in range(10):
        layer, trace = unrolled(JacobianLens.preset("break-it-vanishing").changed(seed=seed))
        largest = torch.linalg.matrix_norm(step_jacobians(layer, trace).dense(), ord=2)
        assert float(largest.max()) <= 0.7 + 1e-12
    assert "keeps 10 to 25 %" in words["fix-it-orthogonal"]
    for ds in _of_ten_seeds("fix-it-orthogonal"):
        assert 0.1 < 10 ** float(ds["norm"][-1, 0]) < 0.25
        assert float(ds["singular_value"].max()) < 1e-9
    for slug, opening in (("break-it-forget-gate-shut", 0.13), ("fix-it-forget-gate-open", 0.97)):
        assert f"{opening:.0%}".replace("%", " %") in words[slug]
        for seed in range(10):
            _, trace = unrolled(JacobianLens.preset(slug).changed(seed=seed))
            assert isinstance(trace, LSTMTrace)
            assert round(float(torch.stack(trace.forget_gates).mean()), 2) == opening
    assert "about half are 0" in words["break-it-exploding"]
    for ds in _of_ten_seeds("break-it-exploding"):
        assert 0.3 < float((ds["passed"] == 0).mean()) < 0.6
        assert float(ds["singular_value"][-1, 0]) > 3


def test_the_extremes_compute() -> None:
    for changes in (
        {"cell": "rnn_relu", "size": 2.0, "input_scale": 5.0},
        {"size": 0.05},
        {"initialisation": "identity"},
    ):
        ds = JacobianLens.checked({"hidden": 2, "length": 200, **changes}).compute()
        assert ds.sizes["lag"] == 201
