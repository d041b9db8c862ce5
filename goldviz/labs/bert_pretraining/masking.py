"""Pieces hidden for masked language modelling: what the encoder sees, and what it must say (Devlin et al. 2019)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Generator, Tensor

NO_TARGET = -100
"""Where nothing is asked: the value that ``cross_entropy`` ignores."""

MASKED_SHARE = 0.8
"""Of the chosen pieces so many become [MASK]; half of the others become any piece, the rest stays as it is."""


def mask_pieces(
    ids: Int[Tensor, "batch pieces"],
    special: Bool[Tensor, "batch pieces"],
    ordinary: Int[Tensor, " piece"],
    mask_id: int,
    generator: Generator,
    share: float = 0.15,
) -> tuple[Int[Tensor, "batch pieces"], Int[Tensor, "batch pieces"]]:
    """Inputs with hidden pieces, and targets: the piece that was there, or :data:`NO_TARGET` where nothing is asked.

    Each piece is chosen by itself with probability ``share``, and a row of which none was chosen gets one at random,
    so that every row teaches something. A chosen piece becomes [MASK] with probability 0.8, a random one of the
    ``ordinary`` numbers with probability 0.1, and stays with probability 0.1 (Devlin et al. 2019,
    section 3.1; document 001, section 4.2.2). Pieces that are ``special`` ([CLS], [SEP], padding) are never chosen.

    Raises ``ValueError`` for a share that is not above 0 and at most 1, a vocabulary without an ordinary piece, and a
    row that is special throughout.

    >>> inputs, targets = mask_pieces(
    ...     torch.tensor([[2, 7, 8, 9, 3]]), torch.tensor([[True, False, False, False, True]]), torch.arange(5, 50), 4,
    ...     Generator().manual_seed(0), share=0.4)
    >>> inputs.tolist(), targets.tolist()
    ([[2, 7, 8, 4, 3]], [[-100, -100, 8, 9, -100]])
    """
    if not 0 < share <= 1:
        raise ValueError(f"The share of pieces to hide is {share:g}; allowed is a number above 0 and at most 1.")
    if not len(ordinary):
        raise ValueError("The vocabulary has special pieces alone; allowed is one with others.")
    if bool(special.all(-1).any()):
        raise ValueError("A row has nothing but special pieces, so none can be hidden.")
    device = ids.device

    def uniform() -> Tensor:
        return torch.rand(ids.shape, generator=generator, device=generator.device).to(device)

    chance = uniform().masked_fill(special, 2.0)
    places = chance < share
    # Where no piece came below the share, the one that came nearest to it is chosen.
    places |= (chance == chance.amin(-1, keepdim=True)) & ~places.any(-1, keepdim=True)
    treatment = uniform()
    hidden = places & (treatment < MASKED_SHARE)
    random_places = places & (treatment >= (1 + MASKED_SHARE) / 2)
    others = torch.randint(len(ordinary), ids.shape, generator=generator, device=generator.device)
    inputs = torch.where(random_places, ordinary[others.cpu()].to(device), ids).masked_fill(hidden, mask_id)
    return inputs, ids.masked_fill(~places, NO_TARGET)
