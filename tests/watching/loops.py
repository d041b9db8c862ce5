"""Training loops of somebody else: twenty with a fault in them, and sound ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from goldviz.watching.watcher import Watcher

ROWS = 32


def watching(model: nn.Module, **more: Any) -> Watcher:
    """A watcher that looks at every step and keeps its records in memory."""
    settings = {"name": "", "config": {}, "store": None, "every": 1, "budget": None, "histograms": False}
    return Watcher(model, None, **{**settings, **more})


def task(rows: int = ROWS, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Eight numbers; the class is the largest of the first three."""
    x = torch.randn(rows, 8, generator=torch.Generator().manual_seed(seed))
    return x, x[:, :3].argmax(1)


def mlp(act: type[nn.Module] = nn.ReLU, width: int = 32, out: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, width), act(), nn.Linear(width, width), act(), nn.Linear(width, out))


def trained(
    model: nn.Module,
    loss_of: Callable[[nn.Module, int], Tensor],
    steps: int = 40,
    optimiser: Callable[..., torch.optim.Optimizer] = torch.optim.AdamW,
    rate: float = 3e-3,
    before_step: Callable[[nn.Module], Any] = lambda model: None,
    clears: bool = True,
    own: Any = None,
    **more: Any,
) -> Watcher:
    """Train it as scripts do, and watch."""
    chosen = optimiser(own if own is not None else model.parameters(), rate)
    with watching(model, **more) as record:
        for step in range(1, steps + 1):
            loss = loss_of(model, step)
            if clears:
                chosen.zero_grad()
            loss.backward()
            before_step(model)
            chosen.step()
            record.step(loss=loss)
    return record


def classified(model: nn.Module, step: int) -> Tensor:
    x, y = task(seed=step)
    return functional.cross_entropy(model(x.to(next(model.parameters()).dtype)), y)


# -- twenty faults ------------------------------------------------------------------------------------------------


class Logarithm(nn.Module):
    """Takes the logarithm of what may be 0."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.log(x)


class Normalised(nn.Module):
    """Divides by a spread that may be 0."""

    def forward(self, x: Tensor) -> Tensor:
        return (x - x.mean(-1, keepdim=True)) / (x - x.mean(-1, keepdim=True)).pow(2).sum(-1, keepdim=True)


def log_of_zero() -> Watcher:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), Logarithm(), nn.Linear(16, 3))
    return trained(model, classified, steps=3)


def zero_over_zero() -> Watcher:
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), Normalised(), nn.Linear(16, 3))

    def loss_of(model: nn.Module, step: int) -> Tensor:
        if step == 4:
            with torch.no_grad():
                model[0].weight.zero_()
                model[0].bias.zero_()
        return classified(model, step)

    return trained(model, loss_of, steps=6)


def half_overflow() -> Watcher:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)).half()
    with torch.no_grad():
        model[2].weight.fill_(6e3)

    def loss_of(model: nn.Module, step: int) -> Tensor:
        x, y = task(seed=step)
        return functional.cross_entropy(model(10 * x.half()).float(), y)

    return trained(model, loss_of, steps=2, optimiser=torch.optim.SGD)


def bad_row() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x, y = task(seed=step)
        if step == 5:
            x[17, 3] = math.inf
        return functional.cross_entropy(model(x), y)

    return trained(mlp(), loss_of, steps=7)


def dead_relus() -> Watcher:
    model = mlp()
    with torch.no_grad():
        model[0].bias.fill_(-30.0)
    return trained(model, classified)


def rate_too_large() -> Watcher:
    return trained(mlp(), classified, rate=1.0)


def rate_too_small() -> Watcher:
    return trained(mlp(), classified, rate=1e-7)


def no_warm_up() -> Watcher:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    schedule = [0.3 * 0.7**step for step in range(200)]

    def loss_of(model: nn.Module, step: int) -> Tensor:
        for group in chosen.param_groups:
            group["lr"] = max(schedule[step - 1], 1e-3)
        return classified(model, step)

    chosen = torch.optim.AdamW(model.parameters(), 0.3)
    return trained(model, loss_of, steps=150, optimiser=lambda *_: chosen)


class Attention(nn.Module):
    """One head, with the mask that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        scores = self.q(x) @ self.k(x).transpose(-1, -2)
        return scores.masked_fill(mask, -math.inf).softmax(-1) @ self.v(x)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.head = Attention(), nn.Linear(8, 3)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.head(self.attention(x, mask).mean(1))


