"""What a look at a GPT shows: losses by place, the stream's variance, attention, samples that it writes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

from goldviz.diagnostics.layers import activation_readings
from goldviz.labs.char_gpt.texts import TokenText
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.text.causal import CausalTransformer
from goldviz.models.text.completion import Choice, written_on
from goldviz.training.seeds import stream

Measured = dict[str, Tensor]
SCORED, WALKED = 32, 4
"""Stretches of text that are scored, and that are walked through block by block, at a look."""
PROBE = 24
"""Tokens, at most, of the text whose attention is shown."""
SAMPLES, LONGEST = 4, 48
SAMPLING = 4
"""The stream of the numbers that samples are made of."""


@dataclass(frozen=True)
class Asked:
    """What is looked at: stretches of training and dev text with the token after each, and the probe."""

    train: Int[Tensor, "stretch place"]
    dev: Int[Tensor, "stretch place"]
    probe: Int[Tensor, " place"]

    @classmethod
    def of(cls, text: TokenText, block: int, device: torch.device) -> Asked:
        """Evenly spread stretches; the probe begins the dev text."""
        train, dev = (stretches(part, block).to(device) for part in (text.train, text.dev))
        return cls(train[:: max(1, len(train) * 2 // SCORED)], dev, text.dev[: min(PROBE, block)].to(device))


def stretches(tokens: Int[Tensor, " place"], block: int) -> Int[Tensor, "stretch place"]:
    """At most 32 stretches of a block and the token after it, evenly spread over the text."""
    return tokens[starts(len(tokens), block)[:, None] + torch.arange(block + 1)]


def starts(tokens: int, block: int) -> Int[Tensor, " stretch"]:
    """Where the stretches begin in a text of so many tokens."""
    return torch.linspace(0, tokens - block - 1, min(SCORED, max(1, tokens // block))).long()


@torch.no_grad()
def look_closely(network: CausalTransformer, scored_text: Asked) -> Measured:
    """Losses, the guesses' entropy, and what the blocks do."""
    logits = network(scored_text.dev[:, :-1]).float()
    by_place = cross_entropy(logits.mT, scored_text.dev[:, 1:], reduction="none").mean(0)
    shares = logits.log_softmax(-1)
    return {
        "train_loss": mean_loss(network, scored_text.train),
        "dev_loss": by_place.mean(),
        "position_loss": by_place,
        "logit_entropy": -(shares.exp() * shares).sum(-1).mean(),
        **_of_blocks(network, scored_text.dev[:WALKED, :-1]),
    }


@torch.no_grad()
def mean_loss(network: CausalTransformer, stretch: Int[Tensor, "stretch place"]) -> Float[Tensor, ""]:
    """The loss on all places of some stretches."""
    return cross_entropy(network(stretch[:, :-1]).float().flatten(0, 1), stretch[:, 1:].flatten())


def _of_blocks(network: CausalTransformer, tokens: Int[Tensor, "stretch place"]) -> Measured:
    """Variance of the stream by depth, how even attention is, and how the feed-forward units respond."""
    sums: list[Tensor] = []
    hooks = [
        block.expand.register_forward_hook(lambda _m, _x, z: sums.append(z.flatten(0, 1))) for block in network.stack()
    ]
    try:
        blocks = list(network.walk(tokens))
    finally:
        for hook in hooks:
            hook.remove()
    streams = [blocks[0].input, *(parts.output for parts in blocks)]
    weights = torch.stack([parts.weights for parts in blocks]).float()
    activation = ACTIVATIONS[network.shape.activation](0.0)
    return {
        "residual_variance": torch.stack([stream.float().var() for stream in streams]),
        "attention_entropy": evenness(weights, masked=network.shape.masked).mean((1, 2, 3)),
        "attention_peak": weights.amax(-1).mean((1, 2, 3)),
        **activation_readings([activation.function(z) for z in sums], sums, activation),
    }


def evenness(weights: Float[Tensor, "*batch query key"], *, masked: bool) -> Float[Tensor, "*batch query"]:
    """The entropy of each row over that of an even one, ln of the places that it sees; the first, sure one is left out.

    >>> evenness(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), masked=True)
    tensor([1.])
    """
    places = weights.shape[-1]
    reachable = torch.arange(1, places + 1, device=weights.device) if masked else weights.new_full((places,), places)
    entropy = torch.special.entr(weights).sum(-1) / reachable.log()
    return entropy[..., 1:] if places > 1 else torch.full_like(entropy, math.nan)


@torch.no_grad()
def of_first_seed(network: CausalTransformer, scored_text: Asked, seed: int) -> Measured:
    """Attention in the probe, the places' similarity, and samples that go on from it."""
    weights = torch.cat([parts.weights for parts in network.walk(scored_text.probe[None])])
    places = normalize(network.position.weight.float(), dim=1)
    prompt = scored_text.probe[:1].expand(SAMPLES, 1)
    chances = torch.rand(LONGEST, SAMPLES, generator=stream(seed, SAMPLING)).to(prompt.device)
    steps = list(written_on(network, prompt, chances, Choice(), with_cache=True))
    tokens = torch.stack([one.token for one in steps], 1)
    probabilities = torch.stack([one.shares.gather(1, one.token[:, None])[:, 0] for one in steps], 1)
    return {
        "attention": weights.half(),
        "position_similarity": (places @ places.T).half(),
        "sample_token": tokens.int(),
        "sample_probability": probabilities,
    }
