"""Tokens drawn one after another: the same with and without a cache, and only those that the choice leaves."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from goldviz.models.text.causal import CausalShape, CausalTransformer
from goldviz.models.text.completion import Choice, drawn_by, last_place, written_on


def network(**changes):
    sizes = {"layers": 2, "heads": 2, "width": 16, "vocabulary": 30, "positions": 12} | changes
    made = CausalTransformer(CausalShape(**sizes)).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in made.parameters():
            weights.normal_(0, 0.3, generator=generator)
    return made


def chances(count, rows=2):
    return torch.rand(count, rows, generator=torch.Generator().manual_seed(1))


PROMPT = torch.randint(30, (2, 5), generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("prompt", [1, 5, 12, 20])
@pytest.mark.parametrize("choice", [Choice(), Choice(0), Choice(0.7, top_k=5), Choice(1.3, top_p=0.6)])
def test_a_cache_draws_the_same_tokens_past_the_end_of_the_block(choice, prompt):
    asked = torch.randint(30, (2, prompt), generator=torch.Generator().manual_seed(prompt))
    drawn = [
        [one.token for one in written_on(network(), asked, chances(25), choice, with_cache=cached)]
        for cached in (True, False)
    ]
    assert torch.equal(torch.stack(drawn[0]), torch.stack(drawn[1]))


def test_without_a_mask_the_cache_is_left_out():
    assert len(list(written_on(network(masked=False), PROMPT, chances(3), Choice(), with_cache=True))) == 3


def test_temperature_0_takes_the_likeliest_token():
    made, tokens = network(), PROMPT
    for one in written_on(made, PROMPT, chances(6), Choice(0), with_cache=True):
        expected = made(tokens)[:, -1].argmax(-1)
        assert torch.equal(one.token, expected)
        tokens = torch.cat([tokens, one.token[:, None]], 1)


@given(
    logits=st.lists(st.floats(-20, 20), min_size=2, max_size=12),
    temperature=st.floats(0.05, 3),
    top_k=st.integers(0, 12),
    top_p=st.floats(0.01, 1),
    chance=st.floats(0, 1),
)
def test_what_is_left_are_the_likeliest_and_nothing_else_is_drawn(logits, temperature, top_k, top_p, chance):
    row = torch.tensor([logits], dtype=torch.float64)
    held, shares = (row / temperature).softmax(-1)[0], Choice(temperature, top_k, top_p).shares(row)
    kept = shares[0] > 0
    assert_close(shares.sum(), torch.ones((), dtype=torch.float64))
    likeliest = held >= held.topk(min(top_k or len(logits), len(logits))).values[-1]
    assert 1 <= kept.sum() <= likeliest.sum()
    if not kept.all():
        assert held[kept].min() >= held[~kept].max() - 1e-12
    if top_k == 0 and (held > 1e-12).all():
        assert held[kept].sum() >= top_p - 1e-9
        assert kept.sum() == 1 or held[kept].sum() - held[kept].min() < top_p + 1e-9
    assert kept[drawn_by(shares, torch.tensor([chance], dtype=torch.float64))].all()


@pytest.mark.parametrize("top_k", [1, 2, 3, 5, 8, 40])
@pytest.mark.parametrize("top_p", [0.05, 0.3, 0.5, 0.77, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("distinct", [3, 6, 1000])
def test_top_k_cuts_before_top_p_as_in_transformers(top_k, top_p, distinct):
    """With few distinct logits many tokens are equally likely; which of those top-p keeps is then nobody's rule."""
    drawn = torch.randint(distinct, (300, 12), generator=torch.Generator().manual_seed(top_k))
    logits = drawn.double() * (7 / distinct)
    scores = TemperatureLogitsWarper(0.8)(None, logits)
    expected = TopPLogitsWarper(top_p)(None, TopKLogitsWarper(top_k)(None, scores)).softmax(-1)
    found = Choice(0.8, top_k, top_p).shares(logits)
    assert_close(found.sort(-1).values, expected.sort(-1).values, rtol=1e-13, atol=1e-15)
    alone = torch.tensor([len(row.unique()) == len(row) for row in drawn])
    assert alone.any() or distinct < 12
    assert_close(found[alone], expected[alone], rtol=1e-13, atol=1e-15)


def test_tokens_that_are_as_likely_as_the_last_of_the_top_k_stay():
    logits = torch.tensor([2.0, 1.0, 1.0, 1.0, 0.0], dtype=torch.float64)
    assert (Choice(top_k=2).shares(logits) > 0).tolist() == [True, True, True, True, False]
    assert_close(Choice(top_k=9).shares(logits), logits.softmax(-1), rtol=1e-15, atol=0)


def test_tokens_come_as_often_as_their_probability_says():
    shares = torch.tensor([[0.1, 0.0, 0.6, 0.3]]).expand(4000, 4)
    drawn = drawn_by(shares, torch.linspace(0, 1, 4000))
    assert_close(torch.bincount(drawn, minlength=4) / 4000, torch.tensor([0.1, 0.0, 0.6, 0.3]), atol=1e-3, rtol=0)


def test_the_lens_at_the_top_is_the_network_s_own_guess():
    made = network()
    lens = last_place(made, PROMPT[0])
    assert_close(lens.guesses[-1], made(PROMPT[:1])[0, -1].softmax(-1))
    assert lens.guesses.shape == (3, 30)
    assert lens.weights.shape == (2, 2, 5)
    assert_close(lens.weights.sum(-1), torch.ones(2, 2, dtype=torch.float64))
    longer = torch.cat([PROMPT[0], PROMPT[1], PROMPT[0]])
    assert_close(last_place(made, longer).guesses, last_place(made, longer[-12:]).guesses)
