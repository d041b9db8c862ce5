"""Which pieces and heads an output depends on: integrated gradients, and heads switched off.

Integrated gradients (Sundararajan et al. 2017): the gradient of the output is averaged along the straight line from a
text without words to the text itself, in the space of E^(0), the sum of the three embeddings before LayerNorm (document
001, section 4.2.1), and multiplied by the difference of the two. What the pieces get adds up to the change of the
output (completeness), as far as the sum over a limited number of steps is the integral.

A head is switched off by a share that scales it, 1 for as it is and 0 for off: its output Z_h is multiplied by it
before W_O (Michel et al. 2019, section 2.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.inside_bert.reading import ReportSteps, as_array, piece_ids, segment_ids
from goldviz.models.text.encoder import BlockParts, EncoderBlock
from goldviz.models.text.heads import TextClassifier
from goldviz.models.text.model import TextModel, TextModelError

if TYPE_CHECKING:
    from goldviz.data.texts.pieces import Pieces

LARGEST_GAP = 0.01
"""Steps are doubled until the attributions miss the change of the output by at most this share of it."""
MOST_PATH_POINTS = 512
PIECES_IN_A_BATCH = 512
"""Points of the path are taken together while they have so few pieces: one text of 512 keeps about 250 MB for its
gradient in a model of FinBERT's size."""
ABLATED_PIECES_AT_ONCE = 512
"""Heads of a layer are switched off together, each on a copy of the text, while the copies have so few pieces."""

TextOutput = Callable[[Float[Tensor, "batch piece width"]], Float[Tensor, " batch"]]
"""One number of each text, from X^(L)."""


def classifier_of(model: TextModel) -> TextClassifier:
    """The model's classifier. Raises :class:`goldviz.models.text.model.TextModelError` if it has none."""
    if model.classifier is None:
        raise TextModelError(f"{model.name} has no classifier of tone; choose a model fine-tuned for it.", "no_head")
    return model.classifier


class Attributions(NamedTuple):
    """What each piece adds to the output, compared with the baseline.

    ``total`` is F(text) - F(baseline); ``gap`` is | sum of ``per_piece`` - ``total`` | / | ``total`` |, reached with
    ``steps`` points of the path.
    """

    per_piece: Float[np.ndarray, " piece"]
    gap: float
    total: float
    steps: int


def integrated_gradients(
    model: TextModel,
    pieces: Pieces,
    label: int,
    steps: int = 64,
    report: ReportSteps | None = None,
    most_steps: int = MOST_PATH_POINTS,
) -> Attributions:
    """What each piece adds to the classifier's logit of the class number ``label``, from 0, by a Gauss-Legendre sum.

    The baseline has the tokeniser's padding piece in the place of every piece that is not special. ``steps``
    are doubled, up to ``most_steps``, until the gap is at most ``LARGEST_GAP``. ``report`` is told of every point of
    the path; the total that it is told grows when the steps are doubled. Raises ValueError for fewer than 2 steps, and
    :class:`goldviz.models.text.model.TextModelError` for a model without a classifier, or whose tokeniser lacks the
    piece that the baseline is made of.
    """
    classifier = classifier_of(model)
    if not 2 <= steps <= most_steps:
        raise ValueError(f"The number of steps is {steps}; allowed is 2 to {most_steps}.")
    ids, segments = piece_ids(model, pieces), segment_ids(model, pieces)
    path = _Path(model, lambda hidden: classifier(hidden)[:, label], report)
    with torch.no_grad():
        texts = (ids, _baseline_ids(model, pieces, ids))
        text, empty = (model.encoder.embeddings(one, segments).total for one in texts)
        total = float(path.outputs(text)) - float(path.outputs(empty))
    while True:
        per_piece = path.integral(text, empty, steps)
        gap = _relative_gap(per_piece, total)
        if gap <= LARGEST_GAP or 2 * steps > most_steps:
            return Attributions(per_piece, gap, total, steps)
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
                self.report(self.done, self.planned)
                self.done += len(points)
                (slopes,) = torch.autograd.grad(self.outputs(points).sum(), points)
            gradient += (share * slopes).sum(0, keepdim=True)
        values = (text - empty) * gradient
        self.report(self.done, self.planned)
        return as_array(values[0].sum(-1, dtype=torch.float64).detach())


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


@torch.no_grad()
def head_ablation(
    model: TextModel, pieces: Pieces, shares: Float[np.ndarray, "layer head"]
) -> Float[np.ndarray, " output"]:
    """The logits of the tone with every head scaled by its share, in one forward pass.

    Raises ValueError if ``shares`` has not one entry for each head, and
    :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    shape, read = model.encoder.shape, classifier_of(model)
    if shares.shape != (shape.layers, shape.heads):
        raise ValueError(f"The shares have shape {shares.shape}; allowed is {(shape.layers, shape.heads)}.")
    x = _first_state(model, pieces)
    for block, row in zip(model.encoder.blocks, torch.as_tensor(shares).to(x), strict=True):
        # A layer of which nothing is scaled takes the fused kernel, which keeps no weights.
        x = block(x, None) if bool((row == 1).all()) else cast("EncoderBlock", block).inspect(x, shares=row).output
    return as_array(read(x)[0])


@torch.no_grad()
def ablate_all(
    model: TextModel, pieces: Pieces, report: ReportSteps | None = None
) -> Float[np.ndarray, "layer head output"]:
    """The change of each logit when one head after another is switched off, all others staying as they are.

    Each pass starts at the head's own layer, so that the whole costs about half of a full pass for each head.
    ``report`` is told how many layers were gone through and how many there are to go through in all, and ends the
    work where it raises. Raises :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    shape, read = model.encoder.shape, classifier_of(model)
    x = _first_state(model, pieces)
    whole = as_array(read(model.encoder.upwards(x)))
    at_once = max(1, ABLATED_PIECES_AT_ONCE // len(pieces))
    changes: list[np.ndarray] = []
    done, total = 0, shape.heads * shape.layers * (shape.layers + 1) // 2
    for layer, module in enumerate(model.encoder.blocks):
        block = cast("EncoderBlock", module)
        parts = block.inspect(x)
        for heads in torch.arange(shape.heads).split(at_once):
            above = _without_each(block, parts, heads)
            changes.append(as_array(read(model.encoder.upwards(above, start=layer + 1))) - whole)
            done += len(heads) * (shape.layers - layer)
            if report is not None:
                report(done, total)
        x = parts.output
    return np.concatenate(changes).reshape(shape.layers, shape.heads, -1)


def _first_state(model: TextModel, pieces: Pieces) -> Float[Tensor, "1 piece width"]:
    segments = segment_ids(model, pieces)
    state: Tensor = model.encoder.embeddings(piece_ids(model, pieces), segments).normalised
    return state


def _without_each(block: EncoderBlock, parts: BlockParts, heads: Tensor) -> Float[Tensor, "copy piece width"]:
    """The block's output with the first of ``heads`` off, with the second off, and so on: one copy for each."""
    mixture = parts.attention.mixed.repeat(len(heads), 1, 1, 1)
    mixture[torch.arange(len(heads)), heads] = 0
    attention_out = block.attention_norm(parts.input + block.attention.output(mixture.transpose(1, 2).flatten(2)))
    output: Tensor = block.output_norm(attention_out + block.feed_forward(attention_out))
    return output
