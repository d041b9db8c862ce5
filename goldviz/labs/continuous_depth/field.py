"""The field that carries points through continuous depth: tanh layers that count how often a solver asks them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import linear

from goldviz.models.continuous.vector_field import TanhField

MOST_EVALUATIONS = 2000
"""Evaluations of a field on one way through depth, after which its solver counts as not arriving."""


class UnsolvedFlowError(ValueError):
    """A solver could not carry the points to the end of the depth."""

    for_a_person = True


class DepthField(TanhField):
    """f(h) of document 001, eq. 29, the same at every depth: a :class:`TanhField` that can be looked into.

    ``evaluations`` counts the calls since it was last set to zero, as whoever carries points does first. A call beyond
    :data:`MOST_EVALUATIONS` raises :class:`UnsolvedFlowError`.
    """

    def __init__(
        self, hidden: int, widths: Sequence[int], generator: Generator, *, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__(hidden, widths, generator, dtype=dtype)
        self.evaluations = 0

    def forward(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any hidden"]:
        """dh/dt at the state h and the depth t, on a way through depth: it counts."""
        self.evaluations += 1
        if self.evaluations > MOST_EVALUATIONS:
            raise UnsolvedFlowError(
                f"The solver asked for the field more than {MOST_EVALUATIONS:,} times on one way through depth: the "
                "field has become too stiff for it. Take a smaller learning rate or a larger tolerance."
            )
        return self.at(t, h)

    def at(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any hidden"]:
        """dh/dt at the state h and the depth t, for who looks at the field and takes no way along it."""
        *_, last = [h, *self.tanh_values(t, h)]
        return linear(last, self.weights[-1], self.biases[-1])

    def tanh_values(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> list[Float[Tensor, "*any units"]]:
        """What the layers' tanh units say at the state h and the depth t, layer by layer."""
        values: list[Tensor] = []
        for W, b in zip(list(self.weights)[:-1], self.inner_biases(t), strict=True):
            values.append(torch.tanh(linear(values[-1] if values else h, W, b)))
        return values

    def inner_biases(self, t: Tensor) -> list[Tensor]:
        """The biases of all layers but the last at the depth t."""
        return list(self.biases)[:-1]

    def jacobian(self, t: Tensor, h: Float[Tensor, "points hidden"]) -> Float[Tensor, "points hidden hidden"]:
        """df/dh for every point: the product of the layers' matrices, each row times its unit's slope 1 - tanh^2."""
        J = torch.eye(self.hidden, dtype=h.dtype, device=h.device).expand(len(h), -1, -1)
        for W, values in zip(list(self.weights)[:-1], self.tanh_values(t, h), strict=True):
            J = (1 - values.square())[:, :, None] * (W @ J)
        product: Tensor = self.weights[-1] @ J
        return product


class TimedDepthField(DepthField):
    """f(h, t): a :class:`DepthField` whose first layer also sees the depth t, with weights of size 1 at the start.

    So each residual block reads other biases than the one before it (document 001, eq. 28-29).
    """

    def __init__(
        self, hidden: int, widths: Sequence[int], generator: Generator, *, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__(hidden, widths, generator, dtype=dtype)
        directions = torch.randn(self.widths[0], generator=generator, dtype=torch.float64) / math.sqrt(hidden)
        self.depth_weights = nn.Parameter(directions.to(dtype))

    def inner_biases(self, t: Tensor) -> list[Tensor]:
        """The biases of all layers but the last; the first layer's moves with t."""
        first, *others = super().inner_biases(t)
        return [first + t * self.depth_weights, *others]
