"""Three normalisations of the states of a sequence, and where they stand (document 004, section 4.2).

Layer norm (Ba et al. 2016): y = gamma (x - mu) / sqrt(sigma^2 + eps) + beta, with mean and variance over the units of
one word, so that no other word and no other sentence takes part. RMS norm (Zhang and Sennrich 2019) leaves out mu and
beta. Batch norm (Ioffe and Szegedy 2015) takes mean and variance of one unit over all words of the batch.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

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
