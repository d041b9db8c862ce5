"""A grid of learners: every network of every seed, trained in turn so that their curves grow together.

What one learner shows does not depend on the others: each owns all that changes in training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from goldviz.training.state import Part, pack, unpack

if TYPE_CHECKING:
    from goldviz.runs.recorder import Recorder

Network = TypeVar("Network", bound=nn.Module)
OneLearner = TypeVar("OneLearner")
Found = TypeVar("Found")


@dataclass
class Learner(Generic[Network]):
    """One network of one seed, with its optimiser."""

    network: Network
    optimiser: Optimizer


@dataclass(frozen=True)
class Grid(Generic[OneLearner]):
    """Learners in a row for each network and a column for each seed.

    The state of a run is made of every module, optimiser and generator that a learner has as an attribute, and of
    ``streams``: generators that the networks of a seed share, by name, one for each seed.
    """

    networks: Sequence[str]
    seeds: Sequence[int]
    learners: list[list[OneLearner]]
    streams: Mapping[str, Sequence[torch.Generator]] = field(default_factory=dict)

    @classmethod
    def made(
        cls,
        networks: Sequence[str],
        seeds: Sequence[int],
        make: Callable[[str, int], OneLearner],
        **streams: Sequence[torch.Generator],
    ) -> Grid[OneLearner]:
        """The grid at its start, each learner made by ``make(network, seed)``."""
        return cls(networks, seeds, [[make(network, seed) for seed in seeds] for network in networks], streams)

    def first(self) -> list[OneLearner]:
        """The learners of the first seed, one for each network."""
        return [row[0] for row in self.learners]

    def each(self, act: Callable[..., Found], *of_seeds: Sequence[Any]) -> list[list[Found]]:
        """``act(learner, *own)`` of every learner; ``of_seeds`` hold what is its seed's own, one for each seed."""
        return [[act(*own) for own in zip(row, *of_seeds, strict=True)] for row in self.learners]

    def parts(self) -> dict[str, Part]:
        """All that a run needs to go on exactly where it stood: ``stream/seed``, then ``network/seed/attribute``.

        >>> Grid.made(["plain"], [0, 3], lambda network, seed: Learner(nn.Linear(1, 1), None)).parts().keys()
        dict_keys(['plain/0/network', 'plain/3/network'])
        """
        parts: dict[str, Part] = {
            f"{name}/{seed}": one
            for name, own in self.streams.items()
            for seed, one in zip(self.seeds, own, strict=True)
        }
        for network, row in zip(self.networks, self.learners, strict=True):
            for seed, learner in zip(self.seeds, row, strict=True):
                parts |= {f"{network}/{seed}/{name}": part for name, part in parts_of(learner).items()}
        return parts


def parts_of(learner: object) -> dict[str, Part]:
    """A learner's attributes that change in training: modules, optimisers and generators."""
    return {name: part for name, part in vars(learner).items() if isinstance(part, Part)}


def steps_from_state(record: Recorder[Any], n: int, parts: Mapping[str, Part]) -> Iterator[int]:
    """Number the steps up to ``n`` from where ``record`` stands, with ``parts`` as they were there."""
    if record.restored is not None:
        unpack(record.restored, parts)
    return record.steps(n, state=lambda: pack(parts))


def is_look(step: int, steps: int, every: int) -> bool:
    """Whether a run of so many steps is looked at after this one: the first, the last, and one in ``every``.

    >>> [step for step in range(1, 11) if is_look(step, 10, 4)]
    [1, 4, 8, 10]
    """
    return step in (1, steps) or step % every == 0


def close_steps(steps: int, looks: int) -> tuple[int, ...]:
    """At which of so many steps one looks closely: the first, the last, and as many evenly between; none for 0 looks.

    >>> close_steps(10, 3)
    (1, 4, 8, 10)
    """
    if looks == 0:
        return ()
    every = -(-steps // looks)
    return tuple(dict.fromkeys((1, *range(every, steps, every), steps)))


def stacked(records: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """What several have of the same names, stacked along a first dimension."""
    return {name: torch.stack([one[name] for one in records]) for name in records[0]}


def table(records: Sequence[Sequence[Mapping[str, Tensor]]]) -> dict[str, Tensor]:
    """What every learner of a grid showed, (network, seed, ...) each, on the CPU."""
    return {name: values.cpu() for name, values in stacked([stacked(row) for row in records]).items()}


def hand_over(quantities: Mapping[str, Tensor], record: Recorder[Any]) -> None:
    """Record everything by its name.

    The loss comes last: where it is not finite the run ends, and the rest of the step is worth keeping.
    """
    for name in sorted(quantities, key=lambda name: name == "loss"):
        record(name, quantities[name].cpu().numpy())


def parameter_count(network: nn.Module) -> int:
    """How many numbers are trained."""
    return sum(parameter.numel() for parameter in network.parameters())
