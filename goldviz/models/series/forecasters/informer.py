"""An encoder that distils and a decoder that answers the whole horizon at once, after Informer (Zhou et al. 2021).

Document 002, section 4.2, names ProbSparse attention; this is the network that it comes from, small. All that it reads
lies before the forecast: the decoder's places of the horizon hold zeros. Its self-attention is masked all the same, as
in the paper. Times of the day, which the paper's network also reads, are not known here; layer norms stand before
attention, where it has them after it, and distilling has no batch norm.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn.functional import elu, gelu, max_pool1d, pad, scaled_dot_product_attention

from goldviz.models.series.forecasters.layers import linear_layer
from goldviz.models.series.prob_sparse import rows_by_factor, running_mean
from goldviz.models.series.sinusoids import sinusoidal_code

WIDTH, HEADS = 16, 2
FACTOR = 5.0
"""c of the c ln t rows that attend, and of the c ln t keys that their score samples, as in the paper."""


def unmasked_prob_sparse(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time width"],
    sample: Int[Tensor, " key"],
) -> Float[Tensor, "batch head time width"]:
    """ProbSparse attention of rows that may all see each other: as many attend as keys are sampled.

    A row's score is the largest less the mean of its products with the sampled keys; the others take the mean of all
    values (Zhou et al. 2021, section 3.2, with one sample for all rows).
    """
    rows = _uneven_rows(q, k, sample)
    context = scaled_dot_product_attention(q.gather(-2, rows.expand(-1, -1, -1, q.shape[-1])), k, v)
    lazy = v.mean(-2, keepdim=True).expand_as(v)
    return lazy.scatter(-2, rows.expand_as(context), context)


def masked_prob_sparse(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time width"],
    sample: Int[Tensor, " key"],
) -> Float[Tensor, "batch head time width"]:
    """The same where no row takes a later row's value: those that attend are masked, the others take a running mean.

    Which rows attend is chosen among all of them, as in the paper, so a later row can push an earlier one out. The
    paper's others take the running sum.
    """
    rows = _uneven_rows(q, k, sample)
    visible = torch.arange(k.shape[-2], device=k.device) <= rows
    context = scaled_dot_product_attention(q.gather(-2, rows.expand(-1, -1, -1, q.shape[-1])), k, v, attn_mask=visible)
    return running_mean(v).scatter(-2, rows.expand_as(context), context)


def _uneven_rows(q: Tensor, k: Tensor, sample: Tensor) -> Tensor:
    """The rows with the highest scores, as many as keys are sampled: (batch, head, row, 1)."""
    products = q @ k[..., sample, :].transpose(-2, -1)
    return (products.amax(-1) - products.mean(-1)).topk(len(sample), -1).indices[..., None]


class Attention(nn.Module):
    """Heads of attention; with a ``length``, ProbSparse ones with a sample of so many keys' places, drawn once."""

    sample: Tensor

    def __init__(self, generator: Generator, *, length: int = 0, masked: bool = False) -> None:
        super().__init__()
        self.masked = masked
        self.queries = linear_layer(WIDTH, WIDTH, generator)
        self.keys_values = linear_layer(WIDTH, 2 * WIDTH, generator)
        self.output = linear_layer(WIDTH, WIDTH, generator)
        count = rows_by_factor(FACTOR, length) if length > 1 else length
        self.register_buffer("sample", torch.randperm(length, generator=generator)[:count], persistent=False)

    def forward(
        self, rows: Float[Tensor, "batch row width"], memory: Float[Tensor, "batch time width"]
    ) -> Float[Tensor, "batch row width"]:
        """What the rows read of the memory."""
        q = _heads(self.queries(rows))
        k, v = map(_heads, self.keys_values(memory).chunk(2, dim=-1))
        if not len(self.sample):
            read = scaled_dot_product_attention(q, k, v)
        else:
            read = (masked_prob_sparse if self.masked else unmasked_prob_sparse)(q, k, v, self.sample)
        output: Tensor = self.output(read.transpose(1, 2).flatten(2))
        return output


