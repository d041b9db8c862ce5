"""Encoder and decoder of attention (Vaswani et al. 2017; document 004, section 4).

Rows are words. A head's attention is softmax(Q K^T / sqrt(d)) V; the heads' outputs side by side are multiplied by one
matrix. Encoder: every word sees every word. Decoder: a word sees itself and those before it, and then, by
cross-attention, what the top of the encoder made of every word that was read. The number -1 pads sequences.

Layer norm (Ba et al. 2016): y = gamma (x - mu) / sqrt(sigma^2 + eps) + beta, with mean and variance over the units of
one word, so that no other word and no other sentence takes part. RMS norm (Zhang and Sennrich 2019) leaves out mu and
beta. Batch norm (Ioffe and Szegedy 2015) takes mean and variance of one unit over all words of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from goldviz.data.pairs.pairs import NO_WORD, Pairs
from goldviz.models.series.full import MappedAttention, causal_mask, masked_attention
from goldviz.models.series.sinusoids import sinusoidal_code

EPSILON = 1e-5
MOMENTUM = 0.1
"""How much of a batch's mean and variance goes into those that batch norm judges with."""

States = Float[Tensor, "batch place width"]
Present = Bool[Tensor, "batch place"]


class Norm(nn.Module):
    """One normalisation, by name, with its gain gamma and shift beta; ``place`` is before a part (pre) or after (post).

    ``present`` says which places hold a word: padding takes no part in a batch's mean.
    """

    mean: Tensor
    variance: Tensor

    def __init__(self, kind: str, place: str, width: int) -> None:
        super().__init__()
        self.kind, self.place, self.width = kind, place, width
        self.gain = nn.Parameter(torch.ones(width)) if kind != "none" else None
        self.shift = nn.Parameter(torch.zeros(width)) if kind in ("layer", "batch") else None
        if kind == "batch":
            self.register_buffer("mean", torch.zeros(width))
            self.register_buffer("variance", torch.ones(width))

    def forward(self, x: States, present: Present) -> States:
        """Normalised states."""
        return self._normalised(x, present, self.gain, self.shift)

    def standardised(self, x: States, present: Present) -> States:
        """The same without gain and shift."""
        return self._normalised(x, present, None, None)

    def _normalised(self, x: States, present: Present, gain: Tensor | None, shift: Tensor | None) -> States:
        if self.kind == "layer":
            return functional.layer_norm(x, (self.width,), gain, shift, EPSILON)
        if self.kind == "rms":
            return functional.rms_norm(x, (self.width,), gain, EPSILON)
        if self.kind == "batch":
            words = functional.batch_norm(
                x[present], self.mean, self.variance, gain, shift, self.training, MOMENTUM, EPSILON
            )
            return torch.zeros_like(x).masked_scatter(present[..., None], words)
        return x

    def before(self, x: States, present: Present) -> States:
        """What the part reads: normalised states where the norm stands before it."""
        normalised: Tensor = self(x, present) if self.place == "pre" else x
        return normalised

    def after(self, x: States, residual: States, present: Present) -> States:
        """The residual connection: x + part(norm(x)), or norm(x + part(x)) as Vaswani et al. 2017 have it."""
        normalised: Tensor = self(x + residual, present) if self.place == "post" else x + residual
        return normalised


@dataclass(frozen=True)
class TransformerShape:
    """Sizes and parts. Encoder and decoder have ``layers`` blocks each; ``norm`` and ``place`` are those of
    :class:`~goldviz.labs.translation_transformer.transformer.Norm`. The feed-forward networks are four times as wide.

    Raises ValueError where heads do not share the width.
    """

    source_words: int
    target_words: int
    layers: int = 2
    heads: int = 4
    width: int = 32
    norm: str = "layer"
    place: str = "post"
    encoder_positions: bool = True

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads.")

    def normalisation(self) -> Norm:
        """One of the network's norms."""
        return Norm(self.norm, self.place, self.width)


