"""Maximum flow against linear programming, closed forms, and the two lower bounds that must stay below it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from goldviz.labs.inside_bert import head as module
from goldviz.labs.inside_bert.head import flow_to, maximum_flows, ways_down, widest_paths
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import distributions, pieces_of, text_model


def capacities(layers, size, seed=0, sharpness=2.0):
    return (distributions(layers, size, size, seed=seed, sharpness=sharpness) + np.eye(size)) / 2


@st.composite
def networks(draw, layers=4, size=5):
    return capacities(
        draw(st.integers(1, layers)), draw(st.integers(1, size)), draw(st.integers(0, 2**20)), draw(st.floats(0, 5))
    )


def by_linear_programming(pipes, token, sink):
    """Maximise what leaves the token, with every flow between 0 and its pipe and nothing lost on the way."""
    layers, size, _ = pipes.shape
    edges = [
        (layer, i, j)
        for layer in range(layers)
        for i in ([token] if layer == layers - 1 else range(size))
        for j in ([sink] if layer == 0 else range(size))
    ]
    inner = [(layer, j) for layer in range(1, layers) for j in range(size)]
    # Node (layer, j) gets what comes from above, out of map ``layer``, and passes it into map ``layer - 1``.
    balance = [[(e[0] == layer and e[2] == j) - (e[0] == layer - 1 and e[1] == j) for e in edges] for layer, j in inner]
    gain = [-float(e[0] == layers - 1) for e in edges]
    found = linprog(
        gain,
        A_eq=np.array(balance, float).reshape(-1, len(edges)),
        b_eq=np.zeros(len(inner)),
        bounds=[(0, pipes[edge]) for edge in edges],
    )
    assert found.status == 0
    return -found.fun


@given(pipes=networks(), data=st.data())
def test_the_maximum_flow_solves_the_linear_programme(pipes, data):
    size = pipes.shape[1]
    token, sink = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    assert maximum_flows(pipes, token)[sink] == pytest.approx(by_linear_programming(pipes, token, sink), abs=1e-7)


@given(pipes=networks())
def test_one_layer_lets_through_what_the_pipe_holds(pipes):
    np.testing.assert_allclose(maximum_flows(pipes[:1], 0), pipes[0, 0], atol=1e-9)
    np.testing.assert_array_equal(widest_paths(pipes[:1], 0), pipes[0, 0])


@given(size=st.integers(1, 6), layers=st.integers(2, 4))
def test_even_attention_has_a_closed_form(size, layers):
    """Capacities 1/(2 N), and 1/2 more to oneself.

    To itself all of 1 can go at any depth: token k gets the token's pipe, keeps it (1/2 is enough) and hands it back
    through an equal pipe. In two layers, k passes on the smaller of what it gets and what its pipe to the sink holds.
    """
    found = maximum_flows(np.full((layers, size, size), 1 / (2 * size)) + np.eye(size) / 2, 0)
    if layers == 2:
        out = np.full(size, 1 / (2 * size))
        out[0] += 0.5
        expected = [sum(min(o, i) for o, i in zip(out, np.roll(out, j), strict=True)) for j in range(size)]
        np.testing.assert_allclose(found, expected, atol=1e-8)
    assert found.max() <= 1 + 1e-8
    assert found[0] == pytest.approx(1, abs=1e-7)


@given(pipes=networks(layers=4, size=4), data=st.data())
def test_the_widest_path_is_the_best_of_all_paths(pipes, data):
    layers, size, _ = pipes.shape
    token = data.draw(st.integers(0, size - 1))
    best = np.zeros(size)
    for path in itertools.product(range(size), repeat=layers):
        places = (token, *path)
        width = min(pipes[layers - 1 - step, places[step], places[step + 1]] for step in range(layers))
        best[path[-1]] = max(best[path[-1]], width)
    np.testing.assert_array_equal(widest_paths(pipes, token), best)


@given(pipes=networks())
def test_the_widest_path_and_rollout_are_never_above_the_flow(pipes):
    flows, rolled = maximum_flows(pipes, 0), np.linalg.multi_dot([*pipes[::-1], np.eye(pipes.shape[1])])
    assert (widest_paths(pipes, 0) <= flows + 1e-7).all()
    assert (rolled[0] <= flows + 1e-7).all()


@given(pipes=networks(), seed=st.integers(0, 999))
def test_flow_does_not_depend_on_how_tokens_are_numbered(pipes, seed):
    order = np.random.default_rng(seed).permutation(pipes.shape[1])
    moved = maximum_flows(pipes[:, order][:, :, order], int(np.flatnonzero(order == 0)[0]))
    np.testing.assert_allclose(moved, maximum_flows(pipes, 0)[order], atol=1e-8)


def test_a_real_text_has_an_exact_flow_above_its_rollout():
    ways = ways_down(read_text(text_model(), pieces_of()))
    mixed = ways["mixed"].values
    found, method = flow_to(mixed, 3)
    assert method == "maximum flow"
    np.testing.assert_array_equal(found, maximum_flows(mixed, 3))
    assert (found >= ways["rolled"].values[-1, 3] - 1e-7).all()
    np.testing.assert_allclose(flow_to(mixed[:1], 3)[0], mixed[0, 3], atol=1e-9)


def test_a_graph_beyond_the_limit_gets_the_path_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_FLOW_WORK", 100)
    mixed = ways_down(read_text(text_model(), pieces_of()))["mixed"].values
    found, method = flow_to(mixed, 3)
    assert method == "widest path"
    np.testing.assert_array_equal(found, widest_paths(mixed, 3))
