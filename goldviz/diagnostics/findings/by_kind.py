"""Measures and rules that need kinds of variables alone: what any training run says of itself, whoever recorded it.

A laboratory's reading that is a :class:`TrainingReading` has these measures, too; its rules take the lines of
:mod:`~goldviz.diagnostics.findings.training`, with words and advice of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import training
from goldviz.diagnostics.findings.conclude import Conclusions
from goldviz.diagnostics.findings.finding import Finding, Floats
from goldviz.diagnostics.findings.line import above, below
from goldviz.diagnostics.findings.measures import diverged, mean, median, ratio, rising, share, typical_updates
from goldviz.diagnostics.findings.recorded import NetworkReading, judged_of_kind, networks, of_kind
from goldviz.diagnostics.findings.rule import Rule
from goldviz.diagnostics.findings.words import times
from goldviz.diagnostics.measure import MeasuredNumber, measure

FADED = 100.0
"""How many times smaller at the first layer than at the last a gradient counts as vanishing, or larger as exploding."""


def _last(values: Floats) -> Floats:
    return np.asarray(values[-1])


def _first_over_last(norms: Floats) -> Floats:
    """The mean norm of the first layer over that of the last: (step, layer, seed) in, (seed,) out."""
    return ratio(mean(norms[:, 0]), mean(norms[:, -1]))


def _simplest(n: NetworkReading) -> Floats:
    """The lowest loss of an answer that needs no network, of each seed."""
    losses = [n.recorded(name) for name in n.kinds.every("baseline_loss")]
    return np.min([np.broadcast_to(loss, n.nothing.shape) for loss in losses], axis=0) if losses else n.nothing


class TrainingReading(NetworkReading):
    """What was recorded of one network's training, for each seed; NaN where nothing was."""

    diverged = measure(judged_of_kind("training_loss", diverged))
    """Whether the training loss ends in no number."""
    rising = measure(judged_of_kind("training_loss", rising))
    """Whether the training loss ends above its start, beyond its noise."""
    began = measure(of_kind("training_loss", lambda losses: losses[0]))
    """The first training loss."""
    ended = measure(of_kind("training_loss", _last))
    """The last training loss."""
    evaluation = measure(of_kind("evaluation_loss", _last))
    """The last loss on what is not learned from."""
    test = measure(of_kind("test_loss"))
    """The loss after training on what is not learned from."""
    simplest = measure(_simplest)
    """The lowest loss of an answer that needs no network."""
    update = measure(of_kind("update_to_data_by_layer", typical_updates))
    """The typical update-to-data ratio, median over steps and layers."""
    gradient_norm = measure(of_kind("gradient_norm", lambda norms: np.median(norms, axis=0)))
    """The norm of the whole gradient before clipping, median over the steps."""
    clipped = measure(of_kind("clipped", mean))
    """The share of steps whose gradient was clipped."""
    saturation = measure(of_kind("saturation", lambda shares: mean(shares[-1])))
    """The share of saturated activations at the end, over the layers."""
    dead = measure(of_kind("dead_units", lambda shares: mean(shares[-1])))
    """The share of dead units at the end, mean over the layers."""
    first_over_last = measure(of_kind("gradient_norm_by_layer", _first_over_last))
    """The gradient's norm at the first layer over that at the last, means over the steps."""
    parameters = measure(of_kind("parameter_count"))
    """The number of parameters."""
    worth = measure(lambda n: share(np.where(np.isfinite(n.test), n.test, n.evaluation), n.simplest))
    """The loss on what is not learned from as a share of the simplest answer's."""


def _times_smaller(n: TrainingReading) -> str:
    return f"{times(1 / median(n.first_over_last))} times smaller at the first layer"


RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    training.steps_too_long(title="The learning rate is too large for {subject}"),
    Rule(
        "exploding",
        "bad",
        "The gradient explodes in {subject}",
        line=above("first_over_last", FADED, "{at} times larger at the first layer than at the last"),
        of_training=True,
        number="{first_over_last:times} times larger at the first layer",
    ),
    Rule(
        "vanishing",
        "bad",
        "The gradient vanishes in {subject}",
        line=below("first_over_last", 1 / FADED, "a hundred times smaller at the first layer than at the last"),
        of_training=True,
        number=_times_smaller,
        explanation="The first layers are told next to nothing (document 001, eq. 2).",
    ),
    Rule(
        "no_better_than_simple",
        "bad",
        "{Subject} {is|are} no better than an answer that needs no network",
        line=above("worth", training.USELESS, "{at:percent} of the simplest answer's loss"),
        number="{worth:share_of} that loss",
        silenced_by=("learning_rate_too_large",),
        at_end=True,
    ),
    training.saturated(
        title="{saturation:Quantity} activations are saturated in {subject}",
        of=", mean over the layers at the last step",
        of_what="the activations",
        explanation="There the slope is almost 0 (document 001, eq. 2).",
    ),
    training.units_dead(
        title="{dead:Quantity} units are dead in {subject}",
        of=", mean over the layers at the last step",
        explanation="No sample activates them, so their weights get no gradient.",
    ),
    training.clipped_at_every_step(
        title="{clipped:Every} step of {subject} is clipped",
    ),
    training.steps_too_short(
        title="The learning rate is too small for {subject}",
        silenced_by=("vanishing",),
    ),
)
"""In the order in which they are judged."""


LOSSES = ("began", "ended", "evaluation", "test")
"""The measures that have the training loss's unit."""


def measures_of(dataset: Run, kinds: ByKind) -> dict[str, MeasuredNumber]:
    """Every measure of every network that the run says anything of, under "network.measure"."""
    loss = dataset.get(kinds.get("training_loss"))
    unit = "" if loss is None else str(loss.attrs.get("units", "1")).removeprefix("1")
    numbers = [
        MeasuredNumber(
            f"{network}.{name}",
            f"{network}: {words}",
            unit if name in LOSSES else "",
            np.asarray(getattr(reading, name), dtype=np.float64),
        )
        for network, reading in zip(networks(dataset), readings_of(kinds)(None, dataset), strict=True)
        for name, words in TrainingReading.words().items()
    ]
    return {number.name: number for number in numbers if np.isfinite(number.values).any()}


@dataclass(frozen=True)
class AnyRun:
    """What is known of a run that no laboratory made: along which dimension it goes, and how far it was to go."""

    step: str
    steps: int

    def steps_planned(self) -> int:
        """How many steps the run takes."""
        return self.steps


def readings_of(kinds: ByKind) -> Callable[[Any, Run], list[TrainingReading]]:
    """How the networks of a run with these kinds are read."""
    return lambda settings, run: [TrainingReading.of(run, name, settings, kinds) for name in networks(run)]


def findings_of(dataset: Run, kinds: ByKind) -> list[Finding]:
    """What a run of anybody's says of its networks, most serious first; it counts as over."""
    step = "epoch" if "epoch" in dataset.dims else "step"
    steps = int(dataset[step].max()) if dataset.sizes.get(step) else 0
    learned = training.learned_below("the simplest answer's loss")
    return Conclusions(RULES, readings_of(kinds), learned=learned)(AnyRun(step, steps), dataset)  # type: ignore[arg-type]
