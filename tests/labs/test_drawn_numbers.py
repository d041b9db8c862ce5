"""In every figure a place in view is one, and each curve can be seen."""

from goldviz.declare.laboratory import Laboratory
from tests.labs.drawn_numbers import figures_of, gold_lines, hidden_lines
from tests.labs.small_runs import EVERY_LABORATORY


@EVERY_LABORATORY
def test_every_figure_has_one_line_in_gold_and_no_hidden_curve(lab: Laboratory) -> None:
    """A line in gold is the place in view, so there is one. Of equal curves each can be seen."""
    figures = figures_of(lab)
    assert {view: lines for view, figure in figures.items() if len(lines := gold_lines(figure)) > 1} == {}
    assert {view: pairs for view, figure in figures.items() if (pairs := hidden_lines(figure))} == {}
