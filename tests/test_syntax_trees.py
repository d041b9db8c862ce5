"""Several threads read syntax trees at once, and each gets its own."""

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from goldviz import syntax_trees
from goldviz.syntax_trees import syntax_tree

SOURCE = "\n".join(f"a{n} = ((({n} + b) * c[d, e]) ** f(g, h=[{n}, {{i: j}}]))" for n in range(300))


def test_threads_that_read_at_once_do_not_disturb_each_other() -> None:
    due, interval = ast.dump(ast.parse(SOURCE)), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            trees = list(pool.map(syntax_tree, [SOURCE] * 64))
    finally:
        sys.setswitchinterval(interval)
    assert {ast.dump(tree) for tree in trees} == {due}


def test_what_is_no_python_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax_trees, "AT_MOST", 1)
    with pytest.raises(SyntaxError):
        syntax_tree("1 +", "eval")
    assert ast.literal_eval(syntax_tree("[1, 2]", "eval").body) == [1, 2]
