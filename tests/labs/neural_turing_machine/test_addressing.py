"""Addressing and writing as the paper has them, cell by cell in float64 (Graves et al. 2014, eq. 2-9)."""

import math
from itertools import pairwise

import pytest
import torch

from goldviz.labs.neural_turing_machine.networks import NEARLY_EMPTY, Controls, Machine, MachineShape, address, written

SLOTS, WIDTH = 5, 3


def drawn(seed):
    """A memory, controls of two heads and the weights before, as a machine could have them."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    controls = Controls(
        torch.tanh(normal(2, 2, WIDTH)),
        3 * normal(2, 2, 1).exp(),
        torch.sigmoid(normal(2, 2, 1)),
        torch.softmax(2 * normal(2, 2, 3), -1),
        1 + normal(2, 2, 1).exp(),
    )
    return normal(2, SLOTS, WIDTH), controls, torch.softmax(3 * normal(2, 2, SLOTS), -1)


def by_the_paper(memory, key, strength, gate, shift, sharpness, before):
    """Equations 5 to 9 for one head and one sequence, in plain Python."""

    def cosine(u, v):
        return sum(a * b for a, b in zip(u, v, strict=True)) / (math.hypot(*u) * math.hypot(*v))

    alike = [math.exp(strength * cosine(key, cell)) for cell in memory]
    content = [one / sum(alike) for one in alike]
    gated = [gate * now + (1 - gate) * then for now, then in zip(content, before, strict=True)]
    move = {1: shift[0], 0: shift[1], -1: shift[2]}
    shifted = []
    for i in range(len(gated)):
        share = 0.0
        for j in range(len(gated)):
            share += sum(gated[j] * size for by, size in move.items() if (j + by) % len(gated) == i)
        shifted.append(share)
    powers = [one**sharpness for one in shifted]
    return content, gated, shifted, [one / sum(powers) for one in powers]


@pytest.mark.parametrize("seed", range(3))
def test_the_four_stages_are_those_of_the_paper(seed):
    memory, controls, before = drawn(seed)
    stages = address(memory, controls, before)
    for sequence in range(2):
        for head in range(2):
            of_head = [part[sequence, head].tolist() for part in controls]
            key, (strength,), (gate,), shift, (sharpness,) = of_head
            expected = by_the_paper(
                memory[sequence].tolist(), key, strength, gate, shift, sharpness, before[sequence, head].tolist()
            )
            for stage, weights in zip(stages, expected, strict=True):
                torch.testing.assert_close(
                    stage[sequence, head], torch.tensor(weights, dtype=torch.float64), atol=1e-12, rtol=0
                )


def test_weights_are_shares_that_sum_to_1():
    memory, controls, before = drawn(7)
    for stage in address(memory, controls, before):
        assert (stage >= 0).all()
        torch.testing.assert_close(stage.sum(-1), torch.ones(2, 2, dtype=torch.float64), atol=1e-12, rtol=0)


def test_a_sharpness_beyond_single_precision_keeps_a_whole_weight():
    memory, controls, _ = drawn(1)
    single = Controls(*(part.float() for part in controls))._replace(sharpness=torch.full((2, 2, 1), 200.0))
    weights = address(memory.float(), single, torch.full((2, 2, SLOTS), 1 / SLOTS)).sharp
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2))


def test_gradients_of_addressing_equal_finite_differences():
    memory, controls, before = drawn(3)
    parts = [part.requires_grad_() for part in (memory, *controls, before)]

    def sharp(memory, key, strength, gate, shift, sharpness, before):
        return address(memory, Controls(key, strength, gate, shift, sharpness), before).sharp

    assert torch.autograd.gradcheck(sharp, parts)


def test_writing_is_the_paper_s_in_every_number():
    memory, _, weights = drawn(4)
    erase, add = torch.sigmoid(memory[:, 0]), torch.tanh(memory[:, 1])
    after = written(memory, weights[:, 1], erase, add)
    for sequence in range(2):
        for i in range(SLOTS):
            for j in range(WIDTH):
                share = weights[sequence, 1, i].item()
                kept = memory[sequence, i, j].item() * (1 - share * erase[sequence, j].item())
                assert after[sequence, i, j].item() == pytest.approx(kept + share * add[sequence, j].item(), abs=1e-12)


def machine(**changes):
    shape = {"inputs": 4, "outputs": 2, "hidden": 5, "slots": SLOTS, "width": WIDTH}
    parts = {"recurrent": False, "content": True, "shift": True, "random_memory": False}
    generators = [torch.Generator().manual_seed(seed) for seed in range(3)]
    return Machine(MachineShape(**shape | parts | changes), *generators).double()


@pytest.mark.parametrize("recurrent", [False, True])
def test_a_machine_s_gradient_equals_finite_differences(recurrent):
    network = machine(recurrent=recurrent, random_memory=True)
    inputs = torch.randn(3, 2, 4, generator=torch.Generator().manual_seed(5), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(network, (inputs,))


def test_without_content_no_weight_comes_from_it_and_without_shift_none_moves():
    rows, visits, still = torch.ones(4, 1, 4, dtype=torch.float64), [], []
    machine(content=False)(rows, visits)
    for before, now in pairwise(visits):
        torch.testing.assert_close(now.address.gated, before.address.sharp)
    machine(shift=False)(rows, still)
    for now in still:
        torch.testing.assert_close(now.address.shifted, now.address.gated)


def test_a_memory_that_nobody_wrote_to_is_nearly_empty_and_every_sequence_begins_anew():
    network = machine()
    assert (network.start == torch.tensor(NEARLY_EMPTY).double()).all()
    rows = torch.randn(4, 2, 4, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    together, alone = network(rows), network(rows[:, 1:])
    torch.testing.assert_close(together[:, 1:], alone)
