"""The Jacobian lens' page."""

import pytest

from goldviz.labs.jacobian_lens.settings import JacobianLens
from goldviz.runs.store.run_store import Store
from goldviz.ui.words import plain
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")

SMALL = {"hidden": "6", "length": "12"}


def _page(link: dict[str, str] | None = None, theme: str = "light") -> InstantVisitor:
    return InstantVisitor(JacobianLens, link, theme)


def test_a_stranger_sees_every_figure_at_once_and_no_run_is_made() -> None:
    visitor = _page()
    drawn = visitor.all_drawn()
    assert set(drawn) == {"map", "lag", "singular_values", "eigenvalues", "passed"}
    assert all(figure["data"] for figure in drawn.values())
    assert not visitor.errors
    assert Store().count_unfinished() == 0


def test_an_lstm_shows_its_cell_path_and_its_own_knob_alone() -> None:
    visitor = _page(SMALL)
    assert not {"forget_bias", "update_bias"} & visitor.settings_in_sight()
    visitor.set(cell="lstm")
    assert "cell_path" in visitor.drawn()
    assert "forget_bias" in visitor.settings_in_sight()
    assert "update_bias" not in visitor.settings_in_sight()
    before = visitor.drawn()
    assert visitor.set(forget_bias=5.0).drawn() != before


def test_a_min_gru_shows_what_its_gates_leave_and_has_no_knob_of_a_matrix() -> None:
    visitor = _page(SMALL | {"cell": "min_gru"})
    assert {"lag", "gate_product"} <= set(visitor.all_drawn())
    assert not {"initialisation", "size"} & visitor.settings_in_sight()
    assert "update_bias" in visitor.settings_in_sight()


def test_the_position_is_kept_inside_a_sequence_that_gets_shorter() -> None:
    visitor = _page(SMALL | {"start": "11"})
    visitor.set(length=5)
    assert visitor.at.query_params["start"] == "4"
    assert "step 4" in visitor.drawn()["lag"]["layout"]["title"]["text"]


def test_a_bad_link_is_told_and_the_rest_counts() -> None:
    visitor = _page({"hidden": "5000", "length": "9", "nonsense": "1"})
    assert sorted(visitor.warnings) == sorted(
        plain(sentence)
        for sentence in (
            "In the link: Hidden is '5000'; allowed is a whole number from 2 to 64. Hidden keeps its default, 32.",
            "In the link: jacobian-lens has no setting 'nonsense'.",
        )
    )
    assert visitor.control("length").value == 9
    assert visitor.at.query_params == {"length": "9"}


def test_where_bound_and_asymptote_part_is_said_with_numbers() -> None:
    [sentence] = [line for line in _page({"shown": "why"}).markdown if "over ten times the asymptote" in line]
    assert "spectral radius 0.9" in sentence
    normal = _page({"initialisation": "orthogonal", "shown": "why"})
    assert any("one line" in line for line in normal.markdown)
