"""What the cards of planted faults say to do, done: each fault again as a step that a trial can take, and its repair.

A step returns the loss that the script's author cares for, which is the training loss but where said. ``repair`` does
what the card's code or words say, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.watching import loops
from tests.watching.loops import ROWS, Detached, Encoder, Recurrent, Relu, Tied, Words, mlp, task

State = dict[str, Any]


@dataclass(frozen=True)
class Planted:
    """A fault: its network and loss, and what its card says to do."""

    network: Callable[[], nn.Module]
    loss: Callable[[State, int], Tensor]
    repair: Callable[[State], None]
    optimiser: type[torch.optim.Optimizer] = torch.optim.AdamW
    rate: float = 3e-3
    then: Callable[[State, int, Tensor], Tensor] | None = None
    """A step of its own, in place of clearing, backward pass and optimiser."""
    steps: int = 100

    def state(self) -> State:
        """A script's state at its start."""
        model = self.network()
        return {"model": model, "optimizer": self.optimiser(model.parameters(), lr=self.rate), "repaired": False}

    def step(self, state: State, order: int, number: int) -> Tensor:
        """One step of the script."""
        seed = 10_000 * order + number
        loss = self.loss(state, seed)
        if self.then is not None:
            return self.then(state, seed, loss)
        state["optimizer"].zero_grad()
        loss.backward()
        state["optimizer"].step()
        return loss


def repaired(state: State) -> None:
    state["repaired"] = True


def classified(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    return functional.cross_entropy(state["model"](x), y)


class Logarithm(nn.Module):
    safe = False

    def forward(self, x: Tensor) -> Tensor:
        return torch.log(x.clamp_min(1e-12) if self.safe else x)


class Normalised(nn.Module):
    safe = False

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.pow(2).sum(-1, keepdim=True) + (1e-8 if self.safe else 0.0))


def make_safe(state: State) -> None:
    for module in state["model"].modules():
        module.safe = True


def after_a_layer_of_zeros(state: State, seed: int) -> Tensor:
    if seed % 10_000 == 4:
        with torch.no_grad():
            state["model"][0].weight.zero_()
            state["model"][0].bias.zero_()
    return classified(state, seed)


def overflowing() -> nn.Module:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
    with torch.no_grad():
        model[2].weight.fill_(6e3)
    return model


