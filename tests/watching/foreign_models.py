"""Networks as other people write them, each in a training loop of its own, on a few numbers drawn at random."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import parametrizations
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset
from torchdiffeq import odeint, odeint_adjoint

ROWS, PLACES, WORDS = 8, 8, 20
"""Rows of a batch, places of a sequence, and words of a language."""


@dataclass(frozen=True)
class Foreign:
    """One or two networks, and a step of their training, which returns the loss of each.

    ``kept`` tells what a network keeps in its plain attributes: the training must leave the same there.
    """

    networks: tuple[nn.Module, ...]
    step: Callable[[], tuple[Tensor, ...]]
    kept: Callable[[], list[Any]] = list


ZOO: dict[str, Callable[[], Foreign]] = {}
"""Every network by its name."""


def network(name: str) -> Callable[[Callable[[], Foreign]], Callable[[], Foreign]]:
    """Put a network on the list."""

    def listed(build: Callable[[], Foreign]) -> Callable[[], Foreign]:
        assert name not in ZOO
        ZOO[name] = build
        return build

    return listed


def descent(
    model: nn.Module,
    loss_of: Callable[[], Tensor],
    optimizer: optim.Optimizer | None = None,
    kept: Callable[[], list[Any]] = list,
) -> Foreign:
    """The usual loop: clear, backward, step."""
    chosen = optimizer if optimizer is not None else optim.AdamW(model.parameters(), 3e-3)

    def step() -> tuple[Tensor, ...]:
        chosen.zero_grad()
        loss = loss_of()
        loss.backward()
        chosen.step()
        return (loss,)

    return Foreign((model,), step, kept)


def words() -> Tensor:
    return torch.randint(1, WORDS, (ROWS, PLACES))


def table() -> tuple[Tensor, Tensor]:
    """Eight numbers a row; the class is the largest of the first three."""
    x = torch.randn(4 * ROWS, 8)
    return x, x[:, :3].argmax(1)


def images() -> tuple[Tensor, Tensor]:
    """Small images; the class is the channel that is brightest."""
    x = torch.randn(ROWS, 3, 8, 8)
    return x, x.mean((2, 3)).argmax(1)


def classifies(model: nn.Module, draw: Callable[[], tuple[Tensor, Tensor]] = table) -> Callable[[], Tensor]:
    def loss_of() -> Tensor:
        x, y = draw()
        return F.cross_entropy(model(x), y)

    return loss_of


def perceptron(given: int, wanted: int, width: int = 16) -> nn.Sequential:
    return nn.Sequential(nn.Linear(given, width), nn.Tanh(), nn.Linear(width, wanted))


# -- Hugging Face -----------------------------------------------------------------------------------------------------

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def hugging(model: Any, **more: Callable[[], Tensor]) -> Foreign:
    """A language model that makes its own loss; ``more`` it is given beside the words."""

    def loss_of() -> Tensor:
        tokens = words()
        loss: Tensor = model(input_ids=tokens, labels=tokens, **{name: make() for name, make in more.items()}).loss
        return loss

    return descent(model, loss_of)


@network("BERT")
def bert() -> Foreign:
    import transformers

    model = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=WORDS, **SIZES))

    def mask() -> Tensor:
        return (torch.rand(ROWS, PLACES) > 0.1).long()

    return hugging(model, attention_mask=mask)


@network("DistilBERT")
def distilbert() -> Foreign:
    import transformers

    config = transformers.DistilBertConfig(vocab_size=WORDS, dim=16, n_layers=2, n_heads=2, hidden_dim=32)
    return hugging(transformers.DistilBertForMaskedLM(config))


@network("GPT-2")
def gpt2() -> Foreign:
    import transformers

    config = transformers.GPT2Config(
        vocab_size=WORDS, n_embd=16, n_layer=2, n_head=2, n_positions=16, bos_token_id=0, eos_token_id=0
    )
    return hugging(transformers.GPT2LMHeadModel(config))


@network("Llama")
def llama() -> Foreign:
    import transformers

    config = transformers.LlamaConfig(vocab_size=WORDS, num_key_value_heads=1, max_position_embeddings=16, **SIZES)
    return hugging(transformers.LlamaForCausalLM(config))


@network("T5")
def t5() -> Foreign:
    import transformers

    config = transformers.T5Config(
        vocab_size=WORDS, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, decoder_start_token_id=0
    )
    return hugging(transformers.T5ForConditionalGeneration(config))


@network("ViT")
def vit() -> Foreign:
    import transformers

    config = transformers.ViTConfig(image_size=8, patch_size=4, num_labels=3, hidden_dropout_prob=0.1, **SIZES)
    model = transformers.ViTForImageClassification(config)

    def loss_of() -> Tensor:
        x, y = images()
        loss: Tensor = model(pixel_values=x, labels=y).loss
        return loss

    return descent(model, loss_of)


@network("Mamba")
def mamba() -> Foreign:
    import transformers

    config = transformers.MambaConfig(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, state_size=4)
    return hugging(transformers.MambaForCausalLM(config))


@network("RWKV")
def rwkv() -> Foreign:
    import transformers

    config = transformers.RwkvConfig(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, context_length=16)
    return hugging(transformers.RwkvForCausalLM(config))


# -- sequences --------------------------------------------------------------------------------------------------------


class Translator(nn.Module):
    """PyTorch's whole Transformer, with a causal mask and masks of padding."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, 16, padding_idx=0), nn.Embedding(PLACES, 16)
        self.transformer = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
        self.head = nn.Linear(16, WORDS)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        places = self.places(torch.arange(source.shape[1], device=source.device))
        mask = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        told = self.transformer(
            self.words(source) + places, self.words(target) + places[: target.shape[1]], tgt_mask=mask,
            src_key_padding_mask=source == 0, tgt_key_padding_mask=target == 0, memory_key_padding_mask=source == 0,
        )  # fmt: skip
        answer: Tensor = self.head(told)
        return answer


