"""Permutation language modelling: who may see whom, checked by changing pieces."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from goldviz.labs.bert_pretraining.instruments import masked_scores, probe_attention, probe_order
from goldviz.labs.bert_pretraining.network import bert_learner
from goldviz.labs.bert_pretraining.objectives import QueryStream, content_sees, drawn_order, query_sees
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.labs.bert_pretraining.texts import pretraining_texts
from goldviz.labs.bert_pretraining.train import learn, masked_step
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from tests.labs.bert_pretraining.cases import PERMUTED

SIZE, VOCABULARY = 7, 11


def networks():
    torch.manual_seed(0)
    encoder = TransformerEncoder(EncoderShape(2, 2, 8, 12, VOCABULARY, SIZE)).double().eval()
    return encoder, QueryStream(8).double()


ENCODER, STREAM = networks()


@torch.no_grad()
def streams(pieces, order):
    """Content and query stream after the last block."""
    content, query = list(STREAM.walk(ENCODER, pieces, order))[-1]
    assert_close(query.output, STREAM(ENCODER, pieces, order))
    return content.output[0], query.output[0]


@given(
    order=st.permutations(range(SIZE)),
    read=st.integers(1, SIZE - 1),
    place=st.integers(0, SIZE - 1),
    piece=st.integers(1, VOCABULARY - 1),
)
def test_nothing_moves_by_what_is_later_in_the_order(order, read, place, piece):
    """Of a drawn order the first pieces are only read, at place 0; a piece is changed, and only later ones may move."""
    places = np.maximum(np.array(order) - read + 1, 0)
    order = torch.as_tensor(places)[None]
    pieces = torch.arange(SIZE)[None]
    changed = pieces.clone()
    changed[0, place] = (changed[0, place] + piece) % VOCABULARY
    before, after = streams(pieces, order), streams(changed, order)
    own = order[0, place]
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        moved = (one - other).abs().amax(-1) > 1e-12
        unseen = order[0] < own if number == 0 else (order[0] <= own) & (order[0] > 0)
        assert not moved[unseen].any()
        later = order[0] > own
        assert moved[later].all()
    content_moved = (before[0] - after[0]).abs().amax(-1) > 1e-12
    assert content_moved[place], "the content stream sees the piece itself"


def test_in_the_written_order_the_content_stream_is_causal():
    pieces = torch.arange(SIZE)[None]
    content, _ = streams(pieces, torch.arange(SIZE)[None])
    with torch.no_grad():
        x = ENCODER.embeddings(pieces, torch.zeros_like(pieces)).normalised
        for block in ENCODER.blocks:
            attention = block.attention
            heads = [part(x).view(1, SIZE, 2, 4).transpose(1, 2) for part in (attention.query, attention.key)]
            value = attention.value(x).view(1, SIZE, 2, 4).transpose(1, 2)
            mixed = scaled_dot_product_attention(*heads, value, is_causal=True).transpose(1, 2).flatten(2)
            middle = block.attention_norm(x + attention.output(mixed))
            x = block.output_norm(middle + block.feed_forward(middle))
    assert_close(content, x[0])


def test_orders_are_drawn_among_what_is_asked_for():
    asked = torch.rand(200, 9, generator=torch.Generator().manual_seed(0)) < 0.6
    asked[:, 0] = False
    order = drawn_order(asked, torch.Generator().manual_seed(1))
    for row, places in zip(asked, order, strict=True):
        assert sorted(places[row].tolist()) == list(range(1, int(row.sum()) + 1))
        assert not places[~row].any()
    last = order.argmax(1)
    assert len(set(last.tolist())) > 4, "which piece comes last is drawn"


def test_masks_say_who_sees_whom():
    order = torch.tensor([[0, 2, 1]])
    assert content_sees(order)[0].tolist() == [[True, False, False], [True, True, True], [True, False, True]]
    assert query_sees(order)[0].tolist() == [[True, False, False], [True, False, True], [True, False, False]]


@pytest.fixture(scope="module")
def data():
    return pretraining_texts(BertPretraining(**PERMUTED))


def test_a_step_guesses_pieces_that_are_out_of_sight(data):
    own = BertPretraining(**PERMUTED)
    one = bert_learner(own, len(data.vocabulary), 0, torch.device("cpu"))
    loss, readings = masked_step(one, own, data, 1)
    assert_close(loss.detach(), readings["loss"])
    assert loss.item() == pytest.approx(np.log(len(data.vocabulary)), rel=0.05)
    before = one.network.query_stream.start.weight.clone()
    learn(one, own, data, 1, 1e-2, closely=False)
    assert not torch.equal(before, one.network.query_stream.start.weight)


def test_what_is_scored_is_the_same_as_with_masks(data):
    masked = pretraining_texts(BertPretraining(**PERMUTED | {"objective": "masked_words"}))
    assert torch.equal(data.unseen.answers, masked.unseen.answers)
    assert not (data.unseen.shown.pieces == data.vocabulary.mask).any()
    one = bert_learner(BertPretraining(**PERMUTED), len(data.vocabulary), 0, torch.device("cpu")).network
    scores = masked_scores(one, data.unseen)
    hidden = data.unseen.shown.pieces.clone()
    data.unseen.shown.pieces[data.unseen.answers >= 0] = data.vocabulary.mask
    assert masked_scores(one, data.unseen) == pytest.approx(scores), "what is asked for is never seen"
    data.unseen.shown.pieces.copy_(hidden)


def test_the_probe_s_hidden_piece_is_seen_by_nobody(data):
    one = bert_learner(BertPretraining(**PERMUTED), len(data.vocabulary), 0, torch.device("cpu")).network
    maps = probe_attention(one, data.probe)
    assert_close(maps.sum(-1), torch.ones(maps.shape[:-1]))
    assert not maps[..., data.probe.place].any()
    order = probe_order(data, 3)
    assert order[[0, -1]].tolist() == [0, 0]
    assert sorted(order[1:-1].tolist()) == list(range(1, len(order) - 1))
    assert not torch.equal(order, probe_order(data, 4))
