"""The causal Transformer beside PyTorch's own and GPT-2 with the same weights, and what it promises of places."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy
from torch.testing import assert_close
from transformers import GPT2Config, GPT2LMHeadModel

from goldviz.models.text.causal import DEVIATION, CausalShape, CausalTransformer, initialise_causal
from goldviz.models.text.encoder import EncoderDropout
from goldviz.training.optimisers import decaying_optimiser

SHAPE = CausalShape(layers=3, heads=4, width=32, vocabulary=50, positions=16)


def drawn(seed):
    return torch.Generator().manual_seed(seed)


def shape(**changes):
    return CausalShape(**{**vars(SHAPE), **changes})


def randomised(made, seed=0):
    """A network whose weights, biases and norms are all drawn, so that none of them goes untested."""
    generator = drawn(seed)
    with torch.no_grad():
        for name, weights in made.named_parameters():
            weights.normal_(1.0 if "norm.weight" in name else 0.0, 0.2, generator=generator)
    return made


def tokens(places=11, batch=2):
    return torch.randint(0, SHAPE.vocabulary, (batch, places), generator=drawn(5))


def filled(ours):
    """Transformers' GPT-2, whose matrices stand the other way round, with the same weights."""
    sizes = ours.shape
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=sizes.vocabulary,
            n_positions=sizes.positions,
            n_embd=sizes.width,
            n_layer=sizes.layers,
            n_head=sizes.heads,
            activation_function="gelu",
            attn_implementation="eager",
        )
    ).eval()
    weights = {
        "transformer.wte.weight": ours.token.weight,
        "transformer.wpe.weight": ours.position.weight,
        "transformer.ln_f.weight": ours.final_norm.weight,
        "transformer.ln_f.bias": ours.final_norm.bias,
        "lm_head.weight": ours.token.weight,
    }
    for layer, block in enumerate(ours.stack()):
        own = f"transformer.h.{layer}"
        attention = block.attention
        three = [attention.query, attention.key, attention.value]
        weights |= {
            f"{own}.ln_1.weight": block.attention_norm.weight,
            f"{own}.ln_1.bias": block.attention_norm.bias,
            f"{own}.attn.c_attn.weight": torch.cat([part.weight.T for part in three], 1),
            f"{own}.attn.c_attn.bias": torch.cat([part.bias for part in three]),
            f"{own}.ln_2.weight": block.feed_forward_norm.weight,
            f"{own}.ln_2.bias": block.feed_forward_norm.bias,
        }
        for name, part in (
            ("attn.c_proj", attention.output),
            ("mlp.c_fc", block.expand),
            ("mlp.c_proj", block.contract),
        ):
            weights |= {f"{own}.{name}.weight": part.weight.T, f"{own}.{name}.bias": part.bias}
    theirs.load_state_dict(weights)
    return theirs


def test_logits_and_attention_are_those_of_transformers_gpt_2():
    ours, asked = randomised(CausalTransformer(SHAPE)), tokens()
    with torch.no_grad():
        theirs = filled(ours)(asked, output_attentions=True, output_hidden_states=True)
        walked = list(ours.walk(asked))
        assert_close(ours(asked), theirs.logits, rtol=0, atol=1e-5)
    for parts, weights, state in zip(walked, theirs.attentions, theirs.hidden_states, strict=False):
        assert_close(parts.weights, weights, rtol=0, atol=1e-5)
        assert_close(parts.input, state, rtol=0, atol=1e-5)


@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_logits_are_those_of_pytorch_s_own_encoder_with_a_mask(activation):
    ours = randomised(CausalTransformer(shape(activation=activation, tied=False)))
    layer = nn.TransformerEncoderLayer(
        SHAPE.width, SHAPE.heads, 4 * SHAPE.width, dropout=0.0, activation=activation, batch_first=True, norm_first=True
    )
    theirs = nn.TransformerEncoder(layer, SHAPE.layers, norm=nn.LayerNorm(SHAPE.width), enable_nested_tensor=False)
    theirs.norm.load_state_dict(ours.final_norm.state_dict())
    for own, other in zip(ours.stack(), theirs.layers, strict=True):
        three = [own.attention.query, own.attention.key, own.attention.value]
        other.self_attn.in_proj_weight.data = torch.cat([part.weight for part in three])
        other.self_attn.in_proj_bias.data = torch.cat([part.bias for part in three])
        for name, part in (
            (other.self_attn.out_proj, own.attention.output),
            (other.linear1, own.expand),
            (other.linear2, own.contract),
            (other.norm1, own.attention_norm),
            (other.norm2, own.feed_forward_norm),
        ):
            name.load_state_dict(part.state_dict())
    asked = tokens()
    mask = nn.Transformer.generate_square_subsequent_mask(asked.shape[1])
    with torch.no_grad():
        expected = theirs(ours.embedded(asked), mask=mask, is_causal=True) @ ours.untied.weight.T
        assert_close(ours(asked), expected, rtol=0, atol=1e-5)


ABLATIONS = [
    {},
    {"scaled": False},
    {"residual": False},
    {"normalised": False},
    {"branch_scaled": True},
    {"tied": False},
]


