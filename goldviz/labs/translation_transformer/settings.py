"""What can be set of *Translation with a Transformer*, and what is recorded of it.

Document 004, section 4. What is of the probe, and of a single norm, is of the first seed's first network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.data.tables.sealed_names import KEPT
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.models.style import NetworkStyle

TASKS = {
    "reversal": "Turn letters round",
    "sorting": "Sort letters",
    "phrases": "Adjectives before nouns",
    "dates": "Dates to ISO",
}
STYLES = {
    "layer": NetworkStyle("Layer norm", "#0e7ac0", "solid", "circle"),
    "rms": NetworkStyle("RMS norm", "#009e73", "dash", "square"),
    "batch": NetworkStyle("Batch norm", "#c46a9c", "dashdot", "diamond"),
    "none": NetworkStyle("No norm", "#d55e00", "dot", "triangle-up"),
}
"""Normalisation by name. The first that is trained is looked into."""
RATES = (1.0, 1 / 3, 3.0)
"""Multiples of the learning rate; the first is what is set."""
NORMS, trained_norms = standard.networks(
    {name: style.label for name, style in STYLES.items()} | {"all": "All four, side by side"}, {"all": tuple(STYLES)}
)
PLACES = {"post": "Behind each part (post)", "pre": "Before each part (pre)"}
CORPORA = {"generated": "pairs of the task"}
CLOSE = ("close_look", "network", "seed")
HEADS = ("look", "block_number", "head")
LETTERS: dict[str, Any] = {"task": "reversal", "shortest": 4}
LONGEST_DATE, LONGEST_OWN = 11, 60
"""Words of a date, and pieces of a sentence of one's own, at most."""


def trained_rates(choice: str) -> tuple[float, ...]:
    """The multiples of the learning rate that the setting ``rates`` means."""
    return RATES if choice == "three" else RATES[:1]


