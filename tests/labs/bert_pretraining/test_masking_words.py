"""Masking: 15 % of the pieces, 80/10/10, never a special piece, never a row without any."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.bert_pretraining.objectives import NO_TARGET, mask_pieces

VOCABULARY, MASK = 1000, 4
ORDINARY = torch.arange(5, VOCABULARY)


def rows(batch, length, seed=0):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, VOCABULARY, (batch, length), generator=generator)
    ids[:, 0], ids[:, -1] = 2, 3
    special = torch.zeros(batch, length, dtype=torch.bool)
    special[:, 0] = special[:, -1] = True
    return ids, special


@given(st.integers(1, 5), st.integers(3, 20), st.floats(0.001, 1.0), st.integers(0, 1000))
def test_what_holds_of_every_draw(batch, length, share, seed):
    ids, special = rows(batch, length, seed)
    before = ids.clone()
    inputs, targets = mask_pieces(ids, special, ORDINARY, MASK, torch.Generator().manual_seed(seed), share)
    asked = targets != NO_TARGET
    assert torch.equal(ids, before)
    assert bool(asked.any(1).all())
    assert not bool((asked & special).any())
    assert torch.equal(targets[asked], ids[asked])
    assert torch.equal(inputs[~asked], ids[~asked])
    changed = inputs != ids
    assert bool(((inputs[changed] == MASK) | (inputs[changed] >= 5)).all())
    assert int(inputs.max()) < VOCABULARY


def test_the_shares_are_those_of_devlin():
    ids, special = rows(2000, 102)
    inputs, targets = mask_pieces(ids, special, ORDINARY, MASK, torch.Generator().manual_seed(1))
    asked = targets != NO_TARGET
    count = int(asked.sum())
    # 200,000 pieces: four standard deviations of a share of 0.15 are 0.0032, of one of 0.8 among 30,000 are 0.0093.
    assert count / int((~special).sum()) == pytest.approx(0.15, abs=0.0032)
    assert int((inputs[asked] == MASK).sum()) / count == pytest.approx(0.8, abs=0.0093)
    same = int((inputs[asked] == ids[asked]).sum()) / count
    assert same == pytest.approx(0.1 + 0.1 / (VOCABULARY - 5), abs=0.007)
    replaced = inputs[asked & (inputs != ids) & (inputs != MASK)]
    assert len(replaced) / count == pytest.approx(0.1, abs=0.007)
    assert len(replaced.unique()) > 0.8 * (VOCABULARY - 5)


def test_the_same_seed_masks_the_same_pieces():
    ids, special = rows(8, 30)
    one, other, third = (
        mask_pieces(ids, special, ORDINARY, MASK, torch.Generator().manual_seed(seed)) for seed in (7, 7, 8)
    )
    assert torch.equal(one[0], other[0])
    assert torch.equal(one[1], other[1])
    assert not torch.equal(one[1], third[1])


def test_a_row_with_one_ordinary_piece_always_asks_for_it():
    ids, special = rows(50, 3)
    _, targets = mask_pieces(ids, special, ORDINARY, MASK, torch.Generator().manual_seed(0), 0.01)
    assert torch.equal(targets[:, 1], ids[:, 1])


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, float("nan")])
def test_a_share_out_of_bounds_is_named(share):
    ids, special = rows(1, 5)
    with pytest.raises(ValueError, match=rf"^The share of pieces to hide is {share:g}; allowed is a number above 0"):
        mask_pieces(ids, special, ORDINARY, MASK, torch.Generator(), share)


def test_nothing_to_hide_and_nothing_to_put_in_its_place_are_refused():
    ids, special = rows(2, 5)
    with pytest.raises(ValueError, match=r"^The vocabulary has special pieces alone"):
        mask_pieces(ids, special, ORDINARY[:0], MASK, torch.Generator())
    special[1] = True
    with pytest.raises(ValueError, match=r"^A row has nothing but special pieces, so none can be hidden\.$"):
        mask_pieces(ids, special, ORDINARY, MASK, torch.Generator())
