"""What a run of *Price tokens* does: write days down as tokens, learn their order walking forward, and judge.

Every fold of the walk-forward and every seed has a network of its own. They take their epochs in turn. Forecasts are
made with the weights of the best validation loss so far; counted pairs have none to choose, and read on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from goldviz.data.markets.walk_forward import Fold
from goldviz.diagnostics.forecasts.moves import recorded_units
from goldviz.labs.price_tokens.densities import (
    LOG_SCORES,
    Loss,
    baseline_losses,
    joined,
    log_score_table,
    loss_of_tokens,
    quantiles_of,
)
from goldviz.labs.price_tokens.instruments import compare_with_regimes, describe_tokens, look_for_motifs
from goldviz.labs.price_tokens.networks import CountedPairs, TokenNetwork, token_network
from goldviz.labs.price_tokens.problem import TokenProblem, token_problem
from goldviz.labs.price_tokens.tokenisers import Written, written
from goldviz.models.text.encoder import EncoderDropout
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import Grid, parameter_count, steps_from_state
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DROPOUT_AND_NOISE, stream

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens
    from goldviz.runs.recorder import Recorder

    Record = Recorder[PriceTokens]

NETWORK = "network"
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
MOVES = ("came", "quantile", "token_mean", "token_deviation")
"""What is recorded in the unit of moves."""
RECENT_FORECASTS = 120
BOOTSTRAP_SEED = 0
EVALUATED_AT_ONCE = 1024


class Best(nn.Module):
    """The lowest validation loss so far; infinity while none was finite."""

    lowest: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("lowest", torch.full((), math.inf, dtype=torch.float64))

    def improves(self, loss: float) -> bool:
        """Note a loss, and say whether it is the best so far."""
        better = loss < float(self.lowest)
        if better:
            self.lowest.fill_(loss)
        return better


@dataclass
class Learner:
    """One network of one fold and seed, with all that changes in training."""

    fold: Fold
    network: TokenNetwork
    best: TokenNetwork
    progress: Best
    optimiser: Optimizer | None
    order: torch.Generator
    noise: torch.Generator


@dataclass(frozen=True)
class Places:
    """Contexts of all days, (day, place), and the token of each day, on the device."""

    contexts: Tensor
    targets: Tensor

    @classmethod
    def of(cls, tokens: np.ndarray, context: int, count: int, device: torch.device) -> Places:
        """The last ``context`` tokens before every day; the token ``count`` stands before the first."""
        series = np.concatenate([np.full(context, count), tokens])
        contexts = np.lib.stride_tricks.sliding_window_view(series, context)[:-1]
        return cls(torch.from_numpy(contexts.copy()).to(device), torch.from_numpy(tokens).to(device))

    def at(self, days: np.ndarray) -> tuple[Tensor, Tensor]:
        """Contexts and tokens of these days."""
        rows = torch.from_numpy(days).to(self.targets.device)
        return self.contexts[rows], self.targets[rows]


def train(settings: PriceTokens, record: Record) -> None:
    """Make tokens, train every fold and seed, and record every variable that the experiment declares."""
    with training_on(settings.device) as device:
        problem = token_problem(settings)
        text = written(settings, problem.returns, problem.starts)
        places = Places.of(text.tokens, settings.context, settings.tokens, device)
        grid = Grid.made(
            [str(fold.number) for fold in problem.folds],
            settings.seeds,
            lambda number, seed: learner(settings, problem.folds[int(number)], seed, device),
        )
        baselines, notes = baseline_losses(problem, text.tokens, text.tokenisers, settings.smoothing)
        announce(settings, record, problem, text, baselines, notes, device)
        record.once("parameter_count", parameter_count(grid.learners[0][0].network))
        for epoch in steps_from_state(record, settings.epochs, grid.parts()):
            losses = grid.each(lambda one, epoch=epoch: learn(one, places, record.settings, epoch))
            if epoch % settings.look_every == 0 or epoch == settings.epochs:
                with record.instrument():
                    losses_by_seed = losses_of(grid, places, problem, text)
                    record("nats", np.stack([one.nats for one in losses_by_seed], axis=1))
            record("validation_loss", [[validation for _, validation in row] for row in losses])
            record("loss", [[loss for loss, _ in row] for row in losses])
        conclude(record, problem, text, grid, places, baselines)


def learner(settings: PriceTokens, fold: Fold, seed: int, device: torch.device) -> Learner:
    """A network at its start, with its optimiser and random streams."""
    network = token_network(settings, seed).to(device)
    has_counts = isinstance(network, CountedPairs)
    optimiser = None if has_counts else OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate)
    return Learner(
        fold,
        network,
        deepcopy(network),
        Best(),
        optimiser,
        stream(seed, BATCH_ORDER),
        stream(seed, DROPOUT_AND_NOISE, device),
    )


def learn(one: Learner, places: Places, settings: PriceTokens, epoch: int) -> tuple[float, float]:
    """An epoch: the mean training loss on its way, and the validation loss after it."""
    loss = count(one, places, settings, epoch) if one.optimiser is None else step_by_step(one, places, settings)
    validation = validation_loss(one, places)
    if one.progress.improves(validation) or one.optimiser is None:
        one.best.load_state_dict(one.network.state_dict())
    return loss, validation


@torch.no_grad()
def count(one: Learner, places: Places, settings: PriceTokens, epoch: int) -> float:
    """Read the epoch's part of the past; its loss by what was counted before."""
    network = one.network
    assert isinstance(network, CountedPairs)
    days = np.concatenate([one.fold.train, one.fold.validation])
    part = np.array_split(days, settings.epochs)[epoch - 1]
    # With more epochs than days an epoch may read none: its loss is that of the newest day.
    contexts, targets = places.at(part if len(part) else days[-1:])
    loss = float(cross_entropy(network(contexts), targets))
    if len(part):
        network.count(contexts, targets)
    return loss


