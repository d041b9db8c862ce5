"""Three mistakes on real data: each is named by its card, and what the card says helps on five seeds."""

import pytest
import torch

from goldviz.watching.trial import PLACEBO, tried_on
from tests.watching.cases import CASES, tumours
from tests.watching.loops import watching

SEEDS = range(5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CASES)
def test_the_card_names_it_and_its_cure_helps(name: str, seed: int) -> None:
    case = CASES[name]
    torch.manual_seed(seed)
    state = case.state()
    with watching(state["model"], every=5) as record:
        for number in range(1, 61):
            record.step(loss=case.step(state, 0, number))
    [card] = record.findings()
    assert card.kind == case.kind
    assert case.cure in card.cure
    torch.manual_seed(seed)
    told = tried_on(case.step, case.state(), [], steps=60, orders=3, cures={"repair": case.repair})
    by_kind = {one.kind: one for one in told}
    print(f"{name}, {seed}: {card.number}; {by_kind['repair'].sentence()}")
    assert by_kind["repair"].helped
    assert not by_kind[PLACEBO].helped


@pytest.mark.slow
def test_the_rows_that_the_card_names_are_the_batch_s_tumours_without_concavity() -> None:
    case = CASES["a logarithm of 0"]
    torch.manual_seed(0)
    state = case.state()
    with watching(state["model"], every=5) as record:
        for number in range(1, 61):
            record.step(loss=case.step(state, 0, number))
    cause = record.facts["first_cause"]
    drawn = case.drawn(0, cause["step"])
    bad = (tumours()[0] == 0).any(1)
    assert int(bad.sum()) == 13
    assert cause["rows"] == bad[drawn].nonzero().flatten().tolist()
