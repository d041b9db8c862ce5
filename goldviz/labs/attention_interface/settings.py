"""What can be set of *Attention between networks*, and what is recorded of it.

Document 004, section 3.2. ``attention`` and what else is of the probe are of the first seed; the probe's right answer
is what the decoder is told of the words before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.labelled import Run
from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers as of_layers
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK

TASKS = {
    "reversal": "Turn letters round",
    "sorting": "Sort letters",
    "phrases": "Adjectives before nouns",
    "dates": "Dates to ISO",
}
SCORES = {
    "additive": "Additive (Bahdanau)",
    "dot": "Dot product (Luong)",
    "general": "General (Luong)",
}
NETWORKS, trained_networks = standard.networks(
    {"both": "With and without attention", "attention": "With attention", "fixed_vector": "Without attention"},
    {"both": ("attention", "fixed_vector")},
)
CLOSE = ("close_look", "network", "seed")
PROBE = ("look", "written", "read")
LONGEST_DATE = 11
"""Words of a date, at most."""


def _offsets(run: Run) -> Mapping[int, str]:
    """What the offsets of attention's peaks are called: the first and the last hold all beyond them."""
    first, *_, last = map(int, run["offset"].values)
    return {first: f"≤ {first}", 0: "its word", last: f"≥ {last}"}