@network("nn.Transformer with masks")
def translator() -> Foreign:
    model = Translator()

    def loss_of() -> Tensor:
        source = words()
        source[torch.rand(ROWS) < 0.5, -2:] = 0
        answers = model(source, source[:, :-1])
        return F.cross_entropy(answers.flatten(0, 1), source[:, 1:].flatten(), ignore_index=0)

    return descent(model, loss_of)


class Tagger(nn.Module):
    """Two layers of LSTM in both directions, over sequences of different lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, 8)
        self.lstm = nn.LSTM(8, 8, 2, batch_first=True, bidirectional=True, dropout=0.2)
        self.head = nn.Linear(16, WORDS)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.words(tokens), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=tokens.shape[1])
        answer: Tensor = self.head(states)
        return answer


@network("packed bidirectional LSTM")
def tagger() -> Foreign:
    model = Tagger()

    def loss_of() -> Tensor:
        tokens, lengths = words(), torch.randint(2, PLACES + 1, (ROWS,))
        seen = torch.arange(PLACES) < lengths[:, None]
        return F.cross_entropy(model(tokens, lengths)[seen], tokens[seen])

    return descent(model, loss_of)


class Reader(nn.Module):
    """Reads a long text in pieces: its state stays in plain attributes from one piece to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.long = nn.GRU(4, 8, batch_first=True), nn.LSTM(8, 8, batch_first=True)
        self.head = nn.Linear(8, 4)
        self.hidden: Tensor | None = None
        self.states: tuple[Tensor, Tensor] | None = None
        self.average = torch.zeros(8)

    def forward(self, x: Tensor) -> Tensor:
        out, hidden = self.cell(x, self.hidden)
        out, (short, long) = self.long(out, self.states)
        self.hidden, self.states = hidden.detach(), (short.detach(), long.detach())
        # In place, and used: what was added to it once is never forgotten.
        self.average.mul_(0.9).add_(out.detach().mean((0, 1)), alpha=0.1)
        answer: Tensor = self.head(out - self.average)
        return answer


@network("stateful RNN")
def reader() -> Foreign:
    model = Reader()

    def loss_of() -> Tensor:
        x = torch.randn(ROWS, 5, 4)
        return F.mse_loss(model(x), x.cumsum(1))

    def kept() -> list[Any]:
        assert model.states is not None
        return [model.hidden, *model.states, model.average]

    return descent(model, loss_of, kept=kept)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (one.unflatten(-1, (2, -1)).transpose(1, 2) for one in self.attention(self.ln_1(x)).chunk(3, -1))
        dropped = 0.1 if self.training else 0.0
        seen = F.scaled_dot_product_attention(q, k, v, dropout_p=dropped, is_causal=True)
        x = x + self.projection(seen.transpose(1, 2).flatten(2))
        out: Tensor = x + self.mlp(self.ln_2(x))
        return out


