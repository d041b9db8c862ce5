"""The grammar: what it reads, what it refuses, and that nothing a person writes does more than arithmetic."""

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from goldviz.labs.backward_by_hand.evaluation import FUNCTIONS, LARGEST, Board
from goldviz.labs.backward_by_hand.formulas import LONGEST, MOST_PARTS, FormulaError, parse
from goldviz.labs.backward_by_hand.judging import Verdict, judge
from goldviz.labs.backward_by_hand.network import BACKWARD, Divisor, closed_forms, nodes
from goldviz.labs.backward_by_hand.passes import both_ways
from goldviz.labs.backward_by_hand.settings import BackwardByHand

SMALL = BackwardByHand(words="go dog", samples=5, hidden=4)


@pytest.mark.parametrize(
    ("text", "as_read"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b / c", "(a / b) / c"),
        ("-a ** 2", "-(a ** 2)"),
        ("a ** -b ** c", "a ** (-(b ** c))"),
        ("a.T @ b.T", "a.T @ b.T"),
        ("(a + b).T.T", "(a + b).T.T"),
        ("h⊙(1−h^2)", "h * (1 - (h ** 2))"),
        ("hᵀ @ dlogits", "h.T @ dlogits"),
        (" 1.5e-3*a ", "1.5e-3 * a"),
    ],
)
def test_a_formula_is_read_as_it_is_meant(text: str, as_read: str) -> None:
    assert ast.dump(parse(text)) == ast.dump(parse(as_read))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The formula is empty."),
        ("h +", "The formula ends where a number, name or bracket is missing."),
        ("(h + W2", "A bracket is opened and not closed."),
        ("h + W2)", "A bracket is closed and was not opened."),
        ("h W2", "After “h” there is “W2” where a sign such as * or + is due."),
        ("h // W2", "“//” is no part of a formula."),
        ("h[0]", "“[” is no part of a formula."),
        ("h if W2 else n", "“h if W2 else n” is no part of a formula."),
        ("1e400", "is too large a number."),
        ("9" * 330, "is too large a number."),
    ],
)
def test_what_cannot_be_read_is_said(text: str, sentence: str) -> None:
    verdict = judge(SMALL, "h", text)
    assert verdict.kind == "unread"
    assert sentence in verdict.words


@pytest.mark.parametrize("divisor", ["n - 1", "n"])
def test_a_tree_written_out_is_read_as_the_same_tree(divisor: Divisor) -> None:
    texts = [text for node in nodes(divisor).values() for text in (node.forward, node.gradient) if text]
    for text in [*texts, *closed_forms(divisor).values()]:
        assert ast.dump(parse(ast.unparse(parse(text)))) == ast.dump(parse(text))


