"""Memory through time: a plain RNN, an LSTM and a GRU on tasks that need a long memory.

Document 001, section 2, equations 5-24; clipping as in document 003.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers, standard
from goldviz.declare.memory_of_training import UNLEARNED, bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.models.recurrent.cells import CELL_LABELS, CELLS

TASKS = {
    "adding": "Adding problem",
    "recall": "Delayed recall",
    "copy": "Copy",
    "sine": "Slow sine",
    "reviews": "Reviews with a cue far back",
}
NETWORKS, lanes = standard.networks({"all": "RNN, LSTM and GRU", **CELL_LABELS}, {"all": ("rnn", "lstm", "gru")})
ACTIVATIONS = {"tanh": "tanh", "relu": "ReLU"}
FOLLOWED = 16
"""Jacobian products are of so many unseen sequences: what one of them does says little of the others."""
TESTED = 512
"""Sequences of the test loss."""
LOOKED_AT = 120
"""Sequences of all lengths that the instruments look at."""
RESETS = {"before": "before the matrix (eq. 23)", "after": "after the matrix (as PyTorch)"}

LONG_STEPS = {
    "networks": "rnn",
    "activation": "relu",
    "initialisation": "identity",
    "optimiser": "sgd",
    "learning_rate": 0.01,
    "steps": 300,
}
"""Of the preset that clips."""


class RecurrentGradients(Experiment):
    """Train recurrent networks from the same seed on one task, and watch the gradient travel back through time."""

    about = About(
        "recurrent-gradients",
        "Memory through time",
        icon=":material/timeline:",
        section="Memory",
        rank=20,
        door="What do RNN, LSTM and GRU remember?",
        sought="BPTT vanishing exploding gradient recurrent network clipping gates long-range dependence adding "
        "problem",
        question="How far back in time does a recurrent network's gradient reach, and what do gates change?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "length", "batch")
    version = 2

    task: Literal["adding", "recall", "copy", "sine", "reviews"] = setting(
        "adding", group="Task", essential=True, labels=TASKS
    )
    """What the network has to learn. Each has a known answer for a network without memory."""
    length: int = setting(50, ge=4, le=200, group="Task", essential=True, unit="steps")
    """How many time steps lie between cue and answer (adding, sine: the length of the sequence)."""
    networks: str = NETWORKS
    """Which networks are trained, from the same seed on the same sequences."""
    hidden: int = standard.hidden(64, le=256)
    """Hidden units of every network."""
    activation: Literal["tanh", "relu"] = setting("tanh", group="Network", labels=ACTIVATIONS)
    """The plain RNN's nonlinearity."""
    reset: Literal["before", "after"] = setting("before", group="Network", labels=RESETS)
    """Where the GRU's reset gate acts."""
    initialisation: str = standard.recurrent_matrix("orthogonal")
    """How the recurrent matrices are drawn."""
    gain: float = setting(1.0, ge=0.1, le=4, group="Network", logarithmic=True)
    """Factor on all recurrent matrices."""
    forget_bias: float = standard.forget_bias(1.0)
    """The LSTM's initial forget-gate bias; 1 keeps the cell's memory, 0 halves it at every step."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(3e-3)
    clip: float = standard.clip(1.0)
    """Largest norm of a network's whole gradient; a longer one is scaled down. 0: no clipping."""
    steps: int = standard.steps(400)
    batch: int = standard.batch(64, "sequences")
    look_every: int = standard.look_every(10, ge=0)
    """Gradients through time, gates and Jacobians are measured every so many steps. 0: never."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(EVERY_STEP, "Loss on the step's sequences", must_stay_finite=True, kind="training_loss"),
        "accuracy": Variable(
            EVERY_STEP, "Share of right answers (NaN where the task asks for numbers)", kind="accuracy"
        ),
        **standard.gradient_norms("gradient_norm", "clipped_gradient_norm"),
        "clipped": Variable(EVERY_STEP, "1 where the gradient was clipped", kind="clipped"),
        "update_to_data": Variable(LOOK, "Update-to-data ratio of the recurrent weights"),
        "spectral_radius": Variable(
            LOOK,
            "Spectral radius of W_hh (of the candidate's matrix in LSTM and GRU)",
            label="Spectral radius: largest |eigenvalue|",
            format=".3f",
        ),
        "spectral_norm": Variable(
            LOOK,
            "Spectral norm of W_hh (of the candidate's matrix in LSTM and GRU)",
            label="Spectral norm: largest stretch in one step",
            format=".3f",
        ),
        "state_gradient_norm": Variable(
            (*LOOK, "time"), "Norm of dL/dh_t, mean over the batch", kind="state_gradient_norm"
        ),
        "log_jacobian_norm": Variable(
            (*LOOK, "lag"),
            f"Spectral norm of dh_T/dh_(T-lag), geometric mean of {FOLLOWED} unseen sequences (the whole state (h, c) "
            "in the LSTM)",
            "log10",
        ),
        "log_cell_path": Variable(
            (*LOOK, "lag"),
            f"Norm of the LSTM's cell path alone, the product of forget gates, geometric mean of {FOLLOWED} unseen "
            "sequences",
            "log10",
        ),
        "log_bound": Variable(
            (*LOOK, "lag"), "Bound (gamma ||W_hh||)^lag on the plain RNN's Jacobian product", "log10"
        ),
        "lag_contribution": Variable(
            (*LOOK, "lag"),
            "Norm of what lag contributes to dL/dW_hh (eq. 6)",
            label="Norm of a lag's part of dL/dW",
            format=".3e",
            scale="log",
        ),
        "gate_opening": Variable(
            (*LOOK, "gate", "time"),
            "Mean opening of a gate at each time step (NaN where a network lacks it)",
            label="Mean opening of each gate at each time step",
            format=".3f",
        ),
        "gate_saturation": Variable(
            (*LOOK, "gate"),
            "Share of gate values below 0.05 or above 0.95",
            label="Gates: mean of a network's gates",
            format=".1%",
            scale="share",
        ),
        "state_saturation": Variable(
            LOOK,
            "Share of hidden values on a flat part of tanh, |h| > 0.97",
            label="Hidden values, |h| > 0.97",
            format=".1%",
            scale="share",
        ),
        **layers.distributions(("look", "network", "moment"), ("look", "network", "layer")),
        **layers.update_to_data((*LOOK, "layer"), "update_to_data_by_layer"),
        **layers.gradient_to_data((*LOOK, "layer")),
        "loss_by_lag": Variable(
            (*LOOK, "task_lag"),
            "Loss on fresh sequences whose cue lies this far back",
            label="Loss by distance",
            format=".4f",
        ),
        "accuracy_by_lag": Variable(
            (*LOOK, "task_lag"),
            "Share of right answers with the cue this far back",
            label="Share of right answers",
            format=".1%",
            scale="share",
        ),
        "test_loss": Variable(("network", "seed"), "Loss on fresh sequences after training", kind="test_loss"),
        "memoryless_loss": Variable(
            ("seed",),
            "Loss of the best answer without memory, same sequences",
            kind="baseline_loss",
            label="best without memory",
        ),
        "memoryless_loss_by_lag": Variable(
            ("seed", "task_lag"),
            "The same on the sequences with the cue this far back",
            once=True,
            label="Loss without memory",
            format=".4f",
        ),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
        "weights": Variable(
            ("network", "weight"),
            "Weights after training in the order of the network's parameters, first seed, zeros after the last "
            "(reviews alone)",
            once=True,
        ),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "lag": Coordinate("Lag (steps back from the end)", "lag %{x}"),
        "task_lag": Coordinate("Distance of the cue (steps)", "cue %{x} steps back", linked="lag"),
        "time": Coordinate("Time step t", "time step %{x}", names={1: "1"}),
        "moment": Coordinate("Time step t", "time %{x}", linked="time"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Going back k steps multiplies the gradient by k Jacobians dh_t/dh_(t-1) (document 001, eq. 6-9).",
        "The plain RNN's product is at most (gamma ||W_hh||)^k with the spectral norm; the spectral radius gives no "
        "bound.",
        "The LSTM's cell path multiplies by the forget gate (eq. 17-20), the GRU's by 1 - z (eq. 24): near 1 they keep "
        "the gradient.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "Adding, 50 steps",
            "Remember two marked numbers out of fifty and add them. Without memory, answering 1 is best: an error of "
            "1/6. LSTM and GRU learn it on ten seeds of ten; the RNN's gradient vanishes on all ten.",
        ),
        Preset(
            "Reviews, cue 40 words back",
            "The opening decides whether the last words are meant: without it half the guesses are right. Of ten "
            "seeds the LSTM reads it on nine, the plain RNN on eight, the GRU on none.",
            {"task": "reviews", "length": 40, "steps": 150},
        ),
        Preset(
            "Break it: small gain",
            "Recall with a Gaussian matrix half as large. Fifty steps back, less than a trillionth of the RNN's "
            "gradient is left: at first on ten seeds of ten, after training on nine.",
            {"task": "recall", "networks": "rnn", "initialisation": "gaussian", "gain": 0.5, "steps": 150},
        ),
        Preset(
            "Fix it: orthogonal",
            "The same recall from an orthogonal matrix, which neither shrinks nor stretches: the plain RNN learns it "
            "on six seeds of ten.",
            {"task": "recall", "networks": "rnn", "steps": 150},
        ),
        Preset(
            "Break it: exploding",
            "Matrices that stretch by 1.3, long steps and no clipping. In 21 to 30 steps the gradient grows from 35 or "
            "less to 10¹⁹ or more. Then the loss is infinite, on ten seeds of ten.",
            {"networks": "rnn", "gain": 1.3, "optimiser": "sgd", "learning_rate": 0.1, "steps": 60, "clip": 0.0},
            figure="clipping",
        ),
        Preset(
            "Fix it: clip at 1",
            "ReLU and the identity: unclipped, the second loss is infinite. With the gradient's norm held at 1, on ten "
            "seeds of ten the loss stays finite, and falls below 0.3. Saying 1 costs 0.17. Nearly every step is cut, "
            "so 1 works as a learning rate. At 10 the loss ended lower on 3 of 5 seeds, higher on 2.",
            LONG_STEPS,
            figure="clipping",
        ),
        Preset(
            "Break it: forget bias -2",
            "Forget gates that start at 0.12 wipe the LSTM's cell at every step: the reviews stay a coin toss, on ten "
            "seeds of ten.",
            {"task": "reviews", "length": 40, "networks": "lstm", "forget_bias": -2.0, "steps": 150},
        ),
        Preset(
            "Fix it: forget bias 1",
            "The same LSTM with forget gates that start at 0.73: on nine seeds of ten it reads the opening forty words "
            "back.",
            {"task": "reviews", "length": 40, "networks": "lstm", "steps": 150},
        ),
        Preset(
            "Fix it: identity",
            "A plain ReLU network that starts with the identity as its matrix keeps what it has seen, and adds, too, "
            "on nine seeds of ten.",
            {"networks": "rnn", "activation": "relu", "initialisation": "identity", "steps": 600},
        ),
    )

    @model_validator(mode="after")
    def _reviews_come_in_pairs(self) -> Self:
        if self.task == "reviews" and self.batch % 2:
            raise ValueError(f"Batch is {self.batch}; reviews come in pairs, so an even number is allowed")
        return self

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 had labelled texts, too."""
        if values.get("task") == "labelled":
            raise ValueError("the classes of labelled texts are learned on the page Pre-training and fine-tuning")
        return {name: value for name, value in values.items() if name != "labelled_texts"}

    def time_steps(self) -> int:
        """Time steps of a sequence."""
        beyond = {"recall": 1, "copy": 20, "reviews": 8}
        return self.length + beyond.get(self.task, 0)

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every step's gates and states, and what a look pulls back to each step."""
        cells = [CELLS[lane] for lane in lanes(self.networks)]
        tensors, states = max(cell.values for cell in cells), max(cell.states for cell in cells)
        sequences = max(self.batch, UNLEARNED * (TESTED + LOOKED_AT))
        values = self.time_steps() * self.hidden * (tensors * sequences + 25 * FOLLOWED * states)
        learners = len(self.seeds) * len(cells)
        return bytes_of_training(4 * self.hidden**2, learners, values)

    def sizes(self) -> dict[str, float]:
        """Time steps of a sequence, what a step reads, and which networks are trained."""
        own = {"length": self.time_steps(), "read": self.hidden}
        return {**super().sizes(), **own, **dict.fromkeys(lanes(self.networks), 1.0)}