class Gpt(nn.Module):
    """A small language model whose head is its embedding; ``forward`` gives logits and loss."""

    def __init__(self, checkpoints: bool = False) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(WORDS, 16), nn.Embedding(PLACES, 16)
        self.blocks = nn.ModuleList([Block(16), Block(16)])
        self.ln_f, self.lm_head = nn.LayerNorm(16), nn.Linear(16, WORDS, bias=False)
        self.wte.weight = self.lm_head.weight
        self.checkpoints = checkpoints

    def forward(self, tokens: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for number, block in enumerate(self.blocks):
            x = checkpoint(block, x, use_reentrant=number == 1) if self.checkpoints and self.training else block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def next_word(model: Gpt) -> Tensor:
    tokens = words()
    _, loss = model(tokens[:, :-1], tokens[:, 1:])
    assert isinstance(loss, Tensor)
    return loss


@network("nanoGPT")
def nano_gpt() -> Foreign:
    """Four batches an update, clipped, along a cosine."""
    model = Gpt()
    decays = [one for one in model.parameters() if one.ndim > 1]
    plain = [one for one in model.parameters() if one.ndim < 2]
    groups: list[dict[str, Any]] = [{"params": decays, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    schedule = optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: (step + 1) / 4 if step < 4 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 4) / 10))
    )

    def step() -> tuple[Tensor, ...]:
        for _ in range(4):
            loss = next_word(model) / 4
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        return (4 * loss.detach(),)

    return Foreign((model,), step)


@network("gradient checkpointing")
def checkpointed() -> Foreign:
    model = Gpt(checkpoints=True)
    return descent(model, lambda: next_word(model))


# -- images -----------------------------------------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, given: int, wanted: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(given, wanted, 3, stride, 1, bias=False), nn.BatchNorm2d(wanted)
        self.conv2, self.bn2 = nn.Conv2d(wanted, wanted, 3, 1, 1, bias=False), nn.BatchNorm2d(wanted)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: nn.Module | None = None
        if stride != 1 or given != wanted:
            self.downsample = nn.Sequential(nn.Conv2d(given, wanted, 1, stride, bias=False), nn.BatchNorm2d(wanted))

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        answer: Tensor = self.relu(out)
        return answer


def resnet() -> nn.Sequential:
    """Four stages of two blocks, as in ResNet-18, of a few channels."""
    widths = [8, 8, 12, 16, 24]
    stages = [
        nn.Sequential(Residual(given, wanted, 1 if given == wanted else 2), Residual(wanted, wanted, 1))
        for given, wanted in pairwise(widths)
    ]
    stem = [nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 1, 1)]
    return nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 3))


@network("ResNet-18")
def resnet_18() -> Foreign:
    model = resnet()
    rule = optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    return descent(model, classifies(model, images), rule)


class Inverted(nn.Module):
    """Wide between two narrow ends, with a convolution of each channel alone."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(width, 3 * width, 1, bias=False), nn.BatchNorm2d(3 * width), nn.ReLU6(inplace=True),
            nn.Conv2d(3 * width, 3 * width, 3, 1, 1, groups=3 * width, bias=False), nn.BatchNorm2d(3 * width),
            nn.Hardswish(inplace=True), nn.Conv2d(3 * width, width, 1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.conv(x)
        return out


@network("MobileNet")
def mobilenet() -> Foreign:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(inplace=True), Inverted(8), Inverted(8),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2, inplace=True), nn.Linear(8, 3),
    )  # fmt: skip
    return descent(model, classifies(model, images), optim.RMSprop(model.parameters(), 1e-3, momentum=0.9))


class Next(nn.Module):
    """A block of ConvNeXt's: channels last inside, a scale of its own, and whole rows dropped."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dwconv, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width, eps=1e-6)
        self.pwconv1, self.pwconv2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-2 * torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        out = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        out = (self.gamma * self.pwconv2(F.gelu(self.pwconv1(out)))).permute(0, 3, 1, 2)
        if self.training:
            out = out * x.new_empty(len(x), 1, 1, 1).bernoulli_(0.8) / 0.8
        answer: Tensor = x + out
        return answer


@network("ConvNeXt")
def convnext() -> Foreign:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 2, 2), Next(8), Next(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)
    )
    return descent(model, classifies(model, images), optim.AdamW(model.parameters(), 4e-3, weight_decay=0.05))


