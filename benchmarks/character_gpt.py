"""What recording costs while a GPT learns characters, how soon it reads well, and what a key-value cache saves.

The bare loop is what one writes first: the same network, AdamW, clipping and schedule, the loss kept from ``item()``.
Ways take turns in short runs on one thread; what is compared is processor time of the steps alone.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator

import torch
import torch._dynamo  # an optimiser's own step loads it: two seconds that are no part of a step
from torch.nn.functional import cross_entropy

from goldviz.labs.char_gpt.network import writer
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import token_text
from goldviz.labs.char_gpt.train import train
from goldviz.models.text.causal import CausalShape, CausalTransformer
from goldviz.models.text.completion import Choice, written_on
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.training.devices import resolve, training_on
from goldviz.training.optimisers import set_learning_rate
from goldviz.training.schedules import warm_up_share

STEPS = 250
REPEATS = 4
BLOCK = 256
GOAL = 2.0
SETTINGS = CharGpt()


def bare_loop() -> float:
    """Seconds of training, the text and the network made before."""
    text = token_text(SETTINGS.corpus, SETTINGS.tokens, SETTINGS.vocabulary)
    one, losses = writer(SETTINGS, text.size, 0, torch.device("cpu")), []
    started = time.process_time()
    for step in range(1, STEPS + 1):
        starts = torch.randint(len(text.train) - SETTINGS.block, (SETTINGS.batch, 1), generator=one.order)
        stretch = text.train[starts + torch.arange(SETTINGS.block + 1)]
        loss = cross_entropy(one.network(stretch[:, :-1]).flatten(0, 1), stretch[:, 1:].flatten())
        one.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(one.network.parameters(), SETTINGS.clip)
        rate = SETTINGS.learning_rate * warm_up_share(step, SETTINGS.steps, SETTINGS.warm_up)
        set_learning_rate(one.optimiser, rate)
        one.optimiser.step()
        losses.append(loss.item())
    return time.process_time() - started


class Timed(Recorder[CharGpt]):
    """A recorder that notes the processor time between its first step and the end of its last."""

    seconds_of_steps = 0.0

    def steps(self, n: int, state: Callable[[], bytes] | None = None) -> Iterator[int]:
        started = time.process_time()
        yield from super().steps(n, None)
        self.seconds_of_steps = time.process_time() - started


def recorded(**changes: int) -> Callable[[], float]:
    """Seconds of a recorded run's steps; half of the default run has half of its close looks."""
    settings = SETTINGS.changed(steps=STEPS, **changes)

    def work() -> float:
        record = Timed(settings, Memory(), NobodyAsks())
        train(settings, record)
        return record.seconds_of_steps

    return work


WAYS = {
    "bare PyTorch loop": bare_loop,
    "loss recorded": recorded(look_every=0, close_looks=0),
    "as by default": recorded(close_looks=round(SETTINGS.close_looks * STEPS / SETTINGS.steps)),
}


def recording() -> None:
    """The cost of recording, as a ratio of neighbours in time."""
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(REPEATS):
        for name, work in WAYS.items():
            times[name].append(work())
    bare = times["bare PyTorch loop"]
    for name, own in times.items():
        ratio = statistics.median(mine / plain for mine, plain in zip(own, bare, strict=True))
        print(f"{name:<24} {min(own) / STEPS * 1000:6.1f} ms a step at best   {ratio:.3f} x")


def reaching() -> None:
    """Seconds of the processor until the dev loss is below the goal, looks and all."""
    memory = Memory()
    record = Timed(SETTINGS, memory, NobodyAsks())
    started = time.process_time()
    train(SETTINGS, record)
    seconds = time.process_time() - started
    steps, losses = memory.records.stacked()["dev_loss"]
    first = next((int(step) for step, loss in zip(steps, losses.ravel(), strict=True) if loss < GOAL), None)
    share = f"{seconds * first / SETTINGS.steps:.0f} s" if first else "never"
    print(f"dev loss below {GOAL} nat: by step {first}, {share}")
    print(f"at the end {losses.ravel()[-1]:.3f} nat, after {seconds:.0f} s")


def caching() -> None:
    """Tokens a second through a block of 256, with and without a cache."""
    network = CausalTransformer(CausalShape(4, 4, 128, 103, BLOCK)).eval()
    prompt, chances = torch.zeros(1, 1, dtype=torch.long), torch.rand(BLOCK - 1, 1)
    found: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(REPEATS):
        for cached, times in found.items():
            started = time.process_time()
            list(written_on(network, prompt, chances, Choice(), cached=cached))
            times.append(time.process_time() - started)
    ratio = statistics.median(slow / fast for fast, slow in zip(found[True], found[False], strict=True))
    for cached, times in found.items():
        words = "with" if cached else "without"
        print(f"{words + ' a cache':<24} {(BLOCK - 1) / min(times):6.0f} tokens a second of the processor")
    print(f"with a cache {ratio:.1f} times faster")


PARTS = {"recording": recording, "reaching": reaching, "caching": caching}


def main(names: list[str]) -> None:
    """Measure these parts, or all."""
    with training_on(str(resolve("cpu"))):
        for name in names or PARTS:
            PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
