"""What figures draw without words stays as it is until somebody means to change it."""

import json

import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.figures.draft import Figure
from tests.labs.drawn_numbers import CLOSE, drawn, figures_of, gold_lines, hidden_lines, kept_in, sides
from tests.labs.small_runs import EVERY_LABORATORY


@EVERY_LABORATORY
def test_every_figure_draws_what_it_drew(lab: Laboratory) -> None:
    """A new figure is not compared before it is kept. A line in gold is the place in view, so there is one.

    Of equal curves each can be seen.
    """
    figures = figures_of(lab)
    kept, now = json.loads(kept_in(lab).read_text(encoding="utf-8")), drawn(lab, figures)
    other = {
        view: sorted(side for side in before.keys() | now[view].keys() if not alike(before, now[view], side))
        for view, before in kept.items()
        if view in now
    }
    assert {view: sides for view, sides in other.items() if sides} == {}, "where it is meant, make drawn keeps it"
    assert kept.keys() <= now.keys(), "what is not drawn any more is left out by make drawn"
    assert {view: lines for view, figure in figures.items() if len(lines := gold_lines(figure)) > 1} == {}
    assert {view: pairs for view, figure in figures.items() if (pairs := hidden_lines(figure))} == {}


def alike(before: dict[str, float], now: dict[str, float], side: str) -> bool:
    return side in before and now.get(side) == pytest.approx(before[side], rel=CLOSE)


PLAIN = {
    "data": [{"type": "scatter", "x": [1, 2, 3], "y": [0.1, 0.2, 0.3], "line": {"color": "#0e7ac0", "width": 2}}],
    "layout": {"xaxis": {"range": [0, 4]}, "title": {"text": "Loss at step 3. It falls."}},
}


@pytest.mark.parametrize(
    ("part", "other", "side"),
    [
        (("data", 0, "y"), [0.1, 0.3, 0.2], "marks"),
        (("data", 0, "y"), [0.1, 0.2, 0.3003], "marks"),
        (("data", 0, "line", "color"), "#0e7ac1", "look"),
        (("data", 0, "hovertemplate"), "%{y:.2f}", "hover"),
        (("layout", "xaxis", "range"), [0, 5], "axes"),
        (("layout", "shapes"), [{"x0": 2}], "laid over"),
        (("layout", "title", "text"), "Loss at step 4. It falls.", "words"),
        (("layout", "title", "text"), "Loss at step 3.", "words"),
    ],
)
def test_a_change_shows_at_its_side_alone(part: tuple[str | int, ...], other: object, side: str) -> None:
    changed = json.loads(json.dumps(PLAIN))
    *path, last = part
    place = changed
    for step in path:
        place = place[step]
    place[last] = other
    before, now = (sides(Figure(one["data"], one["layout"])) for one in (PLAIN, changed))
    assert {name for name in before.keys() | now.keys() if not alike(before, now, name)} == {side}


def test_other_words_with_the_same_numbers_are_the_same() -> None:
    reworded = {"xaxis": {"range": [0, 4]}, "title": {"text": "The loss, step 3. It goes down."}}
    assert sides(Figure(PLAIN["data"], PLAIN["layout"])) == sides(Figure(PLAIN["data"], reworded))