class Transferred(nn.Module):
    """A backbone that stays in evaluation mode whatever is asked of it, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = resnet()
        self.backbone[-1] = nn.Identity()
        self.backbone.requires_grad_(False)
        self.head = nn.Linear(24, 3)

    def train(self, mode: bool = True) -> Transferred:
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            features = self.backbone(x)
        answer: Tensor = self.head(features)
        return answer


@network("frozen backbone")
def frozen_backbone() -> Foreign:
    model = Transferred().train()
    return descent(model, classifies(model, images), optim.Adam(model.head.parameters(), 1e-2))


class LowRank(nn.Module):
    """A frozen layer with a trained product of two narrow matrices beside it, which evaluation folds into it."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base, self.dropout = base.requires_grad_(False), nn.Dropout(0.1)
        self.A = nn.Parameter(torch.randn(2, base.in_features) / 2)
        self.B = nn.Parameter(torch.zeros(base.out_features, 2))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.base(x) + self.dropout(x) @ self.A.T @ self.B.T * 2.0
        return out


@network("LoRA")
def lora() -> Foreign:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
    model.requires_grad_(False)
    for place in (0, 2, 4):
        linear = model[place]
        assert isinstance(linear, nn.Linear)
        model[place] = LowRank(linear)
    own = [one for one in model.parameters() if one.requires_grad]
    return descent(model, classifies(model), optim.AdamW(own, 1e-2))


