"""What a look at a network shows: right answers by length, how sharp addresses are, and every step of one sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from goldviz.labs.neural_turing_machine.networks import READ, WRITE, Machine, Network, Visit
from goldviz.labs.neural_turing_machine.tasks import TaskBatch, lengths_to_test, sequences

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

Measured = dict[str, Tensor]
TESTED = 32
"""Sequences of each length at a look."""
STAGES = ("content", "gate", "shift", "sharpen")
CONTROLS = ("strength", "gate", "ahead", "stay", "back", "sharpness")


@dataclass(frozen=True)
class Evaluation:
    """A seed's unseen sequences: some of each tested length, one batch that holds them all, those of the longest
    trained length, which are ``own`` of that batch, and the first of these as a probe."""

    groups: tuple[TaskBatch, ...]
    inputs: Float[Tensor, "time batch channel"]
    trained: TaskBatch
    own: slice
    probe: TaskBatch

    @classmethod
    def of(cls, settings: NeuralTuringMachine, generator: Generator) -> Evaluation:
        """Sequences with the most repeats; in the batch of all, shorter ones end in rows of zeros."""
        lengths = lengths_to_test(settings)
        groups = tuple(sequences(settings, one, settings.repeats, TESTED, generator) for one in lengths)
        steps = max(len(group.inputs) for group in groups)
        padded = [functional.pad(group.inputs, (0, 0, 0, 0, 0, steps - len(group.inputs))) for group in groups]
        place = lengths.index(settings.length)
        train_group, own = groups[place], slice(place * TESTED, (place + 1) * TESTED)
        probe = TaskBatch(train_group.inputs[:, :1], train_group.targets[:, :1])
        return cls(groups, torch.cat(padded, 1), train_group, own, probe)


class Reply(NamedTuple):
    """What a network makes of all unseen sequences in one pass: logits, and what a machine's heads did."""

    logits: Float[Tensor, "time batch bit"]
    visits: list[Visit]


@torch.no_grad()
def reply(network: Network, evaluation: Evaluation) -> Reply:
    """Let the network answer once: padding stands behind a sequence, and changes nothing before it."""
    visits: list[Visit] = []
    trace = (visits,) if isinstance(network, Machine) else ()
    return Reply(network(evaluation.inputs, *trace), visits)


def answers(network: Network, batch: TaskBatch) -> Float[Tensor, "answer batch bit"]:
    """Logits at the time steps that ask for an answer."""
    logits: Tensor = network(batch.inputs)[batch.first_answer :]
    return logits


def right(logits: Float[Tensor, "answer batch bit"], batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """The share of right bits, and of sequences without a wrong one; a bit is said to be 1 above a half."""
    hits = (logits > 0) == (batch.targets > 0.5)
    return hits.float().mean(), hits.all(-1).all(0).float().mean()


def by_length(output: Reply, evaluation: Evaluation) -> Measured:
    """``bits_right`` and ``sequences_right`` of each tested length."""
    shares = [
        right(output.logits[group.first_answer : len(group.inputs), number * TESTED : (number + 1) * TESTED], group)
        for number, group in enumerate(evaluation.groups)
    ]
    bits, whole = (torch.stack(own) for own in zip(*shares, strict=True))
    return {"bits_right": bits, "sequences_right": whole}


def cells_used(output: Reply, evaluation: Evaluation) -> Float[Tensor, " head"]:
    """exp of the entropy of each head's weights, mean over sequences and the times at which a head is of use.

    Reading is of use at answers, writing while rows are told, before the mark. 1 where each address is one cell.
    """
    batch = evaluation.trained
    weights = torch.stack([visit.address.sharp[evaluation.own] for visit in output.visits[: len(batch.inputs)]])
    cells = torch.special.entr(weights).sum(-1).exp()  # (time, batch, head)
    reading, writing = cells[batch.first_answer :, :, READ], cells[: batch.first_answer - 1, :, WRITE]
    return torch.stack([reading.mean(), writing.mean()])


def answer_to_probe(output: Reply, evaluation: Evaluation) -> Float[Tensor, "time bit"]:
    """The probability that each bit is 1, at every time step of the probe."""
    return torch.sigmoid(output.logits[: len(evaluation.probe.inputs), evaluation.own.start])


def of_probe(output: Reply, evaluation: Evaluation) -> Measured:
    """Memory, addresses and controls at every time step of the probe."""
    visits, place = output.visits[: len(evaluation.probe.inputs)], evaluation.own.start
    memory = torch.stack([visit.memory[place] for visit in visits])
    head_controls = [visit.controls for visit in visits]
    controls = [torch.cat([one.strength, one.gate, one.shift, one.sharpness], -1)[place] for one in head_controls]
    return {
        "memory": memory,
        "cell_size": memory.square().mean(-1).sqrt(),
        "address": torch.stack([torch.stack([stage[place] for stage in visit.address], 1) for visit in visits]),
        "controls": torch.stack(controls),
    }
