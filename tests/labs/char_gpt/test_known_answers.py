"""Numbers that document 002, public code or mathematics fix."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from goldviz.labs.char_gpt.instruments import evenness, stretches
from goldviz.labs.char_gpt.measures import FIRST_WEIGHTS
from goldviz.labs.char_gpt.network import network_of, optimiser_of, writer
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import token_text
from goldviz.labs.char_gpt.train import learn
from goldviz.models.text.causal import DEVIATION, CausalShape, CausalTransformer
from goldviz.training.seeds import WEIGHTS, stream

CPU = torch.device("cpu")


def drawn(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("width", "variance", "unscaled", "scaled"),
    [(4, 4.0, 0.28, 0.11), (16, 16.0, 0.60, 0.12), (64, 64.0, 0.79, 0.11), (256, 256.0, 0.90, 0.11)],
)
def test_scores_of_unit_vectors_have_the_variance_of_the_head_s_width(width, variance, unscaled, scaled):
    """C19 with 64 keys, as for vectors of unit variance; layer norms and weights of 0.02 do not give such."""
    query, key = (torch.randn(2000, count, width, generator=drawn(count)) for count in (1, 64))
    scores = (query * key).sum(-1)
    assert scores.var().item() == pytest.approx(variance, rel=0.2)
    assert scores.softmax(-1).amax(-1).mean().item() == pytest.approx(unscaled, abs=0.025)
    assert (scores / math.sqrt(width)).softmax(-1).amax(-1).mean().item() == pytest.approx(scaled, abs=0.025)


@pytest.mark.parametrize("blocks", [1, 4, 16, 64])
def test_branches_over_root_2n_double_the_variance_whatever_the_depth(blocks):
    """C20 as the document means it: branches of unit variance on a stream of unit variance, 1 + 2n / 2n = 2."""
    generator = drawn(0)
    stream = torch.randn(200_000, generator=generator)
    for _ in range(2 * blocks):
        stream = stream + torch.randn(200_000, generator=generator) / math.sqrt(2 * blocks)
    assert stream.var().item() == pytest.approx(2.0, rel=0.03)


def test_adamw_without_bias_correction_takes_a_first_step_of_another_length():
    """Document 002, 3.7, prints m / sqrt(v): the first step is 0.1 / sqrt(0.001) = 3.16 times as long as torch's."""
    weight = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.AdamW([weight], lr=1.0, weight_decay=0.0, eps=1e-12)
    weight.grad = torch.ones(1)
    optimiser.step()
    state = optimiser.state[weight]
    printed = state["exp_avg"] / state["exp_avg_sq"].sqrt()
    assert -weight.item() == pytest.approx(1.0)
    assert printed.item() == pytest.approx(0.1 / math.sqrt(0.001), rel=1e-4)


def test_even_attention_has_evenness_1_and_attention_on_one_token_0():
    even = torch.ones(5, 5).tril() / torch.arange(1, 6)[:, None]
    assert torch.allclose(evenness(even, masked=True), torch.ones(4))
    assert torch.allclose(evenness(torch.eye(5), masked=True), torch.zeros(4))
    assert torch.allclose(evenness(torch.full((5, 5), 0.2), masked=False), torch.ones(4))


def test_the_default_network_has_the_parameters_of_its_formula():
    network = network_of(CharGpt(), 103, drawn)
    formula = 103 * 128 + 64 * 128 + 4 * (12 * 128**2 + 13 * 128) + 2 * 128
    assert sum(weights.numel() for weights in network.parameters()) == formula


@pytest.mark.parametrize("scale", ["none", "init", "branch", "both"])
def test_the_residual_scale_is_on_first_weights_on_branches_or_on_both(scale):
    network = network_of(CharGpt(residual_scale=scale), 50, drawn)
    block = network.stack()[0]
    on_weights, on_branch = scale in ("init", "both"), scale in ("branch", "both")
    factor = 1 / math.sqrt(8)
    assert block.contract.weight.std().item() == pytest.approx(0.02 * (factor if on_weights else 1), rel=0.02)
    assert block.share == pytest.approx(factor if on_branch else 1)


def test_decay_of_all_has_one_group():
    network = CausalTransformer(CausalShape(1, 2, 8, 20, 8))
    groups = [len(optimiser_of(CharGpt(decay_all=every), network).param_groups) for every in (False, True)]
    assert groups == [2, 1]


def first_losses(settings, seed):
    """A network's losses on dev text before the first step: of all places, where the next token is another one, and
    where it comes again; by how much a token's own logit is ahead of the others' mean; the spread of the states."""
    text = token_text("python", "characters", 512)
    network = network_of(settings, text.size, lambda index: stream(seed, WEIGHTS + index))
    asked = stretches(text.dev, settings.block)
    with torch.no_grad():
        *_, parts = network.walk(asked[:, :-1])
        logits = network.read_out(parts.output)
        losses = cross_entropy(logits.flatten(0, 1), asked[:, 1:].flatten(), reduction="none")
        own = logits.gather(2, asked[:, :-1, None])
    again = (asked[:, 1:] == asked[:, :-1]).flatten()
    means = [part.mean().item() for part in (losses, losses[~again], losses[again], own - logits.mean(2, keepdim=True))]
    return *means, parts.output.std().item()


@pytest.mark.parametrize("width", [128, pytest.param(64, marks=pytest.mark.slow)])
def test_the_first_loss_of_text_is_ln_v_but_for_the_head_start_that_a_tied_read_out_gives_a_token(width):
    """The own vector lies in the state: the final norm divides it by the states' spread, the read-out multiplies by
    it."""
    assert FIRST_WEIGHTS == DEVIATION
    uniform, alike, expected, found = math.log(103), [], [], []
    for seed in range(5):
        tied, untied = (first_losses(CharGpt(width=width, tied=tied), seed) for tied in (True, False))
        alike.append(untied[0])
        assert untied[0] == pytest.approx(uniform, rel=0.015)
        assert tied[0] < 0.99 * uniform
        assert uniform < tied[1] < 1.02 * uniform
        assert tied[2] < tied[1] - 0.5 * tied[3]
        found.append(tied[3])
        expected.append(width * 0.02**2 / tied[4])
    assert sum(alike) / 5 == pytest.approx(uniform, rel=0.01)
    assert sum(found) == pytest.approx(sum(expected), rel=0.1)


class Instruments:
    def instrument(self):
        return np.errstate()


def test_a_long_gradient_is_clipped_and_both_norms_are_told():
    settings = CharGpt(layers=1, heads=2, width=8, block=8, batch=4, clip=0.01)
    one = writer(settings, 20, 0, CPU)
    tokens = torch.randint(20, (500,), generator=drawn(1))
    seen = learn(one, settings, tokens, 1e-3, Instruments(), looks=False, closely=False)
    assert seen["norm_before_clip"] > 0.02
    assert seen["norm_after_clip"].item() == pytest.approx(0.01)
    gradients = torch.cat([weights.grad.flatten() for weights in one.network.parameters()])
    assert gradients.norm().item() == pytest.approx(0.01, rel=1e-4)
    free = learn(one, settings.changed(clip=0.0), tokens, 1e-3, Instruments(), looks=False, closely=False)
    assert free["norm_before_clip"] == free["norm_after_clip"]