class Views(nn.Module):
    """SimCLR's encoder and projection."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten())
        self.projection = nn.Sequential(nn.Linear(128, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(self.projection(self.encoder(x)), dim=1)


@network("SimCLR")
def simclr() -> Foreign:
    model = Views()

    def loss_of() -> Tensor:
        x, _ = images()
        z = model(torch.cat([x + 0.1 * torch.randn_like(x), x.flip(3) * (1 + 0.2 * torch.rand(ROWS, 1, 1, 1))]))
        alike = (z @ z.T / 0.5).masked_fill(torch.eye(2 * ROWS, dtype=torch.bool), -math.inf)
        return F.cross_entropy(alike, torch.arange(2 * ROWS).roll(ROWS))

    return descent(model, loss_of)


# -- generating -------------------------------------------------------------------------------------------------------


@network("DCGAN")
def dcgan() -> Foreign:
    generator = nn.Sequential(
        nn.ConvTranspose2d(4, 8, 4, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
        nn.ConvTranspose2d(8, 3, 4, 2, 1, bias=False), nn.Tanh(),
    )  # fmt: skip
    discriminator = nn.Sequential(
        nn.Conv2d(3, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(8, 1, 4, bias=False), nn.Flatten(0), nn.Sigmoid(),
    )  # fmt: skip
    of_g = optim.Adam(generator.parameters(), 2e-3, betas=(0.5, 0.999))
    of_d = optim.Adam(discriminator.parameters(), 2e-3, betas=(0.5, 0.999))
    criterion = nn.BCELoss()

    def step() -> tuple[Tensor, ...]:
        discriminator.zero_grad()
        real, _ = images()
        of_real = criterion(discriminator(real.tanh()), torch.ones(ROWS))
        of_real.backward()
        fake = generator(torch.randn(ROWS, 4, 1, 1))
        of_fake = criterion(discriminator(fake.detach()), torch.zeros(ROWS))
        of_fake.backward()
        of_d.step()
        generator.zero_grad()
        fooled = criterion(discriminator(fake), torch.ones(ROWS))
        fooled.backward()
        of_g.step()
        return fooled, of_real + of_fake

    return Foreign((generator, discriminator), step)


@network("WGAN-GP")
def gradient_penalty() -> Foreign:
    """The penalty is of a gradient, so that the backward pass goes through a backward pass."""
    generator, critic = perceptron(4, 2), perceptron(2, 1)
    of_g = optim.Adam(generator.parameters(), 1e-3, betas=(0.0, 0.9))
    of_critic = optim.Adam(critic.parameters(), 1e-3, betas=(0.0, 0.9))

    def step() -> tuple[Tensor, ...]:
        for _ in range(2):
            real, fake, share = torch.randn(ROWS, 2) + 3, generator(torch.randn(ROWS, 4)).detach(), torch.rand(ROWS, 1)
            between = (share * real + (1 - share) * fake).requires_grad_(True)
            [slope] = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
            loss = critic(fake).mean() - critic(real).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()
            of_critic.zero_grad()
            loss.backward()
            of_critic.step()
        of_g.zero_grad()
        fooled = -critic(generator(torch.randn(ROWS, 4))).mean()
        fooled.backward()
        of_g.step()
        return fooled, loss

    return Foreign((generator, critic), step)


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = perceptron(8, 6), perceptron(3, 8)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mu, logvar = self.encoder(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decoder(z), mu, logvar


@network("VAE")
def vae() -> Foreign:
    model = Vae()

    def loss_of() -> Tensor:
        x, _ = table()
        again, mu, logvar = model(x)
        loss: Tensor = F.mse_loss(again, x) - 0.05 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
        return loss

    return descent(model, loss_of)


class Denoiser(nn.Module):
    """DDPM: noise is added at a time drawn at random, and told again."""

    shares: Tensor

    def __init__(self, times: int = 20) -> None:
        super().__init__()
        self.register_buffer("shares", torch.cumprod(1 - torch.linspace(1e-4, 0.2, times), 0))
        self.times = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 16))
        self.into, self.middle = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.norm, self.out = nn.GroupNorm(4, 16), nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, noisy: Tensor, time: Tensor) -> Tensor:
        angles = time[:, None] * torch.exp(torch.arange(4) * (-math.log(100.0) / 3))
        told = self.times(torch.cat([angles.sin(), angles.cos()], 1))[:, :, None, None]
        hidden = self.into(noisy) + told
        answer: Tensor = self.out(hidden + self.middle(F.silu(self.norm(hidden))))
        return answer


@network("DDPM")
def ddpm() -> Foreign:
    """Beside it a slow average of its weights, as such networks are sampled with."""
    model = Denoiser()
    average = {name: one.detach().clone() for name, one in model.named_parameters()}

    def loss_of() -> Tensor:
        for name, one in model.named_parameters():
            average[name].lerp_(one.detach(), 0.1)
        x, _ = images()
        time, noise = torch.randint(len(model.shares), (ROWS,)), torch.randn_like(x)
        share = model.shares[time][:, None, None, None]
        return F.mse_loss(model(share.sqrt() * x + (1 - share).sqrt() * noise, time), noise)

    return descent(model, loss_of, kept=lambda: [*average.values()])


# -- acting, flowing, and graphs --------------------------------------------------------------------------------------


@network("REINFORCE")
def reinforce() -> Foreign:
    """A walk along a line; the nearer to its middle, the better. The network is asked once a pace."""
    policy = nn.Sequential(nn.Linear(2, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 2))
    optimizer = optim.Adam(policy.parameters(), 1e-2)

    def step() -> tuple[Tensor, ...]:
        at, speed, told, rewards = float(torch.randn(())), 0.0, [], []
        for _ in range(6):
            chances = Categorical(logits=policy(torch.tensor([[at, speed]])))
            action = chances.sample()
            told.append(chances.log_prob(action))
            speed += 0.4 * float(action) - 0.2
            at += speed
            rewards.append(-abs(at))
        returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
        loss = -(torch.cat(told) * (returns - returns.mean()) / (returns.std() + 1e-6)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return (loss,)

    return Foreign((policy,), step)


class Field(nn.Module):
    """What moves a state; it counts how often it is asked, as torchdiffeq's examples do."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.nfe = perceptron(3, 3), 0

    def forward(self, t: Tensor, y: Tensor) -> Tensor:
        self.nfe += 1
        slope: Tensor = self.net(y) - 0.1 * t * y
        return slope


class Flow(nn.Module):
    def __init__(self, solve: Callable[..., Any], method: str) -> None:
        super().__init__()
        self.field, self.head = Field(), nn.Linear(3, 2)
        self.solve, self.method = solve, method

    def forward(self, y: Tensor) -> Tensor:
        path = self.solve(self.field, y, torch.tensor([0.0, 0.5, 1.0]), rtol=1e-3, atol=1e-4, method=self.method)
        answer: Tensor = self.head(path[-1])
        return answer


def flow(solve: Callable[..., Any], method: str) -> Foreign:
    model = Flow(solve, method)

    def draw() -> tuple[Tensor, Tensor]:
        y = torch.randn(4 * ROWS, 3)
        return y, (y.square().sum(1) > 2.4).long()

    return descent(model, classifies(model, draw), kept=lambda: [model.field.nfe])


