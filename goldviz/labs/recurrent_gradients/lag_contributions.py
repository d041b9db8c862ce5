"""The terms of dL/dW_h, one for each pair (t, k): what the loss at step t owes to the weights as used at step k.

Document 001, eq. 6; document 003's sum over t and k. Itemised after RNNbow (Cashman et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.backward import Backward, backward_step
from goldviz.models.recurrent.lstm import LSTMTrace
from goldviz.models.recurrent.networks import RecurrentLayer, Trace

Direct = Float[Tensor, "time batch hidden"]


@torch.no_grad()
def contributions_by_lag(layer: RecurrentLayer, trace: Trace, direct: Direct) -> Float[Tensor, "lag rows hidden"]:
    """dL/dW_h split by lag t - k = 0 to T-1; the sum over lags is autograd's gradient of ``W_h``.

    ``direct`` [t-1] is the gradient of the loss with respect to h_t through the read-out at t alone, not through
    later states. Steps at which it is zero cost nothing.
    """
    gates, hidden = len(layer.blocks), layer.hidden
    terms = direct.new_zeros(direct.shape[0], gates, hidden, hidden)
    losses = direct.flatten(1).any(1).nonzero().flatten().tolist()
    pulled = [*_pulled_back(layer, trace, direct)]
    for number, last in enumerate(losses):
        # Only the latest losses reach a step, so this one's gradient stands so many places from the end.
        place = number - len(losses)
        own = [(live.products[place], live.factors) for step, live in pulled if step <= last]
        products, factors = (torch.stack(parts) for parts in zip(*own, strict=True))
        sums = products.unflatten(-1, (gates, hidden))
        terms[: last + 1] += sums.permute(0, 2, 3, 1) @ factors.transpose(1, 2)
    return terms.flatten(1, 2)


def _pulled_back(layer: RecurrentLayer, trace: Trace, direct: Direct) -> Iterator[tuple[int, Backward]]:
    """For each step, last first, the gradients there of all losses that reach it, in their order in time."""
    steps, batch, hidden = direct.shape
    if len(trace.states) != steps + 1 or trace.states[0].shape != direct.shape[1:]:
        raise ValueError(
            f"The direct gradients have shape {tuple(direct.shape)}; the trace has {len(trace.states) - 1} steps "
            f"of shape {tuple(trace.states[0].shape)}."
        )
    live = direct.new_zeros(0, batch, 2 * hidden if isinstance(trace, LSTMTrace) else hidden)
    for step in reversed(range(steps)):
        if bool(direct[step].any()):
            own = live.new_zeros(1, *live.shape[1:])
            own[0, :, :hidden] = direct[step]
            live = torch.cat([own, live])
        if len(live) == 0:
            continue
        backward = backward_step(layer, trace, step, live)
        yield step, backward
        live = backward.previous
