import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import BertConfig, BertModel

from goldviz.models.text.encoder import (
    EncoderBlock,
    EncoderDropout,
    EncoderShape,
    TransformerEncoder,
    initialise_encoder,
)
from goldviz.models.text.folder import bert_name

SHAPE = EncoderShape(layers=3, heads=4, width=32, inner=48, vocabulary=60, positions=24)


def drawn(seed):
    return torch.Generator().manual_seed(seed)


def encoder(shape=SHAPE, seed=0, dtype=torch.float32):
    """An encoder with weights, biases and norms that are all drawn, so that none of them goes untested."""
    made = TransformerEncoder(shape).to(dtype)
    generator = drawn(seed)
    with torch.no_grad():
        for name, weights in made.named_parameters():
            centre = 1.0 if "norm.weight" in name else 0.0
            weights.normal_(centre, 0.2, generator=generator)
    return made


def bert(ours, activation="gelu"):
    """Transformers' BERT, eager, with the same weights."""
    shape = ours.shape
    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        hidden_act=activation,
        attn_implementation="eager",
    )
    theirs = BertModel(config, add_pooling_layer=False).to(ours.embeddings.token.weight.dtype).eval()
    renamed = {bert_name(f"encoder.{name}").removeprefix("bert."): part for name, part in ours.state_dict().items()}
    missing, unexpected = theirs.load_state_dict(renamed, strict=False)
    assert not unexpected
    assert not [name for name in missing if "position_ids" not in name]
    return theirs


def batch(seed=0):
    """Three texts of 9, 6 and 2 tokens, with segments."""
    pieces = torch.randint(0, SHAPE.vocabulary, (3, 9), generator=drawn(seed))
    segments = torch.randint(0, 2, (3, 9), generator=drawn(seed + 1))
    present = torch.arange(9) < torch.tensor([[9], [6], [2]])
    return pieces, segments, present


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu", "silu"])
def test_hidden_states_and_attention_are_those_of_transformers(dtype, tolerance, activation):
    ours = encoder(EncoderShape(3, 4, 32, 48, 60, 24, activation=activation), dtype=dtype)
    pieces, segments, present = batch()
    with torch.no_grad():
        theirs = bert(ours, activation)(
            pieces,
            attention_mask=present.long(),
            token_type_ids=segments,
            output_hidden_states=True,
            output_attentions=True,
        )
        start = ours.embeddings(pieces, segments).normalised
        walked = list(ours.walk(start, present))
        ended = ours(pieces, segments, present)
    close = {"rtol": 0, "atol": tolerance}
    hidden = [start, *(parts.output for parts in walked)]
    for own, other in zip(hidden, theirs.hidden_states, strict=True):
        assert_close(own[present], other[present], **close)
    for parts, other in zip(walked, theirs.attentions, strict=True):
        real = present[:, None, :, None].expand_as(other)
        assert_close(parts.attention.weights[real], other[real], **close)
    assert_close(ended[present], theirs.last_hidden_state[present], **close)


def test_looking_inside_gives_what_the_fused_pass_gives():
    ours, (pieces, segments, present) = encoder(dtype=torch.float64), batch()
    start = ours.embeddings(pieces, segments).normalised
    walked = list(ours.walk(start, present))
    for layer, parts in enumerate(walked):
        assert_close(ours.upwards(parts.input, present, start=layer)[present], ours(pieces, segments, present)[present])
        assert_close(ours.blocks[layer](parts.input, present)[present], parts.output[present])


def test_the_parts_of_attention_follow_from_one_another():
    """Document 001, section 4.1.2, with tokens as rows."""
    ours, (pieces, segments, present) = encoder(dtype=torch.float64), batch()
    parts = next(ours.walk(ours.embeddings(pieces, segments).normalised, present))
    seen, block = parts.attention, ours.blocks[0]
    scores = seen.query @ seen.key.mT / math.sqrt(SHAPE.head_width)
    assert_close(seen.scores, scores.masked_fill(~present[:, None, None], -math.inf))
    assert_close(seen.weights.sum(-1), torch.ones(3, 4, 9, dtype=torch.float64))
    assert not seen.weights[~present[:, None, None, :].expand_as(seen.weights)].any()
    assert_close(seen.mixed, seen.weights @ seen.value)
    assert_close(seen.output, block.attention.output(torch.cat(seen.mixed.unbind(1), -1)))
    assert_close(parts.attended, block.attention_norm(parts.input + seen.output))
    assert_close(parts.output, block.output_norm(parts.attended + block.feed_forward(parts.attended)))


def test_embeddings_are_a_sum_of_three_tables():
    ours, (pieces, segments, _) = encoder(), batch()
    parts = ours.embeddings(pieces, segments)
    assert_close(parts.token[1, 4], ours.embeddings.token.weight[pieces[1, 4]])
    assert_close(parts.segment[1, 4], ours.embeddings.segment.weight[segments[1, 4]])
    assert_close(parts.position[1, 4], ours.embeddings.position.weight[4])
    assert_close(parts.total, parts.token + parts.segment + parts.position)
    assert_close(parts.normalised, ours.embeddings.norm(parts.total))


