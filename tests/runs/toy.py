"""A tiny experiment without a network: everything that the runs room has to cope with can be asked of it.

Its state is one array that every step moves by seeded noise, so a run that goes on from the wrong place, or with the
wrong settings, gives other numbers.
"""

import os
import resource
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from safetensors.numpy import load, save

from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.runs.recorder import Recorder


class TrainingStoppedError(RuntimeError):
    """An error whose message is meant for a person."""

    for_a_person = True


class Toy(Experiment):
    """A walk that can be told to misbehave."""

    about = About("toy", "A toy", question="Does the runs room keep what it is given?", icon=":material/toys:")
    variables: ClassVar[Mapping[str, Variable]] = {
        "position": Variable(("epoch", "network", "seed"), "Position", "m", must_stay_finite=True),
        "norm": Variable(("epoch", "seed"), "Norm of the state"),
        "count": Variable(("every_third", "seed"), "Steps so far"),
        "end": Variable(("seed",), "Where the walk ended", once=True),
    }
    presets: ClassVar[tuple[Preset, ...]] = (Preset("As in the document", "Nothing special."),)
    smaller: ClassVar[tuple[str, ...]] = ("size", "epochs")

    epochs: int = setting(30, ge=1, le=100_000, group="Toy", description="Steps.")
    learning_rate: float = setting(0.1, ge=0, le=100, group="Toy", hot=True, description="Length of a step.")
    drift: float = setting(0.0, ge=-1, le=1, group="Toy", hot=True, description="Where the walk tends to.")
    size: int = setting(4, ge=1, le=10_000_000, group="Toy", description="Numbers in the state.")
    seconds: float = setting(0.0, ge=0, le=10, group="Toy", description="Seconds that a step takes.")
    diverge_at: int = setting(0, ge=0, le=100_000, group="Toy", description="Step that is no longer finite.")
    fail_at: int = setting(0, ge=0, le=100_000, group="Toy", description="Step that fails.")
    failure: str = setting("error", group="Toy", description="error, sentence, memory, gigabytes, sleep or exit.")

    def steps_planned(self) -> int:
        return self.epochs

    def estimated_seconds(self) -> float:
        return self.epochs * (1e-3 + self.seconds)

    def estimated_bytes(self) -> float:
        return 100 * self.size * len(self.seeds)

    def train(self, record: Recorder) -> None:
        record.coordinates(network=["plain", "residual"], seed=list(self.seeds))
        record.attribute(device="none")
        walk = {str(seed): np.zeros((2, self.size)) for seed in self.seeds}
        if record.restored is not None:
            walk = load(record.restored)
        for epoch in record.steps(self.epochs, state=lambda: save(walk)):
            now = record.settings
            assert isinstance(now, Toy)
            for seed in self.seeds:
                noise = np.random.default_rng([seed, epoch]).standard_normal((2, self.size))
                walk[str(seed)] = walk[str(seed)] + now.learning_rate * noise + now.drift
            time.sleep(self.seconds)
            if epoch == self.fail_at:
                self._fail()
            with record.instrument():
                record("norm", [np.linalg.norm(walk[str(seed)]) for seed in self.seeds])
            if epoch % 3 == 0:
                record("count", [epoch for _ in self.seeds])
            positions = np.array([walk[str(seed)].mean(axis=1) for seed in self.seeds]).T
            record("position", np.where(epoch == self.diverge_at, np.nan, positions))
        record.once("end", [walk[str(seed)].mean() for seed in self.seeds])

    def _fail(self) -> Any:
        if self.failure == "memory":
            used = resource.getrlimit(resource.RLIMIT_AS)
            try:
                resource.setrlimit(resource.RLIMIT_AS, (2**33, used[1]))
                return np.ones(2**34)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, used)
        if self.failure == "gigabytes":
            return np.ones(2**29)
        if self.failure == "sleep":
            return time.sleep(600)
        if self.failure == "exit":
            os._exit(1)
        if self.failure == "sentence":
            raise TrainingStoppedError("Depth is 3, but the moon is full; choose another night.")
        raise ZeroDivisionError("float division by zero")
