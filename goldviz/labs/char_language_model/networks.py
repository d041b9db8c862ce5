"""The models of characters, one registry: from a table of pairs to a hierarchy and to recurrent networks.

Every model reads (batch, place) symbols and gives what it computed: a row of logits for each context, and the sums
and outputs of its hidden layers on the way. Document 002, 1.1 to 1.5; rows are samples, x W.

For networks so small that autograd's record of the way costs most of a step, the gradient of Bengio's MLP is by hand
(1.4): the loss gives (P - Y)/n to the logits, a product x W gives x^T d to its weights and d W^T to what it read, tanh
passes d (1 - h²), and each row of the table collects what its places got.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional
from torch.nn.functional import embedding, log_softmax

from goldviz.models.recurrent.cells import CELLS, recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.training.seeds import READ_OUT_WEIGHTS, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.char_language_model.settings import CharLanguageModel

Contexts = Int[Tensor, "batch place"]
DIRECT_WEIGHTS = WEIGHTS + 200
RECURRENT_STREAMS = 300
"""Where the streams of recurrent weights begin, beside a seed's other layers."""
aten = torch.ops.aten
MEAN, NONE_IGNORED = 1, -100
"""How PyTorch's kernels are told to average over the batch, and to count every target."""


@dataclass
class Pass:
    """What a model computed: logits (batch, symbol), and the sums and outputs of each hidden layer (batch, ...)."""

    logits: Tensor
    sums: list[Tensor] = field(default_factory=list)
    hidden: list[Tensor] = field(default_factory=list)


class CharacterModel(nn.Module):
    """What every model has: ``table`` C, a row for each symbol, and the read-out x W + b."""

    def __init__(self, settings: CharLanguageModel, symbols: int, seed: int, read: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(symbols, width, generator=stream(seed, WEIGHTS)))
        generator = stream(seed, READ_OUT_WEIGHTS)
        self.read_out = nn.Parameter(settings.output_gain * torch.randn(read, symbols, generator=generator))
        offset = (
            torch.randn(symbols, generator=generator) if settings.initialisation == "normal" else torch.zeros(symbols)
        )
        self.read_out_bias = nn.Parameter(settings.output_gain * offset)

    def matrices(self) -> dict[str, nn.Parameter]:
        """The weights by layer, from the input to the output."""
        return {"embedding": self.table, **self.inner_matrices(), "output": self.read_out}

    def inner_matrices(self) -> dict[str, nn.Parameter]:
        """Those between embedding and read-out."""
        return {}

    def answer(self, read: Float[Tensor, "batch read"]) -> Float[Tensor, "batch symbol"]:
        """The logits."""
        return torch.addmm(self.read_out_bias, read, self.read_out)


class CountedBigram(nn.Module):
    """N_ab, how often b followed a; nothing is trained (document 002, 1.1)."""

    def __init__(self, settings: CharLanguageModel, symbols: int, seed: int) -> None:
        super().__init__()
        self.smoothing = settings.smoothing
        self.register_buffer("counts", torch.zeros(symbols, symbols))
        self.counts: Tensor

    def count(self, contexts: Contexts, targets: Int[Tensor, " batch"]) -> None:
        """Count these pairs, too."""
        self.counts.index_put_((contexts[:, -1], targets), self.counts.new_ones(()), accumulate=True)

    def forward(self, contexts: Contexts, *, least: float = 0.0) -> Pass:
        """log P of each symbol, P = (N + a) / (sum of N + V a), with ``least`` fake counts a in a cell at least."""
        counts = self.counts + max(self.smoothing, least)
        whole = counts.sum(1, keepdim=True)
        shares = torch.where(whole > 0, counts / whole, 1 / len(counts))
        return Pass(shares.log()[contexts[:, -1]])


class NeuralBigram(nn.Module):
    """The same table as weights: a row of logits for each symbol, and softmax (document 002, 1.2)."""

    def __init__(self, settings: CharLanguageModel, symbols: int, seed: int) -> None:
        super().__init__()
        self.read_out = nn.Parameter(
            settings.output_gain * torch.randn(symbols, symbols, generator=stream(seed, READ_OUT_WEIGHTS))
        )

    def matrices(self) -> dict[str, nn.Parameter]:
        """Its one matrix."""
        return {"output": self.read_out}

    def forward(self, contexts: Contexts) -> Pass:
        """onehot(a) W is a row of W."""
        return Pass(functional.embedding(contexts[:, -1], self.read_out))