@network("odeint")
def flows() -> Foreign:
    return flow(odeint, "dopri5")


@network("odeint_adjoint")
def flows_back() -> Foreign:
    return flow(odeint_adjoint, "rk4")


def graph() -> tuple[Tensor, Tensor, Tensor]:
    """Numbers of twelve nodes, edges between them at random, and classes."""
    x, edges = torch.randn(12, 6), torch.randint(12, (2, 40))
    return x, torch.cat([edges, torch.arange(12).expand(2, -1)], 1), x[:, :3].argmax(1)


class Gcn(nn.Module):
    """Each node adds up what its neighbours say, by ``index_add_``."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.dropout = nn.Linear(6, 16), nn.Linear(16, 3), nn.Dropout(0.3)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        degree = torch.zeros(len(x)).index_add_(0, target, torch.ones(len(target)))
        share = (degree[source] * degree[target]).rsqrt()[:, None]

        def spread(told: Tensor) -> Tensor:
            return torch.zeros_like(told).index_add_(0, target, share * told[source])

        return spread(self.second(self.dropout(F.relu(spread(self.first(x))))))


class Gat(nn.Module):
    """Each node weighs its neighbours, with two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.head = nn.Linear(6, 16, bias=False), nn.Linear(16, 3)
        self.of_source, self.of_target = nn.Parameter(torch.randn(2, 8) / 3), nn.Parameter(torch.randn(2, 8) / 3)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        told = self.linear(x).unflatten(-1, (2, 8))
        scores = F.leaky_relu((told * self.of_source).sum(-1)[source] + (told * self.of_target).sum(-1)[target], 0.2)
        place = target[:, None].expand_as(scores)
        largest = torch.full((len(x), 2), -math.inf).scatter_reduce(0, place, scores.detach(), "amax")
        weights = (scores - largest[target]).exp()
        weights = weights / torch.zeros(len(x), 2).index_add(0, target, weights)[target]
        weights = F.dropout(weights, 0.2, self.training)
        seen = torch.zeros_like(told).index_add(0, target, weights[..., None] * told[source])
        answer: Tensor = self.head(F.elu(seen.flatten(1)))
        return answer


def on_graphs(model: nn.Module) -> Foreign:
    def loss_of() -> Tensor:
        x, edges, y = graph()
        return F.cross_entropy(model(x, edges), y)

    return descent(model, loss_of, optim.Adam(model.parameters(), 1e-2, weight_decay=5e-4))


@network("GCN")
def gcn() -> Foreign:
    return on_graphs(Gcn())


@network("GAT")
def gat() -> Foreign:
    return on_graphs(Gat())


# -- other orders, precisions and reparametrised weights --------------------------------------------------------------


@network("LBFGS in double precision")
def lbfgs() -> Foreign:
    """Each step asks for the loss of the same batch several times."""
    model = perceptron(8, 1).double()
    optimizer = optim.LBFGS(model.parameters(), 0.5, max_iter=4, line_search_fn="strong_wolfe")

    def step() -> tuple[Tensor, ...]:
        x = torch.randn(4 * ROWS, 8, dtype=torch.float64)

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), x[:, :1] * x[:, 1:2])
            loss.backward()
            return loss

        return (torch.as_tensor(optimizer.step(closure)),)

    return Foreign((model,), step)


@network("bfloat16 autocast")
def autocast() -> Foreign:
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 3))

    def loss_of() -> Tensor:
        x, y = table()
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(model(x), y)

    return descent(model, loss_of)


def old_style(norm: Callable[[nn.Module], nn.Module]) -> Foreign:
    first, second = norm(nn.Linear(8, 16)), norm(nn.Linear(16, 3))
    model = nn.Sequential(first, nn.ReLU(), second)
    return descent(model, classifies(model))


@network("spectral_norm, old style")
def spectral_hooks() -> Foreign:
    return old_style(nn.utils.spectral_norm)


@network("weight_norm, old style")
def weight_hooks() -> Foreign:
    return old_style(nn.utils.weight_norm)


@network("spectral_norm, new style")
def spectral() -> Foreign:
    return old_style(parametrizations.spectral_norm)


@network("weight_norm, new style")
def weighted() -> Foreign:
    return old_style(parametrizations.weight_norm)


