"""A course of training: networks of every seed learn from the same batches in turn, and are looked at on the way.

A laboratory says what is its own: how a network begins, what a batch is, its loss, what a look shows. The rest, from
devices and kept states to clipping, readings by layer and the order in which numbers are handed over, stands here.
Every look is of the networks as the step finds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import torch
from torch import Generator, Tensor, nn

from goldviz.diagnostics.histograms import VALUE_BINS
from goldviz.diagnostics.layers import Layer, LayerStep, among, distributions, watching, with_means_over_seeds
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import (
    Grid,
    Learner,
    close_steps,
    hand_over,
    is_look,
    parameter_count,
    steps_from_state,
    table,
)
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share

if TYPE_CHECKING:
    from goldviz.runs.recorder import Recorder
    from goldviz.training.state import Part

Network = TypeVar("Network", bound=nn.Module)
One = TypeVar("One", bound=Learner[Any])
Measured = dict[str, Tensor]
Layers: TypeAlias = "Mapping[str, Any] | Sequence[Layer]"
Looks: TypeAlias = Callable[..., Iterable[Mapping[str, Tensor]]]

NORMS = ("norm_before_clip", "norm_after_clip")
"""Under which names the whole gradient's norm before and after clipping is recorded, and, third, whether it was."""
RATIOS = {name: name for name in ("gradient_norm", "gradient_to_data", "update_to_data")}
"""What a step shows of layers, and under which names it is recorded."""


def learner(network: Network, settings: Any) -> Learner[Network]:
    """A network with the optimiser of the settings."""
    return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))


@dataclass(frozen=True)
class Course(Generic[One]):
    """What is a laboratory's own in a course.

    ``begin(name, seed, device)`` is a learner at its start, ``batch(settings, generator)`` what a step learns from,
    drawn by its seed's generator, with a method ``to``, and ``loss(learner, batch, settings)`` what is made small, with
    what else the step shows. ``layers(learner)`` are its layers' weights by name, or :class:`Layer` where outputs are
    watched, too; what of them is recorded at looks says ``of_layers``. ``look`` and ``look_closely`` give what is
    recorded when they come, ``once`` what does not change, and ``after(grid, device)`` what stands at the end.
    ``before_step(learner, settings, step)`` is called between clipping and the step. ``rates`` are multiples of the
    rate at which networks learn beside those that are recorded; a look gets a grid of each.
    """

    networks: Sequence[str]
    begin: Callable[[str, int, torch.device], One]
    batch: Callable[[Any, Generator], Any]
    loss: Callable[[One, Any, Any], tuple[Tensor, Measured]]
    _: KW_ONLY
    streams: Mapping[str, Sequence[Generator]]
    look: Looks
    look_closely: Looks | None = None
    layers: Callable[[One], Layers] | None = None
    layer_names: Sequence[str] = ()
    of_layers: Mapping[str, str] = field(default_factory=lambda: RATIOS)
    norms: Sequence[str] = NORMS
    before_step: Callable[[One, Any, int], None] | None = None
    rates: Sequence[float] = (1.0,)
    coordinates: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    once: Mapping[str, Any] = field(default_factory=dict)
    after: Callable[[Grid[One], torch.device], Mapping[str, Any]] = lambda grid, device: {}

    def run(self, settings: Any, record: Recorder[Any]) -> None:
        """Train, look, and record every variable that the experiment declares."""
        with training_on(settings.device) as device:
            grids = {
                rate: Grid.made(
                    self.networks,
                    settings.seeds,
                    lambda name, seed: self.begin(name, seed, device),
                    **(self.streams if rate == 1 else {}),
                )
                for rate in self.rates
            }
            grid, [orders] = grids[1.0], [*self.streams.values()]
            self._announce(settings, record, grid, device)
            warms_up, close = hasattr(settings, "warm_up"), self._close_steps(settings)
            for step in steps_from_state(record, settings.steps, self._parts(grids)):
                now, looks = record.settings, is_look(step, settings.steps, settings.look_every)
                rate = now.learning_rate
                if warms_up:
                    rate *= warm_up_share(step, settings.steps, settings.warm_up)
                    record("learning_rate", rate)
                if looks:
                    self._look(self.look, grids, record)
                if step in close and self.look_closely is not None:
                    self._look(self.look_closely, grids, record)
                batches = [self.batch(now, order).to(device) for order in orders]
                for times, own in grids.items():
                    learn = partial(self._learn, now=now, rate=times * rate, step=step, record=record)
                    rows = own.each(partial(learn, looks=looks and times == 1), batches)
                    if times == 1:
                        hand_over(with_means_over_seeds(table(rows)), record)
            with record.instrument():
                ends = self.after(grid, device)
            for name, value in ends.items():
                record.once(name, value)

    def _close_steps(self, settings: Any) -> frozenset[int]:
        looks = getattr(settings, "close_looks", 0) if self.look_closely else 0
        return frozenset(close_steps(settings.steps, looks))

    def _announce(self, settings: Any, record: Recorder[Any], grid: Grid[One], device: torch.device) -> None:
        layers = {"layer": list(self.layer_names)} if self.layer_names else {}
        record.coordinates(network=list(grid.networks), seed=list(settings.seeds), **layers, **self.coordinates)
        record.attribute(device=device_name(device), **self.attributes)
        for name, value in self.once.items():
            record.once(name, value)
        record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])

    def _parts(self, grids: Mapping[float, Grid[One]]) -> dict[str, Part]:
        """All that a run needs to go on, that of other rates under their rate."""
        return {
            name if rate == 1 else f"{rate:.3g} times the rate/{name}": part
            for rate, grid in grids.items()
            for name, part in grid.parts().items()
        }

    def _look(self, look: Looks, grids: Mapping[float, Grid[One]], record: Recorder[Any]) -> None:
        with record.instrument():
            seen = [*look(*grids.values())]
        for one in seen:
            hand_over(one, record)

    def _learn(
        self, one: One, batch: Any, *, now: Any, rate: float, step: int, record: Recorder[Any], looks: bool
    ) -> Measured:
        """One step along the gradient, and what it shows; ``looks`` adds what it shows of the layers."""
        layers = self.layers(one) if looks and self.layers is not None else {}
        names = [*layers] if isinstance(layers, Mapping) else [layer.name for layer in layers]
        if isinstance(layers, Mapping):
            watched: Any = nullcontext(LayerStep([*layers.values()]) if layers else None)
        else:
            watched = watching(layers)
        with watched as seen:
            loss, shown = self.loss(one, batch, now)
        clear_gradients(one.optimiser)
        loss.backward()
        measured: Measured = {}
        if seen is not None:
            with record.instrument():
                seen.after_backward()
                if any(name.endswith("histogram") for name in self.of_layers):
                    measured |= seen.distributions()
                if "activation_histogram" in self.of_layers:
                    measured["activation_histogram"] = distributions(VALUE_BINS, seen.outputs)
        norm, clipped = clip_gradients(one.network.parameters(), now.clip or math.inf)
        if self.before_step is not None:
            self.before_step(one, now, step)
        set_learning_rate(one.optimiser, rate)
        take_step(one.optimiser)
        if seen is not None:
            with record.instrument():
                measured = among(measured | seen.after_step(), names, [*(self.layer_names or names)])
        whole = (norm.float(), norm.clamp(max=now.clip or math.inf).float(), clipped.float())
        by_layer = {recorded: measured[name] for name, recorded in self.of_layers.items() if name in measured}
        return {"loss": loss.detach(), **by_layer, **dict(zip(self.norms, whole, strict=False)), **shown}
