"""What can be set of *Neural Turing machine*, and what is recorded of it.

Document 004, section 3.1; formulas of Graves et al. 2014. ``memory`` and what else is of a probe are of the first seed:
one sequence of the longest trained length, which no network learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers as of_layers
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK

TASKS = {
    "copy": "Copy",
    "repeat": "Repeat copy",
    "recall": "Associative recall",
    "priority": "Sort by priority",
}
NETWORKS, lanes = standard.networks(
    {"all": "NTM, LSTM and GRU", "ntm": "NTM", "lstm": "LSTM", "gru": "GRU"}, {"all": ("ntm", "lstm", "gru")}
)
CONTROLLERS = {"feed_forward": "Feed-forward", "lstm": "LSTM"}
MEMORIES = {"constant": "Nearly empty", "random": "Random numbers"}
PROBE = ("look", "time")


class NeuralTuringMachine(Experiment):
    """Train a network with a memory of its own, and watch where it writes and reads."""

    about = About(
        "neural-turing-machine",
        "Neural Turing machine",
        icon=":material/memory:",
        section="Machines",
        rank=30,
        sought="NTM memory-augmented network external memory read write head copy task addressing DNC",
        question="Can a network learn to use a memory, and does it then handle sequences longer than it has seen?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("length", "slots", "hidden", "batch")

    task: Literal["copy", "repeat", "recall", "priority"] = setting("copy", group="Task", essential=True, labels=TASKS)
    """What is asked of the rows of bits that are told."""
    length: int = setting(6, ge=2, le=20, group="Task", essential=True, unit="rows")
    """Rows of the longest sequence in training; tests go to twice as many, and past the memory's end."""
    bits: int = setting(4, ge=2, le=8, group="Task", unit="bits")
    """Bits of a row."""
    repeats: int = setting(3, ge=2, le=5, group="Task", unit="times")
    """Repeat copy: how many times, at most, the sequence is told back."""
    flag: bool = setting(True, group="Task", essential=True)
    """Tell the network at each time step that an answer is wanted."""
    networks: str = NETWORKS
    """Which networks learn, on the same sequences; LSTM and GRU have as many parameters as the machine."""
    controller: Literal["feed_forward", "lstm"] = setting(
        "feed_forward", group="Network", essential=True, labels=CONTROLLERS
    )
    """What steers the heads. An LSTM has a memory of its own, beside the one it is to use."""
    content: bool = setting(True, group="Network", essential=True)
    """Heads may go to cells that look like a key."""
    shift: bool = setting(True, group="Network", essential=True)
    """Heads may move to a neighbouring cell."""
    memory: Literal["constant", "random"] = setting("constant", group="Network", essential=True, labels=MEMORIES)
    """What stands in the memory before a sequence begins."""
    slots: int = setting(16, ge=2, le=64, group="Network", unit="cells")
    """Cells of the memory."""
    width: int = setting(8, ge=2, le=32, group="Network", unit="numbers")
    """Numbers in a cell."""
    hidden: int = standard.hidden(64, le=128)
    """Hidden units of the controller."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(3e-3)
    clip: float = standard.clip(10.0)
    steps: int = standard.steps(300)
    batch: int = standard.batch(32, "sequences")
    look_every: int = standard.look_every(50)
    """Tests by length, memory and addresses are recorded every so many steps."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(
            EVERY_STEP,
            "Cross-entropy of a bit, on the step's sequences",
            "nat",
            must_stay_finite=True,
            kind="training_loss",
        ),
        "accuracy": Variable(EVERY_STEP, "Share of right bits, on the step's sequences", kind="accuracy"),
        **standard.gradient_norms("gradient_norm", "clipped_gradient_norm"),
        "clipped": Variable(EVERY_STEP, "1 where the gradient was clipped", kind="clipped"),
        "sequences_right": Variable(
            (*LOOK, "length"),
            "Share of unseen sequences of this length without a wrong bit",
            label="Sequences without a wrong bit",
            format=".1%",
            scale="share",
        ),
        "bits_right": Variable(
            (*LOOK, "length"),
            "Share of right bits in unseen sequences of this length",
            label="Right bits",
            format=".1%",
            scale="share",
        ),
        "cells_used": Variable(
            ("look", "seed", "head"),
            "Cells that an address is spread over, on unseen sequences: writing rows that are told, reading answers",
            label="Cells that an address is spread over",
            format=".2f",
            scale="zero",
        ),
        "layer_gradient_norm": Variable(
            (*LOOK, "layer"), "Gradient norm of the layer's matrices", kind="gradient_norm_by_layer"
        ),
        **of_layers.update_to_data((*LOOK, "layer")),
        **of_layers.gradient_to_data((*LOOK, "layer")),
        "memory": Variable(
            (*PROBE, "slot", "column"), "The memory after a time step of the probe", label="Number", format=".3f"
        ),
        "cell_size": Variable(
            (*PROBE, "slot"),
            "Root mean square of a cell's numbers, in the probe",
            label="Size of the numbers in a cell",
            format=".2f",
        ),
        "address": Variable(
            (*PROBE, "head", "stage", "slot"),
            "Weight of a cell after each stage of addressing, in the probe",
            label="Weight",
            format=".2f",
        ),
        "controls": Variable((*PROBE, "head", "control"), "What the controller tells a head, in the probe"),
        "answer": Variable(
            (*PROBE, "network", "bit"), "Probability that a bit is 1, in the probe", label="Answered", format=".2f"
        ),
        "told": Variable(
            ("time", "channel"),
            "What is told in the probe, 0 or 1, and a priority",
            once=True,
            label="Told",
            format=".2g",
        ),
        "wanted": Variable(
            ("time", "bit"),
            "What each answer of the probe is to be, 0 or 1; NaN where none is wanted",
            once=True,
            label="Wanted",
        ),
        "test_loss": Variable(
            ("network", "seed"), "Cross-entropy of a bit after training, on unseen sequences", "nat", kind="test_loss"
        ),
        "coin_loss": Variable(
            ("seed",), "Cross-entropy of a bit that a coin says: ln 2", "nat", kind="baseline_loss", label="a coin"
        ),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "time": Coordinate("Time in the sequence", names={1: "1"}),
        "length": Coordinate("Rows of the sequence", "%{x} rows"),
        "slot": Coordinate("Cell", "cell %{x}", names={1: "1"}),
        "column": Coordinate("Number in the cell", "number %{x}"),
        "bit": Coordinate("Bit"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "By content: w_c(i) = softmax_i(beta cos(k, M(i))) (Graves et al. 2014, eq. 5-6).",
        "Gate: w_g = g w_c + (1 - g) w_(t-1); shift: w_s(i) = sum_j w_g(j) s(i - j); sharpen: w ~ w_s^gamma (eq. 7-9).",
        "Read: r = sum_i w(i) M(i); write: M(i) <- M(i) (1 - w(i) e) + w(i) a (eq. 2-4).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "Copy",
            "Rows of bits are told, then wanted back. Watch two lines appear: the machine writes cell after cell, and "
            "reads them in the same order.",
        ),
        Preset(
            "Break it: no shift",
            "Heads can no longer move to the next cell. Then the machine cannot go through its memory in order.",
            {"shift": False, "networks": "ntm"},
        ),
        Preset(
            "Fix it: location alone",
            "The shift is back, and the search by content is gone. Copying does not miss it.",
            {"content": False, "networks": "ntm"},
        ),
        Preset(
            "Break it: LSTM controller, no flag",
            "The controller has a memory of its own, and nothing says when an answer is wanted. In so many steps it "
            "does not learn to use the other one.",
            {"controller": "lstm", "flag": False, "networks": "ntm"},
        ),
        Preset(
            "Break it: random memory",
            "Cells begin with random numbers that must be erased first. It still learns to copy, but loses its way in "
            "longer sequences.",
            {"memory": "random", "networks": "ntm"},
            figure="by_length",
        ),
    )

    @model_validator(mode="after")
    def _rows_differ(self) -> Self:
        if self.task == "recall" and self.length > 2**self.bits:
            raise ValueError(
                f"Length is {self.length}; of {self.bits} bits there are {2**self.bits} different rows, "
                "and recall allows no more"
            )
        return self

    def without_effect(self) -> Mapping[str, str]:
        """What the task or the networks leave unread."""
        unread = {} if self.task == "repeat" else {"repeats": "Only repeat copy tells a sequence several times."}
        return unread

    def _longest(self) -> int:
        """Time steps of the longest sequence that is tested."""
        rows = max(2 * self.length, self.slots + 2)
        return rows + 1 + rows * {"recall": 0, "repeat": self.repeats}.get(self.task, 1)

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: what each time step of the longest trained sequences keeps."""
        weights = self.hidden * (5 * self.width + 4 * self.hidden + 40)
        steps = self.length * (2 + (self.repeats if self.task == "repeat" else 1))
        step = self.batch * (4 * self.slots * self.width + 40 * self.slots + 10 * self.hidden)
        test = 200 * 4 * self._longest() * (self.hidden + 2 * self.slots)
        return bytes_of_training(weights, 3 * len(self.seeds), steps * step + test)

    def sizes(self) -> dict[str, float]:
        """Time steps of a training sequence and of the longest that is tested, and which networks are trained."""
        answers = {"recall": 1, "repeat": self.length * (1 + self.repeats) / 4}.get(self.task, self.length / 2)
        own = {"time_steps": 2 + self.length / 2 + answers, "longest": self._longest()}
        return {**super().sizes(), **own, **dict.fromkeys(lanes(self.networks), 1.0)}
