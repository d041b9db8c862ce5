"""What measuring costs while Bengio's MLP learns names, against a bare PyTorch loop of the same work.

The bare loop is what one writes first: indexed embedding, tanh, cross entropy, SGD, the loss kept from ``item()``. Ways
take turns in many short runs on one thread. What is compared is processor time of the steps alone, and ratios are of
neighbours in time, so a busy machine disturbs them little. Close looks come as often as by default.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import torch
from torch.nn.functional import cross_entropy

from goldviz.data.texts.corpora import corpus
from goldviz.labs.char_language_model.networks import MODELS
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.labs.char_language_model.split import split, windows
from goldviz.labs.char_language_model.train import train
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.training.seeds import BATCH_ORDER, DATA, stream

STEPS = 1000
REPEATS = 9
CLOSE_LOOKS = round(CharLanguageModel().close_looks * STEPS / CharLanguageModel().steps)
SETTINGS = CharLanguageModel(steps=STEPS, look_every=0, close_looks=0, cool_down=0.0)


def bare_loop() -> float:
    """Seconds of training, the text and the network made before."""
    read = corpus(SETTINGS.corpus)
    text = windows(split(read, 0, stream(0, DATA)).train, read.symbols, SETTINGS.context)
    network = MODELS["mlp"](SETTINGS, len(read.symbols), 0)
    weights = [parameter.detach().clone().requires_grad_() for parameter in network.parameters()]
    table, output, output_bias, hidden, bias = weights
    optimiser = torch.optim.SGD(weights, lr=SETTINGS.learning_rate, momentum=0.9)
    order = stream(0, BATCH_ORDER)
    losses = []
    started = time.process_time()
    for _ in range(STEPS):
        rows = torch.randint(len(text), (SETTINGS.batch,), generator=order)
        h = torch.tanh(table[text.contexts[rows]].view(SETTINGS.batch, -1) @ hidden + bias)
        loss = cross_entropy(h @ output + output_bias, text.targets[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return time.process_time() - started


class Timed(Recorder[CharLanguageModel]):
    """A recorder that notes the processor time between its first step and the end of its last."""

    seconds_of_steps = 0.0

    def steps(self, n: int, state: Callable[[], bytes] | None = None) -> Iterator[int]:
        started = time.process_time()
        yield from super().steps(n, state)
        self.seconds_of_steps = time.process_time() - started


def recorded(look_every: int, close_looks: int = 0) -> Callable[[], float]:
    """Seconds of a recorded run's steps."""
    settings = SETTINGS.changed(look_every=look_every, close_looks=close_looks)

    def work() -> float:
        record = Timed(settings, Memory(), NobodyAsks())
        train(settings, record)
        return record.seconds_of_steps

    return work


WAYS = {
    "bare PyTorch loop": bare_loop,
    "loss recorded": recorded(0),
    "norms and ratios every 10th step": recorded(10),
    "norms and ratios every step": recorded(1),
    "every 10th step, and close looks": recorded(10, CLOSE_LOOKS),
}


def main() -> None:
    torch.set_num_threads(1)
    for work in WAYS.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(REPEATS):
        for name, work in WAYS.items():
            times[name].append(work())
    bare = times["bare PyTorch loop"]
    for name, own in times.items():
        ratio = statistics.median(mine / plain for mine, plain in zip(own, bare, strict=True))
        print(f"{name:<34} {min(own) / STEPS * 1000:6.3f} ms a step at best   {ratio:.2f} x")


if __name__ == "__main__":
    main()
