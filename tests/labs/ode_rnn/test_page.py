"""The page of *ODE-RNN*: what was changed of its observations is in the link."""

import pytest

from goldviz.labs.ode_rnn.edited import EditedSeries
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.examples import example
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")


def test_the_edits_of_a_link_are_shown_and_stay_in_it() -> None:
    recorded = example(ODERNNLaboratory, "as-in-the-document")
    series = EditedSeries.of(recorded["probe_time"].values, recorded["probe_value"].values)
    earliest, latest = series.room(2)
    edits = series.moved(2, (earliest + latest) / 2, 1.5).without(frozenset({4})).changes(series)
    visitor = Visitor("pages/ode_rnn.py", {"shown": "observations", "edits": edits})
    assert not visitor.errors
    assert not visitor.warnings
    assert [out.value for out in visitor.at.multiselect if out.label == "Left out"] == [[4]]
    assert [value.value for value in visitor.at.number_input if value.label == "Value"] == [1.5]
    assert visitor.at.query_params["edits"] == edits