@given(place=st.integers(0, 10), other=st.integers(0, 49), changes=st.sampled_from(ABLATIONS))
def test_no_output_before_a_place_moves_when_its_token_changes(place, other, changes):
    network, asked = randomised(CausalTransformer(shape(**changes))), tokens()
    changed = asked.clone()
    changed[0, place] = other
    with torch.no_grad():
        before, after = network(asked), network(changed)
    assert torch.equal(before[:, :place], after[:, :place])
    assert torch.equal(before[1], after[1])
    assert other == asked[0, place] or not torch.equal(before[0, place:], after[0, place:])


def test_without_a_mask_earlier_places_see_later_ones_and_a_cache_is_refused():
    network, asked = randomised(CausalTransformer(shape(masked=False))), tokens()
    changed = asked.clone()
    changed[0, -1] = (asked[0, -1] + 1) % 50
    with torch.no_grad():
        assert not torch.equal(network(asked)[0, 0], network(changed)[0, 0])
    with pytest.raises(ValueError, match="needs the mask"):
        network.empty_cache(1)


@pytest.mark.parametrize("changes", [*ABLATIONS, {"masked": False}])
def test_looking_inside_gives_what_the_fused_pass_gives(changes):
    network, asked = randomised(CausalTransformer(shape(**changes))).double(), tokens()
    walked = list(network.walk(asked))
    assert_close(network.read_out(walked[-1].output), network(asked))
    for parts in walked:
        assert_close(parts.weights.sum(-1), torch.ones(parts.weights.shape[:3], dtype=torch.float64))
        if network.shape.masked:
            assert not parts.weights.triu(1).any()


@pytest.mark.parametrize("changes", ABLATIONS)
@pytest.mark.parametrize("prompt", [1, 4])
def test_a_cache_gives_what_no_cache_gives(changes, prompt):
    network, asked = randomised(CausalTransformer(shape(**changes))).double(), tokens(16)
    cache = network.empty_cache(2)
    with torch.no_grad():
        onward = [network.onward(asked[:, :prompt], cache)]
        onward += [network.onward(asked[:, place : place + 1], cache) for place in range(prompt, 16)]
        assert_close(torch.stack(onward, 1), network(asked)[:, prompt - 1 :], rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match=r"17 places.* 16"):
        network.onward(asked[:, :1], cache)


@pytest.mark.parametrize("tied", [True, False])
def test_at_the_start_all_tokens_are_held_alike(tied):
    """Mean of five seeds within 1 % of ln V on tokens drawn evenly, at the sizes of the laboratory."""
    found = []
    for seed in range(5):
        network = CausalTransformer(CausalShape(4, 4, 128, 103, 64, tied=tied))
        initialise_causal(network, lambda index, seed=seed: drawn(1000 * seed + index), residual_share=1 / math.sqrt(8))
        asked = torch.randint(103, (16, 65), generator=drawn(seed))
        with torch.no_grad():
            found.append(cross_entropy(network(asked[:, :-1]).flatten(0, 1), asked[:, 1:].flatten()).item())
    assert sum(found) / 5 == pytest.approx(math.log(103), rel=0.01)


def test_weights_are_drawn_as_gpt_2_does_and_a_deeper_network_shares_its_first_blocks():
    small, deep = (CausalTransformer(shape(width=128, layers=layers, tied=False)) for layers in (2, 4))
    for network in (small, deep):
        initialise_causal(network, drawn, residual_share=0.5)
    for own, other in zip(small.stack(), deep.stack(), strict=False):
        assert_close(own.state_dict(), other.state_dict())
    block = deep.stack()[3]
    assert block.expand.weight.std().item() == pytest.approx(DEVIATION, rel=0.05)
    for last in (block.attention.output, block.contract):
        assert last.weight.std().item() == pytest.approx(DEVIATION / 2, rel=0.05)
        assert not last.bias.any()
    assert deep.untied.weight.std().item() == pytest.approx(DEVIATION, rel=0.05)
    assert (
        sum(p.numel() for p in CausalTransformer(SHAPE).parameters())
        == 50 * 32 + 16 * 32 + 3 * (4 * 32 * 33 + 2 * 4 * 32 * 32 + 5 * 32 + 4 * 32) + 2 * 32
    )


def test_decay_leaves_biases_and_norms_alone_and_takes_the_tied_table_once():
    network = CausalTransformer(SHAPE)
    optimiser = decaying_optimiser("adamw", [network], 1e-3, weight_decay=0.1)
    decays, rests = optimiser.param_groups
    assert decays["weight_decay"] == 0.1
    assert rests["weight_decay"] == 0
    assert {weights.ndim for weights in decays["params"]} == {2}
    assert {weights.ndim for weights in rests["params"]} == {1}
    assert sum(w.numel() for group in (decays, rests) for w in group["params"]) == sum(
        w.numel() for w in network.parameters()
    )


def test_dropout_has_a_stream_of_its_own():
    network, asked = randomised(CausalTransformer(SHAPE)), tokens()
    first, again, none = (network(asked, EncoderDropout(rate, drawn(3))) for rate in (0.2, 0.2, 0.0))
    assert torch.equal(first, again)
    assert not torch.equal(first, none)
    assert torch.equal(none, network(asked))


def test_sizes_that_do_not_fit_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"Width is 30.* 4 heads"):
        shape(width=30)
    with pytest.raises(ValueError, match="17 places"):
        CausalTransformer(SHAPE)(tokens(17))
