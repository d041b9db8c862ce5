"""A reading against the transformers library's BERT, and against the model's own forward pass."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from goldviz.diagnostics.text.attention_heads import HEAD_SUMMARIES, summarise_head
from goldviz.labs.inside_bert.maps import PLACES, group_by_word, pool_tiles, word_maps
from goldviz.labs.inside_bert.reading import piece_ids, read_text
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import TEXT, pieces_of, text_model, transformers_twin
from tests.refusals import refused


def test_states_and_every_head_equal_transformers_to_1e_12():
    model, pieces = text_model(), pieces_of()
    reading = read_text(model, pieces)
    with torch.no_grad():
        expected = transformers_twin(model).bert(
            torch.as_tensor(pieces.ids)[None], output_attentions=True, output_hidden_states=True
        )
    torch.testing.assert_close(reading.hidden, torch.cat(expected.hidden_states), rtol=1e-11, atol=1e-12)
    for layer, attention in enumerate(expected.attentions):
        for head in range(4):
            found = reading.head(layer, head)
            np.testing.assert_allclose(found.weights, attention[0, head], rtol=1e-10, atol=1e-14)
            np.testing.assert_allclose(found.weights.sum(1), 1, rtol=1e-14)


def test_a_head_made_again_has_every_step_of_the_model():
    reading = read_text(text_model(), pieces_of())
    for layer in range(3):
        whole = reading.attention(layer)
        for head in range(4):
            for name, found in reading.head(layer, head)._asdict().items():
                np.testing.assert_allclose(found, getattr(whole, name)[0, head], rtol=1e-11, atol=1e-13, err_msg=name)


def test_the_embeddings_are_parts_of_the_first_state():
    reading = read_text(text_model(), pieces_of())
    parts = reading.embeddings
    torch.testing.assert_close(parts.token + parts.segment + parts.position, parts.total, rtol=0, atol=1e-15)
    torch.testing.assert_close(parts.normalised, reading.hidden[0], rtol=0, atol=0)
    assert parts.token.shape == (len(reading.pieces), 24)


def test_summaries_tiles_and_received_are_those_of_each_layer():
    reading = read_text(text_model(), pieces_of())
    assert set(reading.summaries) == {*HEAD_SUMMARIES, *PLACES}
    words = reading.pieces.words
    for layer in range(3):
        weights = reading.attention(layer).weights[0]
        np.testing.assert_allclose(reading.received[layer], weights.mean((0, 1)), rtol=1e-10)
        np.testing.assert_allclose(reading.tiles[layer], pool_tiles(weights.numpy()), rtol=1e-3)
        for head in range(4):
            expected = summarise_head(weights[head], reading.pieces.special).numbers
            found = {name: reading.summaries[name][layer, head] for name in HEAD_SUMMARIES}
            assert found == pytest.approx(expected, rel=1e-10)
            by_word = word_maps(weights[head].numpy(), words)
            spoken = words[np.flatnonzero(np.diff(group_by_word(words), prepend=-1))] >= 0
            pairs = [at for at in range(len(spoken) - 1) if spoken[at] and spoken[at + 1]]
            places = {name: reading.summaries[name][layer, head] for name in PLACES}
            assert places == pytest.approx(
                {
                    "word_before": np.mean([by_word[at + 1, at] for at in pairs]),
                    "word_itself": by_word.diagonal()[spoken].mean(),
                    "word_after": np.mean([by_word[at, at + 1] for at in pairs]),
                    "first_piece": by_word[spoken, 0].mean(),
                    "other_sentence": 0,
                },
                abs=1e-6,
            )


def test_layers_are_reported_and_the_report_can_end_the_reading():
    class StoppedHereError(Exception):
        pass

    told = []

    def report(done, total):
        told.append((done, total))
        if done == 2:
            raise StoppedHereError

    with pytest.raises(StoppedHereError):
        read_text(text_model(), pieces_of(), report)
    assert told == [(1, 3), (2, 3)]


def test_reading_keeps_no_gradients():
    reading = read_text(text_model(), pieces_of())
    assert not reading.hidden.requires_grad
    assert not reading.hidden.is_inference()


def test_pieces_that_the_model_cannot_read_are_named():
    model, pieces = text_model(), pieces_of()
    with refused(TextModelError, "other_vocabulary", "999", "the random model", "ends at 11"):
        piece_ids(model, replace(pieces, ids=np.where(pieces.special, 999, pieces.ids)))
    many = np.zeros(41, np.int64)
    with refused(TextModelError, "too_long", "41 pieces", "the random model", "1 to 40"):
        read_text(model, replace(pieces, ids=many))


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ("embeddings.norm.bias", "before the first layer"),
        ("blocks.1.attention.query.weight", "after layer 2"),
        ("blocks.2.output_norm.weight", "after layer 3"),
    ],
)
def test_weights_that_are_finite_and_too_large_are_named(where, place):
    model = text_model()
    encoder = deepcopy(model.encoder)
    weights = dict(encoder.named_parameters())[where]
    with torch.no_grad():
        weights.fill_(1e308).mul_(1.0 if "query" in where else 1.7)
        if where == "embeddings.norm.bias":
            encoder.embeddings.norm.weight.mul_(1e308)
    assert all(torch.isfinite(each).all() for each in encoder.parameters())
    with pytest.raises(TextModelError) as caught:
        read_text(replace(model, encoder=encoder), pieces_of())
    assert str(caught.value) == (
        f"the random model cannot read this text: its states are not finite {place}, so its weights are too large; "
        "choose another model."
    )


def test_heads_and_layers_that_do_not_exist_are_named():
    reading = read_text(text_model(), pieces_of(TEXT[:20]))
    with pytest.raises(IndexError, match="layer is number 3; the model has numbers 0 to 2"):
        reading.head(3, 0)
    with pytest.raises(IndexError, match="head is number -1; the model has numbers 0 to 3"):
        reading.head(0, -1)
