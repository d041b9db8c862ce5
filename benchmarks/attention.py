"""Kinds of causal attention at length 4,096 on one core, beside PyTorch's own kernel: time and memory.

Run by hand: python benchmarks/attention.py

Every kind attends in turn, round by round, and a ratio is the median over rounds of processor time. Bytes are the most
that tensors take at once beside what went in. Goals: full within 1.1 of the kernel; LogSparse at most 0.25 of full's
time, and 0.1 of the bytes of full attention that keeps its map; sampled ProbSparse at most 0.3 of full's time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
from torch.nn.functional import scaled_dot_product_attention

from goldviz.labs.attention_cost.tensor_bytes import peak_bytes
from goldviz.models.series.attention import ATTENTIONS, AttentionOptions
from goldviz.models.series.full import full_attention_with_maps


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, asked.heads, asked.length, asked.width, generator=generator)
    kinds: dict[str, Callable[[], object]] = {
        "kernel": partial(scaled_dot_product_attention, q, k, v, is_causal=True),
        "full_with_maps": partial(full_attention_with_maps, q, k, v),
        **{name: partial(kind.attend, q, k, v, AttentionOptions()) for name, kind in ATTENTIONS.items()},
    }
    with torch.no_grad():
        rounds = [{name: seconds(work) for name, work in kinds.items()} for _ in range(asked.rounds + 1)][1:]
        peaks = {name: peak_bytes(work, q, k, v) for name, work in kinds.items()}
    print(f"t = {asked.length:,}, {asked.heads} heads of width {asked.width}, one core, {asked.rounds} rounds:")
    for name in kinds:
        own = statistics.median(one[name] for one in rounds)
        ratio = statistics.median(one[name] / one["full"] for one in rounds)
        bytes_ratio = peaks[name] / peaks["full_with_maps"]
        print(
            f"  {name:20s} {1000 * own:7.1f} ms, {ratio:5.2f} of full; {peaks[name] / 2**20:6.1f} MiB, "
            f"{bytes_ratio:.3f} of full with its map"
        )


if __name__ == "__main__":
    main()
