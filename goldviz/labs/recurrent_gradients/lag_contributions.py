"""The terms of dL/dW_h, one for each pair (t, k): what the loss at step t owes to the weights as used at step k.

Document 001, eq. 6; document 003's sum over t and k. Itemised after RNNbow (Cashman et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.backward import steps_back
from goldviz.models.recurrent.weights import RecurrentTrace, RecurrentWeights

Direct = Float[Tensor, "time batch hidden"]


@torch.no_grad()
def contributions_by_lag(
    layer: RecurrentWeights, trace: RecurrentTrace, direct: Direct
) -> Float[Tensor, "lag rows hidden"]:
    """dL/dW_h split by lag t - k = 0 to T-1; the sum over lags is autograd's gradient of ``W_h``.

    ``direct`` [t-1] is the gradient of the loss with respect to h_t through the read-out at t alone, not through
    later states. Steps at which it is zero cost nothing.
    """
    gates, hidden = len(layer.blocks), layer.hidden
    terms = direct.new_zeros(direct.shape[0], gates, hidden, hidden)
    has_loss: list[bool] = direct.flatten(1).any(1).tolist()
    losses = [step for step, answers in enumerate(has_loss) if answers]
    back = [*_pulled_back(layer, trace, direct, has_loss)]
    read = layer.read_by_blocks(trace).permute(0, 2, 1, 3)
    for number, last in enumerate(losses):
        # Only the latest losses reach a step, so this one's gradient stands so many places from the end.
        place = number - len(losses)
        products = torch.stack([live[place] for step, live in back if step <= last])
        sums = products.unflatten(-1, (gates, hidden))
        terms[: last + 1] += sums.permute(0, 2, 3, 1) @ read[: last + 1].flip(0)
    return terms.flatten(1, 2)


@torch.no_grad()
def contribution_norms(layer: RecurrentWeights, trace: RecurrentTrace, direct: Direct) -> Float[Tensor, " lag"]:
    """The Frobenius norm of each of :func:`contributions_by_lag`, in float64.

    With one loss a term is sum_b p_b r_b^T over a few sequences b, and its squared norm the sum over pairs of them of
    (p_b . p_c)(r_b . r_c): the terms themselves, many times as large, need not be there.
    """
    has_loss: list[bool] = direct.flatten(1).any(1).tolist()
    if sum(has_loss) > 1:
        return torch.as_tensor(torch.linalg.matrix_norm(contributions_by_lag(layer, trace, direct).double()))
    norms = direct.new_zeros(len(direct), dtype=torch.float64)
    back = [products for _, products in _pulled_back(layer, trace, direct, has_loss)]
    if back:
        products = torch.cat(back).unflatten(-1, (len(layer.blocks), layer.hidden)).transpose(1, 2).double()
        read = layer.read_by_blocks(trace)[: len(back)].flip(0).transpose(1, 2).double()
        squares = ((products @ products.mT) * (read @ read.mT)).sum((1, 2, 3))
        norms[: len(back)] = squares.clamp(min=0).sqrt()
    return norms


def _pulled_back(
    layer: RecurrentWeights, trace: RecurrentTrace, direct: Direct, has_loss: Sequence[bool]
) -> Iterator[tuple[int, Tensor]]:
    """For each step, last first, what its products owe to all losses that reach it, in their order in time."""
    steps, batch, hidden = direct.shape
    if len(trace.states) != steps + 1 or trace.states[0].shape != direct.shape[1:]:
        raise ValueError(
            f"The direct gradients have shape {tuple(direct.shape)}; the trace has {len(trace.states) - 1} steps "
            f"of shape {tuple(trace.states[0].shape)}."
        )
    back = steps_back(layer, trace)
    live = direct.new_zeros(0, batch, trace.width)
    for step in reversed(range(steps)):
        if has_loss[step]:
            own = live.new_zeros(1, *live.shape[1:])
            own[0, :, :hidden] = direct[step]
            live = torch.cat([own, live])
        if len(live) == 0:
            continue
        backward = back(step, live)
        yield step, backward.products
        live = backward.previous
