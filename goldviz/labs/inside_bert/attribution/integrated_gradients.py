"""Integrated gradients: which pieces an output depends on, as evidence beside attention (Sundararajan et al. 2017).

The gradient of the output is averaged along the straight line from a text without words to the text itself, in the
space of E^(0), the sum of the three embeddings before LayerNorm (document 001, section 4.2.1), and multiplied by the
difference of the two. What the pieces get adds up to the change of the output (completeness), as far as the sum over a
limited number of steps is the integral.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.inside_bert.attribution.outputs import classifier_of
from goldviz.labs.inside_bert.reading import ReportSteps, piece_ids, segment_ids
from goldviz.models.text.model import TextModel, TextModelError

if TYPE_CHECKING:
    from goldviz.data.texts.pieces import Pieces

LARGEST_GAP = 0.01
"""Steps are doubled until the attributions miss the change of the output by at most this share of it."""
MOST_PATH_POINTS = 512
PIECES_IN_A_BATCH = 512
"""Points of the path are taken together while they have so few pieces: one text of 512 keeps about 250 MB for its
gradient in a model of FinBERT's size."""

TextOutput = Callable[[Float[Tensor, "batch piece width"]], Float[Tensor, " batch"]]
"""One number of each text, from X^(L)."""


class Attributions(NamedTuple):
    """What each piece adds to the output, compared with the baseline.

    ``total`` is F(text) - F(baseline); ``gap`` is | sum of ``per_piece`` - ``total`` | / | ``total`` |, reached with
    ``steps`` points of the path. ``output`` is F(text).
    """

    per_piece: Float[np.ndarray, " piece"]
    gap: float
    total: float
    steps: int
    output: float


def integrated_gradients(
    model: TextModel,
    pieces: Pieces,
    label: int,
    steps: int = 64,
    report: ReportSteps | None = None,
    most_steps: int = MOST_PATH_POINTS,
) -> Attributions:
    """What each piece adds to the classifier's logit of the class number ``label``, from 0.

    The baseline has the tokeniser's padding piece in the place of every piece that is not special. ``steps``
    are doubled, up to ``most_steps``, until the gap is at most ``LARGEST_GAP``. ``report`` is told of every point of
    the path; the total that it is told grows when the steps are doubled. Raises
    :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    classifier = classifier_of(model)
    return attribute_output(model, pieces, lambda hidden: classifier(hidden)[:, label], steps, report, most_steps)


def attribute_output(
    model: TextModel,
    pieces: Pieces,
    output: TextOutput,
    steps: int = 64,
    report: ReportSteps | None = None,
    most_steps: int = MOST_PATH_POINTS,
) -> Attributions:
    """Integrated gradients of any ``output`` of X^(L), by a Gauss-Legendre sum.

    Raises ValueError for fewer than 2 steps, and :class:`goldviz.models.text.model.TextModelError` where the
    tokeniser lacks the piece that the baseline is made of.
    """
    if not 2 <= steps <= most_steps:
        raise ValueError(f"The number of steps is {steps}; allowed is 2 to {most_steps}.")
    ids = piece_ids(model, pieces)
    segments = segment_ids(model, pieces)
    text, empty = (_summed(model, one, segments) for one in (ids, _baseline_ids(model, pieces, ids)))
    path = _Path(model, output, report)
    with torch.no_grad():
        value = float(path.outputs(text))
        total = value - float(path.outputs(empty))
    while True:
        per_piece = path.integral(text, empty, steps)
        gap = _relative_gap(per_piece, total)
        if gap <= LARGEST_GAP or 2 * steps > most_steps:
            return Attributions(per_piece, gap, total, steps, value)
        steps *= 2


class _Path:
    """The points between baseline and text: outputs there, and the work that they took."""

    def __init__(self, model: TextModel, output: TextOutput, report: ReportSteps | None) -> None:
        self.model = model
        self.output = output
        self.report = report or (lambda done, planned: None)
        self.done = 0
        self.planned = 0

    def outputs(self, sums: Float[Tensor, "batch piece width"]) -> Float[Tensor, " batch"]:
        """F of texts given by their E^(0)."""
        encoder = self.model.encoder
        return self.output(encoder.upwards(encoder.embeddings.norm(sums)))

    def integral(self, text: Tensor, empty: Tensor, steps: int) -> Float[np.ndarray, " piece"]:
        """The attributions of the pieces by ``steps`` points: (x - x') * sum_k w_k dF/dx(x' + a_k (x - x')).

        Nodes a_k and weights w_k are Gauss and Legendre's on [0, 1] (Sundararajan et al. 2017, eq. 1, in place of its
        Riemann sum, eq. 3).
        """
        self.planned += steps
        nodes, weights = np.polynomial.legendre.leggauss(steps)
        places, shares = (text.new_tensor(values)[:, None, None] for values in ((1 + nodes) / 2, weights / 2))
        at_once = max(1, PIECES_IN_A_BATCH // text.shape[1])
        gradient = torch.zeros_like(text)
        for place, share in zip(places.split(at_once), shares.split(at_once), strict=True):
            with torch.enable_grad():
                points = (empty + place * (text - empty)).requires_grad_()
                (slopes,) = torch.autograd.grad(self._counted(points).sum(), points)
            gradient += (share * slopes).sum(0, keepdim=True)
        values = (text - empty) * gradient
        self.report(self.done, self.planned)
        per_piece: np.ndarray = values[0].sum(-1, dtype=torch.float64).detach().cpu().numpy()
        return per_piece

    def _counted(self, sums: Tensor) -> Tensor:
        self.report(self.done, self.planned)
        self.done += len(sums)
        return self.outputs(sums)


@torch.no_grad()
def _summed(model: TextModel, ids: Tensor, segments: Tensor) -> Float[Tensor, "1 piece width"]:
    total: Tensor = model.encoder.embeddings(ids, segments).total
    return total


def _baseline_ids(model: TextModel, pieces: Pieces, ids: Tensor) -> Tensor:
    """The same places, with the special pieces and the masks that the text has, and nothing else."""
    filler = model.tokeniser.pad_token_id
    if filler is None:
        raise TextModelError(
            f"The tokeniser of {model.name} has no padding piece, of which the baseline is made.", "tokeniser"
        )
    stays = torch.from_numpy(pieces.special | np.isin(pieces.ids, [model.tokeniser.mask_token_id])).to(ids.device)
    return torch.where(stays, ids, filler)


def _relative_gap(per_piece: np.ndarray, total: float) -> float:
    gap = abs(float(per_piece.sum()) - total)
    if total == 0:
        return 0.0 if gap == 0 else float("inf")
    return gap / abs(total)
