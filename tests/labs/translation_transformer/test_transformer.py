"""Encoder and decoder are PyTorch's with the same weights, norms are its norms, and decoding is what it promises."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from goldviz.data.pairs.pairs import NO_WORD, Pairs
from goldviz.data.pairs.symbols import reversal
from goldviz.labs.translation_transformer.instruments import (
    checked,
    loss_on,
    neighbour_effect,
    norm_at_work,
    self_share,
)
from goldviz.labs.translation_transformer.networks import initialise
from goldviz.labs.translation_transformer.transformer import (
    MultiHeadAttention,
    Norm,
    Transformer,
    TransformerShape,
    padded,
)
from goldviz.models.series.sinusoids import sinusoidal_code
from goldviz.models.text.decoding import beam, greedy

WIDTH, HEADS, WORDS, LAYERS = 8, 2, 5, 2


def network(seed: int = 0, **changes) -> Transformer:
    usual = {"source_words": WORDS, "target_words": WORDS, "layers": LAYERS, "heads": HEADS, "width": WIDTH}
    shape = TransformerShape(**{**usual, **changes})
    made = Transformer(shape)
    initialise(made, seed)
    made.double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype), alpha=0.3)
    return made.eval()


def put_attention(own: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([own.query.weight, own.key.weight, own.value.weight]))
    theirs.in_proj_bias.copy_(torch.cat([own.query.bias, own.key.bias, own.value.bias]))
    theirs.out_proj.load_state_dict(own.output.state_dict())


def put_norm(own: Norm, theirs: nn.LayerNorm) -> None:
    theirs.weight.copy_(own.gain)
    theirs.bias.copy_(own.shift)


def of_torch(own: Transformer) -> nn.Transformer:
    """PyTorch's own Transformer with these weights, without tables, positions and read-out."""
    how = {"dim_feedforward": 4 * WIDTH, "dropout": 0.0, "batch_first": True, "norm_first": own.shape.place == "pre"}
    ends = [nn.LayerNorm(WIDTH).double() if own.shape.place == "pre" else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(WIDTH, HEADS, **how), LAYERS, ends[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, **how), LAYERS, ends[1])
    theirs = nn.Transformer(WIDTH, HEADS, custom_encoder=encoder, custom_decoder=decoder, batch_first=True).double()
    with torch.no_grad():
        for block, layer in zip(own.encoder, encoder.layers, strict=True):
            put_attention(block.attention, layer.self_attn)
            put_norm(block.attention_norm, layer.norm1)
            put_norm(block.feed_forward_norm, layer.norm2)
        for block, layer in zip(own.decoder, decoder.layers, strict=True):
            put_attention(block.attention, layer.self_attn)
            put_attention(block.cross, layer.multihead_attn)
            put_norm(block.attention_norm, layer.norm1)
            put_norm(block.cross_norm, layer.norm2)
            put_norm(block.feed_forward_norm, layer.norm3)
        for block, layer in zip((*own.encoder, *own.decoder), (*encoder.layers, *decoder.layers), strict=True):
            layer.linear1.load_state_dict(block.feed_forward.expand.state_dict())
            layer.linear2.load_state_dict(block.feed_forward.contract.state_dict())
        for end, norm in zip((own.encoder_end, own.decoder_end), ends, strict=True):
            if end is not None:
                put_norm(end, norm)
    return theirs.eval()


@pytest.mark.parametrize("place", ["post", "pre"])
def test_encoder_and_decoder_are_torchs_with_the_same_weights(place: str) -> None:
    own = network(place=place)
    source, target = torch.tensor([[3, 0, 2, 1], [4, 4, -1, -1]]), torch.tensor([[1, 0, 3], [2, 2, 0]])
    told = own.told(target)
    places = [sinusoidal_code(torch.arange(n, dtype=torch.float64), WIDTH) for n in (4, 4)]
    with torch.no_grad():
        logits = own(source, target)
        memory = own.read(source)
        expected = of_torch(own)(
            own.source_table(source.clamp(min=0)) + places[0],
            own.target_table(told) + places[1],
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(4, dtype=torch.float64),
            src_key_padding_mask=source < 0,
            memory_key_padding_mask=source < 0,
        )
        torch.testing.assert_close(logits, own.read_out(expected), atol=1e-10, rtol=1e-10)
    assert memory.present.sum() == 6