class MultiHeadAttention(nn.Module):
    """Rows of ``x`` look at rows of ``memory`` where the mask lets them."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.output = (nn.Linear(shape.width, shape.width) for _ in range(4))

    def forward(self, x: Tensor, memory: Tensor, visible: Bool[Tensor, "#batch #place cell"]) -> MappedAttention:
        """What each row takes, (batch, place, width), and the weights of every head, (batch, head, place, cell)."""
        query, key, value = (
            one.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for one in (self.query(x), self.key(memory), self.value(memory))
        )
        attention = masked_attention(query, key, value, visible[:, None])
        return MappedAttention(self.output(attention.output.transpose(1, 2).flatten(2)), attention.weights)


class FeedForward(nn.Module):
    """max(0, x W1 + b1) W2 + b2, the same for every word."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.expand = nn.Linear(shape.width, 4 * shape.width)
        self.contract = nn.Linear(4 * shape.width, shape.width)

    def forward(self, x: States) -> States:
        """What is added to the states."""
        output: Tensor = self.contract(torch.relu(self.expand(x)))
        return output


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network, each with its residual connection and norm."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(shape), FeedForward(shape)
        self.attention_norm, self.feed_forward_norm = shape.normalisation(), shape.normalisation()

    def forward(self, x: States, present: Present) -> MappedAttention:
        """The states after the block, and who looked at whom."""
        read = self.attention_norm.before(x, present)
        attention = self.attention(read, read, present[:, None])
        x = self.attention_norm.after(x, attention.output, present)
        residual = self.feed_forward(self.feed_forward_norm.before(x, present))
        return MappedAttention(self.feed_forward_norm.after(x, residual, present), attention.weights)


class DecoderMaps(NamedTuple):
    """Weights of one block of the decoder: among the words written, and to the words read."""

    own: Float[Tensor, "batch head step step"]
    cross: Float[Tensor, "batch head step source_place"]


class DecoderBlock(nn.Module):
    """Causal self-attention, attention to what the encoder read, then a feed-forward network."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.attention, self.cross, self.feed_forward = (
            MultiHeadAttention(shape),
            MultiHeadAttention(shape),
            FeedForward(shape),
        )
        self.attention_norm, self.cross_norm, self.feed_forward_norm = (shape.normalisation() for _ in range(3))

    def forward(self, x: States, present: Present, source: Source) -> tuple[Tensor, DecoderMaps]:
        """The states after the block, and who looked at whom."""
        read = self.attention_norm.before(x, present)
        own = self.attention(read, read, causal_mask(x.shape[1], x.device)[None])
        x = self.attention_norm.after(x, own.output, present)
        cross = self.cross(self.cross_norm.before(x, present), source.encoded, source.present[:, None])
        x = self.cross_norm.after(x, cross.output, present)
        residual = self.feed_forward(self.feed_forward_norm.before(x, present))
        return self.feed_forward_norm.after(x, residual, present), DecoderMaps(own.weights, cross.weights)


class Source(NamedTuple):
    """What the encoder made of sequences, where they have words, the words written so far, and each block's weights."""

    encoded: States
    present: Present
    state: Int[Tensor, "batch step"]
    maps: tuple[Float[Tensor, "batch head source_place source_place"], ...] = ()

    def chosen(self, rows: Int[Tensor, " chosen"]) -> Source:
        """The same of some sequences, each as often as it is named."""
        return Source(self.encoded[rows], self.present[rows], self.state[rows])


class DecoderStep(NamedTuple):
    """One step of the decoder: logits of the next word, the words told so far, and the last block's cross-attention,
    mean over its heads."""

    logits: Float[Tensor, "batch word"]
    state: Int[Tensor, "batch step"]
    weights: Float[Tensor, "batch source_place"]


class Decoded(NamedTuple):
    """Logits behind every word that is told, and each block's weights."""

    logits: Float[Tensor, "batch step word"]
    maps: list[DecoderMaps]


