"""Rules that turn gradients into steps. A new one is an entry of the table: settings, words and training read it.

Torch is loaded when one is made, because settings read the table too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer


@dataclass(frozen=True)
class OptimiserRule:
    """An optimiser: what it is called, its class, and what differs from PyTorch's defaults.

    The class is one of ``quick_steps`` or, where there is none of this name, of ``torch.optim``.
    """

    words: str
    class_name: str
    options: Mapping[str, Any]

    def __call__(
        self, parameters: Iterable[Tensor], learning_rate: float, *, weight_decay: float | None = None
    ) -> Optimizer:
        """The optimiser of these parameters; without a ``weight_decay``, with the one of the options."""
        from goldviz.training.quick_steps import optimiser_class

        options = self.options if weight_decay is None else {**self.options, "weight_decay": weight_decay}
        return optimiser_class(self.class_name)(parameters, lr=learning_rate, **options)


ADAMW_DECAY = 0.01
"""PyTorch's default. Where a laboratory has no setting for it, AdamW takes so much off all weights, biases included."""

OPTIMISERS = {
    "adam": OptimiserRule("Adam", "QuickAdam", {"fused": True}),
    "adamw": OptimiserRule("AdamW", "QuickAdamW", {"fused": True, "weight_decay": ADAMW_DECAY}),
    "sgd": OptimiserRule("SGD with momentum", "QuickSGD", {"momentum": 0.9, "fused": True}),
}
"""``fused`` does a step in one pass over the weights: on one CPU thread 2 to 4 times faster than the default loop."""


def decaying_optimiser(name: str, modules: Sequence[nn.Module], rate: float, *, weight_decay: float) -> Optimizer:
    """An optimiser whose weight decay leaves biases and layer norms alone (document 002, "Optimizer (AdamW)").

    Weights that modules share are taken once.
    """
    weights = dict.fromkeys(parameter for module in modules for parameter in module.parameters())
    optimiser = OPTIMISERS[name]([w for w in weights if w.ndim > 1], rate)
    optimiser.param_groups[0]["weight_decay"] = weight_decay
    optimiser.add_param_group({"params": [w for w in weights if w.ndim == 1], "weight_decay": 0.0})
    return optimiser


def set_learning_rate(optimiser: Optimizer, learning_rate: float) -> None:
    """Take steps of this size from now on."""
    for group in optimiser.param_groups:
        group["lr"] = learning_rate
