"""Faults inside the network: how it begins, what stands between its layers, and in which mode it is asked."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.watching.planted.fault import (
    FRESH,
    State,
    classified,
    learn,
    mended,
    of_numbers,
    plant,
    script,
)
from tests.watching.planted.networks import Network, classes, network, numbers, rows


def simple(state: State, seed: int) -> Tensor:
    """A script whose fault lies in its network."""
    return learn(state, classified(state, seed))


# -- as it begins -------------------------------------------------------------------------------------------------


def deep(architecture: str, faulty: bool) -> State:
    act = nn.Sigmoid if faulty else nn.ReLU
    if architecture == "MLP":
        body = nn.Sequential(nn.Linear(8, 32), act(), *[one for _ in range(11) for one in (nn.Linear(32, 32), act())])
    else:
        more = [one for _ in range(9) for one in (nn.Conv2d(8, 8, 3, padding=1), act())]
        body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), act(), *more, nn.AvgPool2d(4), nn.Flatten())
    model = Network(body, 32, 3)
    if not faulty:
        model.apply(as_kaiming)
    return script(model, rate=1e-3)


def as_kaiming(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        nn.init.zeros_(module.bias)


def with_relus(state: State) -> None:
    body = state["model"].body
    for place, module in enumerate(body):
        if isinstance(module, nn.Sigmoid):
            body[place] = nn.ReLU()
    state["model"].apply(as_kaiming)


plant("ten sigmoid layers and more", "vanishing", "MLP", "CNN", begin=deep, repair=with_relus, steps=200)(simple)


def drawn(draw: Callable[[Tensor], object]) -> Callable[[str, bool], State]:
    """A script that draws all its weights in one line."""

    def begin(architecture: str, faulty: bool) -> State:
        model = network(architecture)
        if faulty:
            for parameter in model.parameters():
                draw(parameter.data)
        return script(model)

    return begin


def draw_as_usual(state: State) -> None:
    for module in state["model"].modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()


plant("every weight drawn from N(0, 1)", "activations_grow", "MLP", "CNN", own=True, begin=drawn(Tensor.normal_),
      repair=draw_as_usual)(simple)  # fmt: skip
plant("every weight the same number", "units_alike", "MLP", "LSTM", own=True,
      begin=drawn(lambda weight: weight.fill_(0.05)), repair=draw_as_usual)(simple)  # fmt: skip


# -- what stands between ------------------------------------------------------------------------------------------


class Squeezed(nn.Module):
    """A norm over one value, which leaves nothing of it."""

    def __init__(self, body: nn.Module, norms: bool) -> None:
        super().__init__()
        self.body, self.norm, self.norms = body, nn.GroupNorm(32, 32), norms

    def forward(self, x: Tensor) -> Tensor:
        given = self.body(x)
        return self.norm(given) if self.norms else given


def squeezed(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    model.body = Squeezed(model.body, faulty)
    return script(model)


def without_the_norm(state: State) -> None:
    state["model"].body.norms = False


plant("a norm over groups of one value", "outputs_alike", "CNN", "MLP", own=True, begin=squeezed,
      repair=without_the_norm)(simple)  # fmt: skip


def dropping(place: str) -> Callable[[str, bool], State]:
    def begin(architecture: str, faulty: bool) -> State:
        if place == "output":
            model = network(architecture, 1)
            model.head = nn.Sequential(model.head, nn.Dropout(0.5 if faulty else 0.0))
        else:
            model = network(architecture)
            model.head = nn.Sequential(nn.Dropout(0.95 if faulty else 0.05), model.head)
        return script(model)

    return begin


def drop_little(state: State) -> None:
    for module in state["model"].modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0


plant("95 % are dropped where 95 % were to be kept", "dropout_too_large", "MLP", "LSTM", own=True,
      begin=dropping("inside"), repair=drop_little)(simple)  # fmt: skip


@plant("dropout after the last layer", "dropout_on_output", "MLP", "CNN", own=True, begin=dropping("output"),
       judge=of_numbers, repair=drop_little)  # fmt: skip
def dropped_answers(state: State, seed: int) -> Tensor:
    x, features = rows(state["architecture"], seed)
    return learn(state, functional.mse_loss(state["model"](x), numbers(features)))


class Listed(nn.Module):
    """Layers in a list of Python's, which no module knows of."""

    def __init__(self, body: nn.Sequential, listed: bool) -> None:
        super().__init__()
        self.layers = list(body) if listed else nn.ModuleList(body)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def with_a_list(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    model.body = Listed(model.body, faulty)
    return script(model)


def register(state: State) -> None:
    body = state["model"].body
    body.layers = nn.ModuleList(body.layers)
    state["optimizer"].add_param_group({"params": list(body.parameters())})


plant("layers in a list of Python's", "unregistered_parameters", "MLP", "CNN", own=True, begin=with_a_list,
      repair=register)(simple)  # fmt: skip


# -- modes --------------------------------------------------------------------------------------------------------


def off_centre(state: State, seed: int, count: int = 32) -> Tensor:
    x, features = rows(state["architecture"], seed, count)
    return functional.cross_entropy(state["model"](50 + 5 * x), classes(features))


def of_off_centre(state: State) -> Tensor:
    return off_centre(state, FRESH, 512)


@plant("never back from evaluation", "trained_in_evaluation_mode", "MLP with batch norm", "CNN with batch norm",
       judge=of_off_centre)  # fmt: skip
def never_back(state: State, seed: int) -> Tensor:
    if not state["faulty"]:
        state["model"].train()
    loss = learn(state, off_centre(state, seed))
    if seed % 20 == 1:
        state["model"].eval()
        with torch.no_grad():
            state["evaluated"] = off_centre(state, FRESH + 1)
    return loss


@plant("batches of one row under batch norm", "batch_of_one", "CNN with batch norm", "temporal CNN")
def one_row(state: State, seed: int) -> Tensor:
    return learn(state, classified(state, seed, 1 if state["faulty"] else 32))


def with_slow_norms(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    set_momentum(model, 1e-3 if faulty else 0.1)
    return script(model)


def set_momentum(model: nn.Module, momentum: float) -> None:
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
            module.momentum = momentum


def follow_faster(state: State) -> None:
    mended(state)
    set_momentum(state["model"], 0.1)


@plant("batch norm's momentum as another library counts it", "running_statistics_behind", "MLP with batch norm",
       "CNN with batch norm", own=True, begin=with_slow_norms, judge=of_off_centre, repair=follow_faster)  # fmt: skip
def slow_norms(state: State, seed: int) -> Tensor:
    loss = learn(state, off_centre(state, seed))
    if seed % 10 == 0:
        state["model"].eval()
        with torch.no_grad():
            state["evaluated"] = off_centre(state, FRESH + 1)
        state["model"].train()
    return loss