class Transformer(nn.Module):
    """Reads words and writes words; the word numbered ``boundary`` stands before the first one written and after the
    last."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.shape, self.boundary = shape, shape.target_words
        self.source_table = nn.Embedding(shape.source_words, shape.width)
        self.target_table = nn.Embedding(shape.target_words + 1, shape.width)
        self.encoder = nn.ModuleList(EncoderBlock(shape) for _ in range(shape.layers))
        self.decoder = nn.ModuleList(DecoderBlock(shape) for _ in range(shape.layers))
        # Behind a stack whose norms stand before the parts, nothing else would normalise the last addition.
        ends = [shape.normalisation() if shape.place == "pre" else None for _ in range(2)]
        self.encoder_end, self.decoder_end = ends
        self.read_out = nn.Linear(shape.width, shape.target_words + 1)

    def read(self, source: Int[Tensor, "batch source_place"]) -> Source:
        """What the encoder makes of sequences."""
        present = source != NO_WORD
        x, maps = self.source_table(source.clamp(min=0)), []
        if self.shape.encoder_positions:
            x = x + self._positions(x)
        for block in self.encoder:
            x, weights = block(x, present)
            maps.append(weights)
        if self.encoder_end is not None:
            x = self.encoder_end(x, present)
        return Source(x, present, source.new_zeros(len(source), 0), tuple(maps))

    def decode(self, decoder_inputs: Int[Tensor, "batch step"], source: Source) -> Decoded:
        """Logits of the word after each of ``decoder_inputs``, every one seeing itself and those before it."""
        present = decoder_inputs != NO_WORD
        x, maps = self.target_table(decoder_inputs.clamp(min=0)), []
        x = x + self._positions(x)
        for block in self.decoder:
            x, weights = block(x, present, source)
            maps.append(weights)
        if self.decoder_end is not None:
            x = self.decoder_end(x, present)
        return Decoded(self.read_out(x), maps)

    def step(self, word: Int[Tensor, " batch"], state: Int[Tensor, "batch step"], source: Source) -> DecoderStep:
        """One word on: ``word`` was written last, those in ``state`` before it."""
        decoder_inputs = torch.cat([state, word[:, None]], 1)
        decoded = self.decode(decoder_inputs, source)
        return DecoderStep(decoded.logits[:, -1], decoder_inputs, decoded.maps[-1].cross.mean(1)[:, -1])

    def forward(
        self, source: Int[Tensor, "batch source_place"], target: Int[Tensor, "batch target_place"]
    ) -> Float[Tensor, "batch step word"]:
        """Logits of every word of the answer and of its end, each told the right words before it (teacher forcing)."""
        return self.decode(self.told(target), self.read(source)).logits

    def told(self, target: Int[Tensor, "batch target_place"]) -> Int[Tensor, "batch step"]:
        """The words that stand before each that is written, the boundary first."""
        return torch.cat([target.new_full((len(target), 1), self.boundary), target], 1)

    def wanted(self, target: Int[Tensor, "batch target_place"]) -> Int[Tensor, "batch step"]:
        """The words to be written, the boundary behind the last."""
        padded = torch.cat([target, target.new_full((len(target), 1), NO_WORD)], 1)
        ends = (target != NO_WORD).sum(1, keepdim=True)
        return padded.scatter(1, ends, self.boundary)

    def _positions(self, x: States) -> Float[Tensor, "place width"]:
        places = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)
        return sinusoidal_code(places, self.shape.width)

    def norms(self) -> list[Norm]:
        """The encoder's norms behind or before attention, block by block."""
        return [cast("EncoderBlock", block).attention_norm for block in self.encoder]


def padded(batches: list[Pairs]) -> Pairs:
    """All pairs in one batch, shorter ones filled up with -1."""
    return Pairs(*(_filled_up(list(parts)) for parts in zip(*batches, strict=True)))


def _filled_up(parts: list[Tensor]) -> Tensor:
    longest = max(part.shape[1] for part in parts)
    return torch.cat([nn.functional.pad(part, (0, longest - part.shape[1]), value=NO_WORD) for part in parts])
