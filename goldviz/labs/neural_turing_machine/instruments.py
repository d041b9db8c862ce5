"""What a look at a network shows: right answers by length, how sharp addresses are, and every step of one sequence."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from goldviz.labs.neural_turing_machine.machine import READ, WRITE, Machine, Visit
from goldviz.labs.neural_turing_machine.networks import Network
from goldviz.labs.neural_turing_machine.tasks import TaskBatch, TaskSettings, lengths_to_test, sequences

Measured = dict[str, Tensor]
TESTED = 32
"""Sequences of each length at a look."""
STAGES = ("content", "gate", "shift", "sharpen")
CONTROLS = ("strength", "gate", "ahead", "stay", "back", "sharpness")


@dataclass(frozen=True)
class Evaluation:
    """A seed's unseen sequences: some of each tested length, one batch that holds them all, those of the longest
    trained length, and one of these as a probe."""

    groups: tuple[TaskBatch, ...]
    inputs: Float[Tensor, "time batch channel"]
    trained: TaskBatch
    probe: TaskBatch

    @classmethod
    def of(cls, settings: TaskSettings, generator: Generator) -> Evaluation:
        """Sequences with the most repeats; in the batch of all, shorter ones end in rows of zeros."""
        lengths = lengths_to_test(settings)
        groups = tuple(sequences(settings, one, settings.repeats, TESTED, generator) for one in lengths)
        steps = max(len(group.inputs) for group in groups)
        padded = [functional.pad(group.inputs, (0, 0, 0, 0, 0, steps - len(group.inputs))) for group in groups]
        trained = groups[lengths.index(settings.length)]
        probe = TaskBatch(trained.inputs[:, :1], trained.targets[:, :1])
        return cls(groups, torch.cat(padded, 1), trained, probe)


def answers(network: Network, batch: TaskBatch) -> Float[Tensor, "answer batch bit"]:
    """Logits at the time steps that ask for an answer."""
    logits: Tensor = network(batch.inputs)[batch.first_answer :]
    return logits


def right(logits: Float[Tensor, "answer batch bit"], batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """The share of right bits, and of sequences without a wrong one; a bit is said to be 1 above a half."""
    hits = (logits > 0) == (batch.targets > 0.5)
    return hits.float().mean(), hits.all(-1).all(0).float().mean()


@torch.no_grad()
def by_length(network: Network, evaluation: Evaluation) -> Measured:
    """``bits_right`` and ``sequences_right`` of each tested length."""
    logits = network(evaluation.inputs)
    shares = [
        right(logits[group.first_answer : len(group.inputs), number * TESTED : (number + 1) * TESTED], group)
        for number, group in enumerate(evaluation.groups)
    ]
    bits, whole = (torch.stack(own) for own in zip(*shares, strict=True))
    return {"bits_right": bits, "sequences_right": whole}


@torch.no_grad()
def cells_used(network: Machine, batch: TaskBatch) -> Float[Tensor, " head"]:
    """exp of the entropy of each head's weights, mean over sequences and the times at which a head is of use.

    Reading is of use at answers, writing while rows are told, before the mark. 1 where each address is one cell.
    """
    visits: list[Visit] = []
    network(batch.inputs, visits)
    weights = torch.stack([visit.address.sharp for visit in visits])
    cells = torch.special.entr(weights).sum(-1).exp()  # (time, batch, head)
    reading, writing = cells[batch.first_answer :, :, READ], cells[: batch.first_answer - 1, :, WRITE]
    return torch.stack([reading.mean(), writing.mean()])


@torch.no_grad()
def of_probe(network: Machine, probe: TaskBatch) -> Measured:
    """Memory, addresses and controls at every time step of the probe."""
    visits: list[Visit] = []
    network(probe.inputs, visits)
    memory = torch.stack([visit.memory[0] for visit in visits])
    told = [visit.controls for visit in visits]
    controls = [torch.cat([one.strength, one.gate, one.shift, one.sharpness], -1)[0] for one in told]
    return {
        "memory": memory,
        "cell_size": memory.square().mean(-1).sqrt(),
        "address": torch.stack([torch.stack(visit.address, 2)[0] for visit in visits]),
        "controls": torch.stack(controls),
    }