def test_positions_can_begin_later_and_segments_be_absent():
    """As in RoBERTa and DistilBERT."""
    ours = encoder(EncoderShape(1, 2, 8, 8, 20, positions=12, segments=0, first_position=2))
    parts = ours.embeddings(torch.zeros(1, 5, dtype=torch.long), torch.ones(1, 5, dtype=torch.long))
    assert_close(parts.position[0], ours.embeddings.position.weight[2:7])
    assert not parts.segment.any()
    assert ours.shape.longest == 10


@pytest.mark.parametrize("head", range(SHAPE.heads))
def test_a_head_that_is_switched_off_is_a_head_whose_output_weights_are_zero(head):
    ours, (pieces, segments, present) = encoder(dtype=torch.float64), batch()
    start = ours.embeddings(pieces, segments).normalised
    shares = torch.ones(SHAPE.layers, SHAPE.heads, dtype=torch.float64)
    shares[1, head] = 0
    *_, last = ours.walk(start, present, shares)
    columns = slice(head * SHAPE.head_width, (head + 1) * SHAPE.head_width)
    with torch.no_grad():
        ours.blocks[1].attention.output.weight[:, columns] = 0
    assert_close(last.output[present], ours.upwards(start, present)[present])


def test_heads_with_their_whole_share_change_nothing():
    ours, (pieces, segments, present) = encoder(), batch()
    start = ours.embeddings(pieces, segments).normalised
    for own, other in zip(
        ours.walk(start, present), ours.walk(start, present, torch.ones(SHAPE.layers, SHAPE.heads)), strict=True
    ):
        assert torch.equal(own.output, other.output)


@given(seed=st.integers(0, 10**6), others=st.integers(0, 9))
def test_what_stands_in_padding_is_not_seen(seed, others):
    ours, (pieces, segments, present) = encoder(dtype=torch.float64), batch(seed)
    disturbed = torch.where(present, pieces, (pieces + others) % SHAPE.vocabulary)
    with torch.no_grad():
        assert_close(ours(disturbed, segments, present)[present], ours(pieces, segments, present)[present])
        alone = ours(pieces[1:2, :6], segments[1:2, :6])
        assert_close(ours(pieces, segments, present)[1, :6], alone[0])


@given(order=st.permutations(range(9)))
def test_a_block_knows_no_order(order):
    """Only the positions in the embeddings tell places apart."""
    block = encoder(dtype=torch.float64).blocks[0]
    x = torch.randn(2, 9, SHAPE.width, generator=drawn(3), dtype=torch.float64)
    with torch.no_grad():
        assert_close(block(x[:, order], None), block(x, None)[:, order])


def test_the_gradient_is_that_of_finite_differences():
    block = EncoderBlock(EncoderShape(1, 2, 4, 6, 5, 5)).double()
    x = torch.randn(1, 3, 4, generator=drawn(5), dtype=torch.float64, requires_grad=True)
    present = torch.tensor([[True, True, False]])
    assert torch.autograd.gradcheck(lambda x: block(x, present), (x,))
    assert torch.autograd.gradcheck(lambda x: block.inspect(x, present, torch.tensor([1.0, 0.5]).double()).output, (x,))


def test_dropout_draws_from_its_own_stream():
    ours, (pieces, segments, present) = encoder(), batch()
    kept = ours(pieces, segments, present)
    assert torch.equal(ours(pieces, segments, present, EncoderDropout(0.0, drawn(0))), kept)
    first = ours(pieces, segments, present, EncoderDropout(0.3, drawn(7)))
    torch.manual_seed(1)
    assert torch.equal(ours(pieces, segments, present, EncoderDropout(0.3, drawn(7))), first)
    assert not torch.allclose(first, kept)


def test_dropout_keeps_the_mean():
    dropped = EncoderDropout(0.25, drawn(0))(torch.ones(200_000))
    assert sorted(dropped.unique().tolist()) == pytest.approx([0, 4 / 3])
    # The mean's standard error is sqrt(1/3 / 200,000) = 0.0013.
    assert dropped.mean().item() == pytest.approx(1, abs=0.006)


def test_weights_are_drawn_layer_by_layer():
    def filled(layers):
        made = TransformerEncoder(EncoderShape(layers, 4, 64, 96, 300, 24))
        initialise_encoder(made, drawn)
        return made

    two, three = filled(2), filled(3)
    deeper = three.state_dict()
    assert all(torch.equal(weights, deeper[name]) for name, weights in two.state_dict().items())
    assert not torch.equal(deeper["blocks.2.expand.weight"], deeper["blocks.1.expand.weight"])
    # 19,200 numbers: their deviation is known to 0.5 %.
    assert two.embeddings.token.weight.std().item() == pytest.approx(0.02, rel=0.02)
    for name, weights in two.named_parameters():
        if name.endswith("bias"):
            assert not weights.any(), name
        elif "norm" in name:
            assert (weights == 1).all(), name


def test_the_number_of_parameters():
    """BERT-base has 108.9 million without its pooler (Devlin et al. 2019: 110 million with it)."""
    with torch.device("meta"):
        base = TransformerEncoder(EncoderShape(12, 12, 768, 3072, 30_522, 512))
    assert sum(weights.numel() for weights in base.parameters()) == 108_891_648


def test_a_width_that_the_heads_cannot_share_is_refused():
    with pytest.raises(ValueError, match=r"Width is 10.* 4 heads"):
        EncoderShape(1, 4, 10, 8, 20, 16)