class Experts(nn.Module):
    """Each row goes to two of four experts; a buffer counts who was asked, and a plain tensor the last choices."""

    asked: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(8, 4, bias=False), nn.ModuleList([perceptron(8, 3) for _ in range(4)])
        self.register_buffer("asked", torch.zeros(4))
        self.balance = torch.zeros(())

    def forward(self, x: Tensor) -> Tensor:
        logits = self.gate(x)
        if self.training:
            logits = logits + 0.1 * torch.randn_like(logits)
        shares, chosen = logits.softmax(-1).topk(2, dim=-1)
        shares = shares / shares.sum(-1, keepdim=True)
        out = x.new_zeros(len(x), 3)
        for number, expert in enumerate(self.experts):
            row, which = (chosen == number).nonzero(as_tuple=True)
            if len(row):
                out.index_add_(0, row, shares[row, which, None] * expert(x[row]))
        used = F.one_hot(chosen, 4).float().sum(1).mean(0)
        self.asked += used
        self.balance = 4 * (used * logits.softmax(-1).mean(0)).sum()
        return out


@network("mixture of experts")
def experts() -> Foreign:
    model = Experts()

    def loss_of() -> Tensor:
        x, y = table()
        return F.cross_entropy(model(x), y) + 0.01 * model.balance

    return descent(model, loss_of, kept=lambda: [model.balance.detach()])


