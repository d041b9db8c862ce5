"""Training in float16: the loss is scaled up, so that small gradients do not become 0 (Micikevicius et al. 2018).

float16 has no number between 0 and 6e-8, and none above 65,504.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

START = 2.0**16
GROWS_AFTER = 2000
"""So many steps without an overflow, and the factor doubles."""


class LossScale(nn.Module):
    """The factor of the loss; it halves where a gradient is not finite, and that step is left out."""

    factor: Tensor
    steps_since: Tensor

    def __init__(self, start: float = START, grows_after: int = GROWS_AFTER) -> None:
        super().__init__()
        self.grows_after = grows_after
        self.register_buffer("factor", torch.tensor(start))
        self.register_buffer("steps_since", torch.tensor(0))

    def forward(self, loss: Tensor) -> Tensor:
        """The loss whose gradients are taken."""
        return loss * self.factor

    @torch.no_grad()
    def undo(self, parameters: Iterable[Tensor]) -> bool:
        """Take the factor out of the gradients, and say whether all are finite; the next factor follows from that.

        >>> scale, weight = LossScale(4.0), torch.ones(1, requires_grad=True)
        >>> scale(weight * float("inf")).sum().backward()
        >>> scale.undo([weight]), float(scale.factor)
        (False, 2.0)
        """
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        torch._foreach_div_(gradients, self.factor)
        finite = bool(torch.stack(torch._foreach_norm(gradients, torch.inf)).isfinite().all())
        self.steps_since = self.steps_since + 1 if finite else torch.zeros_like(self.steps_since)
        if not finite:
            self.factor = self.factor / 2
        elif int(self.steps_since) == self.grows_after:
            self.factor, self.steps_since = self.factor * 2, torch.zeros_like(self.steps_since)
        return finite
