"""The Transformer encoder as BERT builds it: document 001, sections 4.1.2 to 4.2.1; document 002, sections 3.3 to 3.6.

The document writes a token as a column; here a token is a row, as everywhere in code. Its column-normalised A is the
transpose of the ``weights`` here, whose rows (one for each query) sum to 1. Devlin et al. 2019 normalise after adding
(post-LN), as the document does in 4.1.2; document 002 normalises before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import gelu, relu, scaled_dot_product_attention, silu

FEED_FORWARD_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": gelu,
    "gelu_new": lambda x: gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: gelu(x, approximate="tanh"),
    "relu": relu,
    "silu": silu,
    "swish": silu,
}
"""The nonlinearity of the feed-forward network, by the names that model configurations use."""

Present = Bool[Tensor, "batch key"] | Bool[Tensor, "batch query key"]
"""Which keys may be looked at: the same ones by all queries, or by each query its own, of which it needs one."""


@dataclass(frozen=True)
class EncoderShape:
    """The sizes of an encoder: L ``layers``, H ``heads``, D = ``width`` (document 001, "Notation", section 4.1.1).

    ``first_position`` is the row of the position table that the first token takes: 0 for BERT, 2 for RoBERTa.
    ``segments`` is 0 where there is no segment table. Raises ValueError where D is no multiple of H.
    """

    layers: int
    heads: int
    width: int
    inner: int
    vocabulary: int
    positions: int
    segments: int = 2
    first_position: int = 0
    activation: str = "gelu"
    epsilon: float = 1e-12

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads.")

    @property
    def head_width(self) -> int:
        """d_k = D / H."""
        return self.width // self.heads

    @property
    def longest(self) -> int:
        """The most tokens that there are positions for."""
        return self.positions - self.first_position


@dataclass
class EncoderDropout:
    """Inverted dropout with an explicit stream, on the embeddings and on both branches of a block.

    BERT drops attention weights as well; the fused kernel that trains here keeps none.
    """

    rate: float
    generator: torch.Generator

    def __call__(self, x: Tensor) -> Tensor:
        """``x`` with a share ``rate`` of its values zero and the others scaled up."""
        if self.rate == 0:
            return x
        keep = 1 - self.rate
        return x * torch.rand(x.shape, generator=self.generator, device=x.device, dtype=x.dtype).lt_(keep).div_(keep)


class EmbeddingParts(NamedTuple):
    """e_tok, e_seg and e_pos of every token; their sum E^(0); and X^(0) = LayerNorm(E^(0))."""

    token: Float[Tensor, "batch token width"]
    segment: Float[Tensor, "batch token width"]
    position: Float[Tensor, "batch token width"]
    total: Float[Tensor, "batch token width"]
    normalised: Float[Tensor, "batch token width"]


class AttentionParts(NamedTuple):
    """One layer's self-attention, step by step, for every head h (document 001, section 4.1.2).

    ``scores`` are q k / sqrt(d_k), minus infinity at keys that are padding; ``weights`` their softmax over the keys;
    ``mixed`` the weighted sums of the values (the document's Z_h); ``output`` is W_O of the concatenated heads.
    """

    query: Float[Tensor, "batch head token head_width"]
    key: Float[Tensor, "batch head token head_width"]
    value: Float[Tensor, "batch head token head_width"]
    scores: Float[Tensor, "batch head query key"]
    weights: Float[Tensor, "batch head query key"]
    mixed: Float[Tensor, "batch head token head_width"]
    output: Float[Tensor, "batch token width"]


class BlockParts(NamedTuple):
    """One encoder layer: its input, its attention, X~ after the first LayerNorm, and its output X^(l)."""

    input: Float[Tensor, "batch token width"]
    attention: AttentionParts
    attended: Float[Tensor, "batch token width"]
    output: Float[Tensor, "batch token width"]


class TextEmbeddings(nn.Module):
    """E^(0) = E_tok + E_seg + E_pos, then LayerNorm (document 001, section 4.2.1)."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.first_position = shape.first_position
        self.token = nn.Embedding(shape.vocabulary, shape.width)
        self.position = nn.Embedding(shape.positions, shape.width)
        self.segment = nn.Embedding(shape.segments, shape.width) if shape.segments else None
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)

    def forward(self, pieces: Int[Tensor, "batch token"], segments: Int[Tensor, "batch token"]) -> EmbeddingParts:
        """The three embeddings of every token, their sum, and the sum normalised."""
        token = self.token(pieces)
        places = torch.arange(pieces.shape[1], device=pieces.device) + self.first_position
        position = self.position(places).expand_as(token)
        segment = torch.zeros_like(token) if self.segment is None else self.segment(segments)
        total = token + segment + position
        return EmbeddingParts(token, segment, position, total, self.norm(total))


