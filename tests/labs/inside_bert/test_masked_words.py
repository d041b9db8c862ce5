"""The masked-word game against the transformers library's masked language model."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert.evidence import guesses
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model, transformers_twin
from tests.refusals import refused


def library_probabilities(model, pieces, position):
    ids = torch.as_tensor(pieces.ids)[None].clone()
    ids[0, position] = model.tokeniser.mask_token_id
    with torch.no_grad():
        return transformers_twin(model)(ids).logits[0, position].softmax(-1)


@pytest.mark.parametrize("token", [1, 2, 5, 8])
def test_guesses_equal_transformers(token):
    model, pieces = text_model(), pieces_of()
    expected = library_probabilities(model, pieces, token - 1)
    true, best = int(pieces.ids[token - 1]), expected.topk(6)
    found = guesses(model, pieces, token, top=6)
    assert found.attrs["truth"] == pieces.tokens[token - 1]
    assert found.attrs["truth_probability"] == pytest.approx(float(expected[true]), rel=1e-9)
    assert found.attrs["truth_rank"] == 1 + int((expected > expected[true]).sum())
    assert found["guessed"].values.tolist() == model.tokeniser.convert_ids_to_tokens(best.indices.tolist())
    np.testing.assert_allclose(found["guess_probability"], best.values, rtol=1e-9)


def test_faults_are_named():
    model, pieces = text_model(), pieces_of("gold rose")
    with pytest.raises(IndexError, match="piece is number 5; the text has numbers 1 to 4"):
        guesses(model, pieces, 5)
    with refused(TextModelError, "no_head", "masked-word"):
        guesses(replace(model, masked_words=None), pieces, 2)
    with refused(TextModelError, "tokeniser", "mask piece"):
        guesses(replace(model, tokeniser=SimpleNamespace(mask_token_id=None)), pieces, 2)
