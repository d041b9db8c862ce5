"""The graph says what is known and read at each place; the maps show the dataset's own numbers."""

import numpy as np
import pytest

from goldviz.labs.backward_by_hand.costs import STRETCHES, compared
from goldviz.labs.backward_by_hand.figures import FIGURES
from goldviz.labs.backward_by_hand.graph import COLUMNS, NOWHERE, graph, middles
from goldviz.labs.backward_by_hand.network import BACKWARD, nodes, place
from goldviz.labs.backward_by_hand.settings import BackwardByHand

DS = BackwardByHand().compute()


def names_shown(number: int) -> list[str]:
    return [str(name) for name in graph.draw(DS, number=number).data[0]["text"]]


def test_one_goes_forward_and_then_back() -> None:
    first, last = BackwardByHand().positions()
    assert place("n - 1", first).words == "Forward 1 of 20: emb = take(C, X)"
    assert place("n - 1", 20).name == "loss"
    assert place("n - 1", 21).words == "Backward 1 of 26: dlogprobs = -onehot(Y) / n"
    assert place("n - 1", last).name == "dC"
    assert place("n - 1", last + 9) == place("n - 1", last)


def test_a_gradient_s_name_takes_the_value_s_place_when_it_is_found() -> None:
    assert "<b>dW2</b>" not in names_shown(28)
    assert "<b>dW2</b>" in names_shown(29)
    assert sum(name.startswith("<b>d") for name in names_shown(46)) == len(BACKWARD) + 1


def test_what_a_step_reads_is_known_by_then() -> None:
    known = nodes("n - 1")
    for number in range(1, 47):
        at = place("n - 1", number)
        for name in at.reads & known.keys():
            assert at.knows_value(known[name]), (at.name, name)


def test_no_node_stands_on_another() -> None:
    where = middles(nodes("n").values())
    assert len(set(where.values())) == len(where)
    assert max(x for x, _ in where.values()) < COLUMNS


def boxes_in(number: int, shape: int) -> int:
    """How many boxes a path of the graph has."""
    path = str(graph.draw(DS, number=number).layout["shapes"][shape]["path"])
    return 0 if path == NOWHERE else path.count("M")


def test_every_box_is_in_one_state_and_what_is_read_is_framed() -> None:
    for number in (1, 12, 20, 21, 30, 46):
        value, gradient, read, now = (boxes_in(number, shape) for shape in (3, 4, 5, 6))
        at = place("n - 1", number)
        assert now == 1
        assert read == len(at.reads & nodes("n - 1").keys() - {at.node.name})
        unknown = sum(not at.knows_value(node) for node in nodes("n - 1").values())
        assert value + gradient + now + unknown == len(nodes("n - 1"))


def test_a_map_shows_the_numbers_of_its_place() -> None:
    for number, name in ((1, "emb"), (20, "loss"), (30, "db2"), (46, "dC")):
        figure = FIGURES["tensor"].draw(DS, number=number)
        np.testing.assert_allclose(np.ravel(figure.data[0]["z"]), np.ravel(DS[name].values), rtol=1e-6)
        assert figure.layout["title"]["text"].startswith(f"{name}, ")


@pytest.mark.untrusted
def test_letters_from_a_person_are_only_labels() -> None:
    ds = BackwardByHand(words="<b> &x").compute()
    text = "".join(FIGURES[name].draw(ds, **({"number": 30} if FIGURES[name].at else {})).to_json() for name in FIGURES)
    assert "<b>→" not in text
    assert "&lt;" in text


def test_closed_forms_ask_for_less_memory_and_read_less() -> None:
    for name in STRETCHES:
        long, closed = compared()[name]
        assert closed.formulas == 1 < long.formulas
        assert closed.made < 0.6 * long.made
        assert closed.kept <= long.kept
        assert min(long.seconds, closed.seconds) > 0
