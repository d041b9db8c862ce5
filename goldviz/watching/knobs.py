"""Knobs: what a person changes of a watched run from its page. A script that wants them says ``knobs=True``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

from torch import Tensor, nn
from torch.optim.optimizer import Optimizer

from goldviz.watching.layers import Layers

RATE, CLIP, DROPOUT, FREEZE = "learning_rate", "clip", "dropout", "freeze"
LARGEST = 1e6
"""Of a rate, and of a norm to clip at."""


class KnobError(ValueError):
    """A change that is not allowed, in one sentence."""


class Knobs:
    """What was changed of a run so far. Changes come between two steps, and hold from the next one on."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.clip = 0.0
        self._factor = self._factor_told = 1.0
        self._wanted = 0.0
        self._told_of: Callable[[], Optimizer | None] = lambda: None
        self._scaled_by: WeakKeyDictionary[Optimizer, float] = WeakKeyDictionary()
        self._frozen: dict[str, list[nn.Parameter]] = {}

    @property
    def names(self) -> list[str]:
        """The knobs that this network has."""
        return [RATE, CLIP, *([DROPOUT] if dropouts(self.layers.root) else []), FREEZE]

    def turn(self, changes: Mapping[str, Any], rate: float) -> str:
        """Take changes over, and return in words what changes by them; ``rate`` is the rate of the last step.

        Raises :class:`KnobError` for what is not allowed; nothing is changed then.
        """
        turns = {RATE: self._rate, CLIP: self._clip, DROPOUT: self._dropout, FREEZE: self._freeze}
        if unknown := set(changes) - set(turns):
            raise KnobError(f"There is no knob {sorted(unknown)[0][:60]!r}; there are {', '.join(turns)}.")
        ready = [turns[name](value, rate) for name, value in changes.items()]
        return ", ".join(filter(None, [turn() for turn in ready]))

    def before_step(self, optimiser: Optimizer, gradients: Sequence[Tensor], scale: float) -> None:
        """Scale this optimiser's rates, where that was asked for since its last step, and clip the gradient."""
        factor = self._factor / self._scaled_by.setdefault(optimiser, self._factor)
        if self._wanted and self._told_of() is optimiser:
            # Its rate is set to what was asked for, whatever a scheduler made of it meanwhile.
            factor, self._wanted = self._wanted / (float(optimiser.param_groups[0]["lr"]) or math.inf), 0.0
        self._scaled_by[optimiser] = self._factor_told = self._factor
        self._told_of = ref(optimiser)
        if factor != 1.0:
            for group in optimiser.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].mul_(factor)
                else:
                    group["lr"] *= factor
        if self.clip and gradients:
            whole = nn.utils.get_total_norm(gradients)
            share = (self.clip * scale / (whole + 1e-6)).clamp(max=1.0)
            for gradient in gradients:
                gradient.mul_(share.to(gradient.device))

    def _rate(self, value: Any, rate: float) -> Any:
        new = _number(RATE, value, above=0.0)
        if not (math.isfinite(rate) and rate > 0):
            raise KnobError("The learning rate is not known yet; it is from the first step on.")

        def turn() -> str:
            before = self._wanted or rate
            if new == before:
                return ""
            # Of several changes before a step the last one holds: each is of the rate that a step had.
            self._factor, self._wanted = self._factor_told * new / rate, new
            return f"learning rate {new:.4g} (was {before:.4g})"

        return turn

    def _clip(self, value: Any, _rate: float) -> Any:
        norm = _number(CLIP, value)

        def turn() -> str:
            if norm == self.clip:
                return ""
            self.clip = norm
            return f"gradients clipped at norm {norm:.4g}" if norm else "gradients no longer clipped here"

        return turn

    def _dropout(self, value: Any, _rate: float) -> Any:
        share = _number(DROPOUT, value, largest=0.99)
        modules = dropouts(self.layers.root)
        if not modules:
            raise KnobError("The network has no dropout to change.")

        def turn() -> str:
            if all(getattr(module, name) == share for module, name in modules):
                return ""
            for module, name in modules:
                setattr(module, name, share)
            return f"dropout {share:.4g}"

        return turn

    def _freeze(self, value: Any, _rate: float) -> Any:
        names = list(value) if isinstance(value, list | tuple) else [value]
        if unknown := [name for name in names if name not in self.layers.names]:
            raise KnobError(f"There is no layer {str(unknown[0])[:60]!r} to freeze.")

        def turn() -> str:
            if set(names) == set(self._frozen):
                return ""
            for name in [name for name in self._frozen if name not in names]:
                for parameter in self._frozen.pop(name):
                    parameter.requires_grad_(True)
            for name in [name for name in names if name not in self._frozen]:
                row = self.layers.names.index(name)
                own = [one for one, at in zip(self.layers.parameters, self.layers.layer_of, strict=True) if at == row]
                self._frozen[name] = [one for one in own if one.requires_grad]
                for parameter in self._frozen[name]:
                    parameter.requires_grad_(False)
                    # An optimiser leaves alone what has no gradient, momentum and weight decay included.
                    parameter.grad = None
            return f"frozen: {', '.join(names)}" if names else "nothing frozen here"

        return turn


def dropouts(root: nn.Module) -> list[tuple[nn.Module, str]]:
    """The modules that drop units, with the attribute that says how many."""
    places = [
        (module, "p" if isinstance(module, nn.modules.dropout._DropoutNd) else "dropout") for module in root.modules()
    ]
    return [
        (module, name)
        for module, name in places
        if name == "p" or (isinstance(module, nn.MultiheadAttention | nn.RNNBase) and module.dropout > 0)
    ]


def _number(name: str, value: Any, *, above: float = -1.0, largest: float = LARGEST) -> float:
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not above < number <= largest or number < 0:
        low = "above 0" if above == 0 else "from 0"
        raise KnobError(f"The knob {name} is {str(value)[:60]}; allowed is a number {low} to {largest:g}.")
    return number
