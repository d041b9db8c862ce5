"""How much torch is asked to do, in numbers that no busy machine changes: operators, and what comes out of them."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

SECONDS_AN_OPERATOR = 2.2e-6
SECONDS_A_NUMBER = 1e-9
"""Fitted to what the numbers of instant pages took of one processor, from 0.003 to 1.7 s: within a factor of 2.5."""


class TorchWork(TorchDispatchMode):
    """A context that counts the operators of torch, backward passes too, and the numbers that they give.

    >>> with TorchWork() as work:
    ...     _ = torch.ones(3) + torch.ones(3)
    >>> work.operators, work.numbers
    (3, 9)
    """

    def __init__(self) -> None:
        super().__init__()
        self.operators = self.numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        self.operators += 1
        for one in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(one, torch.Tensor):
                self.numbers += one.numel()
        return made

    @property
    def seconds(self) -> float:
        """About how long one processor takes for it."""
        return SECONDS_AN_OPERATOR * self.operators + SECONDS_A_NUMBER * self.numbers
