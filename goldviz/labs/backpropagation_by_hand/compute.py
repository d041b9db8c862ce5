"""What the page *The unrolled network* shows: document 003's recursion, beside autograd."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import xarray as xr
from torch import Tensor

from goldviz.labs.backpropagation_by_hand import recursion
from goldviz.labs.backpropagation_by_hand.network import Alphabet, ForwardStep, Weights, draw, forward
from goldviz.labs.backpropagation_by_hand.recursion import deltas_of_each, recurrent_terms
from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand
from goldviz.training.seeds import WEIGHTS, stream
from goldviz.training.threads import one_thread

DIMS = {
    "W_ax": ("unit", "symbol"),
    "W_aa": ("unit", "earlier_unit"),
    "b_a": ("unit",),
    "W_ya": ("symbol", "unit"),
    "b_y": ("symbol",),
}
FORWARD = {
    "x": "symbol",
    "y": "symbol",
    "h_previous": "unit",
    "u": "unit",
    "h": "unit",
    "o": "symbol",
    "y_hat": "symbol",
}
BACKWARD = {"delta_y": "symbol", "from_output": "unit", "from_later": "unit", "delta_h": "unit", "delta_u": "unit"}


def compute(settings: BackpropagationByHand) -> xr.Dataset:
    """Forward and backward quantities of every step, and each of the five parts W as ``W`` (the weights),
    ``W_term`` (of every step), ``W_gradient`` (the sum), ``W_autograd``, ``W_clipped`` and ``W_updated``.

    ``delta_of_loss`` is how each loss alone reaches back, and ``pair`` the norm of its term of dL/dW_aa (document 001,
    eq. 6); NaN where the step is after the loss. Two attributes say how far their sum is from autograd's, with the
    direct derivative in eq. 6 and with the total one, as a share of its norm.

    Raises ``ValueError`` if a number stops being finite.
    """
    with one_thread():
        alphabet = Alphabet.of(settings.text)
        inputs, targets = alphabet.next_symbol_pairs(settings.text)
        weights = draw(
            len(alphabet.symbols), settings.hidden, lambda index: stream(settings.seed, WEIGHTS + index), settings.gain
        )
        ahead = forward(weights, inputs, targets)
        back = recursion.backward(weights, ahead)
        gradient, reference = recursion.total(back), recursion.autograd_gradients(weights, inputs, targets)
        clipping = recursion.clip(gradient, settings.clip)
        next_weights = recursion.sgd_update(weights, clipping.gradients, settings.learning_rate)
        after = forward(next_weights, inputs, targets)

        data: dict[str, Any] = {"loss": ("step", torch.stack([step.loss for step in ahead]).numpy())}
        data |= {name: (("step", dim), _stacked(ahead, name)) for name, dim in FORWARD.items()}
        data |= {name: (("step", dim), _stacked(back, name)) for name, dim in BACKWARD.items()}
        data |= {
            f"{part}_term": (("step", *dims), torch.stack([getattr(step.terms, part) for step in back]).numpy())
            for part, dims in DIMS.items()
        }
        direct = deltas_of_each(weights, ahead, [step.from_output for step in back])
        terms = recurrent_terms(direct, ahead)
        twice = recurrent_terms(deltas_of_each(weights, ahead, [step.delta_h for step in back]), ahead)
        after_loss = torch.ones(terms.shape[:2], dtype=torch.bool).triu(1)
        pairs = torch.linalg.matrix_norm(terms).masked_fill(after_loss, math.nan)
        data["delta_of_loss"] = (
            ("loss_step", "step", "unit"),
            direct.masked_fill(after_loss[..., None], math.nan).numpy(),
        )
        data["pair"] = (("loss_step", "step"), pairs.numpy())
        stages = {
            "": weights,
            "_gradient": gradient,
            "_autograd": reference,
            "_clipped": clipping.gradients,
            "_updated": next_weights,
        }
        data |= {
            part + stage: (DIMS[part], getattr(values, part).numpy())
            for stage, values in stages.items()
            for part in Weights._fields
        }
        units = list(range(1, settings.hidden + 1))
        return xr.Dataset(
            data,
            coords={
                "step": list(range(1, len(ahead) + 1)),
                "loss_step": list(range(1, len(ahead) + 1)),
                "symbol": list(alphabet.symbols),
                "unit": units,
                "earlier_unit": units,
            },
            attrs={
                "text": settings.text,
                "difference": recursion.differences(gradient, reference),
                "off_with_direct": _share_off(terms.sum((0, 1)), reference.W_aa),
                "off_with_total": _share_off(twice.sum((0, 1)), reference.W_aa),
                "norm_before": clipping.norm_before,
                "norm_after": clipping.norm_after,
                "cosine": clipping.cosine,
                "loss_before": _total_loss(ahead),
                "loss_after": _total_loss(after),
            },
        )


def _stacked(steps: Sequence[Any], name: str) -> Any:
    return torch.stack([getattr(step, name) for step in steps]).numpy()


def _share_off(gradient: Tensor, reference: Tensor) -> float:
    """How far a gradient is from the right one, as a share of the right one's norm; NaN where that is zero."""
    return float(torch.linalg.matrix_norm(gradient - reference) / torch.linalg.matrix_norm(reference))


def _total_loss(steps: Sequence[ForwardStep]) -> float:
    return float(sum(step.loss for step in steps))
