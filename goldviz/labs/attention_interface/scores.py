"""How well a source word fits what is about to be written: the scores that attention is made of.

Each is a module with ``keys(encoded)``, what it makes of the source once, and ``forward(state, keys)``, the scores of
one step, (batch, source place). The state is the decoder's before the step, as Bahdanau et al. (2015) have it;
Luong et al. (2015) take the one after it.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

Scores = Float[Tensor, "batch place"]
States = Float[Tensor, "batch width"]
Encoded = Float[Tensor, "batch place width"]


class AdditiveScore(nn.Module):
    """e_ij = v^T tanh(W s_(i-1) + U h_j) (Bahdanau et al. 2015, appendix A.1.2)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.total = nn.Linear(width, 1, bias=False)

    def keys(self, source_states: Encoded) -> Encoded:
        """U h_j of every source word."""
        keys: Tensor = self.key(source_states)
        return keys

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        scores: Tensor = self.total(torch.tanh(keys + self.query(state)[:, None]))
        return scores[..., 0]


class DotScore(nn.Module):
    """e_ij = s_(i-1) . h_j (Luong et al. 2015, eq. 8, dot)."""

    def __init__(self, _width: int) -> None:
        super().__init__()

    def keys(self, source_states: Encoded) -> Encoded:
        """The encoder's states as they are."""
        return source_states

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        return (keys @ state[..., None])[..., 0]


class GeneralScore(nn.Module):
    """e_ij = s_(i-1)^T W h_j (Luong et al. 2015, eq. 8, general)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width, bias=False)

    def keys(self, source_states: Encoded) -> Encoded:
        """W h_j of every source word."""
        keys: Tensor = self.key(source_states)
        return keys

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        return (keys @ state[..., None])[..., 0]


SCORE_MODULES: dict[str, type[AdditiveScore | DotScore | GeneralScore]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "general": GeneralScore,
}