class Regression(nn.Module):
    """Takes numbers as they were measured, and gives what was measured."""

    mean: Tensor
    spread: Tensor

    def __init__(self, x: Tensor, y: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", torch.cat([x, y], 1).mean(0))
        self.register_buffer("spread", torch.cat([x, y], 1).std(0))
        self.body = perceptron(x.shape[1], 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.body((x - self.mean[:-1]) / self.spread[:-1])
        return out


@network("standardised regression")
def regression() -> Foreign:
    x = torch.randn(64, 5) * torch.tensor([1.0, 10.0, 100.0, 0.1, 5.0]) + 20
    y = x[:, :1] + 0.2 * x[:, 1:2] + torch.randn(64, 1)
    model, loader = Regression(x, y), DataLoader(TensorDataset(x, y), 16, shuffle=True)
    batches = iter(loader)

    def loss_of() -> Tensor:
        nonlocal batches
        if (batch := next(batches, None)) is None:
            batches = iter(loader)
            batch = next(batches)
        return F.mse_loss(model(batch[0]), (batch[1] - model.mean[-1]) / model.spread[-1])

    return descent(model, loss_of)


# -- networks that keep something of their own ------------------------------------------------------------------------


class Notes(nn.Module):
    """Notes how large its answers were, and counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.calls = perceptron(8, 3), 0
        self.sizes: list[float] = []
        self.last: deque[float] = deque(maxlen=3)
        self.shapes: dict[tuple[int, ...], int] = {}

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        out: Tensor = self.body(x) / (1 + 0.01 * len(self.sizes))
        size = float(out.detach().norm())
        self.sizes.append(size)
        self.last.append(size)
        self.shapes[tuple(x.shape)] = self.shapes.get(tuple(x.shape), 0) + 1
        return out


@network("a list and a counter")
def notes() -> Foreign:
    model = Notes()
    return descent(
        model, classifies(model), kept=lambda: [model.calls, *model.sizes, *model.last, [*model.shapes.items()]]
    )


@dataclass
class Meter:
    """A running mean in a plain object, as many scripts have one."""

    total: float = 0.0
    count: int = 0
    history: list[float] = field(default_factory=list)

    def update(self, value: float) -> None:
        self.total, self.count = self.total + value, self.count + 1
        self.history.append(value)


class Diary(nn.Module):
    """Answers a little less of what it kept from earlier answers; each kind keeps it elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.body = perceptron(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.body(x)
        self.keep(out.detach().mean(0))
        less: Tensor = out - 0.01 * self.told()[0]
        return less

    def keep(self, answer: Tensor) -> None:
        raise NotImplementedError

    def told(self) -> list[Any]:
        raise NotImplementedError


class InObject(Diary):
    def __init__(self) -> None:
        super().__init__()
        self.meter = Meter()

    def keep(self, answer: Tensor) -> None:
        self.meter.update(float(answer.norm()))

    def told(self) -> list[Any]:
        return [self.meter.total, self.meter.count, *self.meter.history]


class InArray(Diary):
    def __init__(self) -> None:
        super().__init__()
        self.used = np.zeros(3)

    def keep(self, answer: Tensor) -> None:
        self.used[int(answer.argmax())] += 1

    def told(self) -> list[Any]:
        return [*self.used.tolist()]


class InLists(Diary):
    def __init__(self) -> None:
        super().__init__()
        self.by_kind: dict[str, list[float]] = {"count": [0.0], "norms": []}

    def keep(self, answer: Tensor) -> None:
        self.by_kind["count"][0] += 1
        self.by_kind["norms"].append(float(answer.norm()))

    def told(self) -> list[Any]:
        return [*self.by_kind["count"], *self.by_kind["norms"]]


class InTensors(Diary):
    def __init__(self) -> None:
        super().__init__()
        self.memory = [torch.zeros(3), torch.zeros(3)]

    def keep(self, answer: Tensor) -> None:
        self.memory[0].add_(answer)
        self.memory[1].lerp_(answer, 0.1)

    def told(self) -> list[Any]:
        return [*self.memory]


class InPair(Diary):
    def __init__(self) -> None:
        super().__init__()
        self.pair = (torch.zeros(3), [0])

    def keep(self, answer: Tensor) -> None:
        self.pair[0].add_(answer)
        self.pair[1][0] += 1

    def told(self) -> list[Any]:
        return [self.pair[0], *self.pair[1]]


class InParameter(Diary):
    """As buffers were kept by many: a parameter that wants no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.average = nn.Parameter(torch.zeros(3), requires_grad=False)

    def keep(self, answer: Tensor) -> None:
        self.average.data.lerp_(answer, 0.1)

    def told(self) -> list[Any]:
        return [self.average.data]


class InGenerator(Diary):
    """Draws numbers from a stream of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.stream = torch.Generator().manual_seed(1)
        self.noise = torch.zeros(3)

    def keep(self, answer: Tensor) -> None:
        self.noise = torch.randn(3, generator=self.stream)

    def told(self) -> list[Any]:
        return [self.noise, self.stream.get_state()]


class InNumPy(Diary):
    """Draws numbers from NumPy's and Python's streams, its own and everybody's."""

    def __init__(self) -> None:
        super().__init__()
        self.noise = 0.0

    def keep(self, answer: Tensor) -> None:
        self.noise = float(np.random.normal()) + random.random()

    def told(self) -> list[Any]:
        return [self.noise]


class InOwnStreams(Diary):
    """Draws numbers from a stream of NumPy's and one of Python's that are its own."""

    def __init__(self) -> None:
        super().__init__()
        self.of_numpy, self.of_python, self.noise = np.random.default_rng(1), random.Random(1), 0.0

    def keep(self, answer: Tensor) -> None:
        self.noise = float(self.of_numpy.normal()) + self.of_python.random()

    def told(self) -> list[Any]:
        return [self.noise]


KEPT: dict[str, type[Diary]] = {
    "in a plain object": InObject,
    "in an array": InArray,
    "in lists of a dictionary": InLists,
    "in tensors of a list": InTensors,
    "in a pair of a tensor and a list": InPair,
    "in a parameter": InParameter,
    "in a generator": InGenerator,
    "in everybody's streams": InNumPy,
    "in streams of NumPy and Python": InOwnStreams,
}
"""Where a network may keep something."""


def diary(kind: type[Diary]) -> Foreign:
    model = kind()
    return descent(model, classifies(model), kept=model.told)


for _where, _kind in KEPT.items():
    network(f"keeps {_where}")(partial(diary, _kind))


class Spectral(nn.Module):
    """A spectral norm by hand, as many have one: its vectors are parameters, and every pass goes on with them."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.u = nn.Parameter(F.normalize(torch.randn(layer.out_features), dim=0), requires_grad=False)
        self.v = nn.Parameter(F.normalize(torch.randn(layer.in_features), dim=0), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        self.v.data = F.normalize(self.weight.detach().T @ self.u.data, dim=0)
        self.u.data = F.normalize(self.weight.detach() @ self.v.data, dim=0)
        return F.linear(x, self.weight / self.u.dot(self.weight.mv(self.v)), self.bias)


@network("spectral norm by hand")
def spectral_by_hand() -> Foreign:
    model = nn.Sequential(Spectral(nn.Linear(8, 16)), nn.ReLU(), Spectral(nn.Linear(16, 3)))
    return descent(model, classifies(model), optim.Adam([one for one in model.parameters() if one.requires_grad], 3e-3))
