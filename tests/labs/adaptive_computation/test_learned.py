"""No card complains of how a network thinks that is right on nearly all inputs."""

import goldviz
from goldviz.labs.adaptive_computation.findings import findings_of
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation


def test_a_network_that_needs_one_step_and_is_right_is_not_blamed_for_taking_one() -> None:
    """Two signs at once: one step of the cell is enough, and time is dear. Measured on seeds 33 to 37, too."""
    settings = AdaptiveComputation.checked({"task": "parity", "bits": 2, "tau": 1.0, "steps": 500, "seeds": (0,)})
    run = goldviz.run(settings, progress=False)
    [reading] = findings_of.readings(settings, run)
    assert (reading.at_once >= 0.95).all()
    assert (reading.accuracy >= 0.99).all()
    assert [finding.kind for finding in findings_of.all(settings, run)] == ["learned"]
    wrong = run.assign(accuracy=run["accuracy"] * 0.9)
    assert "stops_at_once" in {finding.kind for finding in findings_of.all(settings, wrong)}
