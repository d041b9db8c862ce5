"""Faults of those who read in order: axes, masks, padding, and what a state carries."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.watching.planted.fault import FRESH, State, classified, learn, plant, script
from tests.watching.planted.networks import (
    Attentive,
    Network,
    Recurrent,
    Speaker,
    lines,
    network,
)


def small(architecture: str, faulty: bool) -> State:
    state = script(network(architecture), rate=1e-2)
    keep_the_state(state)
    if faulty:
        for parameter in state["model"].body.parameters():
            nn.init.normal_(parameter, std=0.01)
    return state


def keep_the_state(state: State) -> None:
    for module in state["model"].modules():
        if isinstance(module, nn.RNNBase | nn.Linear):
            module.reset_parameters()
        if isinstance(module, nn.RNNBase):
            for gate in module.weight_hh_l0.detach().split(module.hidden_size):
                nn.init.orthogonal_(gate)
        if isinstance(module, nn.LSTM):
            # The gate that keeps: open at the start.
            nn.init.constant_(module.bias_ih_l0.detach()[24:48], 3.0)


def first_place(state: State, seed: int, count: int = 32) -> Tensor:
    """The class stands at the first place of twenty."""
    x = torch.randn(count, LONG, 4, generator=torch.Generator().manual_seed(seed))
    x[:, 1:] *= 0.1
    return functional.cross_entropy(state["model"](x), x[:, 0, :3].argmax(1))


LONG = 20


@plant("a recurrent matrix drawn near 0", "gradient_vanishes_in_time", "RNN", "LSTM", begin=small,
       judge=lambda state: first_place(state, FRESH, 512), repair=keep_the_state, steps=200)  # fmt: skip
def forgets(state: State, seed: int) -> Tensor:
    return learn(state, first_place(state, seed))


def axes_by_default(architecture: str, faulty: bool) -> State:
    body = Recurrent(nn.LSTM, 4, 24, first=not faulty) if architecture == "LSTM" else Attentive(4, 24, first=not faulty)
    return script(Network(body, 24, 3), rate=1e-2 if architecture == "LSTM" else 3e-3)


def name_the_axes(state: State) -> None:
    for module in state["model"].modules():
        if isinstance(module, nn.RNNBase | nn.MultiheadAttention):
            module.batch_first = True


@plant("batch_first was left out", "rows_mix", "LSTM", "Transformer", own=True, begin=axes_by_default,
       repair=name_the_axes, steps=200)  # fmt: skip
def other_axes(state: State, seed: int) -> Tensor:
    return learn(state, classified(state, seed))


# -- the next word ------------------------------------------------------------------------------------------------


def speaker(architecture: str, faulty: bool) -> State:
    return script(Speaker(architecture))


def next_words(model: nn.Module, words: Tensor) -> Tensor:
    return functional.cross_entropy(model(words)[:, :-1].transpose(1, 2), words[:, 1:])


def spoken(state: State) -> Tensor:
    return next_words(state["model"], lines(FRESH, 64))


@plant("logits reshaped where axes were to be exchanged", "logits_reshaped", "GRU", "Transformer", own=True,
       begin=speaker, judge=spoken, steps=200)  # fmt: skip
def reshaped(state: State, seed: int) -> Tensor:
    words = lines(seed)
    logits = state["model"](words[:, :-1])
    count, places, kinds = logits.shape
    logits = logits.reshape(count, kinds, places) if state["faulty"] else logits.permute(0, 2, 1)
    return learn(state, functional.cross_entropy(logits, words[:, 1:]))


class Sliding(nn.Module):
    """Convolutions over a line, whose windows stand around a place or before it."""

    def __init__(self, around: bool) -> None:
        super().__init__()
        self.first, self.second, self.around = nn.Conv1d(32, 32, 3), nn.Conv1d(32, 32, 3), around

    def forward(self, x: Tensor) -> Tensor:
        x = x.transpose(1, 2)
        for layer in (self.first, self.second):
            x = layer(functional.pad(x, (1, 1) if self.around else (2, 0))).relu()
        return x.transpose(1, 2)


def sees_what_comes(architecture: str, faulty: bool) -> State:
    model = Speaker("Transformer")
    if architecture == "Transformer":
        model.body.causal = not faulty
    else:
        model.body = Sliding(faulty)
    return script(model)


def hide_what_comes(state: State) -> None:
    body = state["model"].body
    body.causal, body.around = True, False


def spoken_blindly(state: State) -> Tensor:
    """The next word of lines that are half written."""
    words = lines(FRESH, 64)
    return functional.cross_entropy(state["model"](words[:, :6])[:, -1], words[:, 6])


@plant("the next word is seen", "mask_hides_nothing", "Transformer", "CNN", begin=sees_what_comes,
       judge=spoken_blindly, repair=hide_what_comes, steps=200)  # fmt: skip
def sees_ahead(state: State, seed: int) -> Tensor:
    return learn(state, next_words(state["model"], lines(seed)))


class Stepwise(nn.Module):
    """A cell in a loop of one's own."""

    def __init__(self, kind: type[nn.RNNCellBase], cuts: bool) -> None:
        super().__init__()
        self.cell, self.head, self.cuts = kind(4, 24), nn.Linear(24, 3), cuts

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(len(x), 24)
        for place in range(x.shape[1]):
            state = self.cell(x[:, place], state.detach() if self.cuts else state)
        return self.head(state)


def stepwise(architecture: str, faulty: bool) -> State:
    return script(Stepwise(nn.GRUCell if architecture == "GRU" else nn.RNNCell, faulty), rate=1e-2)


def let_through(state: State) -> None:
    state["model"].cuts = False


@plant("the state is detached at every place", "cut_in_time", "GRU", "RNN", own=True, begin=stepwise,
       judge=lambda state: early_places(state, FRESH, 512), repair=let_through)  # fmt: skip
def cut_in_time(state: State, seed: int) -> Tensor:
    return learn(state, early_places(state, seed))


def early_places(state: State, seed: int, count: int = 32) -> Tensor:
    """The class stands at the first place of six."""
    x = torch.randn(count, 6, 4, generator=torch.Generator().manual_seed(seed))
    return functional.cross_entropy(state["model"](x), x[:, 0, :3].argmax(1))
