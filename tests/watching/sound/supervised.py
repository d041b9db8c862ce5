"""Sound loops that learn from labelled rows: what is trained, and against which loss, differs from one to the next."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn, optim
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import parametrizations
from torch.optim import lr_scheduler

import goldviz
from tests.watching.sound.trained import (
    Told,
    Trained,
    classified,
    digit_loader,
    digits,
    learn,
    loop,
    patients,
    some_digits,
    tumours,
    wrong,
)


def stack(width: int = 64, act: type[nn.Module] = nn.ReLU, out: int = 10) -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, width), act(), nn.Linear(width, width), act(), nn.Linear(width, out))


def trained_before(model: nn.Module, x: Tensor, y: Tensor, steps: int) -> None:
    """Train it before anybody watches, as what is loaded was."""
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        rows = torch.randint(len(x), (128,))
        optimizer.zero_grad()
        F.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()


class Net(nn.Module):
    def __init__(self, dropout: float = 0.25) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.dropout, self.fc1, self.fc2 = nn.Dropout(dropout), nn.Linear(64, 32), nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc2(self.dropout(F.relu(self.fc1(x))))


@loop("PyTorch's Quickstart")
def quickstart() -> Trained:
    model, loss_fn, measure = nn.Sequential(nn.Flatten(), stack()), nn.CrossEntropyLoss(), []
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    with goldviz.watch(model, optimizer) as record:
        for _epoch in range(8):
            model.train()
            for x, y in digit_loader():
                loss = loss_fn(model(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                record.step(loss=loss)
                measure.append(loss.item())
            model.eval()
            with torch.no_grad():
                record.step(evaluation_loss=loss_fn(model(digits()[0].view(-1, 1, 8, 8)), digits()[1]))
    return Trained(measure, (record,))


@loop("pytorch/examples, mnist")
def mnist_example() -> Trained:
    model, measure = Net(), []
    optimizer = optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    with goldviz.watch(model, optimizer) as record:
        for _epoch in range(6):
            for data, target in digit_loader():
                optimizer.zero_grad()
                output = F.log_softmax(model(data), dim=1)
                loss = F.nll_loss(output, target)
                loss.backward()
                optimizer.step()
                record.step(loss=loss)
                measure.append(wrong(output, target))
            scheduler.step()
    return Trained(measure, (record,))


@loop("PyTorch's transfer learning tutorial")
def transfer_learning() -> Trained:
    model, (x, y), measure = Net(0.0), digits(), []
    x, low = x.view(-1, 1, 8, 8), y < 5
    trained_before(model, x[low], y[low], 60)
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.fc2 = nn.Linear(32, 5)
    optimizer = optim.SGD(model.fc2.parameters(), lr=0.05, momentum=0.9)
    scheduler = lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    record = goldviz.watch(model, optimizer)
    for _epoch in range(12):
        for phase in ("train", "val"):
            model.train(phase == "train")
            for part in range(12 if phase == "train" else 2):
                inputs, labels = x[~low][part * 64 : part * 64 + 64], y[~low][part * 64 : part * 64 + 64] - 5
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = F.cross_entropy(outputs, labels)
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                    record.step(loss=loss)
                    measure.append(wrong(outputs, labels))
        scheduler.step()
    record.close()
    return Trained(measure, (record,))


class Adapted(nn.Module):
    """A layer that stays as it is, and what two thin matrices add to it: the second begins at 0."""

    def __init__(self, base: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + 2.0 * (x @ self.lora_a.T @ self.lora_b.T)


@loop("microsoft/LoRA")
def low_rank_adaptation() -> Trained:
    model = stack()
    trained_before(model, *digits(), 80)
    for place in (0, 2, 4):
        model[place] = Adapted(model[place])
    optimizer = optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-2)

    def batch() -> Told:
        x, y = some_digits()
        logits = model(x.flip(1))
        return F.cross_entropy(logits, y), wrong(logits, y)

    return learn(model, optimizer, batch)


@loop("fastai's discriminative rates")
def rates_by_layer() -> Trained:
    model = stack()
    groups = [{"params": model[at].parameters(), "lr": rate} for at, rate in ((0, 3e-4), (2, 1e-3), (4, 3e-3))]
    optimizer = optim.AdamW(groups, weight_decay=1e-2)
    schedule = lr_scheduler.OneCycleLR(optimizer, max_lr=[1e-3, 3e-3, 1e-2], total_steps=300)

    def batch() -> Told:
        x, y = some_digits()
        return F.cross_entropy(model(x), y, label_smoothing=0.1), wrong(model(x), y)

    return learn(model, optimizer, batch, 300, "backward step schedule clear tell", schedule)


@loop("fastai's gradual unfreezing")
def gradual_unfreezing() -> Trained:
    model, steps = stack(), iter(range(1000))
    trained_before(model, *digits(), 60)
    model[:4].requires_grad_(False)

    def batch() -> Told:
        if (step := next(steps)) in (80, 160):
            model[2 if step == 80 else 0].requires_grad_(True)
        x, y = some_digits()
        logits = model(x.flip(1))
        return F.cross_entropy(logits, y), wrong(logits, y)

    return learn(model, optim.Adam(model.parameters(), lr=2e-3), batch)


@loop()
def harder_and_harder() -> Trained:
    """A curriculum: its loss rises again while it learns what is hard."""
    model, (x, y), noise = stack(), digits(), iter(torch.linspace(0, 0.6, 300))

    def batch() -> Told:
        rows = torch.randint(300, len(x), (64,))
        loss = F.cross_entropy(model(x[rows] + next(noise) * torch.randn(64, 64)), y[rows])
        with torch.no_grad():
            return loss, wrong(model(x[:300] + 0.6 * torch.randn(300, 64)), y[:300])

    return learn(model, optim.Adam(model.parameters(), lr=2e-3), batch, 300)


@loop("facebookresearch/mixup-cifar10")
def mixup() -> Trained:
    net = stack()

    def batch() -> Told:
        x, y = some_digits()
        share, order = float(torch.distributions.Beta(1.0, 1.0).sample()), torch.randperm(len(x))
        outputs = net(share * x + (1 - share) * x[order])
        loss = share * F.cross_entropy(outputs, y) + (1 - share) * F.cross_entropy(outputs, y[order])
        with torch.no_grad():
            return loss, wrong(net(x), y)

    return learn(net, optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4), batch)


@loop("PyTorch's knowledge distillation tutorial")
def distillation() -> Trained:
    teacher, student, warmth = stack(), nn.Linear(64, 10), 2.0
    trained_before(teacher, *digits(), 150)
    teacher.eval()

    def batch() -> Told:
        x, y = some_digits()
        with torch.no_grad():
            teacher_logits = teacher(x)
        logits = student(x)
        soft, log_soft = F.softmax(teacher_logits / warmth, -1), F.log_softmax(logits / warmth, -1)
        loss = 0.25 * warmth**2 * (soft * (soft.log() - log_soft)).sum() / len(x)
        loss = loss + 0.75 * F.cross_entropy(logits, y)
        return loss, wrong(logits, y)

    return learn(student, optim.Adam(student.parameters(), lr=1e-2), batch)


@loop("CuriousAI/mean-teacher")
def mean_teacher() -> Trained:
    student = stack()
    teacher, weights = copy.deepcopy(student), iter(range(1000))

    def batch() -> Told:
        (x, y), (more, known), weight = some_digits(32), some_digits(96), min(next(weights) / 100, 1.0)
        with torch.no_grad():
            for slow, quick in zip(teacher.parameters(), student.parameters(), strict=True):
                slow.mul_(0.95).add_(quick, alpha=0.05)
            goals = teacher(torch.cat([x, more]) + 0.1 * torch.randn(128, 64)).softmax(1)
        logits = student(torch.cat([x, more]) + 0.1 * torch.randn(128, 64))
        loss = F.cross_entropy(logits[:32], y) + 10 * weight * F.mse_loss(logits.softmax(1), goals)
        return loss, wrong(teacher(more), known)

    return learn(student, optim.SGD(student.parameters(), lr=0.1, momentum=0.9, nesterov=True), batch)


@loop()
def self_training() -> Trained:
    model, (x, y), steps = stack(), digits(), iter(range(1000))

    def batch() -> Told:
        rows = torch.randint(200, (32,))
        loss = F.cross_entropy(model(x[rows]), y[rows])
        if next(steps) > 80:  # its own sure answers are labels from now on
            more, _ = some_digits(64)
            with torch.no_grad():
                sure, label = model(more).softmax(1).max(1)
            each = F.cross_entropy(model(more + 0.1 * torch.randn_like(more)), label, reduction="none")
            loss = loss + (each * (sure > 0.95)).mean()
        with torch.no_grad():
            return loss, wrong(model(x[1000:]), y[1000:])

    return learn(model, optim.Adam(model.parameters(), lr=2e-3), batch, 300)


@loop()
def monte_carlo_dropout() -> Trained:
    model, (x, _) = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1)), patients()
    y = x[:, :3].sum(1, keepdim=True) / 3

    def batch() -> Told:
        rows = torch.randint(len(x), (64,))
        loss = F.mse_loss(model(x[rows]), y[rows])
        with torch.no_grad():  # dropout stays on: the spread of the answers says how sure they are
            answers = torch.stack([model(x[:100]) for _ in range(5)])
        return loss, (answers.mean(0) - y[:100]).square().mean()

    return learn(model, optim.Adam(model.parameters(), lr=3e-3), batch, 200)


class Exits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(3)])
        self.exits = nn.ModuleList([nn.Linear(64, 10) for _ in range(3)])

    def forward(self, x: Tensor) -> list[Tensor]:
        told = []
        for block, leave in zip(self.blocks, self.exits, strict=True):
            x = block(x)
            told.append(leave(x))
        return told


@loop("Keras's and MSDNet's several outputs")
def early_exits() -> Trained:
    model = Exits()

    def batch() -> Told:
        x, y = some_digits()
        outputs = model(x)
        loss = sum((F.cross_entropy(one, y) for one in outputs), torch.zeros(()))
        return loss, wrong(outputs[0], y) + wrong(outputs[-1], y)

    return learn(model, optim.Adam(model.parameters(), lr=1e-3), batch)


class Tasks(nn.Module):
    """Which digit it is and how much ink there is, with a learned spread of each answer."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.kind, self.ink = nn.Linear(64, 64), nn.Linear(64, 10), nn.Linear(64, 1)
        self.log_vars = nn.Parameter(torch.zeros(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        hidden = F.relu(self.body(x))
        return self.kind(hidden), self.ink(hidden)[:, 0]


@loop("yaringal/multi-task-learning-example")
def uncertainty_weights() -> Trained:
    model = Tasks()

    def batch() -> Told:
        x, y = some_digits()
        kind, ink = model(x)
        losses = torch.stack([F.cross_entropy(kind, y), F.mse_loss(ink, x.mean(1) * 4)])
        loss = (torch.exp(-model.log_vars) * losses + model.log_vars).sum()  # falls below 0
        return loss, losses.sum()

    return learn(model, optim.Adam(model.parameters(), lr=5e-3), batch, 300)


@loop("facebookresearch/fvcore, sigmoid_focal_loss")
def focal_loss() -> Trained:
    model = stack(out=1)
    nn.init.constant_(model[-1].bias, -2.2)  # one in ten is what is looked for

    def batch() -> Told:
        x, y = some_digits(128)
        logits, target = model(x)[:, 0], (y == 3).float()
        entropy = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        loss = (entropy * (1 - torch.exp(-entropy)) ** 2).sum() / target.sum().clamp_min(1)
        return loss, ((logits > 0) != (target > 0)).float().mean()

    return learn(model, optim.Adam(model.parameters(), lr=1e-3), batch, 300)


class Centres(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.centres = nn.Parameter(torch.randn(10, 2))

    def forward(self, features: Tensor, y: Tensor) -> Tensor:
        return (features - self.centres[y]).square().sum(1).mean()


@loop("KaiyangZhou/pytorch-center-loss")
def center_loss() -> Trained:
    body, head, centres = nn.Sequential(nn.Linear(64, 64), nn.PReLU(), nn.Linear(64, 2)), nn.Linear(2, 10), Centres()
    model, measure = nn.ModuleDict({"body": body, "head": head}), []
    of_model, of_centres = optim.Adam(model.parameters(), lr=3e-3), optim.SGD(centres.parameters(), lr=0.5)
    with goldviz.watch(model, of_model) as record:
        for _ in range(300):
            x, y = some_digits(128)
            features = body(x)
            logits = head(features)
            loss = F.cross_entropy(logits, y) + 0.01 * centres(features, y)
            of_model.zero_grad()
            of_centres.zero_grad()
            loss.backward()
            of_model.step()
            for parameter in centres.parameters():
                parameter.grad.data *= 100.0  # its share of the loss does not count for its own rate
            of_centres.step()
            record.step(loss=loss)
            measure.append(wrong(logits, y))
    return Trained(measure, (record,))


@loop("PyTorch's FGSM tutorial, as training")
def adversarial_training() -> Trained:
    model = stack()

    def batch() -> Told:
        x, y = some_digits()
        x.requires_grad_(True)
        F.cross_entropy(model(x), y).backward()  # leaves gradients of the attack in the network
        attacked = (x + 0.05 * x.grad.sign()).clamp(0, 1).detach()
        model.zero_grad()
        loss = F.cross_entropy(model(attacked), y)
        return loss, loss

    return learn(model, optim.Adam(model.parameters(), lr=2e-3), batch, 250, "backward step tell")


@loop("havakv/pycox")
def survival() -> Trained:
    model, (x, benign) = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 1)), tumours()

    def batch() -> Told:
        rows = torch.randint(len(x), (128,))
        time = torch.distributions.Gamma(4.0, torch.where(benign[rows] == 1, 0.5, 8.0)).sample()
        order, seen = time.argsort(descending=True), time < 5
        risk = model(x[rows])[order, 0]
        loss = -((risk - risk.logcumsumexp(0)) * seen[order]).sum() / seen.sum()
        wrongly = (risk[:, None] > risk).triu(1)  # who lives longer at a higher risk
        return loss, wrongly.sum() / (128 * 127 / 2)

    return learn(model, optim.Adam(model.parameters(), lr=5e-4), batch)


@loop()
def quantile_regression() -> Trained:
    model, levels = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 3)), torch.tensor([0.1, 0.5, 0.9])
    normal = torch.distributions.Normal(0.0, 1.0).icdf(levels)

    def batch() -> Told:
        x = 4 * torch.rand(128, 1) - 2
        spread = 0.2 + 0.2 * x.abs()
        error = x.sin() + spread * torch.randn_like(x) - model(x)
        loss = torch.maximum(levels * error, (levels - 1) * error).mean()
        return loss, (model(x) - x.sin() - spread * normal).abs().mean()

    return learn(model, optim.Adam(model.parameters(), lr=1e-2), batch, 300)


@loop()
def normalised_weights() -> Trained:
    model = stack()
    parametrizations.weight_norm(model[0])
    parametrizations.spectral_norm(model[2])
    return learn(model, optim.SGD(model.parameters(), lr=0.1, momentum=0.9), lambda: classified(model))
