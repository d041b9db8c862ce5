"""Cures tried on a run of one's own: each goes on from the same state beside a control, over several orders of data.

Every arm begins with a copy of the state, so what is tried leaves the script's own model as it was. A placebo is among
the arms: it changes the rate by one per cent, and a trial in which it seems to help tells nothing.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.noise import mean_interval
from goldviz.diagnostics.random_streams import unchanged_streams
from goldviz.watching.measures import is_recurrent, rate_factor

State = Mapping[str, Any]
StepFunction = Callable[[dict[str, Any], int, int], Any]
Change = Callable[[dict[str, Any]], Any]
"""Of a state that is a copy."""
CONTROL, PLACEBO = "control", "placebo"
LEAST_HELP = 0.05
"""Of the control's loss: a rate that is one per cent larger helps a little, too."""
LIMIT = 1.0
"""Norm to which a cure clips."""
MOST_STEPS, MOST_ORDERS = 10_000, 20


def _in_groups(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    """Change what an optimiser's groups say."""

    def changed(state: dict[str, Any]) -> None:
        for group in state["optimizer"].param_groups:
            group.update(change(group))

    return changed


def _rate(factor: float) -> Change:
    return _in_groups(lambda group: {"lr": group["lr"] * factor})


def _clip(state: dict[str, Any]) -> None:
    state["optimizer"].register_step_pre_hook(
        lambda *_: nn.utils.clip_grad_norm_(state["model"].parameters(), LIMIT) and None
    )


def _clear(state: dict[str, Any]) -> None:
    state["optimizer"].register_step_post_hook(lambda optimiser, *_: optimiser.zero_grad())


def _hold(state: dict[str, Any]) -> None:
    held = {id(one) for group in state["optimizer"].param_groups for one in group["params"]}
    if own := [one for one in state["model"].parameters() if one.requires_grad and id(one) not in held]:
        state["optimizer"].add_param_group({"params": own})


def _set(kind: type | tuple[type, ...], name: str, value: Any) -> Change:
    """Set an attribute of all modules of a kind."""

    def changed(state: dict[str, Any]) -> None:
        for module in state["model"].modules():
            if isinstance(module, kind) and hasattr(module, name):
                setattr(module, name, value)

    return changed


def _draw(state: dict[str, Any]) -> None:
    for module in state["model"].modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()


def _register(state: dict[str, Any]) -> None:
    for module in [*state["model"].modules()]:
        for name, value in [*vars(module).items()]:
            if isinstance(value, list) and value and all(isinstance(one, nn.Module) for one in value):
                # A list of Python's stands where a module would be looked for.
                delattr(module, name)
                setattr(module, name, nn.ModuleList(value))
    _hold(state)


def _recurrent(state: dict[str, Any], kind: type[nn.RNNBase], beginning: str) -> Iterator[tuple[nn.RNNBase, Tensor]]:
    """The weights of recurrent modules of a kind whose name begins so."""
    modules = (module for module in state["model"].modules() if isinstance(module, kind))
    return (
        (module, weight.detach())
        for module in modules
        for name, weight in module.named_parameters()
        if name.startswith(beginning)
    )


def _orthogonal(state: dict[str, Any]) -> None:
    for module, weight in _recurrent(state, nn.RNNBase, "weight_hh"):
        # Of gates each has its own square matrix.
        for gate in weight.split(module.hidden_size):
            nn.init.orthogonal_(gate)


def _keeping(state: dict[str, Any]) -> None:
    """Recurrent matrices that neither grow nor shrink, and of an LSTM the gate that keeps, open."""
    _orthogonal(state)
    for module, bias in _recurrent(state, nn.LSTM, "bias_ih"):
        nn.init.constant_(bias[module.hidden_size : 2 * module.hidden_size], 3.0)


APPLIED: Mapping[str, tuple[str, Change]] = {
    "learning_rate_too_large": ("a tenth of the rate", _rate(0.1)),
    "no_warm_up": ("a tenth of the rate", _rate(0.1)),
    "learning_rate_too_small": ("ten times the rate", _rate(10.0)),
    "exploding": ("clip the gradient to 1", _clip),
    "stale_gradient": ("clear the gradient after each step", _clear),
    "frozen": ("let every layer learn", lambda state: state["model"].requires_grad_(True)),
    "optimizer_holds_none": ("let the optimiser hold the network", _hold),
    "not_optimised": ("let the optimiser hold every layer", _hold),
    "rate_went_to_zero": (
        "the rate that it began with",
        _in_groups(lambda group: {"lr": group.get("initial_lr", group["lr"])}),
    ),
    "dropout_too_large": ("drop a tenth", _set(nn.modules.dropout._DropoutNd, "p", 0.1)),
    "dropout_on_output": ("drop nothing", _set(nn.modules.dropout._DropoutNd, "p", 0.0)),
    "unregistered_parameters": ("lists that the network knows of", _register),
    "units_alike": ("draw the weights as usual", _draw),
    "activations_grow": ("draw the weights as usual", _draw),
    "rows_mix": ("rows first", _set((nn.RNNBase, nn.MultiheadAttention), "batch_first", True)),
    "climbs": ("go down", _in_groups(lambda _: {"maximize": False})),
    "gradient_vanishes_in_time": ("orthogonal matrices, open gates", _keeping),
}
"""What can be done to a state from outside, by the kind of the card that it is for: its words, and the change."""


def applied_to(run: Run) -> Mapping[str, tuple[str, Change]]:
    """:data:`APPLIED` as this run's cards say it: by how much its rate is too small, and whether it is recurrent."""
    factor = rate_factor(run)
    own = {"learning_rate_too_small": (f"{factor:,.0f} times the rate", _rate(factor))} if factor > 10 else {}
    recurrent = {"exploding": ("orthogonal recurrent matrices", _orthogonal)} if is_recurrent(run) else {}
    return {**APPLIED, **own, **recurrent}


@dataclass(frozen=True)
class Tried:
    """What one arm did: its loss minus the control's, mean over orders, and where 95 % of such means lie.

    ``helped`` is whether the interval is below zero, the loss a twentieth lower at least, and the placebo no help.
    """

    kind: str
    cure: str
    control: float
    loss: float
    difference: float
    low: float
    high: float
    orders: int
    steps: int
    helped: bool

    def sentence(self) -> str:
        """The result in words."""
        many = f"{self.steps} steps, {self.orders} orders"
        refuted = self.low > -LEAST_HELP * abs(self.control)
        word = "helped" if self.helped else "did not help" if refuted else "not shown to help"
        if math.isinf(self.control) and math.isfinite(self.loss):
            return f"{self.cure}: {word}, loss {self.loss:.3g} where the control broke down ({many})."
        if not math.isfinite(self.difference):
            return f"{self.cure}: no finite loss ({many})."
        return f"{self.cure}: {word}, loss {self.difference:+.3g} [{self.low:+.3g}, {self.high:+.3g}] ({many})."


def tried_on(
    step: StepFunction,
    state: State,
    kinds: Sequence[str],
    *,
    steps: int = 50,
    orders: int = 3,
    cures: Mapping[str, Change] | None = None,
    run: Run | None = None,
) -> list[Tried]:
    """Try these kinds' cures, and ``cures`` of one's own, from copies of this state; see :func:`goldviz.api.trial`.

    ``run`` is the watched run whose cards name the kinds, where there is one.
    """
    check(step, state, steps, orders)
    _check_repeats(step, state, steps)
    own = {name: (name, change) for name, change in (cures or {}).items()}
    arms = {PLACEBO: ("one per cent more of the rate", _rate(1.01))}
    applied = APPLIED if run is None else applied_to(run)
    arms |= {kind: applied[kind] for kind in kinds if kind in applied} | own
    control = np.array([_end(step, state, None, order, steps) for order in range(orders)])
    ends = {
        kind: np.array([_end(step, state, change, order, steps) for order in range(orders)])
        for kind, (_, change) in arms.items()
    }
    placebo_helps = _helps(ends[PLACEBO], control)
    results = []
    for kind, (words, _) in arms.items():
        differences = _differences(ends[kind], control)
        low, high = mean_interval(differences)
        difference = float(differences.mean())
        helped = kind != PLACEBO and not placebo_helps and _helps(ends[kind], control)
        means = float(control.mean()), float(ends[kind].mean())
        results.append(Tried(kind, words, *means, difference, low, high, orders, steps, helped))
    return results


def _helps(ends: np.ndarray, control: np.ndarray) -> bool:
    """Whether an arm ends below the control for sure, and by a twentieth of its loss at least.

    A control that broke down in an order is beaten there by an arm that did not; in the others it must be, too.
    """
    if np.isinf(control).any():
        return bool(np.isfinite(ends).all() and (ends <= control).all())
    differences = _differences(ends, control)
    return bool(mean_interval(differences)[1] < 0 and differences.mean() <= -LEAST_HELP * abs(control.mean()))


def _differences(ends: np.ndarray, control: np.ndarray) -> np.ndarray:
    """What an arm ends at minus what the control does, order by order; NaN where both broke down."""
    with np.errstate(invalid="ignore"):
        return np.asarray(ends - control)


def _end(step: StepFunction, state: State, change: Change | None, order: int, steps: int) -> float:
    """The mean loss of the last quarter of an arm's steps; infinite where one of them is no finite number."""
    # Random numbers are the same for every arm of an order, and as they were for the script afterwards.
    with unchanged_streams(state["model"].parameters()):
        torch.manual_seed(order)
        # One deep copy of everything: its optimisers hold the copied parameters.
        own = copy.deepcopy(dict(state))
        if change is not None:
            change(own)
        losses = [float(torch.as_tensor(step(own, order, number)).detach()) for number in range(1, steps + 1)]
    tail = np.array(losses[-max(1, steps // 4) :])
    return float(tail.mean()) if np.isfinite(losses).all() else math.inf


def _check_repeats(step: StepFunction, state: State, steps: int) -> None:
    """Raise :class:`SettingsError` for a step that trains the script's own model, or never does the same twice.

    The script's own model and optimiser are as they were afterwards.
    """
    own = [*state["model"].parameters(), *state["model"].buffers()]
    before = [(one.detach().clone(), None if one.grad is None else one.grad.clone()) for one in own]
    moments = copy.deepcopy(state["optimizer"].state_dict())
    try:
        ends = [_end(step, state, None, 0, min(steps, 2)) for _ in range(2)]
    finally:
        pairs = [(one, *old) for one, old in zip(own, before, strict=True)]
        touched = not all(_same(one, value) and _same(one.grad, gradient) for one, value, gradient in pairs)
        if touched:
            for one, value, gradient in pairs:
                one.data.copy_(value)
                one.grad = gradient
            state["optimizer"].load_state_dict(moments)
    if touched:
        raise SettingsError({"step": "The step trains your own model; allowed is one that trains state['model']."})
    # A GPU may add in another order.
    near = 0.0 if all(one.device.type == "cpu" for one in own) else 1e-4
    if not (ends[0] == ends[1] or math.isclose(*ends, rel_tol=near)):
        what = "gives another loss for the same state, order and number"
        raise SettingsError({"step": f"The step {what}; allowed is one that takes all it needs from these three."})


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    """Whether two tensors are alike bit for bit, or neither is there."""
    if one is None or other is None:
        return one is other
    return torch.allclose(one.to_dense(), other.to_dense(), rtol=0, atol=0, equal_nan=True)


def check_kinds(kinds: object) -> None:
    """Raise :class:`SettingsError` for kinds of cards that have no cure to try."""
    wrong = [kinds] if isinstance(kinds, str) or not isinstance(kinds, Sequence) else [
        kind for kind in kinds if kind not in [*APPLIED]
    ]  # fmt: skip
    if wrong:
        words = f"kinds holds {str(wrong[0])[:60]!r}; allowed is a list of {', '.join(APPLIED)}."
        raise SettingsError({"kinds": words})


def check(step: object, state: object, steps: object, orders: object) -> None:
    """Raise :class:`SettingsError` for what no trial can be made of."""
    wrong: dict[str, str] = {}
    if not callable(step):
        wrong["step"] = f"The step is a {type(step).__name__}; allowed is a function of state, order and number."
    if not isinstance(state, Mapping) or not isinstance(state.get("model"), nn.Module):
        wrong["state"] = "The state has no model; allowed is a mapping with a torch.nn.Module under 'model'."
    elif not isinstance(state.get("optimizer"), Optimizer):
        wrong["state"] = "The state has no optimizer; allowed is a mapping with one under 'optimizer'."
    for name, value, least, most in (("steps", steps, 1, MOST_STEPS), ("orders", orders, 2, MOST_ORDERS)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            wrong[name] = f"{name} is {value!r}; allowed is a whole number from {least} to {most:,}."
    if wrong:
        raise SettingsError(wrong)


def as_facts(results: Sequence[Tried]) -> list[dict[str, Any]]:
    """Results as they are kept with a run; what is not finite is left to its sentence."""
    finite = lambda value: value if not isinstance(value, float) or math.isfinite(value) else None  # noqa: E731
    return [
        {name: finite(value) for name, value in asdict(one).items()} | {"sentence": one.sentence()} for one in results
    ]