def in_half_precision(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    kind = torch.bfloat16 if state["repaired"] else torch.float16
    with torch.autocast("cpu", kind):
        return functional.cross_entropy(state["model"](10 * x).float(), y)


def with_a_bad_row(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    if seed % 10_000 == 5:
        x[17, 3] = math.inf
    if state["repaired"]:
        whole = torch.isfinite(x).flatten(1).all(1)
        x, y = x[whole], y[whole]
    return functional.cross_entropy(state["model"](x), y)


def dead() -> nn.Module:
    model = mlp()
    with torch.no_grad():
        model[0].bias.fill_(-30.0)
    return model


def zero_biases(state: State) -> None:
    nn.init.zeros_(state["model"][0].bias)


def rate_times(factor: float) -> Callable[[State], None]:
    def change(state: State) -> None:
        for group in state["optimizer"].param_groups:
            group["lr"] *= factor

    return change


def large_at_first(state: State, seed: int) -> Tensor:
    number = seed % 10_000
    warm = min(1.0, 0.01 + number / 100) if state["repaired"] else 1.0
    for group in state["optimizer"].param_groups:
        group["lr"] = warm * max(0.3 * 0.7 ** (number - 1), 1e-3)
    return classified(state, seed)


def masked(state: State, seed: int) -> Tensor:
    x = torch.randn(ROWS, 5, 8, generator=torch.Generator().manual_seed(seed))
    mask = torch.ones(5, 5, dtype=torch.bool)
    if state["repaired"]:
        mask[:, 0] = False
    return functional.cross_entropy(state["model"](x, mask), x[:, 0, :3].argmax(1))


class Attached(Detached):
    """A branch whose output is cut off, until somebody looks for ``detach``."""

    safe = False

    def forward(self, x: Tensor) -> Tensor:
        branch = self.branch(x)
        return self.head(self.trunk(x) + (branch if self.safe else branch.detach()))


def frozen() -> nn.Module:
    model = mlp()
    model[2].requires_grad_(False)
    return model


def thaw(state: State) -> None:
    state["model"].requires_grad_(True)


def softmax_first(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    given = state["model"](x)
    return functional.cross_entropy(given if state["repaired"] else given.softmax(-1), y)


def judged_on_logits(state: State, seed: int, loss: Tensor) -> Tensor:
    """The loss that the author takes himself to train."""
    state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    with torch.no_grad():
        return classified(state, seed)


def scaled_and_clipped(state: State, seed: int, loss: Tensor) -> Tensor:
    scaler = state.setdefault("scaler", torch.amp.GradScaler("cpu", init_scale=2.0**14))
    state["optimizer"].zero_grad()
    scaler.scale(loss).backward()
    if state["repaired"]:
        scaler.unscale_(state["optimizer"])
    nn.utils.clip_grad_norm_(state["model"].parameters(), 1.0)
    scaler.step(state["optimizer"])
    scaler.update()
    return loss


def never_cleared(state: State, seed: int, loss: Tensor) -> Tensor:
    if state["repaired"]:
        state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    return loss


def next_token(state: State, seed: int) -> Tensor:
    tokens = torch.randint(50, (ROWS,), generator=torch.Generator().manual_seed(seed))
    return functional.cross_entropy(state["model"](tokens), (tokens + 1) % 50)


def small_output(state: State) -> None:
    nn.init.normal_(state["model"].head.weight, std=0.01)


def evaluated(state: State, seed: int, loss: Tensor) -> Tensor:
    """The loss of an evaluation, which is what the author looks at."""
    state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    if state["repaired"]:
        state["model"].eval()
    with torch.no_grad():
        told = classified(state, seed + 5_000)
    state["model"].train()
    return told


def shuffled(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    order = torch.randperm(ROWS, generator=torch.Generator().manual_seed(seed))
    return functional.cross_entropy(state["model"](x), y if state["repaired"] else y[order])


def exploding() -> nn.Module:
    model = Recurrent(Relu)
    with torch.no_grad():
        model.cell.weight_hh_l0.copy_(3 * torch.eye(16))
    return model


def keep_lengths(state: State) -> None:
    nn.init.orthogonal_(state["model"].cell.weight_hh_l0)


def sequences(state: State, seed: int) -> Tensor:
    return loops.sequences(state["model"], seed)


def saturated() -> nn.Module:
    model = Recurrent(nn.LSTM)
    with torch.no_grad():
        model.cell.weight_ih_l0.mul_(60)
    return model


def draw_as_kaiming(state: State) -> None:
    for weight in (state["model"].cell.weight_ih_l0, state["model"].cell.weight_hh_l0):
        nn.init.kaiming_normal_(weight, nonlinearity="tanh")


def one_row(state: State, seed: int) -> Tensor:
    x, y = task(seed=seed)
    # The loader is mended; the batch that the author means to learn is the one with rows of its own.
    return functional.cross_entropy(state["model"](x if state["repaired"] else x[:1].expand_as(x)), y)


class Cut(Words):
    """Words whose embeddings are cut off by ``.data``, until somebody looks for it."""

    safe = False

    def forward(self, tokens: Tensor) -> Tensor:
        embedded = self.words(tokens)
        return self.head((embedded if self.safe else embedded.data).mean(1))


def of_first_word(state: State, seed: int) -> Tensor:
    tokens = torch.randint(20, (ROWS, 4), generator=torch.Generator().manual_seed(seed))
    return functional.cross_entropy(state["model"](tokens), tokens[:, 0] % 3)


SGD = torch.optim.SGD
PLANTED: dict[str, Planted] = {
    "log of 0": Planted(
        lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), Logarithm(), nn.Linear(16, 3)), classified, make_safe
    ),
    "0/0": Planted(
        lambda: nn.Sequential(nn.Linear(8, 16), nn.Tanh(), Normalised(), nn.Linear(16, 3)),
        after_a_layer_of_zeros,
        make_safe,
    ),
    "fp16 overflow": Planted(overflowing, in_half_precision, repaired, SGD),
    "one bad row": Planted(mlp, with_a_bad_row, repaired),
    "dead ReLUs": Planted(dead, classified, zero_biases),
    "rate too large": Planted(mlp, classified, rate_times(0.1), rate=1.0),
    "rate too small": Planted(mlp, classified, rate_times(1e4), rate=1e-7),
    "no warm-up": Planted(
        lambda: nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3)),
        large_at_first,
        repaired,
    ),
    "wrong mask": Planted(Encoder, masked, repaired),
    "detached branch": Planted(Attached, classified, make_safe),
    "frozen by mistake": Planted(frozen, classified, thaw),
    "double softmax": Planted(mlp, softmax_first, repaired, then=judged_on_logits),
    "clip before unscale": Planted(mlp, classified, repaired, SGD, 0.1, scaled_and_clipped),
    "no zero_grad": Planted(mlp, classified, repaired, then=never_cleared),
    "weight tying start": Planted(Tied, next_token, small_output, rate=1e-3),
    "missing eval": Planted(
        lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3)),
        classified,
        repaired,
        then=evaluated,
    ),
    "shuffled labels": Planted(mlp, shuffled, repaired, rate=1e-3),
    "exploding recurrent weight": Planted(exploding, sequences, keep_lengths, SGD, 1e-8),
    "saturated gates": Planted(saturated, sequences, draw_as_kaiming, rate=1e-3, steps=250),
    "constant input": Planted(mlp, one_row, repaired),
    "embedding without gradient": Planted(Cut, of_first_word, make_safe, steps=250),
}
"""The faults of :data:`tests.watching.loops.FAULTS`, with their networks, losses and rates."""
