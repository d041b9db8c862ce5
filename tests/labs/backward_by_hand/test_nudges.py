"""Central differences of the loss beside the gradients by hand, and the way from a node to its place."""

import pytest

from goldviz.labs.backward_by_hand.network import BACKWARD, Divisor, computed, nodes, place
from goldviz.labs.backward_by_hand.passes import MOST_NUDGED, both_ways, nudged
from goldviz.labs.backward_by_hand.settings import BackwardByHand


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_every_gradient_is_what_nudges_say(seed: int) -> None:
    declared = BackwardByHand(seed=seed, samples=4, hidden=5)
    for name in BACKWARD:
        found = nudged(declared, name)
        assert found.entries == min(found.of, MOST_NUDGED)
        assert found.largest == float(both_ways(declared).gradient(name).abs().max())
        assert found.difference <= 1e-6 * max(found.largest, 1), name


def test_a_gradient_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = BackwardByHand(samples=3, hidden=4)
    board = both_ways(declared).board
    monkeypatch.setitem(board.tensors, "dh", board.tensors["dh"] + 0.01)
    assert nudged(declared, "h").difference > 0.009


@pytest.mark.parametrize("divisor", ["n - 1", "n"])
def test_a_node_leads_to_where_it_is_computed(divisor: Divisor) -> None:
    known = nodes(divisor)
    forward, backward = place(divisor, 3), place(divisor, 30)
    for name, node in known.items():
        there = place(divisor, forward.to(node))
        assert (there.node, there.backward) == (node, node.learned), name
        back = place(divisor, backward.to(node))
        assert (back.node, back.backward) == (node, name != "loss"), name
    assert place(divisor, backward.to(known["loss"])).number == len(computed(divisor))
