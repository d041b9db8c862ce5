"""What a run of *Neural Turing machine* records is what its networks do."""

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from goldviz.labs.neural_turing_machine.networks import network_of
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
from goldviz.labs.neural_turing_machine.tasks import lengths_to_test, trained_batch
from goldviz.runs.examples import example
from goldviz.training.clipping import clip_gradients
from goldviz.training.optimisers import OPTIMISERS
from goldviz.training.seeds import DATA, stream
from tests.labs.neural_turing_machine.cases import SMALL
from tests.labs.small_runs import small_run

FIRST = NeuralTuringMachine.presets[0].slug


@pytest.fixture(scope="module")
def run():
    return small_run(NeuralTuringMachine(**SMALL))


def test_addresses_are_shares_and_the_memory_begins_nearly_empty(run):
    np.testing.assert_allclose(run["address"].values.sum(-1), 1, atol=1e-5)
    rms = np.sqrt(np.square(run["memory"].values).mean(-1))
    np.testing.assert_allclose(run["cell_size"].values, rms, rtol=1e-5)
    cells = run["cells_used"].values
    assert ((cells >= 1 - 1e-5) & (cells <= 4 + 1e-5)).all()


def test_shares_by_length_are_shares_of_32_sequences(run):
    whole, bits = run["sequences_right"].values, run["bits_right"].values
    assert run["length"].values.tolist() == lengths_to_test(NeuralTuringMachine(**SMALL))
    np.testing.assert_array_equal(whole * 32, np.round(whole * 32))
    assert (whole <= bits + 1e-6).all()


def test_a_recorded_run_s_first_steps_come_out_again():
    kept, settings = example(NeuralTuringMachine, FIRST), NeuralTuringMachine.preset(FIRST)
    for lane in ("ntm", "lstm", "gru"):
        network, order = network_of(settings, lane, 0), stream(0, DATA)
        optimiser = OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate)
        losses = []
        for _ in range(3):
            batch = trained_batch(settings, settings.batch, order)
            loss = binary_cross_entropy_with_logits(network(batch.inputs)[batch.first_answer :], batch.targets)
            optimiser.zero_grad()
            loss.backward()
            clip_gradients(network.parameters(), settings.clip)
            optimiser.step()
            losses.append(loss.item())
        np.testing.assert_allclose(kept["loss"].sel(network=lane).values[:3, 0], losses, rtol=1e-4)


def test_the_recorded_machine_copies_and_goes_beyond_its_training():
    kept = example(NeuralTuringMachine, FIRST).isel(look=-1, seed=0)
    whole = kept["sequences_right"].sel(network="ntm")
    assert float(whole.sel(length=6)) >= 0.99
    assert float(whole.sel(length=12)) > float(kept["sequences_right"].sel(network="lstm", length=12))
    assert float(whole.sel(length=18)) < 0.1


def test_switching_a_part_off_leaves_the_other_weights_as_they_are():
    whole, part = (network_of(NeuralTuringMachine(shift=shift), "ntm", 3) for shift in (True, False))
    for one, other in zip(whole.parameters(), part.parameters(), strict=True):
        assert torch.equal(one, other)
