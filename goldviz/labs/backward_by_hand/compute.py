"""What *Backward by hand* shows: every tensor and gradient as labelled arrays, and the claims in numbers.

Document 002, sections 1.4.1 to 1.4.5.
"""

from __future__ import annotations

from typing import Any

import torch
import xarray as xr
from torch import Tensor

from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.network import BACKWARD, closed_forms, nodes
from goldviz.labs.backward_by_hand.passes import Passes, beginning, both_ways, differentiated, forward
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.training.seeds import TEST_DATA
from goldviz.training.threads import one_thread

PATHS = {
    "direct": "dbnraw * bnvar_inv",
    "mean": "-sum(dbnraw * bnvar_inv, 0) / n * ones(n, n1)",
    "variance": "dbndiff2 * 2 * bndiff",
}
"""The three ways of dL/dx through batch norm (document 002, 1.4.5)."""
ANOTHER_SHIFT = 5.0
"""Added to every logit's maximum, to see that any shift leaves the loss as it is."""


def compute(settings: BackwardByHand) -> xr.Dataset:
    """Each node as its name, its gradient by hand as "d" and its name; ``closed_`` and the name for the closed forms.

    ``path`` has the three ways through batch norm. The attributes say how far each gradient is from autograd's, and
    what the claims of document 002 come to on this batch. Raises ``ValueError`` where a number stops being finite.
    """
    with one_thread():
        passes = both_ways(settings)
        board = passes.board
        graph_nodes = nodes(settings.divisor)
        arrays: dict[str, Any] = {name: (node.dims, board.tensors[name].numpy()) for name, node in graph_nodes.items()}
        arrays |= {f"d{name}": (graph_nodes[name].dims, passes.gradient(name).numpy()) for name in BACKWARD}
        in_closed_form = {name: board.value(text) for name, text in closed_forms(settings.divisor).items()}
        arrays |= {f"closed_{name}": (graph_nodes[name].dims, value.numpy()) for name, value in in_closed_form.items()}
        arrays["path"] = (
            ("way", "sample", "hidden"),
            torch.stack([board.value(text) for text in PATHS.values()]).numpy(),
        )
        return xr.Dataset(
            arrays,
            coords=_labels(settings, passes),
            attrs={
                "divisor": settings.divisor,
                "sizes": board.sizes,
                "contexts": passes.batch.contexts(),
                "targets": passes.batch.targets(),
                "difference": {name: passes.difference(name) for name in BACKWARD},
                "closed_difference": {
                    name: _apart(value, passes.autograd[name]) for name, value in in_closed_form.items()
                },
                **_without_the_maximum(settings, passes),
                **_around_batch_norm(settings, passes),
            },
        )


def _labels(settings: BackwardByHand, passes: Passes) -> dict[str, Any]:
    return {
        "sample": range(1, settings.samples + 1),
        "symbol": list(passes.batch.symbols),
        "hidden": range(1, settings.hidden + 1),
        "feature": range(1, settings.features + 1),
        "place": range(-settings.context, 0),
        "context_feature": range(1, settings.context * settings.features + 1),
        "way": list(PATHS),
    }


def _apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def _without_the_maximum(settings: BackwardByHand, passes: Passes) -> dict[str, float]:
    """Subtracting the maximum changes neither loss nor gradient, so the sign of its gradient does no harm (C12).

    ``shift_in_loss`` and ``shift_in_gradient`` compare with autograd of a softmax that subtracts nothing, or something
    else; ``sign_in_gradient`` compares dlogits with the document's sign and with the right one.
    """
    board = passes.board
    _, start = beginning(settings)
    without_maximum = board.value("dnorm_logits - dlogit_maxes * onehot(argmax(logits))")
    maxima = board.tensors["logit_maxes"]
    others = [
        differentiated(start, settings.divisor, {"logit_maxes": shift})
        for shift in (torch.zeros_like(maxima), maxima + ANOTHER_SHIFT)
    ]
    return {
        "sign_in_gradient": _apart(without_maximum, board.tensors["dlogits"]),
        "shift_in_loss": max(_apart(other.tensors["loss"].detach(), board.tensors["loss"]) for other in others),
        "shift_in_gradient": max(_apart(_kept(other, "logits"), passes.autograd["logits"]) for other in others),
    }


def _kept(board: Board, name: str) -> Tensor:
    gradient = board.tensors[name].grad
    assert gradient is not None
    return gradient


@torch.no_grad()
def _around_batch_norm(settings: BackwardByHand, passes: Passes) -> dict[str, float]:
    """What a bias before batch norm does (C8), whether scale and shift can undo it (C9), and the path of zeros."""
    board = passes.board
    _, start = beginning(settings)
    without_b1 = forward(start, settings.divisor, {"b1": torch.zeros_like(board.tensors["b1"])})
    undoing = {"bngain": board.value("sqrt(bnvar + eps)"), "bnbias": board.tensors["bmean"]}
    undone = forward(start, settings.divisor, undoing)
    elsewhere = forward(beginning(settings, TEST_DATA)[1], settings.divisor, undoing).tensors
    spread = float(elsewhere["h_prebn"].std()) or 1.0
    return {
        "bias_gradient": float(board.tensors["db1"].abs().max()),
        "bias_in_logits": _apart(without_b1.tensors["logits"], board.tensors["logits"]),
        "identity_error": _apart(undone.tensors["h_preact"], board.tensors["h_prebn"]),
        "identity_elsewhere": _apart(elsewhere["h_preact"], elsewhere["h_prebn"]) / spread,
        "mean_through_variance": float(board.value("sum(dbndiff2 * 2 * bndiff, 0)").abs().max()),
    }
