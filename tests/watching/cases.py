"""Three runs on real data with networks of PyTorch's, each with a mistake that is often made.

A case is a step that a trial can take. ``repair`` does what the card says, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pydoc_data.topics import topics
from typing import Any

import torch
from sklearn.datasets import load_breast_cancer
from torch import Tensor, nn
from torch.nn import functional

State = dict[str, Any]
ROWS = 32


@dataclass(frozen=True)
class Case:
    """A network, its loss on the rows of a batch, and what its card is and says to do."""

    kind: str
    cure: str
    network: Callable[[], nn.Module]
    rows: int
    loss: Callable[[State, Tensor], Tensor]
    repair: Callable[[State], None]
    rate: float

    def state(self) -> State:
        """A script's state at its start."""
        model = self.network()
        return {"model": model, "optimizer": torch.optim.AdamW(model.parameters(), self.rate), "repaired": False}

    def drawn(self, order: int, number: int) -> Tensor:
        """The rows of a step's batch."""
        draws = torch.Generator().manual_seed(10_000 * order + number)
        return torch.randint(0, self.rows, (ROWS,), generator=draws)

    def step(self, state: State, order: int, number: int) -> Tensor:
        """One step."""
        loss = self.loss(state, self.drawn(order, number))
        state["optimizer"].zero_grad()
        loss.backward()
        state["optimizer"].step()
        return loss


def repaired(state: State) -> None:
    state["repaired"] = True


# -- a table whose columns are as they were measured ----------------------------------------------------------


@cache
def tumours() -> tuple[Tensor, Tensor]:
    """569 tumours by 30 numbers from 1e-3 to 4e3, and whether they are benign."""
    x, y = load_breast_cancer(return_X_y=True)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def tumour_network() -> nn.Module:
    return nn.Sequential(nn.Linear(30, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))


def tumour_loss(state: State, rows: Tensor) -> Tensor:
    x, y = tumours()
    if state["repaired"]:
        x = (x - x.mean(0)) / x.std(0)
    return functional.cross_entropy(state["model"](x[rows]), y[rows])


# -- the same table after a logarithm, in which thirteen tumours have a 0 --------------------------------------


def logarithm_loss(state: State, rows: Tensor) -> Tensor:
    x, y = tumours()
    x = x.log()
    known = x.where(x.isfinite(), torch.nan)
    x, y = ((x - known.nanmean(0)) / 2)[rows], y[rows]
    if state["repaired"]:
        whole = torch.isfinite(x).flatten(1).all(1)
        x, y = x[whole], y[whole]
    return functional.cross_entropy(state["model"](x), y)


# -- a reader of letters whose answer shares the embedding's weights -------------------------------------------

LETTERS, CONTEXT = 128, 16


@cache
def letters() -> Tensor:
    """The first 20,000 letters of what Python documents of itself."""
    text = "\n".join(topics.values())[:20_000]
    return torch.tensor([min(ord(letter), LETTERS - 1) for letter in text])


class LetterReader(nn.Module):
    """A causal Transformer of two layers; what it answers are products with its embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(LETTERS, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.answer = nn.Linear(32, LETTERS, bias=False)
        self.answer.weight = self.embed.weight

    def forward(self, x: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.answer(self.encoder(self.embed(x), mask=mask, is_causal=True))


def letter_loss(state: State, rows: Tensor) -> Tensor:
    window = letters()[rows[:, None] + torch.arange(CONTEXT + 1)]
    return functional.cross_entropy(state["model"](window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())


def begin_small(state: State) -> None:
    nn.init.normal_(state["model"].embed.weight, std=0.01)


CASES: Mapping[str, Case] = {
    "a table as it was measured": Case(
        "saturated", "inputs scaled to spread 1", tumour_network, 569, tumour_loss, repaired, 1e-3
    ),
    "a logarithm of 0": Case("first_cause", "torch.isfinite(x)", tumour_network, 569, logarithm_loss, repaired, 1e-3),
    "shared weights": Case("first_loss", "std=0.01", LetterReader, 20_000 - CONTEXT, letter_loss, begin_small, 1e-3),
}
