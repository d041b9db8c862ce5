"""Sound loops whose loss is no error of labelled rows: likeness, equations, and learning to learn."""

from __future__ import annotations

import torch
from torch import Tensor, nn, optim
from torch.func import functional_call
from torch.nn import functional as F  # noqa: N812
from torchdiffeq import odeint

from tests.watching.sound.supervised import stack
from tests.watching.sound.trained import Told, Trained, digits, learn, loop, some_digits, wrong


def seen_anew(x: Tensor) -> Tensor:
    return (x * (torch.rand_like(x) > 0.2) + 0.1 * torch.randn_like(x)).clamp(0, 1)


@loop("sthalles/SimCLR")
def contrast_of_views() -> Trained:
    model = stack(out=16)

    def batch() -> Told:
        x, _ = some_digits(64)
        told = F.normalize(model(torch.cat([seen_anew(x), seen_anew(x)])), dim=1)
        logits = (told @ told.T).masked_fill(torch.eye(128, dtype=torch.bool), -1e9) / 0.2
        other = torch.arange(128).roll(64)
        return F.cross_entropy(logits, other), wrong(logits, other)

    return learn(model, optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4), batch, 200)


@loop("adambielski/siamese-triplet")
def triplets() -> Trained:
    model, (x, y) = stack(out=8), digits()
    optimizer, criterion = optim.Adam(model.parameters(), lr=1e-3), nn.TripletMarginLoss(margin=1.0)
    of_digit = [x[y == one] for one in range(10)]

    def batch() -> Told:
        rows = [of_digit[one] for one in torch.randint(10, (64,)).tolist()]
        anchor, same, other = (
            torch.stack([some[torch.randint(len(some), ())] for some in part]) for part in (rows, rows, rows[::-1])
        )
        loss = criterion(model(anchor), model(same), model(other))
        return loss, loss

    return learn(model, optimizer, batch)


@loop("maziarraissi/PINNs")
def equation_of_motion() -> Trained:
    """u'' = -u with u(0) = 0 and u'(0) = 1: the slope of a slope is in the loss."""
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def batch() -> Told:
        t = torch.cat([torch.zeros(1, 1), 3 * torch.rand(63, 1)]).requires_grad_(True)
        u = model(t)
        [slope] = torch.autograd.grad(u.sum(), t, create_graph=True)
        [bend] = torch.autograd.grad(slope.sum(), t, create_graph=True)
        loss = (bend + u).square().mean() + u[0, 0].square() + (slope[0, 0] - 1).square()
        return loss, F.l1_loss(u.detach(), t.detach().sin())

    return learn(model, optim.Adam(model.parameters(), lr=5e-3), batch, 300)


class Motion(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
        for module in self.net:
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.1)
                nn.init.zeros_(module.bias)

    def forward(self, _time: Tensor, y: Tensor) -> Tensor:
        return self.net(y**3)


@loop("rtqichen/torchdiffeq, ode_demo")
def neural_ode() -> Trained:
    model, matrix = Motion(), torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    times = torch.linspace(0.0, 5.0, 100)
    with torch.no_grad():
        truth = odeint(lambda _, y: y**3 @ matrix, torch.tensor([[2.0, 0.0]]), times, method="rk4")

    def batch() -> Told:
        starts = torch.randint(90, (20,))
        goal = torch.stack([truth[starts + at] for at in range(8)])
        loss = odeint(model, truth[starts], times[:8], method="rk4").sub(goal).abs().mean()
        return loss, loss

    return learn(model, optim.RMSprop(model.parameters(), lr=3e-3), batch, 120)


@loop("cbfinn/maml")
def learning_to_learn() -> Trained:
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))

    def batch() -> Told:
        losses = []
        for _task in range(4):
            x, height = 4 * torch.rand(20, 1) - 2, 1 + torch.rand(1)
            y, fast = height * (2 * x).sin(), dict(model.named_parameters())
            inner = F.mse_loss(functional_call(model, fast, x[:10]), y[:10])
            slopes = torch.autograd.grad(inner, [*fast.values()], create_graph=True)
            fast = {name: one - 0.1 * slope for (name, one), slope in zip(fast.items(), slopes, strict=True)}
            losses.append(F.mse_loss(functional_call(model, fast, x[10:]), y[10:]))
        loss = torch.stack(losses).mean()
        return loss, loss

    return learn(model, optim.Adam(model.parameters(), lr=5e-3), batch, 200)
