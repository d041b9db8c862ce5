"""Each kind of recurrent matrix has the spectrum that its name promises."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetBeforeGRU
from goldviz.models.recurrent.initialisation import (
    MATRICES,
    RecurrentInitialisation,
    initialise,
    scaled_to_spectral_radius,
    spectral_radius,
)
from goldviz.models.recurrent.lstm import LSTM


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


@given(hidden=st.integers(1, 20), seed=st.integers(0, 99))
def test_orthogonal_keeps_lengths(hidden, seed):
    matrix = MATRICES["orthogonal"](hidden, stream(seed))
    assert torch.allclose(matrix @ matrix.t(), torch.eye(hidden, dtype=torch.float64), atol=1e-13)


@given(hidden=st.integers(1, 20), seed=st.integers(0, 99))
def test_non_normal_has_radius_one(hidden, seed):
    matrix = MATRICES["non_normal"](hidden, stream(seed))
    assert spectral_radius(matrix) == pytest.approx(1, abs=1e-6)


def test_non_normal_is_not_normal_and_the_others_are_what_they_say():
    drawn = {name: draw(64, stream(3)) for name, draw in MATRICES.items()}
    commutators = {name: float((m @ m.t() - m.t() @ m).norm()) for name, m in drawn.items()}
    assert commutators["non_normal"] > 1
    assert commutators["orthogonal"] < 1e-12
    assert torch.equal(drawn["identity"], torch.eye(64, dtype=torch.float64))
    assert float(torch.linalg.matrix_norm(drawn["non_normal"], ord=2)) > 1.5
    assert float(drawn["gaussian"].std()) == pytest.approx(1 / 8, rel=0.05)


@given(name=st.sampled_from(list(MATRICES)), size=st.floats(0.01, 5), seed=st.integers(0, 99))
def test_scaling_reaches_the_spectral_radius(name, size, seed):
    scaled = scaled_to_spectral_radius(MATRICES[name](12, stream(seed)), size)
    assert spectral_radius(scaled) == pytest.approx(size, rel=1e-6)


def test_a_matrix_without_eigenvalues_cannot_be_scaled_to_a_radius():
    with pytest.raises(ValueError, match=r"spectral radius .* 0"):
        scaled_to_spectral_radius(torch.zeros(3, 3, dtype=torch.float64), 0.9)


def test_networks_of_one_seed_share_what_they_can():
    layers = [Elman(3, 8), LSTM(3, 8), ResetBeforeGRU(3, 8)]
    for layer in layers:
        initialise(layer, stream, RecurrentInitialisation("gaussian", "spectral_radius", 0.9))
    elman, lstm, gru = layers
    for name in ("W_x", "W_h"):
        own = elman.block(getattr(elman, name), "state")
        assert torch.equal(own, lstm.block(getattr(lstm, name), "candidate"))
        assert torch.equal(own, gru.block(getattr(gru, name), "candidate"))
        for gate, like in (("forget", "update"), ("input", "reset")):
            assert torch.equal(lstm.block(getattr(lstm, name), gate), gru.block(getattr(gru, name), like))
    assert not torch.equal(lstm.block(lstm.W_h, "forget"), lstm.block(lstm.W_h, "candidate"))


def test_biases_go_to_their_gates_alone():
    lstm = LSTM(3, 8)
    initialise(lstm, stream, RecurrentInitialisation(biases={"forget": 1.0, "update": -2.0}))
    assert torch.equal(lstm.block(lstm.b, "forget"), torch.ones(8))
    assert float(lstm.b.detach().sum()) == 8
    gru = ResetBeforeGRU(3, 8)
    initialise(gru, stream, RecurrentInitialisation(biases={"forget": 1.0, "update": -2.0}))
    assert torch.equal(gru.block(gru.b, "update"), torch.full((8,), -2.0))


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match=r"'random'.* orthogonal"):
        RecurrentInitialisation("random")
    with pytest.raises(ValueError, match="scaling is 'norm'"):
        RecurrentInitialisation(scaling="norm")
    with pytest.raises(ValueError, match="size is nan"):
        RecurrentInitialisation(size=math.nan)
    with pytest.raises(ValueError, match="gate 'forgot'"):
        RecurrentInitialisation(biases={"forgot": 1.0})
