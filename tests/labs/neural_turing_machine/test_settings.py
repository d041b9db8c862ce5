"""Settings that cannot be carried out are refused in a sentence; what does not fit into the memory runs."""

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.neural_turing_machine.doubts import doubts
from goldviz.labs.neural_turing_machine.networks import Rival, network_of
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
from goldviz.training.grid import parameter_count


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": "recall", "bits": 2, "length": 5}, "Length is 5; of 2 bits there are 4 different rows"),
        ({"slots": 1}, "Slots is 1; allowed is a whole number from 2"),
        ({"length": 21}, "Length is 21; allowed is a whole number from 2 to 20"),
    ],
)
def test_what_cannot_be_is_refused(changes, words):
    with pytest.raises(SettingsError, match=words):
        NeuralTuringMachine.checked(changes)


def test_a_sequence_longer_than_the_memory_is_allowed_and_the_page_says_what_to_expect():
    settings = NeuralTuringMachine.checked({"length": 20, "slots": 4})
    assert "20 rows, the memory has 4 cells" in doubts(settings)[0]
    assert doubts(NeuralTuringMachine()) == ()
    assert doubts(settings.changed(networks="gru")) == ()


@pytest.mark.parametrize("changes", [{}, {"controller": "lstm"}, {"hidden": 16, "bits": 8}])
def test_rivals_have_as_many_parameters(changes):
    settings = NeuralTuringMachine(**changes)
    machine, *rivals = (network_of(settings, lane, 0) for lane in ("ntm", "lstm", "gru"))
    for rival in rivals:
        assert isinstance(rival, Rival)
        assert parameter_count(rival) == pytest.approx(parameter_count(machine), rel=0.05)


def test_only_repeat_copy_reads_how_often():
    assert set(NeuralTuringMachine().without_effect()) == {"repeats"}
    assert not NeuralTuringMachine(task="repeat").without_effect()
