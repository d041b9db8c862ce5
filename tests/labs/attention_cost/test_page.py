"""The page *What does attention cost?*"""

import pytest

from goldviz.labs.attention_cost import page
from goldviz.labs.attention_cost.figures import FIGURES
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.ui.serving import services
from tests.pages.instant import InstantVisitor
from tests.runs.conftest import until

pytestmark = pytest.mark.usefixtures("on_pages")

FIRST = {"full_mask", "log_sparse_mask", "prob_sparse_mask", "multiplications", "error"}
SHORT = {"length": "40", "active_rows": "8"}


@pytest.fixture(autouse=True)
def short_series(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight lengths would take a while."""
    monkeypatch.setattr("goldviz.labs.attention_cost.timing.LENGTHS", (16, 32))


def test_a_stranger_can_open_every_figure() -> None:
    visitor = InstantVisitor(AttentionCost, SHORT)
    assert set(visitor.drawn()) == FIRST
    visitor.all_drawn()
    timing = services.jobs().ask(page.timing_task(AttentionCost.checked(SHORT)))
    until(lambda: not timing.unfinished)
    assert set(visitor.all_drawn()) == set(FIGURES)
    assert not visitor.errors


def test_why_tells_this_series_numbers() -> None:
    visitor = InstantVisitor(AttentionCost, {**SHORT, "shown": "why"})
    assert any("With sampled products it is **1.1" in line for line in visitor.markdown)
    assert any("8 of 40 rows attend" in line for line in visitor.markdown)


def test_more_active_rows_than_rows_are_refused_beside_the_last_figures() -> None:
    visitor = InstantVisitor(AttentionCost, SHORT)
    visitor.set(active_rows=41)
    [sentence] = visitor.errors
    assert sentence.replace("\\", "") == "Active rows u are 41; allowed is at most the length t, 40."
    assert set(visitor.drawn()) == FIRST


def test_what_times_do_not_depend_on_is_not_measured_again() -> None:
    first = page.timing_task(AttentionCost())
    assert page.timing_task(AttentionCost(data="random", seed=3, length=50)).key == first.key
    assert page.timing_task(AttentionCost(width=8)).key != first.key
