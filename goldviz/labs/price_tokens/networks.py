"""What forecasts the next token: counted pairs, an MLP, or a GPT (document 002, sections 1.1, 1.3 and 3).

Each takes contexts (batch, place) of tokens, the newest last, and gives logits of the next token. The token ``count``
stands before the first day.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from goldviz.labs.price_tokens.settings import HEADS
from goldviz.models.text.causal import CausalShape, CausalTransformer, initialise_causal
from goldviz.models.text.encoder import EncoderDropout
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens

EMBEDDING = 8
Contexts = Int[Tensor, "batch place"]


class CountedPairs(nn.Module):
    """P(b | a) of counted pairs with fake counts in every cell; it is not trained but told."""

    counts: Tensor

    def __init__(self, count: int, smoothing: float) -> None:
        super().__init__()
        self.smoothing = smoothing
        self.register_buffer("counts", torch.zeros(count + 1, count, dtype=torch.float64))

    def forward(self, contexts: Contexts, dropout: EncoderDropout | None = None) -> Float[Tensor, "batch token"]:
        """log P of the next token after the newest one."""
        table = self.counts + self.smoothing
        return (table / table.sum(dim=1, keepdim=True)).log()[contexts[:, -1]]

    def count(self, contexts: Contexts, targets: Int[Tensor, " batch"]) -> None:
        """Read these pairs."""
        once = torch.ones(len(targets), dtype=torch.float64, device=targets.device)
        self.counts.index_put_((contexts[:, -1], targets), once, accumulate=True)


class TokenMLP(nn.Module):
    """Bengio's network: embedded tokens side by side, a tanh layer, and a read-out (Bengio et al. 2003)."""

    def __init__(self, count: int, context: int, hidden: int, weights: Callable[[int], torch.Generator]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(count + 1, EMBEDDING)
        self.inner = nn.Linear(context * EMBEDDING, hidden)
        self.outer = nn.Linear(hidden, count)
        with torch.no_grad():
            self.embedding.weight.normal_(generator=weights(0))
            self.inner.weight.normal_(0, 5 / 3 / math.sqrt(context * EMBEDDING), generator=weights(1))
            self.outer.weight.normal_(0, 0.01, generator=weights(2))
            self.inner.bias.zero_()
            self.outer.bias.zero_()

    def forward(self, contexts: Contexts, dropout: EncoderDropout | None = None) -> Float[Tensor, "batch token"]:
        """Logits of the next token."""
        state = self.inner(self.embedding(contexts).flatten(1)).tanh()
        logits: Tensor = self.outer(dropout(state) if dropout else state)
        return logits

    def loss(self, contexts: Contexts, targets: Int[Tensor, " batch"], dropout: EncoderDropout) -> Tensor:
        """The loss of the next token."""
        return cross_entropy(self(contexts, dropout), targets)


class TokenGPT(nn.Module):
    """A causal Transformer that reads a context and learns from every place in it."""

    def __init__(self, count: int, context: int, width: int, layers: int, weights: Callable[[int], torch.Generator]):
        super().__init__()
        shape = CausalShape(layers=layers, heads=HEADS, width=width, vocabulary=count + 1, positions=context)
        self.count = count
        self.network = CausalTransformer(shape)
        initialise_causal(self.network, weights, residual_share=1 / math.sqrt(2 * layers))

    def forward(self, contexts: Contexts, dropout: EncoderDropout | None = None) -> Float[Tensor, "batch token"]:
        """Logits of the token after the newest one; what stands before the first day is never forecast."""
        logits: Tensor = self.network(contexts, dropout)[:, -1, : self.count]
        return logits

    def loss(self, contexts: Contexts, targets: Int[Tensor, " batch"], dropout: EncoderDropout) -> Tensor:
        """The mean loss over the places of every context."""
        following = torch.cat([contexts[:, 1:], targets[:, None]], dim=1)
        logits = self.network(contexts, dropout)[:, :, : self.count]
        return cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=self.count)


TokenNetwork = CountedPairs | TokenMLP | TokenGPT


def token_network(settings: PriceTokens, seed: int) -> TokenNetwork:
    """The network of the settings at its start."""

    def weights(index: int) -> torch.Generator:
        return stream(seed, WEIGHTS + index)

    if settings.network == "bigram":
        return CountedPairs(settings.tokens, settings.smoothing)
    if settings.network == "mlp":
        return TokenMLP(settings.tokens, settings.context, settings.hidden, weights)
    return TokenGPT(settings.tokens, settings.context, settings.hidden, settings.layers, weights)
