"""The causal Transformer of document 002, section 3: a place sees itself and what stands before it.

A token is a row. It is built of the encoder's kernel (:mod:`goldviz.models.text.encoder`) with the layer norm before
each branch (pre-LN), as GPT-2 has it. Parts can be left out one by one, to see what each is for. Any integers may be
read: characters, pieces of text, or a market's returns in bins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from goldviz.models.text.encoder import FEED_FORWARD_ACTIVATIONS, EncoderDropout

DEVIATION = 0.02
"""Of the first weights: N(0, 0.02²) (document 002, 3.7)."""


@dataclass(frozen=True)
class CausalShape:
    """Sizes and parts: n ``layers``, M ``heads``, C = ``width``, V = ``vocabulary``, block T = ``positions``.

    ``masked``: no place sees a later one. ``scaled``: scores are divided by sqrt(H). ``residual``: h + f(h), else f(h).
    ``normalised``: layer norms before the branches and before the read-out. ``tied``: the read-out is the token table.
    ``branch_scaled``: f(h) / sqrt(2n) in every pass (document 002, 3.6). Raises ValueError where C is no multiple of M.
    """

    layers: int
    heads: int
    width: int
    vocabulary: int
    positions: int
    inner: int = 0
    activation: str = "gelu"
    epsilon: float = 1e-5
    masked: bool = True
    scaled: bool = True
    residual: bool = True
    normalised: bool = True
    tied: bool = True
    branch_scaled: bool = False

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads.")

    @property
    def feed_forward_width(self) -> int:
        """4 C, where nothing else is said."""
        return self.inner or 4 * self.width


class KeyValueCache:
    """The keys and values of all places read so far, so that a next place costs one row in each layer.

    Raises ValueError for a network without a mask.
    """

    def __init__(self, shape: CausalShape, batch: int, like: Tensor) -> None:
        if not shape.masked:
            raise ValueError("Without a mask earlier places change with every later one; a cache needs the mask.")
        room = (shape.layers, batch, shape.heads, shape.positions, shape.width // shape.heads)
        self._keys, self._values = like.new_zeros(room), like.new_zeros(room)
        self.length = 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values of a layer with those of new places, (batch, head, place, head_width) each."""
        end = self.length + key.shape[2]
        self._keys[layer, :, :, self.length : end] = key
        self._values[layer, :, :, self.length : end] = value
        return self._keys[layer, :, :, :end], self._values[layer, :, :, :end]


