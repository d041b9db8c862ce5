"""Steps along the gradient without what PyTorch looks up anew at each: a small network's step costs less than that.

Nor do these optimisers load PyTorch's compiler, which nothing here uses: its own do as they are made, step and tell
their state, and a new process spends two seconds on that, as many as on PyTorch itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, optim
from torch.optim import SGD, Adam, AdamW, Optimizer

States = Sequence[Mapping[str, Tensor]]
Kernel = Callable[[Mapping[str, Any], list[Tensor], States], None]


class _Uncompiled(Optimizer):
    """What PyTorch wraps to keep its compiler out, unwrapped: the wrapping is what loads the compiler."""

    add_param_group = inspect.unwrap(Optimizer.add_param_group)
    zero_grad = inspect.unwrap(Optimizer.zero_grad)
    state_dict = inspect.unwrap(Optimizer.state_dict)
    load_state_dict = inspect.unwrap(Optimizer.load_state_dict)


class QuickSGD(_Uncompiled, SGD):
    """:class:`torch.optim.SGD`, for :func:`take_step`."""


class QuickAdam(_Uncompiled, Adam):
    """:class:`torch.optim.Adam`, for :func:`take_step`."""


class QuickAdamW(_Uncompiled, AdamW):
    """:class:`torch.optim.AdamW`, for :func:`take_step`."""


def optimiser_class(name: str) -> Callable[..., Optimizer]:
    """The class of this name: one of these, else PyTorch's own."""
    kind: Callable[..., Optimizer] = globals().get(name) or getattr(optim, name)
    return kind


def clear_gradients(optimiser: Optimizer) -> None:
    """What ``zero_grad`` does, without the hooks for profilers that cost more than that."""
    for group in optimiser.param_groups:
        for weight in group["params"]:
            weight.grad = None


@torch.no_grad()
def take_step(optimiser: Optimizer) -> None:
    """What ``step`` does, to the bit.

    Weights are on one device, in one precision. PyTorch's own are the first step, which makes the moments, one that
    leaves a weight without a gradient out, and those of optimisers that are not in :data:`KERNELS`.
    """
    kernel = KERNELS.get(type(optimiser))
    if kernel is None:
        optimiser.step()
        return
    groups = optimiser.param_groups
    gradients = [[weight.grad for weight in group["params"]] for group in groups]
    if not optimiser.state or any(gradient is None for own in gradients for gradient in own):
        inspect.unwrap(type(optimiser).step)(optimiser)
        return
    for group, own in zip(groups, gradients, strict=True):
        if own:
            kernel(group, own, [optimiser.state[weight] for weight in group["params"]])


def _sgd(group: Mapping[str, Any], gradients: list[Tensor], states: States) -> None:
    torch._fused_sgd_(
        group["params"],
        gradients,
        [state["momentum_buffer"] for state in states],
        is_first_step=False,
        **{name: group[name] for name in ("lr", "momentum", "dampening", "nesterov", "weight_decay", "maximize")},
    )


def _by_moments(step: Callable[..., None]) -> Kernel:
    """Adam and AdamW, which differ in what weight decay is added to."""

    def kernel(group: Mapping[str, Any], gradients: list[Tensor], states: States) -> None:
        counts = [state["step"] for state in states]
        torch._foreach_add_(counts, 1)
        means, squares = ([state[name] for state in states] for name in ("exp_avg", "exp_avg_sq"))
        beta1, beta2 = group["betas"]
        step(
            group["params"],
            gradients,
            means,
            squares,
            [],
            counts,
            beta1=beta1,
            beta2=beta2,
            **{name: group[name] for name in ("lr", "weight_decay", "eps", "amsgrad", "maximize")},
        )

    return kernel


KERNELS: Mapping[type[Optimizer], Kernel] = {
    QuickSGD: _sgd,
    QuickAdam: _by_moments(torch._fused_adam_),
    QuickAdamW: _by_moments(torch._fused_adamw_),
}
"""One pass over all weights for each class of the table of optimisers."""