@pytest.mark.parametrize("norm", ["layer", "rms", "batch", "none"])
def test_what_is_written_later_moves_nothing_before_it(norm: str) -> None:
    own, source = network(norm=norm), torch.tensor([[0, 1, 2, 3]])
    target, other = torch.tensor([[4, 3, 2, 1]]), torch.tensor([[4, 3, 0, 0]])
    with torch.no_grad():
        before, after = own(source, target), own(source, other)
    torch.testing.assert_close(before[:, :3], after[:, :3], atol=0, rtol=0)
    assert not torch.allclose(before[:, 3:], after[:, 3:])


def test_weights_add_up_to_one_and_padding_gets_none() -> None:
    own = network()
    source = torch.tensor([[0, 1, 2, 3], [2, 2, -1, -1]])
    with torch.no_grad():
        read = own.read(source)
        maps = own.decode(own.told(torch.tensor([[0, 1], [1, 1]])), read).maps
    for weights in (*read.maps, *(one for block in maps for one in block)):
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1], dtype=torch.float64))
    assert all(block.cross[1, ..., 2:].eq(0).all() for block in maps)
    assert all(block.own.triu(1).eq(0).all() for block in maps)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_padding_changes_no_answer(place: str) -> None:
    own = network(place=place)
    short = reversal(WORDS, 2, 2).draw(2, 2, torch.Generator().manual_seed(0))
    long = reversal(WORDS, 4, 4).draw(2, 4, torch.Generator().manual_seed(1))
    both = padded([short, long])
    with torch.no_grad():
        torch.testing.assert_close(own(both.source, both.target)[:2, :3], own(short.source, short.target))
    assert own.wanted(both.target)[0].tolist() == [*short.target[0].tolist(), WORDS, NO_WORD, NO_WORD]


