"""The one formula by which all laboratories say how long a run takes."""

import json
from pathlib import Path

import pytest

from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, measured_costs
from goldviz.declare.time_of_training import Costs, Term, costs_in
from goldviz.labs.depth_gradients.settings import DepthGradients
from tests.labs.offered import variants


def test_what_is_done_once_counts_once_and_all_else_for_every_learner() -> None:
    terms = {
        "once": [Term(3.0, "", ())],
        "steps": [Term(0.5, "", ("width", "width")), Term(10.0, "cell=gru", ())],
        "look": [Term(7.0, "", ("depth",))],
    }
    costs = Costs(0.002, terms)
    counts = {"steps": 2.0, "look": 1.0, "close_look": 4.0}
    assert costs.seconds(counts, {"width": 2.0}, frozenset({"cell=gru"}), 1) == 3 + 2 * (2 + 10)
    assert costs.seconds(counts, {"width": 2.0, "depth": 1.0}, frozenset(), 3) == 3 + 3 * (2 * 2 + 7)


def test_the_file_says_what_the_terms_are_and_none_is_no_estimate(tmp_path: Path) -> None:
    file = tmp_path / "costs.json"
    assert costs_in(file) is None
    written = tmp_path / "written.json"
    written.write_text(json.dumps({"probe": 0.002, "costs": {"steps": [[0.5, "cell=gru", "width", "width"]]}}))
    assert costs_in(written) == Costs(0.002, {"steps": [Term(0.5, "cell=gru", ("width", "width"))]})


@pytest.mark.parametrize("declared", experiments().values(), ids=list(experiments()))
def test_every_laboratory_was_measured_in_the_words_of_its_settings(declared: type[Experiment]) -> None:
    costs = measured_costs(declared)
    assert costs is not None
    assert costs.probe > 0
    settings = declared()
    known = set().union(*(one.sizes() for _, one in variants(declared) if isinstance(one, Experiment)))
    for kind, terms in costs.terms.items():
        assert kind in {"once", *settings.counts()}
        for term in terms:
            assert term.seconds > 0
            assert set(term.sizes) <= known, (kind, term)
            name, _, choice = term.where.partition("=")
            assert not name or settings.model_copy(update={name: choice}).choices() >= {term.where}


def test_a_longer_run_of_a_deeper_network_takes_longer() -> None:
    usual = DepthGradients().estimated_seconds()
    assert DepthGradients(epochs=2000).estimated_seconds() > 30 * usual
    assert DepthGradients(depth=60).estimated_seconds() > 2 * usual
