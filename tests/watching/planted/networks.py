"""Small networks of the usual sorts, and rows to train them on whose answers are known.

Every network is a body that makes numbers of a row, and a head that answers with them. Every sort of row has three
hidden features, each of spread 1: a class is the largest of them, a number is a sum of what they do.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

WORDS = 24
"""Words of the small language; 0 fills what is left of a line."""
FORESEEN = 0.8
"""How often the next word follows from the one before it."""


class Network(nn.Module):
    def __init__(self, body: nn.Module, width: int, out: int) -> None:
        super().__init__()
        self.body, self.head = body, nn.Linear(width, out)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class Recurrent(nn.Module):
    """Reads from left to right, and tells its last state, or all of them."""

    def __init__(
        self, kind: type[nn.RNNBase], inputs: int, width: int, whole: bool = False, first: bool = True
    ) -> None:
        super().__init__()
        self.rnn, self.whole = kind(inputs, width, batch_first=first), whole

    def forward(self, x: Tensor) -> Tensor:
        states = self.rnn(x)[0]
        return states if self.whole else states[:, -1]


class Attentive(nn.Module):
    """A Transformer's encoder; tells the mean over places, or all of them behind a mask."""

    def __init__(self, inputs: int, width: int, whole: bool = False, first: bool = True) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.0, batch_first=first)
        self.lift = nn.Linear(inputs, width) if inputs != width else nn.Identity()
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.whole, self.causal = whole, whole

    def forward(self, x: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        seen = self.encoder(self.lift(x), mask=mask)
        return seen if self.whole else seen.mean(1)


def mlp(norm: bool = False) -> nn.Module:
    norms = [nn.BatchNorm1d(32)] if norm else []
    return nn.Sequential(nn.Linear(8, 32), *norms, nn.ReLU(), nn.Linear(32, 32), nn.ReLU())


def cnn(norm: bool = False) -> nn.Module:
    norms = [nn.BatchNorm2d(8)] if norm else []
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), *norms, nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.AvgPool2d(4),
        nn.Flatten(),
    )  # fmt: skip


def temporal() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(4, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten()
    )


class Channels(nn.Module):
    """A row's columns as channels, for convolutions over time."""

    def __init__(self) -> None:
        super().__init__()
        self.net = temporal()

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x.transpose(1, 2))


BODIES: dict[str, tuple[str, Callable[[], nn.Module], int]] = {
    "MLP": ("table", mlp, 32),
    "MLP with batch norm": ("table", lambda: mlp(norm=True), 32),
    "CNN": ("pictures", cnn, 32),
    "CNN with batch norm": ("pictures", lambda: cnn(norm=True), 32),
    "temporal CNN": ("series", Channels, 32),
    "RNN": ("series", lambda: Recurrent(nn.RNN, 4, 24), 24),
    "LSTM": ("series", lambda: Recurrent(nn.LSTM, 4, 24), 24),
    "GRU": ("series", lambda: Recurrent(nn.GRU, 4, 24), 24),
    "Transformer": ("series", lambda: Attentive(4, 24), 24),
}


def network(architecture: str, out: int = 3) -> Network:
    _, body, width = BODIES[architecture]
    return Network(body(), width, out)


def rows(architecture: str, seed: int, count: int = 32) -> tuple[Tensor, Tensor]:
    """Inputs as this architecture takes them, and the features behind their answers."""
    draws = torch.Generator().manual_seed(seed)
    sort = BODIES[architecture][0]
    if sort == "table":
        x = torch.randn(count, 8, generator=draws)
        return x, x[:, :3]
    if sort == "pictures":
        x = torch.randn(count, 1, 8, 8, generator=draws)
        return x, 4 * functional.avg_pool2d(x, 4).flatten(1)[:, :3]
    x = torch.randn(count, 10, 4, generator=draws)
    return x, x[:, :, :3].sum(1) / 10**0.5


def classes(features: Tensor) -> Tensor:
    return features.argmax(1)


def numbers(features: Tensor) -> Tensor:
    """One number for each row, as a column."""
    return (features[:, 0] - features[:, 1] + torch.sin(2 * features[:, 2]))[:, None]


# -- a language of a few words ------------------------------------------------------------------------------------


class Speaker(nn.Module):
    """Says the next word at each place."""

    def __init__(self, architecture: str, places: int = 32) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, 32), nn.Parameter(torch.zeros(places, 32))
        self.body: nn.Module
        if architecture == "Transformer":
            self.body = Attentive(32, 32, whole=True)
        else:
            self.body = Recurrent({"LSTM": nn.LSTM, "GRU": nn.GRU}[architecture], 32, 32, whole=True)
        self.head = nn.Linear(32, WORDS)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.body(self.words(words) + self.places[: words.shape[1]]))


def lines(seed: int, count: int = 16, length: int = 13) -> Tensor:
    """Lines of words from 1 on, of which each mostly follows from the one before."""
    draws = torch.Generator().manual_seed(seed)
    words = torch.randint(1, WORDS, (count, length), generator=draws)
    follows = torch.rand(count, length, generator=draws) < FORESEEN
    for place in range(1, length):
        words[:, place] = torch.where(follows[:, place], words[:, place - 1] * 5 % 23 + 1, words[:, place])
    return words