class AttentionInterface(Experiment):
    """Train one network to read a sequence and another to write its answer, with attention between them."""

    about = About(
        "attention-interface",
        "Attention between networks",
        icon=":material/compare_arrows:",
        section="Attention",
        rank=53,
        room="Between networks",
        sought="Bahdanau Luong alignment encoder decoder seq2seq beam search",
        question="Where does a network look back while it writes, and what does it forget if it cannot?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("batch", "width", "longest")
    version = 2
    former_defaults: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {"longest": 12, "learning_rate": 5e-3, "steps": 800},
    }

    task: Literal["reversal", "sorting", "phrases", "dates"] = setting(
        "reversal", group="Task", essential=True, labels=TASKS
    )
    """What is written for what is read."""
    longest: int = setting(8, ge=3, le=30, group="Task", essential=True, unit="words")
    """Words of the longest sequence to learn from. Dates have 7 to 11."""
    shortest: int = setting(4, ge=2, le=30, group="Task", unit="words")
    """Words of the shortest sequence to learn from."""
    symbols: int = setting(20, ge=2, le=26, group="Task", unit="letters")
    """Letters to turn round or to sort."""

    networks: str = NETWORKS
    """Without attention the writer has one vector of the whole sequence, and no more."""
    score: Literal["additive", "dot", "general"] = setting("additive", group="Network", essential=True, labels=SCORES)
    """How a word that was read is scored against the writer's state."""
    both_ways: bool = setting(True, group="Network")
    """Read forwards and backwards. Off: forwards only."""
    width: int = setting(64, ge=4, le=256, group="Network", unit="units")
    """Numbers of the writer's state, and of a word that was read; even."""

    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(1e-2)
    """Peak of the learning rate."""
    warm_up: float = setting(0.05, ge=0, le=0.9, group="Training")
    """Share of the steps in which the learning rate rises; then it falls to a hundredth of its peak."""
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(450)
    batch: int = standard.batch(64, "sequences", ge=1, le=512)
    look_every: int = setting(25, ge=1, le=1000, group="Instruments", unit="steps")
    """The alignment and the layers are recorded every so many steps."""
    close_looks: int = standard.close_looks(5)
    """How often, evenly spread, answers to unseen sequences are counted. 0: never."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.width % 2:
            raise ValueError(f"Width is {self.width}; allowed is an even number")
        if self.has_effect("shortest") and self.shortest > self.longest:
            raise ValueError(
                f"Shortest is {self.shortest}; allowed are at most the {self.longest} words of the longest"
            )
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "learning_rate": Variable(("step",), "Learning rate of the step", kind="learning_rate"),
        "loss": Variable(
            EVERY_STEP, "Loss on the step's sequences", "nat", must_stay_finite=True, kind="training_loss"
        ),
        **standard.gradient_norms(),
        **of_layers.gradient_norm((*LOOK, "layer"), "matrices and tables"),
        **of_layers.update_to_data((*LOOK, "layer")),
        **of_layers.gradient_to_data((*LOOK, "layer")),
        "attention": Variable(PROBE, "Attention weight alpha of a word read, for a word written; first seed"),
        "attention_score": Variable(PROBE, "Attention score e of a word read, for a word written; first seed"),
        "encoded": Variable(("look", "read", "unit"), "State h of the reader at a word of the probe, first seed"),
        "state": Variable(
            ("look", "written", "unit"), "State s of the writer before it writes a word of the probe, first seed"
        ),
        "answer": Variable(
            ("look", "network", "written"),
            "Word that is written at this place, by number; -1 after the end, first seed",
        ),
        "test_loss": Variable(
            CLOSE, "Loss on unseen sequences", "nat", kind="evaluation_loss", label="unseen sequences"
        ),
        "sequence_accuracy": Variable(
            CLOSE,
            "Share of unseen sequences that are answered without a fault",
            label="Right from start to end",
            format=".1%",
            scale="share",
        ),
        "length_accuracy": Variable(
            (*CLOSE, "length"),
            "The same of sequences of one length",
            label="Right from start to end",
            format=".0%",
            scale="share",
        ),
        "peak_offset": Variable(
            ("close_look", "seed", "offset"),
            "Share of words whose largest weight is so many places behind their own",
            label="Words written",
            format=".1%",
            scale="share",
        ),
        "aligned": Variable(("written",), "Place of the probe that a word stands for; -1 for none", once=True),
        "uniform_loss": Variable(
            (), "Loss of guessing all words alike", "nat", kind="baseline_loss", label="all alike"
        ),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "length": Coordinate("Words read", "%{x} words"),
        "offset": Coordinate("Places behind the word that it stands for", "%{x}", names=_offsets),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Reader: h_j of word j, a GRU's states of both directions side by side (Bahdanau et al. 2015, 3.2).",
        "Scores: e_ij = v^T tanh(W s_(i-1) + U h_j), s_(i-1) . h_j, or s_(i-1)^T W h_j (Bahdanau et al. 2015, A.1.2; "
        "Luong et al. 2015, eq. 8, which takes the state after the step).",
        "Attention: alpha_ij = exp(e_ij) / sum_k exp(e_ik); context c_i = sum_j alpha_ij h_j (eq. 5, 6).",
        "Writer: s_i = GRU([y_(i-1), c_i], s_(i-1)), words scored by a linear map of [s_i, c_i]; without attention "
        "there is no c_i.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("Turn letters round", "The last letter comes first. Watch the line that attention finds."),
        Preset(
            "European Economic Area",
            "The document's phrase as a grammar: adjectives follow their noun, and shall stand before it.",
            {"task": "phrases", "steps": 400},
        ),
        Preset(
            "Dates to ISO",
            "Dates in seven formats become 2001-09-03. One month's name stands for two digits.",
            {"task": "dates", "steps": 400},
        ),
        Preset(
            "Break it: no attention",
            "One vector has to hold the whole sequence. The longer it is, the more is forgotten.",
            {"networks": "fixed_vector"},
            figure="by_length",
        ),
        Preset(
            "Dot product",
            "The score is a plain product of two states, with no weights of its own.",
            {"score": "dot", "networks": "attention"},
        ),
    )

    def without_effect(self) -> Mapping[str, str]:
        """What the task or the networks leave unread."""
        unread: dict[str, str] = {}
        if self.task == "dates":
            unread |= dict.fromkeys(("longest", "shortest"), "Dates have lengths of their own.")
        if self.task in ("dates", "phrases"):
            unread["symbols"] = "Only letters have it."
        if self.networks == "fixed_vector":
            unread["score"] = "Without attention nothing is scored."
        return unread

    def _words(self) -> int:
        return LONGEST_DATE if self.task == "dates" else self.longest

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every word's values, and for each word written those of every word read.

        Close looks read 64 sequences, a few words longer than those of training.
        """
        words = self._words() + 4
        values = max(self.batch, 64) * words * self.width * (30 + 3 * words)
        return bytes_of_training(
            22 * self.width**2 + 3000, len(trained_networks(self.networks)) * len(self.seeds), values
        )

    def sizes(self) -> dict[str, float]:
        """The words of a sequence and the longest's, and which networks are trained."""
        shortest = self._words() if self.task == "dates" else self.shortest
        words = {"words": (self._words() + shortest) / 2, "longest": self._words()}
        return {**super().sizes(), **words, **dict.fromkeys(trained_networks(self.networks), 1.0)}