def wrong_mask() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x = torch.randn(ROWS, 5, 8, generator=torch.Generator().manual_seed(step))
        # The mask says what may be seen, where what may not be seen is asked for.
        return functional.cross_entropy(model(x, torch.ones(5, 5, dtype=torch.bool)), x[:, 0, :3].argmax(1))

    return trained(Encoder(), loss_of, steps=3)


class Detached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch, self.trunk, self.head = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.trunk(x) + self.branch(x).detach())


def detached_branch() -> Watcher:
    return trained(Detached(), classified)


def frozen_by_mistake() -> Watcher:
    model = mlp()
    model[2].requires_grad_(False)
    return trained(model, classified)


def double_softmax() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x, y = task(seed=step)
        return functional.cross_entropy(model(x).softmax(-1), y)

    return trained(mlp(), loss_of)


def clip_before_unscale() -> Watcher:
    model = mlp()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)
    with watching(model) as record:
        for step in range(1, 20):
            loss = classified(model, step)
            chosen.zero_grad()
            scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(chosen)
            scaler.update()
            record.step(loss=loss)
    return record


def no_zero_grad() -> Watcher:
    return trained(mlp(), classified, clears=False)


class Tied(nn.Module):
    """A language model whose output layer shares the embedding's weights, drawn as embeddings are."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 64)
        self.body = nn.Linear(64, 64)
        self.head = nn.Linear(64, 50, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.embedding(tokens) + torch.tanh(self.body(self.embedding(tokens))))


def weight_tying() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        tokens = torch.randint(50, (ROWS,), generator=torch.Generator().manual_seed(step))
        return functional.cross_entropy(model(tokens), (tokens + 1) % 50)

    return trained(Tied(), loss_of, steps=10, rate=1e-3)


def missing_eval() -> Watcher:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3))

    def loss_of(model: nn.Module, step: int) -> Tensor:
        with torch.no_grad():
            classified(model, 1000 + step)
        return classified(model, step)

    return trained(model, loss_of)


def shuffled_labels() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x, y = task(seed=step)
        return functional.cross_entropy(
            model(x), y[torch.randperm(ROWS, generator=torch.Generator().manual_seed(step))]
        )

    return trained(mlp(), loss_of, steps=120, rate=1e-3)


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], width: int = 16) -> None:
        super().__init__()
        self.cell, self.head = kind(8, width, batch_first=True), nn.Linear(width, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cell(x)[0][:, -1])


def sequences(model: nn.Module, step: int) -> Tensor:
    x = torch.randn(ROWS, 12, 8, generator=torch.Generator().manual_seed(step)).to(next(model.parameters()).dtype)
    return functional.cross_entropy(model(x), x[:, -1, :3].argmax(1))


class Relu(nn.RNN):
    def __init__(self, *sizes: int, batch_first: bool) -> None:
        super().__init__(*sizes, nonlinearity="relu", batch_first=batch_first)


def exploding_recurrence() -> Watcher:
    model = Recurrent(Relu)
    with torch.no_grad():
        model.cell.weight_hh_l0.copy_(3 * torch.eye(16))
    return trained(model, sequences, optimiser=torch.optim.SGD, rate=1e-8)


def saturated_gates() -> Watcher:
    model = Recurrent(nn.LSTM)
    with torch.no_grad():
        model.cell.weight_ih_l0.mul_(60)
    return trained(model, sequences, rate=1e-3)


def constant_input() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x, y = task(seed=step)
        return functional.cross_entropy(model(x[:1].expand_as(x)), y)

    return trained(mlp(), loss_of)


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(20, 16), nn.Linear(16, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.words(tokens).data.mean(1))


def embedding_without_gradient() -> Watcher:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        tokens = torch.randint(20, (ROWS, 4), generator=torch.Generator().manual_seed(step))
        return functional.cross_entropy(model(tokens), tokens[:, 0] % 3)

    return trained(Words(), loss_of)


FAULTS: dict[str, tuple[Callable[[], Watcher], str]] = {
    "log of 0": (log_of_zero, "first_cause"),
    "0/0": (zero_over_zero, "first_cause"),
    "fp16 overflow": (half_overflow, "first_cause"),
    "one bad row": (bad_row, "first_cause"),
    "dead ReLUs": (dead_relus, "dead_units"),
    "rate too large": (rate_too_large, "learning_rate_too_large"),
    "rate too small": (rate_too_small, "learning_rate_too_small"),
    "no warm-up": (no_warm_up, "no_warm_up"),
    "wrong mask": (wrong_mask, "first_cause"),
    "detached branch": (detached_branch, "no_gradient"),
    "frozen by mistake": (frozen_by_mistake, "frozen"),
    "double softmax": (double_softmax, "softmax_twice"),
    "clip before unscale": (clip_before_unscale, "clipped_before_unscaling"),
    "no zero_grad": (no_zero_grad, "stale_gradient"),
    "weight tying start": (weight_tying, "first_loss"),
    "missing eval": (missing_eval, "training_mode"),
    "shuffled labels": (shuffled_labels, "no_better_than_guessing"),
    "exploding recurrent weight": (exploding_recurrence, "exploding"),
    "saturated gates": (saturated_gates, "saturated"),
    "constant input": (constant_input, "constant_input"),
    "embedding without gradient": (embedding_without_gradient, "no_gradient"),
}
"""A loop with a fault in it, and the card that must say so."""


# -- sound loops --------------------------------------------------------------------------------------------------


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
            nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(2),
        )  # fmt: skip
        self.head = nn.Linear(64, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).flatten(1))


Loss = Callable[[nn.Module, int], Tensor]


def convolutions() -> tuple[nn.Module, Loss]:
    def loss_of(model: nn.Module, step: int) -> Tensor:
        x = torch.randn(ROWS, 3, 8, 8, generator=torch.Generator().manual_seed(step)).to(next(model.parameters()).dtype)
        model.eval()
        with torch.no_grad():
            model(x)
        model.train()
        return functional.cross_entropy(model(x), x[:, :, :4, :4].mean((2, 3)).argmax(1))

    return Convolutions(), loss_of


class Layers(nn.Module):
    """A small encoder of ``torch.nn``."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.words(tokens)))


