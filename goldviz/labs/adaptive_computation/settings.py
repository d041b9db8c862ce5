"""What can be set of *Adaptive computation time*, and what is recorded of it.

Document 004, section 3.3, in the form of Graves 2016, with the ponder cost that the document lacks. Halting weights
of single inputs are of the first seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers, standard
from goldviz.declare.memory_of_training import UNLEARNED, bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.models.recurrent.cells import CELL_LABELS, CELLS
from goldviz.models.style import NetworkStyle

SHARES = {"free": 0.0, "tenth": 0.1, "tau": 1.0, "tenfold": 10.0}
"""Price of a step as a multiple of tau, by network."""
STYLES = {
    "free": NetworkStyle("τ = 0", "#d55e00", "dot", "triangle-up"),
    "tenth": NetworkStyle("τ / 10", "#009e73", "dash", "square"),
    "tau": NetworkStyle("τ", "#0e7ac0", "solid", "circle"),
    "tenfold": NetworkStyle("10 τ", "#c46a9c", "dashdot", "diamond"),
}
"""How each network looks."""
TASKS = {"stop": "Read until STOP", "parity": "Parity of signs", "addition": "Sum of two numbers"}
NETWORKS, trained_networks = standard.networks(
    {"tau": "One, with τ", "all": "Four: τ = 0, τ / 10, τ, 10 τ"}, {"all": tuple(SHARES)}, group="Thinking"
)

PARITY = {"task": "parity", "tau": 0.003, "halting_bias": 1.0, "steps": 1500}
"""Of the preset and the claim on parity."""
PUZZLE = (*LOOK[:2], "puzzle", "ponder_step")
BY_STEP = (*LOOK, "ponder_step")


def price(tau: float, network: str) -> float:
    """What a step of thinking costs the network."""
    return SHARES[network] * tau


class AdaptiveComputation(Experiment):
    """Train a recurrent cell that decides for each input how many steps it thinks."""

    about = About(
        "adaptive-computation",
        "Adaptive computation time",
        icon=":material/hourglass_top:",
        section="Machines",
        rank=31,
        room="Adaptive time",
        sought="ACT pondering halting Graves",
        question="Does a network think longer where a task is harder?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "most", "batch", "steps")

    task: Literal["stop", "parity", "addition"] = setting("stop", group="Task", essential=True, labels=TASKS)
    """What is thought about."""
    bits: int = setting(6, ge=2, le=16, group="Task", essential=True, unit="bits")
    """Most bits before STOP; signs whose parity is asked; bits of each number to add."""

    tau: float = setting(0.01, ge=0, le=1, group="Thinking", essential=True)
    """τ, the price of a step. At 0 thinking is free."""
    epsilon: float = setting(0.01, ge=1e-6, le=0.5, group="Thinking", essential=True, logarithmic=True)
    """ε: thinking ends where less than this is left of a budget of 1."""
    most: int = setting(10, ge=1, le=32, group="Thinking", essential=True, unit="steps")
    """Steps at which it ends in any case."""
    halting_bias: float = setting(-1.0, ge=-6, le=6, group="Thinking")
    """Bias that the halting neuron starts with. Below 0 it starts with long thought."""
    networks: str = NETWORKS
    """Which prices are tried."""

    cell: str = setting("gru", group="Network", essential=True, one_of=CELL_LABELS)
    """What thinks."""
    hidden: int = standard.hidden(32)

    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(0.01)
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(700)
    batch: int = standard.batch(64, "inputs")
    look_every: int = standard.look_every(20)
    """Unseen inputs are answered every so many steps."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(
            EVERY_STEP, "Loss of the answers on the step's inputs", must_stay_finite=True, kind="training_loss"
        ),
        "ponder_cost": Variable(EVERY_STEP, "Ponder cost N + R, mean over the step's inputs"),
        **standard.gradient_norms(),
        "test_loss": Variable(LOOK, "Loss of the answers on unseen inputs", kind="evaluation_loss", label="unseen"),
        "accuracy": Variable(LOOK, "Share of unseen inputs with every bit right", kind="accuracy"),
        "ponder": Variable(LOOK, "Steps of thought N, mean over unseen inputs", label="Steps of thought", scale="zero"),
        "correlation": Variable(LOOK, "Correlation of N and difficulty over unseen inputs"),
        "ponder_by_difficulty": Variable(
            (*LOOK, "difficulty"),
            "Steps of thought N, mean of this difficulty",
            label="Steps of thought",
            format=".2f",
            scale="zero",
        ),
        "accuracy_by_difficulty": Variable((*LOOK, "difficulty"), "Share of right answers of this difficulty"),
        "step_share": Variable(
            BY_STEP, "Share of unseen inputs that take so many steps", label="Share of inputs", format=".0%"
        ),
        "answer_push": Variable(
            BY_STEP, "Minus dL/dz at the halting neuron of the step, of the answers' loss", format=".2e", scale="zero"
        ),
        "price_push": Variable(
            BY_STEP, "Minus dL/dz at the halting neuron of the step, of the price", format=".2e", scale="zero"
        ),
        "weight": Variable(PUZZLE, "Halting weight p_n = h_n before the last step, first seed"),
        "remainder": Variable(PUZZLE, "Halting weight of the last step, the remainder R, first seed"),
        "budget": Variable(PUZZLE, "Budget left before the step, first seed"),
        "puzzle_right": Variable(PUZZLE[:3], "Whether the answer is right (1), first seed"),
        **layers.update_to_data((*LOOK, "layer")),
        **layers.gradient_to_data((*LOOK, "layer")),
        **layers.gradient_norm((*LOOK, "layer")),
        **layers.weight_gradients((*LOOK[:2], "layer")),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "difficulty": Coordinate("Difficulty", "difficulty %{x}", names={0: "0"}),
        "ponder_step": Coordinate("Step of thought", "step %{x}"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Halting: h_n = sigmoid(w s_n + b); N = min{n: h_1 + ... + h_n >= 1 - eps} (Graves 2016, eq. 5-6).",
        "Weights: p_n = h_n for n < N, p_N = R = 1 - h_1 - ... - h_(N-1), so that they sum to 1 (eq. 7).",
        "Answer: y = sum_n p_n y_n (eq. 9); loss: answers' loss + tau (N + R), mean over inputs (eq. 11-12).",
        "Only R of the price has a gradient: d(N + R)/dh_n = -1 for n < N, else 0 (eq. 13).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("Read until STOP", "Bits come one a step; the last one before STOP is the answer. Who waits for STOP?"),
        Preset(
            "Parity",
            "Six places hold signs: is the number of + odd? More signs are harder. Does it think longer about them?",
            PARITY,
        ),
        Preset(
            "The price of time",
            "Four networks pay nothing, a tenth of τ, τ and ten times τ for a step. What do they buy?",
            {"networks": "all", "bits": 4, "most": 8},
            figure="bought",
        ),
        Preset(
            "Break it: thinking is free", "τ = 0, as in the document. Nothing asks the network to stop.", {"tau": 0}
        ),
        Preset("Break it: thinking is dear", "τ = 1. A step costs more than a wrong answer.", {"tau": 1.0}),
        Preset(
            "Two numbers",
            "A carry may run through all places of a sum. Does the network think longer where it does?",
            {"task": "addition", "bits": 4, "tau": 0.003, "halting_bias": 1.0, "steps": 1000},
        ),
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: the states of every step of thought of a batch, or of unseen inputs."""
        cell = CELLS[self.cell]
        weights = len(cell.parts) * self.hidden * (self.hidden + 3 * self.bits)
        values = max(self.batch, UNLEARNED * 512) * self.most * self.hidden * (cell.values + 4)
        return bytes_of_training(weights, len(trained_networks(self.networks)) * len(self.seeds), values)

    def learners(self) -> int:
        return len(trained_networks(self.networks))
