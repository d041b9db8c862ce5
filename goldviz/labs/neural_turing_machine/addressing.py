"""How a head of a neural Turing machine finds its place in memory (Graves et al. 2014, section 3.3, eq. 5-9).

Document 004, section 3.1, names the two ways, by content and by location, and gives no formula.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

SHIFTS = (1, 0, -1)
"""How many cells a weight may move, in the order of a head's shift."""
SMALLEST = 1e-30
"""A shifted weight counts as at least this much, so that its logarithm is finite."""


class Controls(NamedTuple):
    """What the controller tells the heads, (batch, head, ...) each.

    ``key`` is what is looked for, ``strength`` beta > 0, ``gate`` g in [0, 1], ``shift`` three shares that sum to 1 in
    the order of :data:`SHIFTS`, and ``sharpness`` gamma >= 1.
    """

    key: Float[Tensor, "batch head column"]
    strength: Float[Tensor, "batch head 1"]
    gate: Float[Tensor, "batch head 1"]
    shift: Float[Tensor, "batch head 3"]
    sharpness: Float[Tensor, "batch head 1"]


class Address(NamedTuple):
    """The weights of each cell after each of the four stages; a head uses the last, ``sharp``."""

    content: Float[Tensor, "batch head slot"]
    gated: Float[Tensor, "batch head slot"]
    shifted: Float[Tensor, "batch head slot"]
    sharp: Float[Tensor, "batch head slot"]


def address(
    memory: Float[Tensor, "batch slot column"], controls: Controls, before: Float[Tensor, "batch head slot"]
) -> Address:
    """Where the heads go from the weights ``before``.

    By content softmax_i(beta cos(k, M_i)), the gate g w_content + (1 - g) w_before, the circular convolution
    sum_j w(j) s(i - j), and w(i)^gamma / sum_j w(j)^gamma (eq. 5-9). A cell of zeros is like nothing: its cosine is 0.

    >>> memory, before = torch.eye(3)[None], torch.tensor([[[1.0, 0.0, 0.0]]])
    >>> one = torch.ones(1, 1, 1)
    >>> ahead = Controls(torch.ones(1, 1, 3), one, 0 * one, torch.tensor([[[1.0, 0.0, 0.0]]]), one)
    >>> address(memory, ahead, before).sharp.round(decimals=6).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    # The smallest length is far below that of a cell filled with 1e-6, whose cosine must not feel it.
    cells = functional.normalize(memory, dim=-1, eps=1e-12)
    cosine = functional.normalize(controls.key, dim=-1, eps=1e-12) @ cells.mT
    content = torch.softmax(controls.strength * cosine, -1)
    gated = torch.lerp(before, content, controls.gate)
    around = torch.cat([gated[..., -1:], gated, gated[..., :1]], -1).unfold(-1, len(SHIFTS), 1)
    shifted = (around @ controls.shift[..., None])[..., 0]
    # As a softmax of logarithms: powers of small weights alone would be 0 in single precision, and so their sum.
    sharp = torch.softmax(controls.sharpness * shifted.clamp_min(SMALLEST).log(), -1)
    return Address(content, gated, shifted, sharp)


def written(
    memory: Float[Tensor, "batch slot column"],
    weights: Float[Tensor, "batch slot"],
    erase: Float[Tensor, "batch column"],
    add: Float[Tensor, "batch column"],
) -> Float[Tensor, "batch slot column"]:
    """The memory after a head wrote: M_i * (1 - w_i e) + w_i a (eq. 3-4).

    >>> half = torch.tensor([[0.5]])
    >>> written(torch.ones(1, 1, 1), half, torch.ones(1, 1), torch.ones(1, 1)).item()
    1.0
    """
    share = weights[..., None]
    return torch.addcmul(memory, share, add[:, None] - memory * erase[:, None])