def test_norms_are_torchs_and_a_words_mean_is_zero_before_gain_and_shift() -> None:
    x = torch.randn(3, 4, WIDTH, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    present = torch.ones(3, 4, dtype=torch.bool)
    theirs = {
        "layer": nn.LayerNorm(WIDTH),
        "rms": nn.RMSNorm(WIDTH, eps=1e-5),
        "batch": nn.BatchNorm1d(WIDTH),
        "none": nn.Identity(),
    }
    for kind, module in theirs.items():
        own, norm = Norm(kind, "post", WIDTH).double(), module.double()
        with torch.no_grad():
            for parameter in norm.parameters():
                parameter.copy_(torch.linspace(0.5, 1.5, WIDTH, dtype=torch.float64))
            for mine, torchs in ((own.gain, "weight"), (own.shift, "bias")):
                if mine is not None:
                    mine.copy_(getattr(norm, torchs))
        for training in (True, False):
            own.train(training)
            norm.train(training)
            expected = norm(x.flatten(0, 1)).reshape(x.shape)
            torch.testing.assert_close(own(x, present), expected, atol=1e-12, rtol=1e-12)
    plain = Norm("layer", "post", WIDTH).double().standardised(x, present)
    torch.testing.assert_close(plain.mean(-1), torch.zeros(3, 4, dtype=torch.float64), atol=1e-12, rtol=0)
    torch.testing.assert_close(plain.var(-1, correction=0), torch.ones(3, 4, dtype=torch.float64), atol=1e-4, rtol=0)


def test_batch_norm_leaves_padding_out() -> None:
    norm = Norm("batch", "post", WIDTH).double()
    x = torch.randn(2, 3, WIDTH, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    present = torch.tensor([[True, True, True], [True, False, False]])
    output = norm(x, present)
    torch.testing.assert_close(output[present].mean(0), torch.zeros(WIDTH, dtype=torch.float64), atol=1e-12, rtol=0)
    assert output[~present].eq(0).all()


def test_labels_are_smoothed_as_the_formula_says() -> None:
    own = network()
    pairs = reversal(WORDS, 3, 3).draw(4, 3, torch.Generator().manual_seed(0))
    with torch.no_grad():
        logs = own(pairs.source, pairs.target).log_softmax(-1)
        right = logs.gather(-1, own.wanted(pairs.target)[..., None])[..., 0]
        expected = -(0.8 * right + 0.2 * logs.mean(-1)).mean()
        torch.testing.assert_close(loss_on(own, pairs, 0.2), expected)
        torch.testing.assert_close(loss_on(own, pairs), -right.mean())


FEW = 3


def exhaustive(own: Transformer, source: torch.Tensor, most: int) -> tuple[tuple[int, ...], float]:
    """The likeliest of all answers of at most so many words."""
    best: tuple[tuple[int, ...], float] = ((), -math.inf)
    for length in range(most + 1):
        answers = list(itertools.product(range(FEW), repeat=length))
        target = torch.tensor(answers, dtype=torch.long).reshape(len(answers), length)
        with torch.no_grad():
            logs = own(source[None].expand(len(target), -1), target).log_softmax(-1)
        totals = logs.gather(-1, own.wanted(target)[..., None]).sum((1, 2)).tolist()
        best = max([best, *zip(answers, totals, strict=True)], key=lambda pair: pair[1])
    return best


def test_a_wide_beam_is_exhaustive_search_and_greedy_is_not() -> None:
    greedy_misses = 0
    for seed in range(6):
        own, source = network(seed, layers=1, source_words=FEW, target_words=FEW), torch.tensor([0, 1, 2])
        # The end is made likely, so that the best of all is among the short answers.
        with torch.no_grad():
            own.read_out.bias[own.boundary] += 1.0
        words, total = exhaustive(own, source, 3)
        ended = [answer for answer in beam(own, source, FEW**3, 3) if answer.ended]
        assert ended[0].words == words
        assert ended[0].log_probability == pytest.approx(total, abs=1e-9)
        [first] = beam(own, source, 1, 3)
        greedy_misses += first.log_probability < total - 1e-9
        written = greedy(own, source[None], 4)[0].tolist()
        assert list(first.words) == written[: written.index(own.boundary) if own.boundary in written else 4]
    assert greedy_misses > 0


def test_a_sequence_that_is_right_when_told_is_right_when_written_freely() -> None:
    own = network()
    pairs = reversal(WORDS, 1, 1).draw(64, 1, torch.Generator().manual_seed(0))
    with torch.no_grad():
        freely = (greedy(own, pairs.source, 2) == own.wanted(pairs.target)).all(1).double().mean()
    assert 0 < freely < 1 or checked(own, pairs)["sequence_accuracy"] == freely
    assert checked(own, pairs)["sequence_accuracy"] == pytest.approx(float(freely))


@pytest.mark.parametrize(("norm", "moves"), [("layer", False), ("rms", False), ("none", False), ("batch", True)])
def test_only_batch_norm_lets_other_pairs_take_part(norm: str, moves: bool) -> None:
    own = network(norm=norm)
    pairs = reversal(WORDS, 3, 3).draw(6, 3, torch.Generator().manual_seed(0))
    state = {name: value.clone() for name, value in own.state_dict().items()}
    effect = float(neighbour_effect(own, pairs))
    assert (effect > 1e-3) if moves else (effect < 1e-12)
    assert all(torch.equal(value, state[name]) for name, value in own.state_dict().items())


def test_the_norms_stages_are_told_and_a_diagonal_is_counted() -> None:
    own, source = network(), torch.tensor([[0, 1, 2, 3]])
    stages = norm_at_work(own, source)
    torch.testing.assert_close(stages["norm_mean"][1], torch.zeros(4, dtype=torch.float64), atol=1e-10, rtol=0)
    torch.testing.assert_close(stages["norm_deviation"][1], torch.ones(4, dtype=torch.float64), atol=1e-4, rtol=0)
    with torch.no_grad():
        for block in own.encoder:
            # Without queries all words score alike, and the first of equals is the largest: one word in four.
            block.attention.query.weight.zero_()
            block.attention.query.bias.zero_()
    shares = self_share(own, Pairs(source, source, source))
    torch.testing.assert_close(shares, torch.full((LAYERS, HEADS), 0.25))


def test_without_positions_the_encoder_knows_no_order() -> None:
    target = torch.tensor([[0, 1]])
    one, turned = torch.tensor([[0, 1, 2]]), torch.tensor([[2, 0, 1]])
    with torch.no_grad():
        for positions in (True, False):
            own = network(encoder_positions=positions)
            assert torch.allclose(own(one, target), own(turned, target)) is not positions


def test_cross_entropy_of_padded_answers_leaves_padding_out() -> None:
    own = network()
    pairs = Pairs(*(torch.tensor([[0, 1, 2], [1, -1, -1]]) for _ in range(3)))
    with torch.no_grad():
        logits = own(pairs.source, pairs.target)
        wanted = own.wanted(pairs.target)
        parts = [cross_entropy(logits[row, :n], wanted[row, :n], reduction="sum") for row, n in ((0, 4), (1, 2))]
    torch.testing.assert_close(loss_on(own, pairs), sum(parts) / 6)


def test_heads_share_the_width() -> None:
    with pytest.raises(ValueError, match="Width is 6; allowed is a multiple of the 4 heads"):
        TransformerShape(2, 2, width=6, heads=4)