class SelfAttention(nn.Module):
    """Multi-head scaled dot-product self-attention; without a mask every token sees every other."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.width, shape.width)
        self.key = nn.Linear(shape.width, shape.width)
        self.value = nn.Linear(shape.width, shape.width)
        self.output = nn.Linear(shape.width, shape.width)

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        present: Present | None,
        memory: Float[Tensor, "batch key width"] | None = None,
    ) -> Float[Tensor, "batch query width"]:
        """W_O of the heads' outputs, by PyTorch's fused kernel, which keeps no weights.

        Keys and values are those of ``memory``, or of ``x`` itself.
        """
        query, key, value = self._projected(x, memory)
        mask = None if present is None else _by_query(present)
        output: Tensor = self.output(self._joined(scaled_dot_product_attention(query, key, value, attn_mask=mask)))
        return output

    def inspect(
        self,
        x: Float[Tensor, "batch query width"],
        present: Present | None = None,
        shares: Float[Tensor, " head"] | None = None,
        memory: Float[Tensor, "batch key width"] | None = None,
    ) -> AttentionParts:
        """The same, one step after another; ``shares`` scales each head's output (0 switches it off)."""
        query, key, value = self._projected(x, memory)
        scores = (query @ key.transpose(-2, -1)).div_(math.sqrt(query.shape[-1]))
        if present is not None:
            scores = scores.masked_fill(~_by_query(present), -math.inf)
        weights = scores.softmax(-1)
        context = weights @ value
        if shares is not None:
            context = context * shares.view(1, -1, 1, 1)
        return AttentionParts(query, key, value, scores, weights, context, self.output(self._joined(context)))

    def _projected(self, x: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        read = x if memory is None else memory
        return self._heads_of(self.query(x)), self._heads_of(self.key(read)), self._heads_of(self.value(read))

    def _heads_of(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def _joined(self, heads: Tensor) -> Tensor:
        return heads.transpose(1, 2).flatten(2)


class EncoderBlock(nn.Module):
    """X~ = LayerNorm(X + MHSA(X)), then LayerNorm(X~ + FFN(X~)) (document 001, sections 4.1.2 and 4.1.3)."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.attention = SelfAttention(shape)
        self.attention_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.expand = nn.Linear(shape.width, shape.inner)
        self.contract = nn.Linear(shape.inner, shape.width)
        self.output_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.activation = FEED_FORWARD_ACTIVATIONS[shape.activation]

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        present: Present | None,
        dropout: EncoderDropout | None = None,
        memory: Float[Tensor, "batch key width"] | None = None,
    ) -> Float[Tensor, "batch query width"]:
        """X^(l) of X^(l-1), which looks at itself or at ``memory``."""
        drop = dropout or _kept
        middle = self.attention_norm(x + drop(self.attention(x, present, memory)))
        output: Tensor = self.output_norm(middle + drop(self.feed_forward(middle)))
        return output

    def inspect(
        self,
        x: Float[Tensor, "batch query width"],
        present: Present | None = None,
        shares: Float[Tensor, " head"] | None = None,
        memory: Float[Tensor, "batch key width"] | None = None,
    ) -> BlockParts:
        """The same without dropout, with everything in between; ``shares`` scales each head's output."""
        attention = self.attention.inspect(x, present, shares, memory)
        middle = self.attention_norm(x + attention.output)
        return BlockParts(x, attention, middle, self.output_norm(middle + self.feed_forward(middle)))

    def feed_forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        """FFN, the same for each token by itself."""
        output: Tensor = self.contract(self.activation(self.expand(x)))
        return output


class TransformerEncoder(nn.Module):
    """Embeddings and L blocks: X^(0) to X^(L). Weights are those of PyTorch's layers until they are filled."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.shape = shape
        self.embeddings = TextEmbeddings(shape)
        self.blocks = nn.ModuleList(EncoderBlock(shape) for _ in range(shape.layers))

    def forward(
        self,
        pieces: Int[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
        present: Bool[Tensor, "batch token"] | None = None,
        dropout: EncoderDropout | None = None,
    ) -> Float[Tensor, "batch token width"]:
        """X^(L). ``present`` is false at padding, which no token then attends to."""
        segments = torch.zeros_like(pieces) if segments is None else segments
        x = (dropout or _kept)(self.embeddings(pieces, segments).normalised)
        return self.upwards(x, present, dropout=dropout)

    def upwards(
        self,
        x: Float[Tensor, "batch token width"],
        present: Bool[Tensor, "batch token"] | None = None,
        start: int = 0,
        dropout: EncoderDropout | None = None,
    ) -> Float[Tensor, "batch token width"]:
        """X^(L) of X^(start): what the blocks above ``start`` make of it."""
        for block in self.blocks[start:]:
            x = block(x, present, dropout)
        return x

    def walk(
        self,
        x: Float[Tensor, "batch token width"],
        present: Bool[Tensor, "batch token"] | None = None,
        shares: Float[Tensor, "layer head"] | None = None,
    ) -> Iterator[BlockParts]:
        """Block after block with everything in between, so that a caller keeps only what it needs.

        A layer of 12 heads at 512 tokens holds 12 MiB of weights in float32, and as much of scores.
        """
        for layer, block in enumerate(self.blocks):
            parts: BlockParts = cast("EncoderBlock", block).inspect(
                x, present, None if shares is None else shares[layer]
            )
            yield parts
            x = parts.output


def initialise_encoder(module: nn.Module, weights: Callable[[int], torch.Generator], deviation: float = 0.02) -> None:
    """Fill matrices and tables from N(0, ``deviation``^2) and biases with 0, as Devlin et al. 2019 do.

    ``weights(index)`` gives the generator of each parameter in order, so a deeper encoder shares its first layers.
    """
    index = 0
    with torch.no_grad():
        for part in module.modules():
            if isinstance(part, nn.Linear | nn.Embedding):
                part.weight.normal_(0, deviation, generator=weights(index))
                index += 1
                if isinstance(part, nn.Linear) and part.bias is not None:
                    part.bias.zero_()


def _kept(x: Tensor) -> Tensor:
    return x


def _by_query(present: Present) -> Bool[Tensor, "batch 1 query key"]:
    return present[:, None, None, :] if present.ndim == 2 else present[:, None]
