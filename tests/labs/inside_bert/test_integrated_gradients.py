"""Integrated gradients: exact where the output is linear, complete where it is not, and equal to a sum written out."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert import attribution as module
from goldviz.labs.inside_bert.attribution import (
    LARGEST_GAP,
    integrated_gradients,
)
from goldviz.labs.inside_bert.reading import piece_ids
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model
from tests.refusals import refused


def tone_logits(model, pieces):
    with torch.no_grad():
        return model.classifier(model.encoder(piece_ids(model, pieces)))[0].numpy()


def swapped(model, pieces, filler):
    return replace(pieces, ids=np.where(pieces.special, pieces.ids, filler))


def summed(model, pieces):
    with torch.no_grad():
        ids = piece_ids(model, pieces)
        return model.encoder.embeddings(ids, torch.zeros_like(ids)).total


def linear_model():
    """No layer and a LayerNorm that adds nothing: X^(L) is E^(0), so every output of it is as linear as its head."""
    model = text_model()
    shape = model.encoder.shape
    encoder = TransformerEncoder(EncoderShape(0, 4, shape.width, 8, shape.vocabulary, shape.positions)).double()
    encoder.embeddings.load_state_dict(model.encoder.embeddings.state_dict())
    encoder.embeddings.norm = torch.nn.Identity()
    return replace(model, encoder=encoder.requires_grad_(False))


def test_a_linear_output_is_attributed_exactly():
    model, pieces = linear_model(), pieces_of()
    direction = torch.randn(len(pieces), 24, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    linear = replace(model, classifier=lambda hidden: (hidden * direction).sum((1, 2))[:, None])
    found = integrated_gradients(linear, pieces, 0, steps=2)
    difference = summed(model, pieces) - summed(model, swapped(model, pieces, model.tokeniser.pad_token_id))
    np.testing.assert_allclose(found.per_piece, (difference[0] * direction).sum(-1), rtol=1e-11, atol=1e-12)
    assert found.steps == 2
    assert found.gap < 1e-12
    assert found.total == pytest.approx(float((difference * direction).sum()), rel=1e-11)


def by_own_sum(model, pieces, label, filler, steps):
    """The midpoint rule, one gradient at a time."""
    text, empty = summed(model, pieces), summed(model, swapped(model, pieces, filler))
    gradient = torch.zeros_like(text)
    for step in range(steps):
        point = (empty + (step + 0.5) / steps * (text - empty)).requires_grad_()
        states = model.encoder.upwards(model.encoder.embeddings.norm(point))
        gradient += torch.autograd.grad(model.classifier(states)[0, label], point)[0] / steps
    return ((text - empty) * gradient)[0].sum(-1).numpy()


@pytest.mark.slow
def test_it_equals_a_midpoint_sum_of_many_steps():
    model, pieces = text_model(size=0.15), pieces_of("gold prices rose; the committee decided to raise rates")
    found = integrated_gradients(model, pieces, 1)
    assert found.gap <= LARGEST_GAP
    expected = by_own_sum(model, pieces, 1, model.tokeniser.pad_token_id, 600)
    np.testing.assert_allclose(found.per_piece, expected, atol=2e-4 * abs(expected).max())


def test_what_pieces_get_adds_up_to_the_change_of_the_output():
    model, pieces = text_model(), pieces_of()
    empty = swapped(model, pieces, model.tokeniser.pad_token_id)
    for place in range(len(model.labels)):
        found = integrated_gradients(model, pieces, place)
        assert found.total == pytest.approx((tone_logits(model, pieces) - tone_logits(model, empty))[place], rel=1e-10)
        assert abs(found.per_piece.sum() - found.total) <= LARGEST_GAP * abs(found.total)
        assert found.gap == pytest.approx(abs(found.per_piece.sum() - found.total) / abs(found.total), rel=1e-12)


def test_special_pieces_stay_and_get_nothing():
    pieces = pieces_of()
    found = integrated_gradients(text_model(), pieces, 1)
    assert (found.per_piece[pieces.special] == 0).all()
    assert (found.per_piece[~pieces.special] != 0).all()


def test_the_gap_shrinks_with_the_steps_and_they_are_doubled_until_it_is_small():
    model, pieces = text_model(), pieces_of()
    rough = integrated_gradients(model, pieces, 2, steps=2, most_steps=2)
    fine = integrated_gradients(model, pieces, 2, steps=256)
    assert fine.gap < rough.gap / 10
    found = integrated_gradients(model, pieces, 2, steps=2)
    assert found.steps > 2
    assert found.gap <= LARGEST_GAP
    fewer = integrated_gradients(model, pieces, 2, steps=found.steps // 2, most_steps=found.steps // 2)
    assert fewer.gap > LARGEST_GAP
    assert fewer.steps == found.steps // 2


@pytest.mark.parametrize("together", [1, 512])
def test_progress_counts_the_points_and_the_report_can_end_it(monkeypatch, together, capfd):
    monkeypatch.setattr(module, "PIECES_IN_A_BATCH", together)
    model, pieces, told = text_model(), pieces_of(), []
    found = integrated_gradients(model, pieces, 2, 2, lambda *step: told.append(step))
    assert [step[0] for step in told] == sorted(step[0] for step in told)
    assert told[0] == (0, 2)
    assert told[-1] == (2 * found.steps - 2, 2 * found.steps - 2)
    assert capfd.readouterr() == ("", "")

    def report(done, total):
        if done:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        integrated_gradients(model, pieces, 2, 8, report)


def test_a_text_without_words_changes_nothing():
    model = text_model()
    blank = swapped(model, pieces_of(), model.tokeniser.pad_token_id)
    found = integrated_gradients(model, blank, 1)
    assert found.total == 0
    assert found.gap == 0
    assert (found.per_piece == 0).all()


def test_weights_keep_no_gradient_and_need_none():
    model, pieces = text_model(), pieces_of("gold rose")
    expected = integrated_gradients(model, pieces, 1).per_piece
    with torch.no_grad():
        inside = integrated_gradients(model, pieces, 1).per_piece
    np.testing.assert_array_equal(inside, expected)
    assert all(weights.grad is None for weights in model.encoder.parameters())


def test_faults_are_named():
    model, pieces = text_model(), pieces_of("gold rose")
    with pytest.raises(ValueError, match="number of steps is 1; allowed is 2 to 512"):
        integrated_gradients(model, pieces, 1, steps=1)
    with refused(TextModelError, "no_head", "classifier"):
        integrated_gradients(replace(model, classifier=None), pieces, 1)
    no_padding = SimpleNamespace(pad_token_id=None, mask_token_id=4)
    with refused(TextModelError, "tokeniser", "padding piece"):
        integrated_gradients(replace(model, tokeniser=no_padding), pieces, 1)