HOSTILE = [
    "__import__('os').system('true')",
    "h.__class__",
    "().__class__.__bases__[0]",
    "lambda: h",
    "[h for h in h]",
    "h if h else h",
    "h := 1",
    "h = 1",
    "exec(h)",
    "eval(h)",
    "open(h)",
    "globals()",
    "h.backward()",
    "h.data",
    "{h}",
    "f'{h}'",
    "h; h",
    "h\nimport os",
    "1 if 1 else 2",
    "h[0]",
    "h.T[0]",
    "@h",
    "h @ @ h",
    "**h",
    "h ** ** 2",
    "sum",
    "sum()",
    "sum(h,0,0)",
    "sum(h, 9)",
    "sum(h, -1)",
    "sum(h, h)",
    "view(h)",
    "view(h, 0)",
    "view(h, -1)",
    "view(h, 0.5)",
    "ones(V, V, V, V, V)",
    "ones(50000, 50000)",
    "ones(-n)",
    "take(h, Y)",
    "take(C, C)",
    "max(h)",
    "add_rows(Y, h, h)",
    "add_rows(X, h)",
    "add_rows(X, 1)",
    "onehot(h)",
    "argmax(1)",
    "onehot(argmax(emb))",
    "X.T",
    "X + Y",
    "n.T",
    "1.T",
    "1..T",
    "1e400",
    "9" * 300,
    "\u0661 + \u0662",
    "ℎ",
    "h\u200b",
    "\x00",
    "(" * 200,
    ")" * 200,
    "-" * 300,
    "h.T" * 2,
    "h" + ".T" * 100,
    "(" * 23 + "h" + ")" * 23,
    "h**9**9**9**9",
    "1/0",
    "0/0",
    "log(-1) * h",
    "exp(exp(exp(exp(h))))",
    "b1.T @ b1 + " * 20 + "h",
    "(" + "h@W2@W2.T@" * 25 + "h" + ")",
    "dh",
    "dC",
    "dloss",
    "π",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_formula_is_told_so(text: str) -> None:
    verdict = judge(SMALL, "h", text)
    assert verdict.kind in ("unread", "differs", "shape")
    assert verdict.words.endswith((".", "?", "”"))
    assert len(verdict.words) < 400


SNIPPETS = [
    "h",
    "W2",
    "dlogits",
    "X",
    "Y",
    "n",
    "n1",
    "sum(",
    "onehot(",
    "view(",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "@",
    "**",
    ".T",
    " ",
    "1",
    "0",
    "2.5",
    "1e9",
    "__",
    "import",
    ".",
    "[",
    "'",
    "⊙",
    "ᵀ",
    "\n",
]


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join) | st.text(max_size=2 * LONGEST))
@example(text="h" * LONGEST)
@example(text="h+" * (LONGEST // 2 - 1) + "h")
def test_any_text_gets_a_verdict(text: str) -> None:
    assert isinstance(judge(SMALL, "h", text), Verdict)


def formulas() -> st.SearchStrategy[str]:
    """Formulas that are read, most of which fit together."""
    board = both_ways(SMALL).board
    names = st.sampled_from([*board.tensors, "n", "n1", "V"])
    leaves = names | st.sampled_from(["2", "0.5", "ones(n, V)", "ones(n, n1)"])

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "@", "**"]), inner).map(
            lambda part: f"({' '.join(part)})"
        )
        one = st.tuples(st.sampled_from(["-{}", "({}).T", *(f"{name}({{}})" for name in FUNCTIONS)]), inner)
        more = st.sampled_from(
            [
                "sum({}, 0)",
                "mean({}, 1)",
                "max({}, 1)",
                "view({}, n, n1)",
                "take(C, {})",
                "add_rows(X, {})",
                "add_rows(Y, {})",
                "onehot(argmax({}))",
            ]
        )
        return (
            two
            | one.map(lambda part: part[0].format(part[1]))
            | st.tuples(more, inner).map(lambda part: part[0].format(part[1]))
        )

    return st.recursive(leaves, grown, max_leaves=6)


@settings(max_examples=300, deadline=None)
@given(text=formulas())
def test_the_shape_that_is_foretold_is_the_shape_that_comes(text: str) -> None:
    board = both_ways(SMALL).board
    try:
        formula = parse(text)
        outline = board.foretold(formula)
    except FormulaError:
        return
    found = board.carried_out(formula)
    assert found.shape == outline.shape
    assert found.dtype == outline.dtype
    assert found.numel() <= LARGEST


def test_bounds_are_said_with_their_numbers() -> None:
    for text, number in (
        ("h" * (LONGEST + 1), LONGEST),
        ("h" + "+h" * MOST_PARTS, MOST_PARTS),
        ("ones(V*999,n*999)", LARGEST),
    ):
        assert f"{number:,}" in judge(SMALL, "h", text).words or str(number) in judge(SMALL, "h", text).words


def test_work_is_bounded_before_any_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    carried_out = Board.carried_out

    def in_outlines(board: Board, formula: ast.expr) -> Tensor:
        assert board.device == "meta", "the formula was carried out"
        return carried_out(board, formula)

    monkeypatch.setattr(Board, "carried_out", in_outlines)
    wide = "view(ones(200, 200), 200, 200)"
    verdict = judge(SMALL, "h", " @ ".join([wide] * 6))
    assert "multiplications" in verdict.words


def test_a_gradient_may_name_what_was_found_before_it_and_nothing_else() -> None:
    for at, asked in enumerate(BACKWARD):
        assert judge(SMALL, asked, f"d{asked}").words == f"d{asked} is what you are asked for."
        for later in BACKWARD[at + 1 :]:
            assert "is not found yet" in judge(SMALL, asked, f"d{later}").words
        for earlier in BACKWARD[:at]:
            assert judge(SMALL, asked, f"sum(d{earlier})").kind in ("shape", "differs", "equal")
