"""The Jacobian lens' numbers: bounds hold, the cell path is the forget gates' product, gains equal autograd's."""

import numpy as np
import pytest
import torch

from goldviz.declare.standard import RECURRENT_MATRICES
from goldviz.labs.jacobian_lens.compute import unrolled
from goldviz.labs.jacobian_lens.settings import CELLS, JacobianLens
from goldviz.models.recurrent.lstm import LSTMTrace

SMALL = {"hidden": 6, "length": 9, "input_scale": 0.7, "size": 1.1}


@pytest.mark.parametrize("initialisation", RECURRENT_MATRICES)
@pytest.mark.parametrize("cell", ["rnn_tanh", "rnn_relu"])
def test_the_bound_with_the_norm_is_never_broken(cell: str, initialisation: str) -> None:
    for start in (0, 4):
        ds = JacobianLens.checked({**SMALL, "cell": cell, "initialisation": initialisation, "start": start}).compute()
        measured = ds["singular_value"].values[:, 0]
        assert (measured <= ds["stepwise_bound"].values + 1e-9).all()
        assert (ds["stepwise_bound"].values <= ds["bound"].values + 1e-9).all()


def test_the_line_with_the_spectral_radius_is_no_bound() -> None:
    ds = JacobianLens.preset("break-it-non-normal-growth").compute()
    measured = ds["singular_value"].values[:, 0]
    assert ds.attrs["spectral_radius"] == pytest.approx(0.9)
    assert measured.max() > 0.5
    assert (measured[1:] > ds["asymptote"].values[1:]).all()
    assert (measured <= ds["bound"].values + 1e-9).all()


@pytest.mark.parametrize("cell", CELLS)
def test_the_average_gain_is_the_mean_square_of_the_singular_values(cell: str) -> None:
    ds = JacobianLens.checked({**SMALL, "cell": cell, "start": 3}).compute()
    column = ds["norm"].values[3:, 3]
    singular = 10.0 ** ds["singular_value"].values
    np.testing.assert_allclose(10.0**column, np.sqrt(np.mean(np.nan_to_num(singular) ** 2, axis=1)), rtol=1e-6)


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell != "lstm"])
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
    assert JacobianLens(cell="lstm").without_effect() == {"update_bias"}
    assert JacobianLens(cell="gru").without_effect() == {"forget_bias"}
    assert JacobianLens().without_effect() == {"forget_bias", "update_bias"}


def test_a_start_beyond_the_sequence_is_its_last_step_but_one() -> None:
    assert JacobianLens.checked({"length": 5, "start": 150}).compute().attrs["start"] == 4


def test_the_extremes_compute() -> None:
    for changes in (
        {"cell": "rnn_relu", "size": 2.0, "input_scale": 5.0},
        {"size": 0.05},
        {"initialisation": "identity"},
    ):
        ds = JacobianLens.checked({"hidden": 2, "length": 200, **changes}).compute()
        assert ds.sizes["lag"] == 201
