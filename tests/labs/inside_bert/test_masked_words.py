"""The masked-word game against the transformers library's masked language model."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert.attribution.masked_words import (
    masked_guesses,
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


def test_faults_are_named():
    model, pieces = text_model(), pieces_of("gold rose")
    with pytest.raises(IndexError, match="piece is number 4; the text has numbers 0 to 3"):
        masked_guesses(model, pieces, [4])
    with pytest.raises(TextModelError, match="has no masked-word head"):
        masked_guesses(replace(model, masked_words=None), pieces, [1])
    with pytest.raises(TextModelError, match="has no mask piece"):
        masked_guesses(replace(model, tokeniser=SimpleNamespace(mask_token_id=None)), pieces, [1])