class Translator(nn.Module):
    """PyTorch's whole Transformer: encoder, decoder, and attention between them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 32)
        self.transformer = nn.Transformer(32, 4, 1, 2, 64, batch_first=True)
        self.head = nn.Linear(32, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        given = self.words(tokens)
        return self.head(self.transformer(given, given))


def next_tokens(model: nn.Module, step: int) -> Tensor:
    tokens = torch.randint(20, (16, 8), generator=torch.Generator().manual_seed(step))
    return functional.cross_entropy(model(tokens).flatten(0, 1), ((tokens + 1) % 20).flatten())


def _language_model(kind: str) -> tuple[nn.Module, Loss]:
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 40}
    longer = {"intermediate_size": 64, "max_position_embeddings": 16}
    model: Any = {
        "bert": lambda: transformers.BertForMaskedLM(transformers.BertConfig(**sizes, **longer)),
        "gpt2": lambda: transformers.GPT2LMHeadModel(
            transformers.GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=40, n_positions=16)
        ),
        "llama": lambda: transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **longer)),
    }[kind]()

    def loss_of(model: nn.Module, step: int) -> Tensor:
        start = torch.randint(40, (16, 1), generator=torch.Generator().manual_seed(step))
        tokens = (start + torch.arange(12)) % 40
        return model(input_ids=tokens, labels=tokens if kind != "bert" else (3 * tokens + 1) % 40).loss

    return model, loss_of


NETWORKS: dict[str, tuple[Callable[[], tuple[nn.Module, Loss]], float]] = {
    "perceptron": (lambda: (mlp(), classified), 3e-3),
    "convolutions": (convolutions, 3e-3),
    "LSTM": (lambda: (Recurrent(nn.LSTM), sequences), 1e-2),
    "GRU": (lambda: (Recurrent(nn.GRU), sequences), 1e-2),
    "TransformerEncoder": (lambda: (Layers(), next_tokens), 1e-3),
    "Transformer": (lambda: (Translator(), next_tokens), 1e-3),
    "BERT": (lambda: _language_model("bert"), 1e-3),
    "GPT-2": (lambda: _language_model("gpt2"), 1e-3),
    "Llama": (lambda: _language_model("llama"), 1e-3),
}
"""Networks without a fault, each with its loss, and a rate that suits it."""


def sound(name: str) -> Watcher:
    """A loop without a fault: no card may say that there is one."""
    build, rate = NETWORKS[name]
    return trained(*build(), steps=110, rate=rate)
