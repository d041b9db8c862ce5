"""Writing on: tokens drawn one after another from what a causal network holds likely (document 002, 3.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.models.text.causal import CausalTransformer, KeyValueCache


class Choice(NamedTuple):
    """How a token is drawn. Logits are divided by ``temperature``; 0 takes the likeliest token.

    First the ``top_k`` likeliest tokens are kept (0: all), with those that are as likely as the last of them. Then, of
    these, the fewest whose probabilities add up to ``top_p`` of what is left. So does the transformers library.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    def shares(self, logits: Float[Tensor, "*batch vocabulary"]) -> Float[Tensor, "*batch vocabulary"]:
        """The probabilities from which a token is drawn.

        >>> Choice(top_k=2).shares(torch.tensor([0.5, 0.3, 0.2]).log())
        tensor([0.6250, 0.3750, 0.0000])
        >>> Choice(top_p=0.7).shares(torch.tensor([0.5, 0.3, 0.2]).log())
        tensor([0.6250, 0.3750, 0.0000])

        Of the two likeliest, the first alone has 0.5 / 0.8 = 0.625 of what is left:

        >>> Choice(top_k=2, top_p=0.6).shares(torch.tensor([0.5, 0.3, 0.2]).log())
        tensor([1., 0., 0.])
        """
        if self.temperature == 0:
            likeliest = logits.argmax(-1, keepdim=True)
            return torch.zeros_like(logits).scatter(-1, likeliest, 1.0)
        scores = logits / self.temperature
        if self.top_k:
            last = scores.topk(min(self.top_k, scores.shape[-1])).values[..., -1:]
            scores = scores.masked_fill(scores < last, -torch.inf)
        whole = scores.softmax(-1)
        if self.top_p >= 1:
            return whole
        probabilities, order = whole.sort(dim=-1, descending=True, stable=True)
        nucleus = probabilities.cumsum(-1) - probabilities < self.top_p
        nucleus[..., 0] = True
        probabilities = probabilities * nucleus
        return torch.zeros_like(logits).scatter(-1, order, probabilities / probabilities.sum(-1, keepdim=True))


class Drawn(NamedTuple):
    """One token of every row: the token, the probabilities that it was drawn from, and the logits behind them."""

    token: Int[Tensor, " batch"]
    shares: Float[Tensor, "batch vocabulary"]
    logits: Float[Tensor, "batch vocabulary"]


@torch.no_grad()
def written_on(
    network: CausalTransformer,
    prompt: Int[Tensor, "batch place"],
    chances: Float[Tensor, "new batch"],
    choice: Choice,
    *,
    with_cache: bool,
) -> Iterator[Drawn]:
    """Token after token, as many as there are ``chances``: numbers from 0 to 1 that say which token is drawn.

    The network sees the last tokens that fit into its block. A cache of keys and values gives the same tokens and
    costs one row a token, until the block is full: from then on each token moves all others one place on, whose
    vectors change with their places, so nothing can be kept.
    """
    tokens, longest = prompt[:, -network.shape.positions :], network.shape.positions
    cache = network.empty_cache(len(prompt)) if with_cache and network.shape.masked else None
    for chance in chances:
        logits = _next_logits(network, tokens, cache)
        shares = choice.shares(logits)
        token = drawn_by(shares, chance)
        yield Drawn(token, shares, logits)
        tokens = torch.cat([tokens, token[:, None]], 1)[:, -longest:]
        if cache is not None and cache.length >= longest:
            cache = None


def drawn_by(shares: Float[Tensor, "batch vocabulary"], chance: Float[Tensor, " batch"]) -> Int[Tensor, " batch"]:
    """The token of each row at which the probabilities, added up, pass the row's chance; never one of no probability.

    >>> drawn_by(torch.tensor([[0.5, 0.5, 0.0]] * 3), torch.tensor([0.2, 0.7, 1.0]))
    tensor([0, 1, 1])
    """
    whole = shares.double().cumsum(-1)
    place = (whole <= chance[:, None] * whole[:, -1:]).sum(-1)
    last = (shares > 0).long().cumsum(-1).argmax(-1)
    return torch.minimum(place, last)


def _next_logits(network: CausalTransformer, tokens: Tensor, cache: KeyValueCache | None) -> Tensor:
    if cache is None:
        return torch.as_tensor(network(tokens)[:, -1])
    return network.onward(tokens[:, cache.length :], cache)


class Lens(NamedTuple):
    """Why a token: what every depth would have said, and where the last place looked.

    ``guesses`` are the read-out of the states after 0, 1, ... n blocks as probabilities: the logit lens
    (nostalgebraist 2020). ``weights`` are the last row of every head's attention.
    """

    guesses: Float[Tensor, "depth vocabulary"]
    weights: Float[Tensor, "block head place"]


@torch.no_grad()
def last_place(network: CausalTransformer, tokens: Int[Tensor, " place"]) -> Lens:
    """What the network does at the last of these tokens, of which it sees as many as fit into its block."""
    blocks = list(network.walk(tokens[None, -network.shape.positions :]))
    states = torch.stack([blocks[0].input[0, -1], *(parts.output[0, -1] for parts in blocks)])
    return Lens(network.read_out(states).softmax(-1), torch.stack([parts.weights[0, :, -1] for parts in blocks]))
