"""The masked-word game against the transformers library's masked language model."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert.attribution import masked_words as module
from goldviz.labs.inside_bert.attribution.masked_words import (
    masked_guesses,
    masked_predictions,
    pseudo_log_likelihood,
    with_masked,
    word_positions,
)
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model, transformers_twin


def library_log_probabilities(model, pieces, positions):
    ids = torch.as_tensor(pieces.ids)[None].clone()
    ids[0, positions] = model.tokeniser.mask_token_id
    with torch.no_grad():
        return transformers_twin(model)(ids).logits[0].log_softmax(-1)


@pytest.mark.parametrize("positions", [[4], [1, 2, 7], [0]])
def test_guesses_equal_transformers(positions):
    model, pieces = text_model(), pieces_of()
    expected = library_log_probabilities(model, pieces, positions).exp()
    for guess in masked_guesses(model, pieces, positions, top=6):
        here = expected[guess.position]
        true = int(pieces.ids[guess.position])
        best = here.topk(6)
        assert guess.piece == pieces.tokens[guess.position]
        assert guess.probability == pytest.approx(float(here[true]), rel=1e-9)
        assert guess.rank == 1 + int((here > here[true]).sum())
        assert [piece for piece, _ in guess.top] == model.tokeniser.convert_ids_to_tokens(best.indices.tolist())
        np.testing.assert_allclose([probability for _, probability in guess.top], best.values, rtol=1e-9)


def test_predictions_are_the_guess_at_one_place_and_all_of_them_sum_to_1():
    model, pieces = text_model(), pieces_of()
    found = masked_predictions(model, pieces, 4, top=10_000)
    assert len(found) == model.encoder.shape.vocabulary
    assert sum(probability for _, probability in found) == pytest.approx(1, rel=1e-12)
    assert found[:10] == masked_predictions(model, pieces, 4)


@pytest.mark.parametrize("together", [1, 64, 512])
def test_each_piece_is_masked_alone(monkeypatch, together):
    monkeypatch.setattr(module, "PIECES_TOGETHER", together)
    model, pieces, told = text_model(), pieces_of(), []
    found = pseudo_log_likelihood(model, pieces, lambda *step: told.append(step))
    assert np.isnan(found[pieces.special]).all()
    for position in np.flatnonzero(~pieces.special):
        guess = masked_guesses(model, pieces, [int(position)])[0]
        assert found[position] == pytest.approx(np.log(guess.probability), rel=1e-9)
    assert told[-1] == (len(pieces) - 2, len(pieces) - 2)


def test_a_word_is_masked_with_all_its_pieces():
    pieces = pieces_of("gold abc rose")
    assert pieces.tokens == ("[CLS]", "gold", "a", "##b", "##c", "rose", "[SEP]")
    assert word_positions(pieces, 3) == [2, 3, 4]
    assert word_positions(pieces, 1) == [1]
    assert word_positions(pieces, 6) == [6]
    masked = with_masked(text_model(), pieces, word_positions(pieces, 3))
    assert masked.tokens == ("[CLS]", "gold", "[MASK]", "[MASK]", "[MASK]", "rose", "[SEP]")
    assert (masked.ids[2:5] == text_model().tokeniser.mask_token_id).all()
    np.testing.assert_array_equal(masked.words, pieces.words)
    assert pieces.tokens[2] == "a"


def test_faults_are_named():
    model, pieces = text_model(), pieces_of("gold rose")
    with pytest.raises(IndexError, match="piece is number 4; the text has numbers 0 to 3"):
        masked_predictions(model, pieces, 4)
    with pytest.raises(IndexError, match="piece is number -1"):
        word_positions(pieces, -1)
    with pytest.raises(TextModelError, match="has no masked-word head"):
        masked_predictions(replace(model, masked_words=None), pieces, 1)
    with pytest.raises(TextModelError, match="has no mask piece"):
        masked_predictions(replace(model, tokeniser=SimpleNamespace(mask_token_id=None)), pieces, 1)
