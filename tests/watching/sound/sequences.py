"""Sound loops over sequences: letters, names, sentences, signals."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn, optim
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

import goldviz
from tests.watching.sound.trained import Told, Trained, learn, letters, loop, windows, wrong


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.unflatten(-1, (2, -1)).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(mixed.transpose(1, 2).flatten(2))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self, letters: int, width: int = 32) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(letters, width), nn.Embedding(16, width)
        self.blocks, self.ln_f = nn.ModuleList([Block(width), Block(width)]), nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, letters, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@loop("karpathy/nanoGPT")
def small_gpt() -> Trained:
    model, measure, steps = Gpt(letters()[1]), [], 150
    matrices = [one for one in model.parameters() if one.dim() > 1]
    others = [one for one in model.parameters() if one.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    record = goldviz.watch(model, optimizer)
    for step in range(steps):
        rate = 3e-3 * (step + 1) / 10 if step < 10 else 1.5e-3 * (1 + math.cos(math.pi * (step - 10) / (steps - 10)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        for _ in range(2):
            x, y = windows(16, 16)
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten()) / 2
            loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        record.step(loss=2 * loss.item())
        measure.append(loss.item())
    record.close()
    return Trained(measure, (record,))


class Cell(nn.Module):
    """A recurrent cell as it is written first: input and state in one row."""

    def __init__(self, letters: int, width: int, out: int) -> None:
        super().__init__()
        self.width = width
        self.i2h, self.i2o = nn.Linear(letters + width, width), nn.Linear(letters + width, out)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        both = torch.cat([x, state], 1)
        return self.softmax(self.i2o(both)), torch.tanh(self.i2h(both))


@loop("PyTorch's character RNN tutorial")
def names_letter_by_letter() -> Trained:
    """Three languages whose words prefer other letters; one word a step, and the step is taken by hand."""
    rnn, criterion, measure = Cell(12, 32, 3), nn.NLLLoss(), []
    with goldviz.watch(rnn) as record:
        for _ in range(300):
            language = torch.randint(3, (1,))
            favourite = 4 * language + torch.randint(4, (5,))
            word = torch.where(torch.rand(5) < 0.7, favourite, torch.randint(12, (5,)))
            state = torch.zeros(1, 32)
            rnn.zero_grad()
            for letter in F.one_hot(word, 12).float():
                output, state = rnn(letter[None], state)
            loss = criterion(output, language)
            loss.backward()
            for parameter in rnn.parameters():
                parameter.data.add_(parameter.grad.data, alpha=-0.05)
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


class Encoder(nn.Module):
    def __init__(self, words: int = 12, width: int = 32) -> None:
        super().__init__()
        self.embedding, self.gru = nn.Embedding(words, width), nn.GRU(width, width, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.gru(self.embedding(tokens))[1]


class Decoder(nn.Module):
    def __init__(self, words: int = 12, width: int = 32) -> None:
        super().__init__()
        self.embedding, self.gru = nn.Embedding(words, width), nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, state: Tensor, target: Tensor) -> Tensor:
        begin = torch.zeros(len(target), 1, dtype=torch.long)
        given = F.relu(self.embedding(torch.cat([begin, target[:, :-1]], 1)))
        return F.log_softmax(self.out(self.gru(given, state)[0]), -1)


@loop("PyTorch's sequence to sequence tutorial")
def translation() -> Trained:
    encoder, decoder, criterion, measure = Encoder(), Decoder(), nn.NLLLoss(), []
    of_encoder = optim.Adam(encoder.parameters(), lr=0.005)
    of_decoder = optim.Adam(decoder.parameters(), lr=0.005)
    of_both = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
    with goldviz.watch(of_both) as record:
        for _ in range(250):
            source = torch.randint(2, 12, (32, 4))
            target = source.flip(1)
            of_encoder.zero_grad()
            of_decoder.zero_grad()
            outputs = decoder(encoder(source), target)
            loss = criterion(outputs.flatten(0, 1), target.flatten())
            loss.backward()
            of_encoder.step()
            of_decoder.step()
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


class Language(nn.Module):
    def __init__(self, words: int, width: int = 48) -> None:
        super().__init__()
        self.encoder, self.rnn = nn.Embedding(words, width), nn.LSTM(width, width, batch_first=True)
        self.drop, self.decoder = nn.Dropout(0.2), nn.Linear(width, words)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        told, state = self.rnn(self.drop(self.encoder(tokens)), state)
        return F.log_softmax(self.decoder(self.drop(told)), dim=-1), state


@loop("pytorch/examples, word_language_model")
def language_model() -> Trained:
    (text, words), measure, rate = letters(), [], 5.0
    model, parts = Language(words), text[: 16 * 800].view(16, 800)
    with goldviz.watch(model) as record:
        for _epoch in range(3):
            state = (torch.zeros(1, 16, 48), torch.zeros(1, 16, 48))
            for start in range(0, 780, 10):
                model.zero_grad()
                state = (state[0].detach(), state[1].detach())
                output, state = model(parts[:, start : start + 10], state)
                loss = F.nll_loss(output.flatten(0, 1), parts[:, start + 1 : start + 11].flatten())
                loss.backward()
                clip_grad_norm_(model.parameters(), 0.25)
                for parameter in model.parameters():
                    parameter.data.add_(parameter.grad, alpha=-rate)
                record.step(loss=loss)
                measure.append(loss.item())
            rate /= 4.0
    return Trained(measure, (record,))


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 24, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(48, 2)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (state, _) = self.lstm(packed)
        return self.fc(torch.cat([state[0], state[1]], 1))


@loop("bentrevett/pytorch-sentiment-analysis")
def packed_sequences() -> Trained:
    model = Packed()

    def batch() -> Told:
        lengths = torch.randint(3, 12, (32,))
        texts = [torch.randint(1, 20, (length,)) for length in lengths.tolist()]
        y = torch.tensor([int((text < 10).float().mean() > 0.5) for text in texts])
        logits = model(pad_sequence(texts, batch_first=True), lengths)
        return F.cross_entropy(logits, y), wrong(logits, y)

    return learn(model, optim.Adam(model.parameters(), lr=5e-3), batch, 200)


class Signal(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.out = nn.GRU(1, 24, batch_first=True), nn.Linear(24, 1)

    def forward(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        told, state = self.rnn(x, state)
        return self.out(told), state


@loop()
def truncated_in_time() -> Trained:
    model, measure = Signal(), []
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    state, wave = None, torch.sin(0.3 * torch.arange(3000)[None] + torch.rand(16, 1) * 6)[..., None]
    with goldviz.watch(model, optimizer) as record:
        for start in range(0, 2900, 12):
            told, state = model(wave[:, start : start + 12], state)
            loss = F.mse_loss(told, wave[:, start + 1 : start + 13])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            state = state.detach()
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


@loop("torch.nn's CTCLoss")
def unaligned_labels() -> Trained:
    model = nn.Sequential(nn.Conv1d(6, 32, 3, padding=1), nn.ReLU(), nn.Conv1d(32, 6, 3, padding=1))
    optimizer = optim.Adam(model.parameters(), lr=1e-2)

    def batch() -> Told:
        y = torch.stack([torch.randperm(5)[:4] + 1 for _ in range(16)])
        x = F.one_hot(y.repeat_interleave(3, 1), 6).float() + 0.2 * torch.randn(16, 12, 6)
        scores = model(x.transpose(1, 2)).permute(2, 0, 1).log_softmax(2)
        loss = F.ctc_loss(scores, y, torch.full((16,), 12), torch.full((16,), 4))
        return loss, loss

    return learn(model, optimizer, batch)