class Norm(nn.Module):
    """Batch norm as torch.nn.BatchNorm1d carries it out, over the right axes or over the wrong ones.

    ``batch``: statistics of each channel over samples and places. ``mixed_up``: (batch, place, channel) handed over as
    it is, of which PyTorch takes places for channels.
    """

    def __init__(self, kind: str, channels: int, places: int, momentum: float) -> None:
        super().__init__()
        self.mixed_up = kind == "mixed_up" and places > 1
        self.norm = nn.BatchNorm1d(places if self.mixed_up else channels, momentum=momentum)
        self.by_batch = False
        self.gap = torch.tensor(math.nan)

    def forward(self, sums: Float[Tensor, "batch *place channel"]) -> Float[Tensor, "batch *place channel"]:
        """The normalised sums."""
        act = self._by_batch if self.by_batch else self.norm
        if self.mixed_up or sums.ndim == 2:
            return torch.as_tensor(act(sums))
        return torch.as_tensor(act(sums.flatten(0, -2))).view_as(sums)

    def _by_batch(self, sums: Tensor) -> Tensor:
        """By the statistics of these sums, and how far running means are from theirs, in their spreads."""
        norm = self.norm
        spread, mean = torch.std_mean(sums, [0, *range(2, sums.ndim)])
        self.gap = ((torch.as_tensor(norm.running_mean) - mean) / spread).square().mean().sqrt()
        return functional.batch_norm(sums, None, None, norm.weight, norm.bias, training=True, eps=norm.eps)


@contextmanager
def statistics_of_batches(model: nn.Module) -> Iterator[list[Norm]]:
    """Batch norms go by what they are given, as in training, and keep their running statistics as they are."""
    norms = [part for part in model.modules() if isinstance(part, Norm)]
    for norm in norms:
        norm.by_batch = True
    try:
        yield norms
    finally:
        for norm in norms:
            norm.by_batch = False


class HiddenLayer(nn.Module):
    """tanh(x W + b), or tanh of the normalised x W, which needs no b."""

    def __init__(self, settings: CharLanguageModel, read: int, places: int, generator: Generator) -> None:
        super().__init__()
        normal = settings.initialisation == "normal"
        size = settings.gain if normal else settings.gain / math.sqrt(read)
        self.weight = nn.Parameter(size * torch.randn(read, settings.hidden, generator=generator))
        self.norm: Norm | None = None
        if settings.normalisation == "none":
            offset = torch.randn(settings.hidden, generator=generator) if normal else torch.zeros(settings.hidden)
            self.bias = nn.Parameter(settings.gain * offset)
        else:
            self.norm = Norm(settings.normalisation, settings.hidden, places, settings.momentum)

    def sums(self, x: Float[Tensor, "batch *place read"]) -> Float[Tensor, "batch *place channel"]:
        """What tanh is taken of."""
        if self.norm is not None:
            return torch.as_tensor(self.norm(x @ self.weight))
        return torch.addmm(self.bias, x, self.weight) if x.ndim == 2 else x @ self.weight + self.bias


class LayeredModel(CharacterModel):
    """Embedding, hidden tanh layers, read-out; ``fused`` neighbours are joined before each layer (document 002, 1.5).

    With as many fused as there are places, the whole context goes into the first layer: Bengio's model (1.3). With
    two at a time it is WaveNet's hierarchy: (batch, L, C) becomes (batch, L/2, 2C). ``plain`` is a network whose first
    layer reads all of the context, without batch norm. ``direct`` adds x W_3 of the embedded context x to the logits
    (Bengio et al. 2003, eq. 1), with weights that start as the read-out's do.
    """

    def __init__(
        self, settings: CharLanguageModel, symbols: int, seed: int, *, fused: tuple[int, ...], direct: bool = False
    ) -> None:
        super().__init__(settings, symbols, seed, settings.hidden, settings.embedding)
        self.fused = fused
        layers, places, width = [], settings.context, settings.embedding
        for number, neighbours in enumerate(fused, start=1):
            places //= neighbours
            layers.append(HiddenLayer(settings, neighbours * width, places, stream(seed, WEIGHTS + number)))
            width = settings.hidden
        self.layers = nn.ModuleList(layers)
        self.each = tuple(layers)
        self.plain = fused[0] == settings.context and settings.normalisation == "none" and not direct
        self.direct: nn.Parameter | None = None
        if direct:
            drawn = torch.randn(settings.context * settings.embedding, symbols, generator=stream(seed, DIRECT_WEIGHTS))
            self.direct = nn.Parameter(settings.output_gain * drawn)

    def inner_matrices(self) -> dict[str, nn.Parameter]:
        """One for each hidden layer, and that of the direct connections."""
        hidden = {f"hidden {number}": layer.weight for number, layer in enumerate(self.each, start=1)}
        return hidden if self.direct is None else {**hidden, "direct": self.direct}

    def forward(self, contexts: Contexts) -> Pass:
        """The logits of each context's next symbol."""
        sums, hidden = [], []
        h = x = functional.embedding(contexts, self.table)
        for layer, neighbours in zip(self.each, self.fused, strict=True):
            if h.ndim == 3:
                h = h.flatten(1) if neighbours == h.shape[1] else h.unflatten(1, (-1, neighbours)).flatten(2)
            z = layer.sums(h)
            h = z.tanh()
            sums.append(z)
            hidden.append(h)
        logits = self.answer(h)
        return Pass(logits if self.direct is None else logits + x.flatten(1) @ self.direct, sums, hidden)


