"""Switched-off heads: full passes, restarted passes, and weights changed by hand agree."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.inside_bert import attribution as module
from goldviz.labs.inside_bert.attribution import ablate_all, head_ablation
from goldviz.labs.inside_bert.reading import piece_ids
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model
from tests.refusals import refused


def tone_logits(model, pieces):
    with torch.no_grad():
        return model.classifier(model.encoder(piece_ids(model, pieces)))[0].numpy()


def with_scaled_weights(model, shares):
    """The same model with each head's part of W_O multiplied by its share: another way to scale a head."""
    encoder = deepcopy(model.encoder)
    width = encoder.shape.head_width
    with torch.no_grad():
        for block, row in zip(encoder.blocks, shares, strict=True):
            block.attention.output.weight *= torch.tensor(np.repeat(row, width))
    return replace(model, encoder=encoder)


def one_off(layer, head):
    shares = np.ones((3, 4))
    shares[layer, head] = 0
    return shares


@given(seed=st.integers(0, 999), switched=st.booleans())
def test_any_shares_equal_scaled_weights_to_1e_11(seed, switched):
    generator = np.random.default_rng(seed)
    shares = generator.integers(0, 2, (3, 4)).astype(float) if switched else generator.uniform(-1, 2, (3, 4))
    model, pieces = text_model(), pieces_of()
    expected = tone_logits(with_scaled_weights(model, shares), pieces)
    np.testing.assert_allclose(head_ablation(model, pieces, shares), expected, rtol=1e-10, atol=1e-11)


def test_all_heads_as_they_are_is_the_model():
    model, pieces = text_model(), pieces_of()
    np.testing.assert_array_equal(head_ablation(model, pieces, np.ones((3, 4))), tone_logits(model, pieces))


@pytest.mark.parametrize("at_once", [1, 60, 512])
def test_one_after_another_equals_a_full_pass_for_each(monkeypatch, at_once):
    monkeypatch.setattr(module, "ABLATED_PIECES_AT_ONCE", at_once)
    model, pieces = text_model(), pieces_of()
    found, whole = ablate_all(model, pieces), tone_logits(model, pieces)
    assert found.shape == (3, 4, 3)
    assert abs(found).min() > 1e-9
    for layer in range(3):
        for head in range(4):
            expected = head_ablation(model, pieces, one_off(layer, head)) - whole
            np.testing.assert_allclose(found[layer, head], expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("at_once", [1, 512])
def test_progress_counts_layers_and_ends_at_the_total(monkeypatch, at_once):
    monkeypatch.setattr(module, "ABLATED_PIECES_AT_ONCE", at_once)
    told = []
    ablate_all(text_model(), pieces_of(), lambda *step: told.append(step))
    done = [step[0] for step in told]
    assert done == sorted(done)
    assert {step[1] for step in told} == {4 * (3 + 2 + 1)}
    assert done[-1] == 24
    assert len(told) == (12 if at_once == 1 else 3)


def test_the_report_can_end_it():
    def report(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ablate_all(text_model(), pieces_of(), report)


def test_wrong_shares_and_a_model_without_tone_are_named():
    model, pieces = text_model(), pieces_of()
    with pytest.raises(ValueError, match=r"shares have shape \(4, 3\); allowed is \(3, 4\)"):
        head_ablation(model, pieces, np.ones((4, 3)))
    with refused(TextModelError, "no_head", "classifier"):
        ablate_all(replace(model, classifier=None), pieces)
