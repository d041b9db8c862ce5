"""New names: symbols drawn one after another, each by what the model holds likely (document 002, 1.1)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from goldviz.data.texts.items import BOUNDARY
from goldviz.labs.char_language_model.networks import Model

SAMPLES = 8
LONGEST = 20
OVER = -1
"""Stands where a name is over."""


@torch.no_grad()
def sampled(
    model: Model, context: int, generator: Generator
) -> tuple[Int[Tensor, "sample place"], Float[Tensor, "sample place"]]:
    """Symbols of eight names of at most twenty, and the probability of each when it was drawn.

    Where a name is over, -1 and NaN. The same generator gives the same numbers between 0 and 1, of which names are
    made: so with small changes of the model a name changes little.
    """
    device = next(iter(model.state_dict().values())).device
    chances = torch.rand(LONGEST, SAMPLES, generator=generator).to(device)
    contexts = torch.full((SAMPLES, context), BOUNDARY, device=device)
    going_on = torch.ones(SAMPLES, dtype=torch.bool, device=device)
    symbols, probabilities = [], []
    for chance in chances:
        shares = model(contexts).logits.softmax(1)
        symbol = (shares.cumsum(1) < chance[:, None]).sum(1).clamp(max=shares.shape[1] - 1)
        probability = shares.gather(1, symbol[:, None])[:, 0]
        symbols.append(torch.where(going_on, symbol, OVER))
        probabilities.append(torch.where(going_on, probability, torch.nan))
        going_on = going_on & (symbol != BOUNDARY)
        contexts = torch.cat([contexts[:, 1:], symbol[:, None]], dim=1)
    return torch.stack(symbols, 1), torch.stack(probabilities, 1)


def as_text(symbols: list[int], signs: list[str]) -> str:
    """A drawn name without the boundary at its end; an unfinished one ends in three dots.

    >>> as_text([1, 2, 0, -1], [".", "a", "b"]), as_text([1, 1], [".", "a"])
    ('ab', 'aa…')
    """
    text = "".join(signs[symbol] for symbol in symbols if symbol not in (OVER, BOUNDARY))
    return text if BOUNDARY in symbols else f"{text}…"
