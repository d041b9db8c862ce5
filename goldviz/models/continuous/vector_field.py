"""The field that a hidden state follows between observations: a small network with tanh layers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import linear


class TanhField(nn.Module):
    """f_theta(h) of document 001, eq. 31: hidden -> widths -> hidden, tanh between the layers, the last one linear.

    The field does not depend on time. Without ``widths`` it is the linear field W h + b. Layer l's matrix is drawn
    N(0, 1 / inputs of the layer), the last one ``last_scale`` times that, so that a fresh state moves slowly; biases
    start at zero. With ``outputs`` the last layer has so many in place of ``hidden``. Matrices are drawn in float64 on
    the CPU and rounded, so that both precisions start from the same field. Called as ``field(t, h)``, the order that
    torchdiffeq uses.
    """

    def __init__(
        self,
        hidden: int,
        widths: Sequence[int],
        generator: Generator,
        *,
        outputs: int | None = None,
        last_scale: float = 0.1,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        for size in (hidden, *widths):
            if size < 1:
                raise ValueError(f"A layer of the field has {size} units; allowed is a whole number from 1.")
        if not (math.isfinite(last_scale) and last_scale >= 0):
            raise ValueError(f"The scale of the field's last layer is {last_scale}; allowed is a number from 0.")
        self.hidden = hidden
        self.widths = tuple(widths)
        self.outputs = hidden if outputs is None else outputs
        sizes = (hidden, *widths, self.outputs)
        scales = [1.0] * len(self.widths) + [last_scale]
        matrices = [
            torch.randn(outputs, inputs, generator=generator, dtype=torch.float64) * (scale / math.sqrt(inputs))
            for inputs, outputs, scale in zip(sizes[:-1], sizes[1:], scales, strict=True)
        ]
        precision = torch.get_default_dtype() if dtype is None else dtype
        self.weights = nn.ParameterList([nn.Parameter(W.to(precision)) for W in matrices])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(len(W), dtype=precision)) for W in matrices])

    def forward(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any outputs"]:
        """dh/dt at the state h; the time t is not looked at."""
        *inner, (W, b) = zip(self.weights, self.biases, strict=True)
        for W_l, b_l in inner:
            h = torch.tanh(linear(h, W_l, b_l))
        return linear(h, W, b)