class RecurrentModel(CharacterModel):
    """Embedding, a recurrent layer over the context's places, read-out of its last state (document 001, eq. 5)."""

    def __init__(self, settings: CharLanguageModel, symbols: int, seed: int, *, kind: str) -> None:
        super().__init__(settings, symbols, seed, settings.hidden, settings.embedding)
        self.layer = recurrent_layer(kind, settings.embedding, settings.hidden)
        start = RecurrentInitialisation(input_scale=settings.gain, biases={"forget": 1.0})
        initialise(self.layer, lambda index: stream(seed, WEIGHTS + RECURRENT_STREAMS + index), start)

    def inner_matrices(self) -> dict[str, nn.Parameter]:
        """What reads the symbol, and what reads the state."""
        return self.layer.matrices()

    def forward(self, contexts: Contexts) -> Pass:
        """The logits of each context's next symbol, after its last place."""
        trace = self.layer(functional.embedding(contexts, self.table).transpose(0, 1))
        last = trace.states[-1]
        return Pass(self.answer(last), [], [last])


Model = CharacterModel | CountedBigram | NeuralBigram


MODELS: dict[str, Callable[[CharLanguageModel, int, int], Model]] = {
    "bigram": CountedBigram,
    "neural_bigram": NeuralBigram,
    "mlp": lambda settings, symbols, seed: LayeredModel(settings, symbols, seed, fused=(settings.context,)),
    "direct_mlp": lambda settings, symbols, seed: LayeredModel(
        settings, symbols, seed, fused=(settings.context,), direct=True
    ),
    "deep_mlp": lambda settings, symbols, seed: LayeredModel(
        settings, symbols, seed, fused=(settings.context, *[1] * (settings.layers - 1))
    ),
    "wavenet": lambda settings, symbols, seed: LayeredModel(
        settings, symbols, seed, fused=(2,) * int(math.log2(settings.context))
    ),
    **{cell: partial(RecurrentModel, kind=usual_layer(cell)) for cell in CELLS},
}
"""Each takes (settings, number of symbols, seed)."""


@torch.no_grad()
def loss_with_gradients(
    network: LayeredModel, contexts: Int[Tensor, "batch place"], targets: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """The mean loss of a plain network; every parameter's ``grad`` is then what ``backward()`` would leave.

    It calls the kernels that autograd calls, in the same order, so that not one bit differs.
    """
    read = [embedding(contexts, network.table).flatten(1)]
    for layer in network.each:
        read.append(torch.addmm(layer.bias, read[-1], layer.weight).tanh_())
    loss, d_logits = _loss_and_slope(network.answer(read[-1]), targets)
    network.read_out.grad = read[-1].t().mm(d_logits)
    network.read_out_bias.grad = d_logits.sum(0)
    d_read = _through_layers(network.each, read, d_logits.mm(network.read_out.t()))
    network.table.grad = aten.embedding_dense_backward(
        d_read.view(*contexts.shape, -1), contexts, len(network.table), -1, False
    )
    return loss


def _loss_and_slope(
    logits: Float[Tensor, "batch symbol"], targets: Int[Tensor, " batch"]
) -> tuple[Float[Tensor, ""], Float[Tensor, "batch symbol"]]:
    """-mean log P of the targets, and its derivative (P - Y)/n by the logits (1.4.4)."""
    log_p = log_softmax(logits, 1)
    loss, weight = aten.nll_loss_forward(log_p, targets, None, MEAN, NONE_IGNORED)
    d_log_p = aten.nll_loss_backward(loss.new_ones(()), log_p, targets, None, MEAN, NONE_IGNORED, weight)
    return loss, aten._log_softmax_backward_data(d_log_p, log_p, 1, log_p.dtype)


def _through_layers(
    layers: Sequence[HiddenLayer], read: Sequence[Tensor], d: Float[Tensor, "batch unit"]
) -> Float[Tensor, "batch read"]:
    """From the derivative by the last layer's output to that by what the first one read."""
    for layer, x, h in zip(reversed(layers), reversed(read[:-1]), reversed(read), strict=False):
        d = aten.tanh_backward(d, h)
        layer.weight.grad = x.t().mm(d)
        layer.bias.grad = d.sum(0)
        d = d.mm(layer.weight.t())
    return d