def step_by_step(one: Learner, places: Places, settings: PriceTokens) -> float:
    """One pass over the training days in batches."""
    assert one.optimiser is not None
    assert not isinstance(one.network, CountedPairs)
    set_learning_rate(one.optimiser, settings.learning_rate)
    days = one.fold.train
    order = torch.randperm(len(days), generator=one.order).numpy()
    dropout, losses = EncoderDropout(settings.dropout, one.noise), []
    for part in np.array_split(days[order], math.ceil(len(days) / settings.batch)):
        contexts, targets = places.at(part)
        loss = one.network.loss(contexts, targets, dropout)
        clear_gradients(one.optimiser)
        loss.backward()
        clip_gradients(one.network.parameters(), settings.clip or math.inf)
        take_step(one.optimiser)
        losses.append(loss.detach() * len(part))
    return float(torch.stack(losses).sum()) / len(days)


@torch.no_grad()
def validation_loss(one: Learner, places: Places) -> float:
    """The loss of the next token on the validation days."""
    contexts, targets = places.at(one.fold.validation)
    return float(cross_entropy(one.network(contexts).double(), targets))


@torch.no_grad()
def log_chances(one: Learner, places: Places) -> Float[np.ndarray, "day token"]:
    """log P(k | past) of every day of the fold's block, by the best weights so far."""
    contexts, _ = places.at(one.fold.test)
    parts = [one.best(part) for part in contexts.split(EVALUATED_AT_ONCE)]
    return torch.cat(parts).double().log_softmax(dim=1).cpu().numpy()


def losses_of(grid: Grid[Learner], places: Places, problem: TokenProblem, text: Written) -> list[Loss]:
    """The losses of each seed on all days that are forecast."""
    by_seed = []
    for column in zip(*grid.learners, strict=True):
        blocks = [
            loss_of_tokens(log_chances(one, places), tokeniser, problem.returns[one.fold.test])
            for one, tokeniser in zip(column, text.tokenisers, strict=True)
        ]
        by_seed.append(joined(blocks))
    return by_seed


def announce(
    settings: PriceTokens,
    record: Record,
    problem: TokenProblem,
    text: Written,
    baselines: dict[str, Loss],
    notes: Sequence[str],
    device: torch.device,
) -> None:
    """Label the dimensions, say where the data come from, and record all that depends on no network."""
    market, test_rows = problem.market, problem.tested
    names = list(range(1, settings.tokens + 1))
    dates = [problem.dates[day] for day in test_rows]
    record.coordinates(
        fold=[fold.number for fold in problem.folds],
        seed=list(settings.seeds),
        time=dates,
        recent=dates[-RECENT_FORECASTS:],
        level=list(LEVELS),
        baseline=list(baselines),
        model=[NETWORK, *baselines],
        metric=list(LOG_SCORES),
        token_name=names,
        next_token=names,
        refit=list(range(1, len(problem.folds))),
        planted=[1, 2, 3],
        next_planted=[1, 2, 3],
    )
    record.attribute(
        device=device_name(device),
        **market.provenance,
        data_last=problem.dates[-1],
        units_of=recorded_units(problem.moves, MOVES, ("price",), market.target.unit),
        data_notes=" ".join([*problem.notes, *notes]),
        first_forecast=problem.dates[test_rows[0]],
    )
    record.once("came", problem.returns[test_rows])
    record.once("price", problem.prices[test_rows])
    record.once("block", np.concatenate([np.full(len(fold.test), fold.number, np.int16) for fold in problem.folds]))
    record.once("baseline_nats", np.stack([one.nats for one in baselines.values()]))
    describe_tokens(settings, record, problem, text)
    compare_with_regimes(record, problem, text)
    look_for_motifs(settings, record, problem, text)


def conclude(
    record: Record,
    problem: TokenProblem,
    text: Written,
    grid: Grid[Learner],
    places: Places,
    baselines: dict[str, Loss],
) -> None:
    """Record what the best weights of all folds come to, their chances averaged over seeds."""
    chances = [np.mean([np.exp(log_chances(one, places)) for one in row], axis=0) for row in grid.learners]
    blocks = [
        loss_of_tokens(np.log(np.maximum(chance, 1e-300)), tokeniser, problem.returns[fold.test])
        for chance, tokeniser, fold in zip(chances, text.tokenisers, problem.folds, strict=True)
    ]
    losses = {NETWORK: joined(blocks), **baselines}
    table = log_score_table(losses, "frequency", np.random.default_rng(BOOTSTRAP_SEED))
    for name, values in zip(("score", "score_low", "score_high"), table, strict=True):
        record.once(name, values)
    reference = baselines["frequency"].nats.mean()
    record.once("seed_gain", [reference - one.nats.mean() for one in losses_of(grid, places, problem, text)])
    unit = float(problem.returns[: problem.starts[-1]].std())
    quantiles = [
        quantiles_of(chance, tokeniser, unit, LEVELS)
        for chance, tokeniser in zip(chances, text.tokenisers, strict=True)
    ]
    record.once("quantile", np.concatenate(quantiles)[-RECENT_FORECASTS:])