def _heads(values: Tensor) -> Tensor:
    batch, time, width = values.shape
    return values.view(batch, time, HEADS, width // HEADS).transpose(1, 2)


class FeedForward(nn.Module):
    """A layer norm, a wide layer with GELU, and a narrow one."""

    def __init__(self, generator: Generator) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.wide, self.narrow = linear_layer(WIDTH, 2 * WIDTH, generator), linear_layer(2 * WIDTH, WIDTH, generator)

    def forward(self, rows: Float[Tensor, "batch row width"]) -> Float[Tensor, "batch row width"]:
        """What is added to the rows."""
        more: Tensor = self.narrow(gelu(self.wide(self.norm(rows))))
        return more


class EncoderLayer(nn.Module):
    """ProbSparse attention among so many rows, and a feed-forward network, each added to its input."""

    def __init__(self, length: int, generator: Generator) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = Attention(generator, length=length)
        self.feed_forward = FeedForward(generator)

    def forward(self, rows: Float[Tensor, "batch row width"]) -> Float[Tensor, "batch row width"]:
        """The rows after the layer."""
        normed = self.norm(rows)
        read = rows + self.attention(normed, normed)
        after: Tensor = read + self.feed_forward(read)
        return after


class Distil(nn.Module):
    """Half as many rows: a convolution over three, ELU, and the largest of three at every second row (section 3.2)."""

    def __init__(self, generator: Generator) -> None:
        super().__init__()
        self.convolution = linear_layer(3 * WIDTH, WIDTH, generator)

    def forward(self, rows: Float[Tensor, "batch row width"]) -> Float[Tensor, "batch half width"]:
        """The distilled rows."""
        of_three = pad(rows, (0, 0, 1, 1)).unfold(1, 3, 1).flatten(2)
        pooled: Tensor = max_pool1d(elu(self.convolution(of_three)).transpose(1, 2), 3, stride=2, padding=1)
        return pooled.transpose(1, 2)


class Informer(nn.Module):
    """All channels of a step are a token: two encoder layers with distilling between, and one decoder layer.

    The decoder reads the last half of the look-back and a zero for each step of the horizon, and gives the whole
    horizon in one pass.
    """

    positions: Tensor

    def __init__(self, look_back: int, horizon: int, channels: int, generator: Generator) -> None:
        super().__init__()
        self.horizon, self.start = horizon, math.ceil(look_back / 2)
        decoder_length = self.start + horizon
        self.register_buffer(
            "positions", sinusoidal_code(torch.arange(max(look_back, decoder_length)).float(), WIDTH), persistent=False
        )
        self.past, self.future = (linear_layer(channels, WIDTH, generator) for _ in range(2))
        self.first = EncoderLayer(look_back, generator)
        self.distil = Distil(generator)
        self.second = EncoderLayer(math.ceil(look_back / 2), generator)
        self.encoded = nn.LayerNorm(WIDTH)
        self.before_own, self.before_cross = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.own = Attention(generator, length=decoder_length, masked=True)
        self.cross = Attention(generator)
        self.feed_forward = FeedForward(generator)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = linear_layer(WIDTH, channels, generator)

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        steps = past.transpose(1, 2)
        memory = self.past(steps) + self.positions[: steps.shape[1]]
        memory = self.encoded(self.second(self.distil(self.first(memory))))
        rows = self.future(pad(steps[:, -self.start :], (0, 0, 0, self.horizon)))
        rows = rows + self.positions[: rows.shape[1]]
        normed = self.before_own(rows)
        rows = rows + self.own(normed, normed)
        rows = rows + self.cross(self.before_cross(rows), memory)
        rows = rows + self.feed_forward(rows)
        forecast: Tensor = self.head(self.norm(rows[:, -self.horizon :]))
        return forecast.transpose(1, 2)
