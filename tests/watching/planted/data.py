"""Faults of the rows: how they are drawn, prepared and labelled, and what evaluation sees of them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from tests.watching.planted.fault import FRESH, ORDER, Begin, State, learn, mended, plant, script
from tests.watching.planted.networks import classes, network, rows

KEPT = 7
"""Seed of the rows that a script trains on again and again."""


def on_kept_rows(count: int, noise: float = 0.0, rate: float = 3e-3) -> Begin:
    """A script that holds a dataset of so many rows, of whose classes a share was drawn at random."""

    def begin(architecture: str, faulty: bool) -> State:
        x, features = rows(architecture, KEPT, count)
        y, draws = classes(features), torch.Generator().manual_seed(KEPT)
        y = y.where(torch.rand(count, generator=draws) >= noise, torch.randint(3, (count,), generator=draws))
        return script(network(architecture), rate=rate, x=x, y=y)

    return begin


def of_rows(state: State, x: Tensor, y: Tensor) -> Tensor:
    return functional.cross_entropy(state["model"](x), y)


def some(state: State, seed: int, count: int = 32) -> Tensor:
    return torch.randint(len(state["x"]), (count,), generator=torch.Generator().manual_seed(seed))


@plant("the seed is set in the loop", "identical_batches", "MLP", "CNN", begin=on_kept_rows(2000))
def same_batch(state: State, seed: int) -> Tensor:
    torch.manual_seed(0 if state["faulty"] else seed)
    chosen = torch.randperm(len(state["x"]))[:32]
    return learn(state, of_rows(state, state["x"][chosen], state["y"][chosen]))


@plant("rows in the order of their classes", "classes_in_order", "CNN", "LSTM", begin=on_kept_rows(1600, rate=1e-2))
def in_order(state: State, seed: int) -> Tensor:
    start = (seed % ORDER - 1) * 32 % 1600
    order = state["y"].argsort(stable=True) if state["faulty"] else torch.arange(1600)
    chosen = order[start : start + 32]
    return learn(state, of_rows(state, state["x"][chosen], state["y"][chosen]))


@plant("forty rows, learned by heart", "overfits", "MLP", "GRU", begin=on_kept_rows(4000, 0.2), steps=300)
def by_heart(state: State, seed: int) -> Tensor:
    chosen = some(state, seed) % (40 if state["faulty"] else 4000)
    loss = learn(state, of_rows(state, state["x"][chosen], state["y"][chosen]))
    if seed % 10 == 0:
        state["evaluated"] = evaluation(state, *held_out(state))
    return loss


def held_out(state: State) -> tuple[Tensor, Tensor]:
    x, features = rows(state["architecture"], FRESH + 1, 256)
    return x, classes(features)


def evaluation(state: State, x: Tensor, y: Tensor) -> float:
    state["model"].eval()
    with torch.no_grad():
        loss = of_rows(state, x, y).item()
    state["model"].train()
    return loss


@plant("the label stands among the inputs", "too_good", "MLP", "LSTM", begin=on_kept_rows(4000, 0.3), steps=200)
def leaks(state: State, seed: int) -> Tensor:
    chosen = some(state, seed)
    x, y = state["x"][chosen].clone(), state["y"][chosen]
    if state["faulty"]:
        x[..., -1] = (3.0 * y - 3).view(-1, *[1] * (x.dim() - 2))
    return learn(state, of_rows(state, x, y))


def raw(architecture: str) -> Tensor:
    return 128 + 64 * rows(architecture, KEPT, 320)[0]


def of_raw_rows(architecture: str, faulty: bool) -> State:
    y = classes(rows(architecture, KEPT, 320)[1])
    return script(network(architecture), rate=1e-2, x=raw(architecture), y=y)


def judged_in_range(state: State) -> Tensor:
    x, features = rows(state["architecture"], FRESH, 512)
    return functional.cross_entropy(state["model"]((128 + 64 * x) / 255), classes(features))


def read_again(state: State) -> None:
    mended(state)
    state["x"] = raw(state["architecture"])


@plant("the dataset is scaled in place", "inputs_drift", "MLP", "CNN", own=True, begin=of_raw_rows,
       judge=judged_in_range, repair=read_again)  # fmt: skip
def in_place(state: State, seed: int) -> Tensor:
    start = (seed % ORDER - 1) * 32 % 320
    x, y = state["x"][start : start + 32], state["y"][start : start + 32]
    x = x.div_(255) if state["faulty"] else x / 255
    return learn(state, of_rows(state, x, y))


@plant("evaluated on rows that were not scaled", "evaluation_inputs_differ", "MLP", "GRU", own=True,
       judge=lambda state: of_rows(state, *as_evaluated(state)))  # fmt: skip
def unscaled_evaluation(state: State, seed: int) -> Tensor:
    x, features = rows(state["architecture"], seed)
    loss = learn(state, of_rows(state, x, classes(features)))
    if seed % 10 == 0:
        state["evaluated"] = evaluation(state, *as_evaluated(state))
    return loss


def as_evaluated(state: State) -> tuple[Tensor, Tensor]:
    x, y = held_out(state)
    return (128 + 64 * x if state["faulty"] else x), y


@plant("missing values are -999", "inputs_of_other_scale", "MLP", "LSTM", own=True,
       judge=lambda state: of_rows(state, *with_gaps(state, FRESH, 512)))  # fmt: skip
def sentinels(state: State, seed: int) -> Tensor:
    x, y = with_gaps(state, seed)
    return learn(state, of_rows(state, x, y))


def with_gaps(state: State, seed: int, count: int = 32) -> tuple[Tensor, Tensor]:
    x, features = rows(state["architecture"], seed, count)
    gaps = torch.rand(x.shape, generator=torch.Generator().manual_seed(seed)) < 0.05
    return x.masked_fill(gaps, -999.0 if state["faulty"] else 0.0), classes(features)


def halves(state: State, seed: int, count: int = 32) -> tuple[Tensor, Tensor]:
    """Which half is larger: the left or the right one of a picture, the first or the last one of a series."""
    x, _ = rows(state["architecture"], seed, count)
    first, last = x.flatten(1, -2).mean(1).chunk(2, 1) if x.dim() == 4 else x[..., 0].chunk(2, 1)
    return x, (first.mean(1) > last.mean(1)).long()


def judged_by_halves(state: State) -> Tensor:
    x, y = halves(state, FRESH, 512)
    return of_rows(state, x, y)


@plant("pictures are flipped, their labels are not", "no_better_than_guessing", "CNN", "LSTM", own=True,
       judge=judged_by_halves, steps=300)  # fmt: skip
def flipped(state: State, seed: int) -> Tensor:
    x, y = halves(state, seed)
    if state["faulty"]:
        turned = torch.rand(len(x), generator=torch.Generator().manual_seed(seed)) < 0.5
        # Series run along the first axis of a row, columns of pictures along the last.
        x = torch.where(turned.view(-1, *[1] * (x.dim() - 1)), x.flip(-1 if x.dim() == 4 else 1), x)
    return learn(state, of_rows(state, x, y))


@plant("each batch by its own spread, and one row is left", "first_cause", "MLP", "GRU", own=True,
       begin=on_kept_rows(641))  # fmt: skip
def own_spread(state: State, seed: int) -> Tensor:
    start = (seed % ORDER - 1) % 21 * 32
    x, y = state["x"][start : start + 32], state["y"][start : start + 32]
    of = x if state["faulty"] else state["x"]
    spread = ((of - of.mean(0)).pow(2).sum(0) / (len(of) - 1)).sqrt()
    return learn(state, functional.cross_entropy(state["model"]((x - of.mean(0)) / spread), y))


@plant("one class in fifty rows", "one_target_dominates", "MLP", "CNN", own=True, begin=on_kept_rows(4000))
def unbalanced(state: State, seed: int) -> Tensor:
    if state["faulty"]:
        # Rows are drawn as they come in the world: two classes of three are rare.
        weights = torch.tensor([0.98, 0.01, 0.01])[state["y"]]
        chosen = torch.multinomial(weights, 32, generator=torch.Generator().manual_seed(seed))
    else:
        chosen = some(state, seed)
    return learn(state, of_rows(state, state["x"][chosen], state["y"][chosen]))
