"""What can be set of *Attention against recurrence*, and what is recorded of it (document 001, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.labs.attention_against_recurrence.networks import ENCODER, FEATURES, LABELS, SIDE_BY_SIDE
from goldviz.models.recurrent.cells import CELLS

NETWORKS, trained_networks = standard.networks(
    {"all": "RNN, LSTM, GRU and Transformer", **LABELS}, {"all": SIDE_BY_SIDE}
)
POSITIONS = {"sinusoidal": "Sinusoidal", "none": "None"}

BY_LENGTH = ("network", "series_length")
OF_A_LOOK = 256
"""Sequences of a look, at most."""


class AttentionAgainstRecurrence(Experiment):
    """Train recurrent networks and a Transformer encoder on one task, and move its two ends apart."""

    about = About(
        "attention-against-recurrence",
        "Attention against recurrence",
        icon=":material/swap_horiz:",
        section="Memory",
        rank=28,
        room="Against attention",
        sought="Transformer RNN LSTM needle long-range path length cost",
        question="Which network still finds a symbol that lies far back, and what does that cost?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("distance", "width", "batch", "steps")

    distance: int = setting(40, ge=2, le=128, group="Task", essential=True, unit="steps")
    """How far back the marked symbol may lie. Nearer places are asked for just as often."""

    networks: str = NETWORKS
    """Which networks are trained, from the same seed on the same sequences."""
    width: int = setting(32, ge=4, le=128, group="Network", unit="units")
    """Hidden units of a recurrent network, and width of the Transformer."""
    forget_bias: float = standard.forget_bias(1.0, essential=False)
    """The LSTM's initial forget-gate bias; 1 starts with a longer memory than 0."""
    layers: int = setting(1, ge=1, le=4, group="Transformer", essential=True, unit="layers")
    """Layers of the Transformer."""
    heads: int = setting(2, ge=1, le=8, group="Transformer", unit="heads")
    """Attention heads; they share the width."""
    positions: Literal["sinusoidal", "none"] = setting(
        "sinusoidal", group="Transformer", essential=True, labels=POSITIONS
    )
    """How the Transformer knows the order of the symbols. None: it does not."""

    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(3e-3)
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(300)
    batch: int = standard.batch(64, "sequences")
    look_every: int = standard.look_every(25)
    """Unseen sequences are answered every so many steps."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(
            EVERY_STEP, "Loss on the step's sequences", "nat", must_stay_finite=True, kind="training_loss"
        ),
        **standard.gradient_norms(),
        "test_loss": Variable(LOOK, "Loss on unseen sequences", "nat", kind="evaluation_loss", label="unseen"),
        "accuracy": Variable(LOOK, "Share of right answers on unseen sequences", kind="accuracy"),
        "accuracy_by_distance": Variable(
            (*LOOK, "distance"),
            "The same of a group of distances, by its middle",
            label="Right answers",
            format=".0%",
            scale="share",
        ),
        "input_gradient": Variable(
            (*LOOK, "lag"),
            "Norm of the loss's gradient so many steps before the question over that one step before, mean over "
            "unseen sequences",
            label="Gradient, nearest input = 1",
            format=".2e",
            scale="log",
        ),
        "multiplications": Variable(
            BY_LENGTH,
            "Multiplications of matrix products for one answer",
            once=True,
            label="Multiplications",
            format=".3s",
            scale="log",
        ),
        "steps_in_a_row": Variable(
            BY_LENGTH,
            "Steps that have to wait for one another",
            once=True,
            label="Steps in a row",
            format=",",
            scale="log",
        ),
        "uniform_loss": Variable((), "Loss of guessing", "nat", kind="baseline_loss", label="guessing"),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "distance": Coordinate("Steps between mark and question", "%{x} steps back"),
        "lag": Coordinate("Steps before the question", "%{x} steps before"),
        "series_length": Coordinate("Length of the sequence"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Recurrence: h_t = f(h_(t-1), x_t), so x_1 reaches h_n through n steps (document 001, eq. 5-9).",
        "Attention: column j of A weighs every place i for place j, so x_1 reaches the end in one layer (4.1.2).",
        "A cell with g parts: g h (d + h) multiplications a step. A layer: 12 h^2 for a symbol, 2 h for a pair.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("Forty steps back", "One of forty symbols is marked. Which network finds it wherever it lies?"),
        Preset("Eight steps back", "The same task with eight symbols. Who needs a Transformer now?", {"distance": 8}),
        Preset(
            "Break it: a hundred steps back",
            "A hundred symbols lie between the first one and the question. Who still answers?",
            {"distance": 100},
        ),
        Preset(
            "No order at all",
            "A Transformer without positions sees a bag of symbols. Does it need their order here?",
            {"networks": "transformer", "positions": "none"},
        ),
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.width % 2 or (self.has_effect("heads") and self.width % self.heads):
            raise ValueError(f"Width is {self.width}; allowed is an even number that the {self.heads} heads can share")
        return self

    def without_effect(self) -> Mapping[str, str]:
        """What the chosen networks leave unread."""
        names, unread = trained_networks(self.networks), dict[str, str]()
        if ENCODER not in names:
            unread |= dict.fromkeys(("layers", "heads", "positions"), "Only the Transformer has it.")
        if "lstm" not in names:
            unread["forget_bias"] = "Only the LSTM has it."
        return unread

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every step's values of a batch, or of the sequences of a look."""
        names, length = trained_networks(self.networks), self.distance + 1
        values = [CELLS[name].values * length * self.width for name in names if name != ENCODER]
        if ENCODER in names:
            values.append(self.layers * length * (22 * self.width + 4 * self.heads * length))
        weights = self.width * (12 * self.layers * self.width + FEATURES)
        sequences = max(self.batch, OF_A_LOOK)
        return bytes_of_training(weights, len(names) * len(self.seeds), sequences * max(values))

    def sizes(self) -> dict[str, float]:
        """The lengths and widths that are set, and which networks are trained."""
        return {**super().sizes(), **dict.fromkeys(trained_networks(self.networks), 1.0)}
