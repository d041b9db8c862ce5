"""No card complains of soft answers where the programs are right on nearly all questions."""

from goldviz.labs.neural_programmer.findings import findings_of
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.runs.examples import example


def test_weights_that_still_mix_are_no_fault_of_a_programmer_that_is_right() -> None:
    settings, run = NeuralProgrammer.preset("gradient-noise"), example(NeuralProgrammer, "gradient-noise")
    assert "undecided" in {finding.kind for finding in findings_of.all(settings, run)}
    right = run.assign(right=run["right"] * 0 + 1)
    assert "undecided" not in {finding.kind for finding in findings_of.all(settings, right)}