class CausalAttention(nn.Module):
    """O = softmax(Q K^T / sqrt(H)) V, minus infinity above the diagonal; heads joined by W_O (document 002, 3.3)."""

    def __init__(self, shape: CausalShape) -> None:
        super().__init__()
        self.heads, self.masked = shape.heads, shape.masked
        self.scale = 1 / math.sqrt(shape.width // shape.heads) if shape.scaled else 1.0
        self.query = nn.Linear(shape.width, shape.width)
        self.key = nn.Linear(shape.width, shape.width)
        self.value = nn.Linear(shape.width, shape.width)
        self.output = nn.Linear(shape.width, shape.width)

    def forward(self, x: Float[Tensor, "batch place width"]) -> Float[Tensor, "batch place width"]:
        """The fused kernel, which keeps no weights."""
        query, key, value = self._projected(x)
        context = scaled_dot_product_attention(query, key, value, is_causal=self.masked, scale=self.scale)
        output: Tensor = self.output(context.transpose(1, 2).flatten(2))
        return output

    def onward(
        self, x: Float[Tensor, "batch new width"], layer: int, cache: KeyValueCache
    ) -> Float[Tensor, "batch new width"]:
        """The same at new places, which see those in the cache and each other."""
        query, key, value = self._projected(x)
        key, value = cache.extended(layer, key, value)
        # A single new place sees everything that is there.
        mask = None if query.shape[2] == 1 else visible(query.shape[2], key.shape[2], x.device)
        context = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=self.scale)
        output: Tensor = self.output(context.transpose(1, 2).flatten(2))
        return output

    def inspect(self, x: Float[Tensor, "batch place width"]) -> tuple[Tensor, Tensor]:
        """The weights (batch, head, query, key), of which rows sum to 1, and the output."""
        query, key, value = self._projected(x)
        scores = query @ key.transpose(-2, -1) * self.scale
        if self.masked:
            scores = scores.masked_fill(~visible(scores.shape[2], scores.shape[3], x.device), -math.inf)
        weights = scores.softmax(-1)
        return weights, self.output((weights @ value).transpose(1, 2).flatten(2))

    def _projected(self, x: Tensor) -> tuple[Tensor, ...]:
        """(batch, head, place, head_width) each."""
        return tuple(
            part(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )


def visible(queries: int, keys: int, device: torch.device | str = "cpu") -> Bool[Tensor, "query key"]:
    """Which keys the last ``queries`` of ``keys`` places see: themselves and what stands before.

    >>> visible(2, 3).int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)


class CausalParts(NamedTuple):
    """One block with what is on the way: its input, attention weights, and output, which is the next block's input."""

    input: Float[Tensor, "batch place width"]
    weights: Float[Tensor, "batch head query key"]
    output: Float[Tensor, "batch place width"]


Drop = Callable[[Tensor], Tensor]


class CausalBlock(nn.Module):
    """h + MHA(LN h), then h + FFN(LN h), each branch over sqrt(2n) if so asked (document 002, 3.4 to 3.6)."""

    def __init__(self, shape: CausalShape) -> None:
        super().__init__()
        self.attention_norm = norm_of(shape)
        self.attention = CausalAttention(shape)
        self.feed_forward_norm = norm_of(shape)
        self.expand = nn.Linear(shape.width, shape.feed_forward_width)
        self.contract = nn.Linear(shape.feed_forward_width, shape.width)
        self.activation = FEED_FORWARD_ACTIVATIONS[shape.activation]
        self.residual = shape.residual
        self.share = 1 / math.sqrt(2 * shape.layers) if shape.branch_scaled else 1.0

    def forward(self, x: Float[Tensor, "batch place width"], drop: Drop) -> Float[Tensor, "batch place width"]:
        """The block's output."""
        x = self._joined(x, drop(self.attention(self.attention_norm(x))))
        return self._joined(x, drop(self.feed_forward(x)))

    def onward(
        self, x: Float[Tensor, "batch new width"], layer: int, cache: KeyValueCache
    ) -> Float[Tensor, "batch new width"]:
        """The same at new places after those in the cache."""
        x = self._joined(x, self.attention.onward(self.attention_norm(x), layer, cache))
        return self._joined(x, self.feed_forward(x))

    def inspect(self, x: Float[Tensor, "batch place width"]) -> CausalParts:
        """The same with the attention weights."""
        weights, context = self.attention.inspect(self.attention_norm(x))
        middle = self._joined(x, context)
        return CausalParts(x, weights, self._joined(middle, self.feed_forward(middle)))

    def feed_forward(self, x: Float[Tensor, "batch place width"]) -> Float[Tensor, "batch place width"]:
        """FFN(LN x), the same for each place by itself."""
        output: Tensor = self.contract(self.activation(self.expand(self.feed_forward_norm(x))))
        return output

    def _joined(self, x: Tensor, branch: Tensor) -> Tensor:
        term = branch if self.share == 1 else branch * self.share
        return x + term if self.residual else term


class CausalTransformer(nn.Module):
    """Tokens and learned positions, n blocks, a final layer norm, and a read-out to (batch, place, vocabulary)."""

    def __init__(self, shape: CausalShape) -> None:
        super().__init__()
        self.shape = shape
        self.token = nn.Embedding(shape.vocabulary, shape.width)
        self.position = nn.Embedding(shape.positions, shape.width)
        self.blocks = nn.ModuleList(CausalBlock(shape) for _ in range(shape.layers))
        self.final_norm = norm_of(shape)
        self.untied = None if shape.tied else nn.Linear(shape.width, shape.vocabulary, bias=False)

    def forward(
        self, tokens: Int[Tensor, "batch place"], dropout: EncoderDropout | None = None
    ) -> Float[Tensor, "batch place vocabulary"]:
        """Logits of the token after each place; at most as many places as the block is long."""
        drop = dropout or _kept
        x = drop(self.embedded(tokens))
        for block in self.blocks:
            x = block(x, drop)
        return self.read_out(x)

    def empty_cache(self, batch: int) -> KeyValueCache:
        """A cache that holds no place yet; raises ValueError for a network without a mask."""
        return KeyValueCache(self.shape, batch, self.position.weight.detach())

    def onward(self, tokens: Int[Tensor, "batch new"], cache: KeyValueCache) -> Float[Tensor, "batch vocabulary"]:
        """Logits after the last of some new tokens; the cache holds what stands before, and then these, too."""
        x = self.embedded(tokens, first=cache.length)
        for layer, block in enumerate(self.stack()):
            x = block.onward(x, layer, cache)
        cache.length += tokens.shape[1]
        return self.read_out(x[:, -1])

    def embedded(self, tokens: Int[Tensor, "batch place"], first: int = 0) -> Float[Tensor, "batch place width"]:
        """h⁰ = E[x] + P, the first token at place ``first``. Raises ValueError for places beyond the block."""
        end = first + tokens.shape[1]
        if end > self.shape.positions:
            raise ValueError(f"There are {end} places; allowed are the {self.shape.positions} of the block.")
        states: Tensor = self.token(tokens) + self.position.weight[first:end]
        return states

    def stack(self) -> list[CausalBlock]:
        """The blocks from the first to the last."""
        return [cast("CausalBlock", block) for block in self.blocks]

    def walk(self, tokens: Int[Tensor, "batch place"]) -> Iterator[CausalParts]:
        """Block after block with its attention weights, so that a caller keeps only what it needs."""
        x = self.embedded(tokens)
        for block in self.stack():
            parts = block.inspect(x)
            yield parts
            x = parts.output

    def read_out(self, x: Float[Tensor, "*place width"]) -> Float[Tensor, "*place vocabulary"]:
        """The final layer norm, and the read-out: of any layer's states it is the logit lens."""
        states = self.final_norm(x)
        if self.untied is None:
            return linear(states, self.token.weight)
        # As a module, so that what watches layers sees its outputs.
        logits: Tensor = self.untied(states)
        return logits


def norm_of(shape: CausalShape) -> nn.Module:
    """A layer norm over a place's features, or nothing."""
    return nn.LayerNorm(shape.width, eps=shape.epsilon) if shape.normalised else nn.Identity()


def initialise_causal(
    network: CausalTransformer, weights: Callable[[int], torch.Generator], *, residual_share: float = 1.0
) -> None:
    """Fill matrices and tables from N(0, 0.02²) and biases with 0; what ends a branch is drawn smaller.

    ``residual_share`` is the factor of those: 1 / sqrt(2n) as in GPT-2 (document 002, 3.7). ``weights(index)`` gives
    the generator of each parameter: the two tables, then block after block, so a deeper network shares its first
    blocks, and the read-out last, where it is its own.
    """
    modules = [part for block in network.stack() for part in block.modules()]
    inner = [part for part in modules if isinstance(part, nn.Linear)]
    own = [] if network.untied is None else [network.untied]
    with torch.no_grad():
        parts: list[nn.Embedding | nn.Linear] = [network.token, network.position, *inner, *own]
        for index, part in enumerate(parts):
            part.weight.normal_(0, DEVIATION, generator=weights(index))
            if isinstance(part, nn.Linear) and part.bias is not None:
                part.bias.zero_()
        for block in network.stack():
            for last in (block.attention.output, block.contract):
                last.weight.mul_(residual_share)


def _kept(x: Tensor) -> Tensor:
    return x
