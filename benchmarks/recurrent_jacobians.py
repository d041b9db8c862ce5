"""Norms of all Jacobian products of a recurrent network against automatic differentiation, and the cells' speed.

Run by hand, on one core: OMP_NUM_THREADS=1 python benchmarks/recurrent_jacobians.py

Times are the best of several repetitions. Every ratio compares two times of the same run of this file, and the
two sides are checked to agree before either is timed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from goldviz.diagnostics.recurrent.jacobians import step_jacobians
from goldviz.labs.jacobian_lens.products import frobenius_norms, singular_values
from goldviz.labs.lstm_valves.valves import openings
from goldviz.models.recurrent.cells import CELL_OF_LAYER, recurrent_layer
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetAfterGRU
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.weights import RecurrentTrace, RecurrentWeights


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


def best(function: Callable[[], object], repetitions: int) -> float:
    """The shortest time in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def states(trace: RecurrentTrace) -> list[list[Tensor]]:
    """The parts of the state at every time: h, and c for an LSTM."""
    parts = [trace.states] if not hasattr(trace, "cells") else [trace.states, trace.cells]
    return [list(row) for row in zip(*parts, strict=True)]


def exposures(trace: RecurrentTrace) -> list[Tensor]:
    """dh_k/dc_k of an LSTM at every time; the start's h_0 and c_0 are independent. Empty for other networks."""
    if not isinstance(trace, LSTMTrace):
        return []
    output = openings(trace).output
    return [torch.zeros_like(output[0]), *output.unbind(0)]


def squared_norms(found: tuple[Tensor, ...], exposed: list[Tensor]) -> Tensor:
    """The squared norm of each earlier time's gradients.

    For autograd h_k follows from c_k, so its gradient by c_k holds the path through h_k too; in d(h, c)_t/d(h, c)_k
    the two are independent, and that path is taken out again.
    """
    if not exposed:
        return torch.stack([gradient.square().sum() for gradient in found])
    pairs = zip(found[::2], found[1::2], exposed, strict=False)
    return torch.stack([h.square().sum() + (c - h * factor).square().sum() for h, c, factor in pairs])


def autograd_loop(trace: RecurrentTrace) -> Tensor:
    """log10 ||dh_t/dh_k||_F for all pairs: one backward pass for each value of each state, as PyTorch offers it."""
    rows, exposed = states(trace), exposures(trace)
    table = torch.full((len(rows), len(rows)), math.nan, dtype=torch.float64)
    for t in range(1, len(rows)):
        squares = torch.zeros(t, dtype=torch.float64)
        earlier = [part for row in rows[:t] for part in row]
        for value in torch.cat(rows[t], 1).flatten():
            found = torch.autograd.grad(value, earlier, retain_graph=True, materialize_grads=True)
            squares += squared_norms(found, exposed)
        table[t, :t] = 0.5 * squares.log10()
    return table


def autograd_batched(trace: RecurrentTrace) -> Tensor:
    """The same with all values of a state in one vectorised backward pass (is_grads_batched)."""
    rows, exposed = states(trace), exposures(trace)
    table = torch.full((len(rows), len(rows)), math.nan, dtype=torch.float64)
    for t in range(1, len(rows)):
        later = torch.cat(rows[t], 1)
        earlier = [part for row in rows[:t] for part in row]
        identity = torch.eye(later.shape[1], dtype=later.dtype).unsqueeze(1)
        found = torch.autograd.grad(
            later, earlier, identity, retain_graph=True, is_grads_batched=True, materialize_grads=True
        )
        table[t, :t] = 0.5 * squared_norms(found, exposed).log10()
    return table


def drawn(name: str, hidden: int, steps: int) -> tuple[RecurrentWeights, RecurrentTrace]:
    """A float64 network and its forward pass from a start that can be differentiated by."""
    layer = recurrent_layer(name, 2, hidden, dtype=torch.float64)
    initialise(layer, stream, RecurrentInitialisation("gaussian", "spectral_radius", 0.9, 1.0, {"forget": 1.0}))
    inputs = torch.randn(steps, 1, 2, generator=stream(50), dtype=torch.float64)
    start = torch.zeros(2, 1, hidden, dtype=torch.float64, requires_grad=True)
    return layer, layer(inputs, (start[0], start[1]) if name == "lstm" else start[0])


def compare_with_autograd(hidden: int, steps: int) -> None:
    print(f"All pairs (t, k), {hidden} hidden units, {steps} steps, against automatic differentiation")
    for name in CELL_OF_LAYER:
        layer, trace = drawn(name, hidden, steps)

        def ours(layer: RecurrentWeights = layer, trace: RecurrentTrace = trace) -> Tensor:
            return frobenius_norms(step_jacobians(layer, trace))

        start = time.perf_counter()
        expected = autograd_loop(trace)
        loop = time.perf_counter() - start
        below = torch.ones_like(expected, dtype=torch.bool).tril(-1)
        torch.testing.assert_close(ours()[below], expected[below], atol=1e-8, rtol=0)
        torch.testing.assert_close(autograd_batched(trace)[below], expected[below], atol=1e-8, rtol=0)
        batched, own = best(lambda trace=trace: autograd_batched(trace), 2), best(ours, 5)
        print(
            f"  {name:16s} ours {own * 1e3:8.1f} ms   autograd loop {loop:7.2f} s ({loop / own:6.0f} x)"
            f"   batched autograd {batched * 1e3:8.1f} ms ({batched / own:5.1f} x)"
        )


def time_all_pairs(hidden: int, lengths: tuple[int, ...]) -> None:
    print(f"All pairs (t, k), {hidden} hidden units, float64: step Jacobians included")
    for name in CELL_OF_LAYER:
        for steps in lengths:
            layer, trace = drawn(name, hidden, steps)
            frobenius = best(lambda a=layer, b=trace: frobenius_norms(step_jacobians(a, b)), 5)
            jacobians = step_jacobians(layer, trace)
            column = best(lambda j=jacobians: singular_values(j, 0), 3)
            print(
                f"  {name:16s} {steps:4d} steps: Frobenius {frobenius * 1e3:6.1f} ms, "
                f"exact column {column * 1e3:6.1f} ms"
            )


def compare_cells(hidden: int, steps: int, batch: int) -> None:
    print(
        f"Forward and backward, float32, length {steps}, batch {batch}, {hidden} hidden units, against PyTorch's layer"
    )
    inputs = torch.randn(steps, batch, 2, generator=stream(1))
    pairs: list[tuple[str, nn.RNNBase, Callable[..., RecurrentWeights]]] = [
        ("Elman", nn.RNN(2, hidden), Elman.from_torch),
        ("LSTM", nn.LSTM(2, hidden), LSTM.from_torch),
        ("GRU", nn.GRU(2, hidden), ResetAfterGRU.from_torch),
    ]
    for name, module, copy in pairs:
        layer = copy(module)
        torch.testing.assert_close(layer(inputs).hidden, module(inputs)[0], atol=1e-5, rtol=1e-5)
        theirs = best(lambda module=module: module(inputs)[0][-1].sum().backward(), 15)
        ours = best(lambda layer=layer: layer(inputs).states[-1].sum().backward(), 15)
        print(f"  {name:6s} ours {ours * 1e3:6.2f} ms, PyTorch {theirs * 1e3:6.2f} ms: {ours / theirs:.2f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--autograd-steps", type=int, default=30, help="length for the autograd loop, which is slow")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    compare_cells(arguments.hidden, 50, 64)
    time_all_pairs(arguments.hidden, (100, 200))
    compare_with_autograd(arguments.hidden, arguments.autograd_steps)


if __name__ == "__main__":
    main()
