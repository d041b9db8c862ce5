"""What a person is told of a formula: equal, where not, which shape was expected."""

import pytest

from goldviz.labs.backward_by_hand.judging import found_before, judge
from goldviz.labs.backward_by_hand.network import BACKWARD, closed_forms, nodes
from goldviz.labs.backward_by_hand.settings import BackwardByHand

DECLARED = BackwardByHand()


@pytest.mark.parametrize("asked", BACKWARD)
def test_the_page_s_own_formulas_are_right(asked: str) -> None:
    for variance in ("unbiased", "biased"):
        declared = DECLARED.changed(variance=variance)
        verdict = judge(declared, asked, nodes(declared.divisor)[asked].gradient)
        assert verdict.kind == "equal", verdict.words


@pytest.mark.parametrize(
    ("asked", "text", "kind", "words"),
    [
        ("logits", "(probs - onehot(Y)) / n", "equal", "Equal to autograd"),
        ("h_prebn", closed_forms("n - 1")["h_prebn"], "equal", "Equal to autograd"),
        ("h_prebn", closed_forms("n")["h_prebn"], "differs", "are other than autograd's"),
        ("h_prebn", "bngain * bnvar_inv * dh_preact", "differs", "160 of 160 numbers"),
        ("logits", "(onehot(Y) - probs) / n", "differs", "Only the sign is wrong."),
        ("logits", "probs - onehot(Y)", "differs", "All of yours times 0.0625 would be right."),
        ("logit_maxes", "sum(dnorm_logits, 1)", "equal", "Both are zero but for rounding."),
        ("b1", "0 * b1", "equal", "Both are zero but for rounding."),
        ("W2", "dlogits.T @ h", "shape", "Expected is 10 × 12 (hidden unit × character). Its transpose would fit."),
        ("b2", "dlogits", "shape", "what each of them asks for adds up"),
        ("h", "dlogits @ W2", "unread", "as many columns as the second has rows"),
        ("h", "dlogits * h", "unread", "dlogits is 16 × 12 and h is 16 × 10"),
        ("h", "Y", "unread", "places in a list"),
        ("h", "grad(h)", "unread", "There is no function “grad”; there are sum, mean"),
        ("h", "log(-(h ** 2))", "differs", "not finite"),
    ],
)
def test_a_verdict_says_what_is_wrong(asked: str, text: str, kind: str, words: str) -> None:
    verdict = judge(DECLARED, asked, text)
    assert verdict.kind == kind, verdict.words
    assert words in verdict.words


def test_where_a_formula_is_wrong_is_named_and_mapped() -> None:
    one_wrong = "(probs - onehot(Y)) / n + add_rows(Y, ones(n, 1))[0]"
    assert judge(DECLARED, "logits", one_wrong).kind == "unread"
    verdict = judge(DECLARED, "W2", "h.T @ dlogits + 0.5 * onehot(argmax(W2)) * onehot(argmax(W2))")
    assert verdict.words.startswith(
        "The right shape. 10 of 120 numbers are other than autograd's, the most at hidden unit"
    )
    assert verdict.difference is not None
    assert int((verdict.difference.abs() > 0.4).sum()) == 10


def test_what_may_be_named_is_what_was_found_before() -> None:
    assert found_before("logprobs") == []
    assert found_before("W2")[:2] == ["dlogits", "dlogit_maxes"]
