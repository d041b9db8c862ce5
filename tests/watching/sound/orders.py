"""Sound loops that differ in their order: when gradients are cleared, when a step is told, and who takes it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn, optim
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import clip_grad_norm_
from torch.optim import lr_scheduler
from torch.utils.checkpoint import checkpoint

import goldviz
from tests.watching.sound.supervised import stack
from tests.watching.sound.trained import (
    CLEARS_LAST,
    Told,
    Trained,
    classified,
    digit_loader,
    digits,
    learn,
    loop,
    patients,
    some_digits,
    wrong,
)


@loop("PyTorch's Learning PyTorch with Examples")
def updates_by_hand() -> Trained:
    x = torch.linspace(-torch.pi, torch.pi, 500)[:, None]
    model, measure = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1)), []
    y, powers = x[:, 0].sin(), (x / 2).pow(torch.tensor([1, 2, 3]))
    with goldviz.watch(model) as record:
        for _ in range(300):
            loss = (model(powers) - y).pow(2).mean()
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.sub_(0.1 * parameter.grad)
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


@loop("Hugging Face's accumulation guide")
def told_at_each_micro_batch() -> Trained:
    model, measure = stack(), []
    optimizer = optim.AdamW(model.parameters(), lr=3e-3)
    with goldviz.watch(model, optimizer) as record:
        for number in range(300):
            x, y = some_digits(32)
            logits = model(x)
            loss = F.cross_entropy(logits, y) / 4
            loss.backward()
            if (number + 1) % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
            record.step(loss=loss)
            measure.append(wrong(logits, y))
    return Trained(measure, (record,))


@loop("Hugging Face's accumulation guide")
def told_at_each_update() -> Trained:
    model, measure = stack(), []
    optimizer = optim.AdamW(model.parameters(), lr=3e-3)
    with goldviz.watch(model, optimizer) as record:
        for _ in range(100):
            total = 0.0
            for _ in range(4):
                x, y = some_digits(32)
                loss = F.cross_entropy(model(x), y) / 4
                loss.backward()
                total += loss.item()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            record.step(loss=total)
            measure.append(total)
    return Trained(measure, (record,))


@loop("the PyTorch performance tuning guide")
def cleared_by_none() -> Trained:
    model, measure = stack(act=nn.Tanh), []
    optimizer = optim.RMSprop(model.parameters(), lr=1e-3)
    record = goldviz.watch(model, optimizer)
    for _ in range(250):
        for parameter in model.parameters():
            parameter.grad = None
        loss, left = classified(model)
        loss.backward()
        optimizer.step()
        record.step(loss=loss.item())
        measure.append(left)
    record.close()
    return Trained(measure, (record,))


@loop()
def cleared_to_zeros_at_the_end() -> Trained:
    model, measure = stack(act=nn.GELU), []
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    with goldviz.watch(model, optimizer) as record:
        for _ in range(250):
            loss, left = classified(model)
            (64 * loss).backward()  # the sum over the batch is trained on, the mean is told
            optimizer.step()
            model.zero_grad(set_to_none=False)
            record.step(loss=loss)
            measure.append(left)
    return Trained(measure, (record,))


@loop()
def told_at_each_epoch() -> Trained:
    model, measure = nn.Sequential(nn.Flatten(), stack()), []
    optimizer = optim.Adam(model.parameters(), lr=5e-4)
    with goldviz.watch(model, optimizer) as record:
        for _epoch in range(12):
            total = 0.0
            for x, y in digit_loader(72):
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(x)
            record.step(loss=total / len(digits()[0]))
            measure.append(total)
    return Trained(measure, (record,))


@loop("Hugging Face's Trainer")
def order_of_a_trainer() -> Trained:
    model, steps = stack(act=nn.GELU), 250
    optimizer = optim.AdamW(model.parameters(), lr=5e-3)
    warm = lambda step: min(step / 25, max(0.0, (steps - step) / (steps - 25)))  # noqa: E731
    schedule = lr_scheduler.LambdaLR(optimizer, warm)  # rises from 0 and ends at 0
    return learn(model, optimizer, lambda: classified(model), steps, "backward clip step schedule clear tell", schedule)


@loop("Lightning's automatic optimisation")
def stepped_by_closure() -> Trained:
    model, measure = stack(), []
    optimizer = optim.Adam(model.parameters(), lr=1e-3)

    def closure() -> Tensor:
        loss, left = classified(model)
        measure.append(left)
        optimizer.zero_grad()
        loss.backward()
        return loss

    with goldviz.watch(model, optimizer) as record:
        for _ in range(250):
            record.step(loss=optimizer.step(closure))
    return Trained(measure, (record,))


@loop("Lightning's manual optimisation")
def optimisers_by_turns() -> Trained:
    body, head = nn.Sequential(nn.Linear(64, 64), nn.ReLU()), nn.Linear(64, 10)
    model, measure = nn.Sequential(body, head), []
    of_body, of_head = optim.Adam(body.parameters(), lr=1e-3), optim.SGD(head.parameters(), lr=0.1)
    with goldviz.watch(model) as record:
        for number in range(300):
            turn, other = (of_body, head) if number % 2 else (of_head, body)
            other.requires_grad_(False)
            loss, left = classified(model)
            turn.zero_grad()
            loss.backward()
            turn.step()
            other.requires_grad_(True)
            record.step(loss=loss)
            measure.append(left)
    return Trained(measure, (record,))


@loop("torch.optim's LBFGS")
def lbfgs() -> Trained:
    x, measure = patients()[0].double(), []
    model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1)).double()
    goal = x[:, :4].pow(2).sum(1, keepdim=True) / 4
    optimizer = optim.LBFGS(model.parameters(), lr=1.0, max_iter=5, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), goal)
        loss.backward()
        return loss

    with goldviz.watch(model, optimizer) as record:
        for _ in range(40):
            loss = optimizer.step(closure)
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


@loop("PyTorch's mixed precision recipe")
def autocast() -> Trained:
    model = stack()

    def batch() -> Told:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return classified(model)

    return learn(model, optim.AdamW(model.parameters(), lr=1e-3), batch, 200, CLEARS_LAST)


@loop("PyTorch's mixed precision examples")
def scaled_gradients() -> Trained:
    model, scaler, measure = stack(), torch.amp.GradScaler("cpu", init_scale=1024.0), []
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with goldviz.watch(model, optimizer) as record:
        for _ in range(200):
            optimizer.zero_grad()
            loss, left = classified(model)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            record.step(loss=loss)
            measure.append(left)
    return Trained(measure, (record,))


class Recomputed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(3)])
        self.head = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


@loop("torch.utils.checkpoint")
def recomputed_activations() -> Trained:
    model = Recomputed()
    return learn(model, optim.Adam(model.parameters(), lr=1e-3), lambda: classified(model), 200)


@loop("PyTorch's distributed data parallel tutorial")
def one_process_of_a_group() -> Trained:
    with tempfile.TemporaryDirectory() as folder:
        store = torch.distributed.FileStore(os.fspath(Path(folder) / "group"), 1)
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
        try:
            model = nn.parallel.DistributedDataParallel(stack())
            optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            return learn(model, optimizer, lambda: classified(model), 200)
        finally:
            torch.distributed.destroy_process_group()


@loop()
def exact_to_a_millionth() -> Trained:
    model = nn.Linear(10, 1)
    (x, _), weights = patients(), torch.randn(10, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)

    def batch() -> Told:
        loss = F.mse_loss(model(x), x @ weights + 2)
        return loss, loss

    return learn(model, optimizer, batch, 300)


class Tastes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.people, self.films = nn.Embedding(200, 8, sparse=True), nn.Embedding(100, 8, sparse=True)

    def forward(self, person: Tensor, film: Tensor) -> Tensor:
        return (self.people(person) * self.films(film)).sum(-1)


@loop("the matrix factorisation of recommender tutorials")
def sparse_embeddings() -> Trained:
    model = Tastes()
    optimizer = optim.SparseAdam([*model.parameters()], lr=0.05)
    likes = torch.randn(200, 2) @ torch.randn(2, 100)

    def batch() -> Told:
        person, film = torch.randint(200, (512,)), torch.randint(100, (512,))
        loss = F.mse_loss(model(person, film), likes[person, film])
        return loss, loss

    return learn(model, optimizer, batch, 300)
