"""Faults of those who hold the optimiser: what it holds, when it steps, and what else writes into the weights."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.watching.planted.fault import (
    FRESH,
    State,
    classified,
    learn,
    mended,
    plant,
    script,
)
from tests.watching.planted.networks import network, rows

OLD_HEAD = 10


def with_a_new_head(architecture: str, faulty: bool) -> State:
    model = network(architecture, OLD_HEAD)
    if not faulty:
        model.head = nn.Linear(model.head.in_features, 3)
    groups = [{"params": model.body.parameters(), "lr": 1e-4}, {"params": model.head.parameters()}]
    optimizer = torch.optim.Adam(groups, lr=1e-2)
    if faulty:
        model.head = nn.Linear(model.head.in_features, 3)
    return script(model, optimizer)


def add_the_head(state: State) -> None:
    state["optimizer"].add_param_group({"params": list(state["model"].head.parameters())})


@plant("a new head after the optimiser was made", "not_optimised", "MLP", "CNN", begin=with_a_new_head,
       repair=add_the_head, steps=200)  # fmt: skip
def new_head(state: State, seed: int) -> Tensor:
    return learn(state, classified(state, seed))


def trains_a_copy(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    return script(copy.deepcopy(model) if faulty else model, optimizer)


def hold_the_model(state: State) -> None:
    state["optimizer"].param_groups.clear()
    state["optimizer"].add_param_group({"params": list(state["model"].parameters())})


@plant("the optimiser holds the model that was copied", "optimizer_holds_none", "MLP", "GRU", begin=trains_a_copy,
       repair=hold_the_model)  # fmt: skip
def holds_the_original(state: State, seed: int) -> Tensor:
    return learn(state, classified(state, seed))


@plant("cleared between backward and step", "cleared_before_step", "CNN", "Transformer")
def cleared_too_late(state: State, seed: int) -> Tensor:
    loss = classified(state, seed)
    loss.backward()
    if state["faulty"]:
        state["optimizer"].zero_grad(set_to_none=state["architecture"] == "CNN")
    state["optimizer"].step()
    state["optimizer"].zero_grad()
    return loss


def two_networks(architecture: str, faulty: bool) -> State:
    if architecture == "MLP":
        maker = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
    else:
        maker = nn.Sequential(nn.Linear(8, 64), nn.Unflatten(1, (4, 4, 4)), nn.ReLU(), nn.ConvTranspose2d(4, 1, 2, 2))
    judge = network(architecture, 1)
    other = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.999))
    return script(maker, torch.optim.Adam(maker.parameters(), lr=2e-3, betas=(0.5, 0.999)), judge=judge, other=other)


def distance_of_means(state: State) -> Tensor:
    made = state["model"](torch.randn(512, 8, generator=torch.Generator().manual_seed(FRESH)))
    return (made.mean(0) - 2).abs().mean()


@plant("the generator is trained on detached pictures", "step_without_gradient", "MLP", "CNN", begin=two_networks,
       judge=distance_of_means)  # fmt: skip
def detached_fakes(state: State, seed: int) -> Tensor:
    real = rows(state["architecture"], seed)[0] + 2
    fake = state["model"](torch.randn(len(real), 8, generator=torch.Generator().manual_seed(seed)))
    judge, yes, no = state["judge"], torch.ones(len(real), 1), torch.zeros(len(real), 1)
    telling = functional.binary_cross_entropy_with_logits
    of_judge = telling(judge(real), yes) + telling(judge(fake.detach()), no)
    state["other"].zero_grad()
    of_judge.backward()
    state["other"].step()
    state["optimizer"].zero_grad()
    of_maker = telling(judge(fake.detach() if state["faulty"] else fake), yes)
    of_maker.backward()
    state["optimizer"].step()
    return of_maker


def with_decay(architecture: str, faulty: bool) -> State:
    state = script(network(architecture), rate=1e-2)
    return {**state, "schedule": torch.optim.lr_scheduler.ExponentialLR(state["optimizer"], 0.7)}


def begin_the_rate_anew(state: State) -> None:
    mended(state)
    for group in state["optimizer"].param_groups:
        group["lr"] = group["initial_lr"]


@plant("an epoch's decay at every batch", "rate_went_to_zero", "LSTM", "CNN", begin=with_decay,
       repair=begin_the_rate_anew)  # fmt: skip
def decays_each_batch(state: State, seed: int) -> Tensor:
    loss = learn(state, classified(state, seed))
    if state["faulty"] or seed % 50 == 0:
        state["schedule"].step()
    return loss


def in_bfloat16(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    return script(model.bfloat16() if faulty else model, torch.optim.Adam(model.parameters(), lr=2e-4))


def in_float32(state: State) -> None:
    state["model"].float()


@plant("weights in bfloat16 that a small rate cannot move", "update_lost_in_dtype", "MLP", "GRU", begin=in_bfloat16,
       judge=lambda state: told_in_its_own_dtype(state, FRESH, 512), repair=in_float32, steps=300)  # fmt: skip
def moves_bfloat16(state: State, seed: int) -> Tensor:
    return learn(state, told_in_its_own_dtype(state, seed))


def told_in_its_own_dtype(state: State, seed: int, count: int = 32) -> Tensor:
    x, features = rows(state["architecture"], seed, count)
    kind = state["model"].head.weight.dtype
    return functional.cross_entropy(state["model"](x.to(kind)).float(), features.argmax(1))


@plant("the loss is made a tensor anew", "loss_not_connected", "MLP", "Transformer")
def wrapped_loss(state: State, seed: int) -> Tensor:
    loss = classified(state, seed)
    if state["faulty"]:
        loss = torch.tensor(loss.item(), requires_grad=True)
    return learn(state, loss)


def script_that_climbs(architecture: str, faulty: bool) -> State:
    model = network(architecture)
    return script(model, torch.optim.AdamW(model.parameters(), lr=1e-3, maximize=faulty))


@plant("an optimiser that climbs", "climbs", "LSTM", "MLP", own=True, steps=60,
       begin=script_that_climbs,
       repair=lambda state: state["optimizer"].param_groups[0].update(maximize=False))  # fmt: skip
def climbs(state: State, seed: int) -> Tensor:
    return learn(state, classified(state, seed))


def drawn_anew(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Conv2d):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)


@plant("weights drawn anew at every epoch", "weights_written_outside", "MLP", "CNN", own=True)
def forgets_each_epoch(state: State, seed: int) -> Tensor:
    number = seed % 100_000
    if number == 1 or (state["faulty"] and number % 20 == 1):
        state["model"].apply(drawn_anew)
    return learn(state, classified(state, seed))


@plant("a penalty that outweighs the loss", "penalty_outweighs", "CNN", "LSTM", own=True)
def penalised(state: State, seed: int) -> Tensor:
    loss = classified(state, seed)
    penalty = sum(parameter.abs().sum() for parameter in state["model"].parameters())
    return learn(state, loss + (0.1 if state["faulty"] else 1e-6) * penalty)