class TranslationTransformer(Experiment):
    """Train an encoder to read a sequence and a decoder to write its answer, with attention alone."""

    about = About(
        "translation-transformer",
        "Translation with a Transformer",
        icon=":material/translate:",
        section="Attention",
        rank=54,
        room="Translation",
        sought="encoder decoder cross-attention causal mask warm-up layer norm RMSNorm beam search machine translation",
        question="Who looks at whom while an encoder reads and a decoder writes?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("batch", "width", "longest", "layers")
    version: ClassVar[int] = 2
    former_defaults: ClassVar[Mapping[int, Mapping[str, Any]]] = {1: {"task": "reversal", "shortest": 4}}

    task: Literal["reversal", "sorting", "phrases", "dates"] = setting(
        "phrases", group="Task", essential=True, labels=TASKS
    )
    """What is written for what is read."""
    corpus: str = setting(
        "generated",
        group="Task",
        control="text",
        pattern=f"^(generated|{KEPT})$",
        labels=CORPORA,
        allowed="generated, or the 16 characters that name pairs kept on this server",
    )
    """Pairs of the task, or sentence pairs of your own."""
    longest: int = setting(8, ge=2, le=30, group="Task", essential=True, unit="words")
    """Words of the longest sequence to learn from. Dates have 6 to 11."""
    shortest: int = setting(3, ge=2, le=30, group="Task", unit="words")
    """Words of the shortest sequence to learn from."""
    symbols: int = setting(10, ge=2, le=26, group="Task", unit="letters")
    """Letters to turn round or to sort."""
    merges: int = setting(200, ge=0, le=2000, group="Task", unit="merges")
    """Merges of byte-pair encoding, for pairs of your own."""

    norm: str = NORMS
    """What is normalised, and over what: the units of a word (layer, RMS), or a unit's values in a batch."""
    place: Literal["post", "pre"] = setting("post", group="Network", essential=True, labels=PLACES)
    """Where the norm stands."""
    layers: int = setting(2, ge=1, le=4, group="Network", unit="blocks")
    """Blocks of the encoder, and of the decoder."""
    heads: int = setting(2, ge=1, le=8, group="Network", unit="heads")
    """Heads of each attention. They share the width."""
    width: int = setting(32, ge=4, le=128, group="Network", unit="units")
    """Numbers of a word's state; a multiple of the heads, and even."""
    encoder_positions: bool = setting(True, group="Network")
    """Sines and cosines tell the encoder where a word stands. The decoder always has them."""

    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(3e-3)
    """Peak of the learning rate."""
    rates: Literal["one", "three"] = setting(
        "one", group="Training", labels={"one": "The one that is set", "three": "A third of it, it, three times it"}
    )
    """Learning rates that are tried beside each other."""
    warm_up: float = setting(0.1, ge=0, le=0.9, group="Training")
    """Share of the steps in which the learning rate rises; then it falls to a hundredth of its peak."""
    label_smoothing: float = setting(0.1, ge=0, le=0.9, group="Training")
    """Share of each target that all words get alike."""
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(700)
    batch: int = standard.batch(64, "pairs")
    look_every: int = standard.look_every(50, description="Attention and right answers are recorded so often.")
    close_looks: int = standard.close_looks(5)
    """How often, evenly spread, free writing and longer sequences are tried. 0: never."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.width % self.heads or self.width % 2:
            raise ValueError(f"Width is {self.width}; allowed is an even multiple of the {self.heads} heads")
        if self.has_effect("shortest") and self.shortest > self.longest:
            raise ValueError(
                f"Shortest is {self.shortest}; allowed are at most the {self.longest} words of the longest"
            )
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "learning_rate": Variable(("step",), "Learning rate of the step", kind="learning_rate"),
        "loss": Variable(
            EVERY_STEP, "Loss on the step's pairs, labels smoothed", "nat", must_stay_finite=True, kind="training_loss"
        ),
        **standard.gradient_norms(),
        "test_loss": Variable(LOOK, "Loss on unseen pairs", "nat", kind="evaluation_loss", label="unseen pairs"),
        "sequence_accuracy": Variable(LOOK, "Share of unseen sequences answered without a fault", kind="accuracy"),
        "rate_accuracy": Variable(("look", "rate", "network", "seed"), "The same at each learning rate"),
        "encoder_attention": Variable((*HEADS, "query", "key"), "Attention among the words read", kind="attention_map"),
        "decoder_attention": Variable((*HEADS, "written", "told"), "Attention among the words written"),
        "cross_attention": Variable((*HEADS, "written", "read"), "Attention of words written to words read"),
        "norm_mean": Variable(("look", "stage", "read"), "Mean of a word's state on its way through a norm"),
        "norm_deviation": Variable(("look", "stage", "read"), "Standard deviation of that state"),
        "answer": Variable(("look", "written"), "Word that is written at this place, by number; -1 after the end"),
        "told_right": Variable(
            CLOSE, "Share of words right, told the right words before", label="Right words", format=".1%", scale="share"
        ),
        "free_right": Variable(CLOSE, "Share of words right, told its own words before", format=".1%", scale="share"),
        "length_accuracy": Variable(
            (*CLOSE, "length"),
            "Share of sequences of one length answered without a fault",
            label="Right from start to end",
            format=".0%",
            scale="share",
        ),
        "self_share": Variable(
            ("close_look", "seed", "block_number", "head"), "Share of words read that attend most to themselves"
        ),
        "neighbour_effect": Variable(CLOSE, "Largest change of a pair's logits where others of its batch change"),
        "beam_likelier": Variable(
            ("network", "seed"), "Share of unseen sequences with a likelier answer by a beam of 4", once=True
        ),
        "aligned": Variable(("written",), "Place of the probe that a word stands for; -1 for none", once=True),
        "uniform_loss": Variable(
            (), "Loss of guessing all words alike", "nat", kind="baseline_loss", label="all alike"
        ),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "length": Coordinate("Words read", "%{x} words"),
        "read": Coordinate("Word read"),
        "written": Coordinate("Word written"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Attention: softmax(Q K^T / sqrt(d)) V, with Q = x W_Q, K = m W_K, V = m W_V; heads side by side, times W_O "
        "(Vaswani et al. 2017, eq. 1).",
        "Encoder: m = x. Decoder: m = x with later words masked; then m = the encoder's output.",
        "Post: x <- norm(x + part(x)). Pre: x <- x + part(norm(x)), and one norm at the end.",
        "Layer norm: gamma (x - mu) / sqrt(sigma^2 + eps) + beta over the units of one word (Ba et al. 2016).",
        "Label smoothing: (1 - s) CE(right word) + s mean over all words of -log p.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "European Economic Area",
            "Adjectives follow their noun, and the decoder writes them before it: area economic european becomes "
            "European Economic Area.",
        ),
        Preset(
            "Turn letters round",
            "The last letter comes first. Cross-attention has to find the way back.",
            LETTERS,
        ),
        Preset(
            "Sorting without positions",
            "The encoder is not told where a letter stands. For sorting it need not know.",
            {**LETTERS, "task": "sorting", "encoder_positions": False},
            figure="accuracy",
        ),
        Preset(
            "Break it: turning round without positions",
            "The encoder sees which letters there are, not where. They cannot be turned round.",
            {**LETTERS, "encoder_positions": False, "steps": 400},
            figure="accuracy",
        ),
        Preset(
            "Four norms, three rates",
            "Layer norm, RMS norm, batch norm and none, each at three learning rates: who learns first?",
            {
                "task": "reversal",
                "norm": "all",
                "rates": "three",
                "longest": 4,
                "symbols": 5,
                "layers": 1,
                "batch": 32,
                "steps": 500,
                "look_every": 20,
                "close_looks": 1,
            },
            figure="steps_to_right",
        ),
    )

    def without_effect(self) -> Mapping[str, str]:
        """What the task leaves unread."""
        unread: dict[str, str] = {}
        if self.corpus != "generated":
            unread |= dict.fromkeys(("task", "longest", "shortest", "symbols"), "Your own pairs are learned.")
            return unread
        unread["merges"] = "Only pairs of your own are cut into pieces."
        if self.task == "dates":
            unread |= dict.fromkeys(("longest", "shortest"), "Dates have lengths of their own.")
        if self.task in ("dates", "phrases"):
            unread["symbols"] = "Only letters have it."
        return unread

    def _words(self) -> int:
        if self.corpus != "generated":
            return LONGEST_OWN
        return LONGEST_DATE if self.task == "dates" else self.longest

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: each block's states and weights, of a batch or of 128 unseen pairs."""
        words = self._words() + 1
        values = max(self.batch, 128) * words * self.layers * (45 * self.width + 14 * self.heads * words)
        learners = self.learners() * len(self.seeds)
        return bytes_of_training(30 * self.layers * self.width**2 + 3000, learners, values)

    def learners(self) -> int:
        return len(trained_norms(self.norm)) * len(trained_rates(self.rates))

    def sizes(self) -> dict[str, float]:
        """The words of the longest sequence."""
        return {**super().sizes(), "words": self._words()}
