"""Character language models: a table of pairs, Bengio's network and its initialisation, a hierarchy, recurrent nets.

Document 002, sections 1.1 (counts), 1.2 (the same as a network), 1.3 (Bengio et al. 2003; initialisation, Kaiming's
gain, batch norm) and 1.5 (WaveNet's hierarchy).

The first name of every corpus coordinate, ``symbol``, is the boundary. ``sample_symbol`` and ``embedding`` are of the
first seed. The run's attributes say more: ``training_items``, ``dev_items``, ``test_items``, and
``text_notes`` where the text was shortened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.data.texts.items import FEWEST_ITEMS
from goldviz.declare import layers as of_layers
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP
from goldviz.labs.char_language_model.sizes import hidden_layers
from goldviz.models.recurrent.cells import CELL_LABELS, CELLS

MODELS = {
    "bigram": "Bigram: counting pairs",
    "neural_bigram": "Bigram: one matrix",
    "mlp": "Bengio's MLP",
    "direct_mlp": "Bengio's MLP, direct connections too",
    "deep_mlp": "Deep MLP",
    "wavenet": "WaveNet's hierarchy",
    **CELL_LABELS,
}
LAYERED = ("mlp", "direct_mlp", "deep_mlp", "wavenet")
BENGIOS = ("mlp", "direct_mlp")
TANH = (*LAYERED, "rnn")
"""Models whose hidden values come from a tanh alone."""
CORPORA = {"names": "First names", "cities": "City names", "python": "Python's documentation"}
NORMALISATIONS = {"none": "None", "batch": "Batch norm", "mixed_up": "Batch norm over the wrong axis"}
INITIALISATIONS = {"normal": "N(0, 1)", "kaiming": "Kaiming: N(0, 1/inputs)"}

PER_LAYER = ("look", "network", "seed", "layer")
CLOSE = ("close_look", "network", "seed")
PER_HIDDEN = (*CLOSE, "hidden")
HISTOGRAM = ("close_look", "network", "layer")
SAMPLE = ("close_look", "network", "sample", "place")
MOST_CONTEXTS = 220_000
"""About so many different contexts the longest of the shipped texts has."""

HIERARCHY = {
    "model": "wavenet",
    "context": 8,
    "embedding": 24,
    "hidden": 128,
    "gain": 1.0,
    "output_gain": 0.1,
    "normalisation": "batch",
    "steps": 1500,
}
"""Of the presets that join characters two by two."""


class CharLanguageModel(Experiment):
    """Train a model that guesses the next character of a name from the characters before."""

    about = About(
        "char-language-model",
        "Character language models",
        icon=":material/abc:",
        section="Language",
        rank=45,
        room="Character models",
        sought="makemore bigram n-gram WaveNet MLP Bengio names initialisation Kaiming batch norm",
        question="What must a network be like at its start, so that it can learn to spell?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "layers", "batch")

    model: str = setting("mlp", group="Network", essential=True, one_of=MODELS)
    """What guesses the next character: a table of pairs, or a network."""
    context: int = setting(3, ge=1, le=16, group="Network", essential=True, unit="characters")
    """Characters that the model sees. Bigrams see one; the hierarchy wants 2, 4, 8 or 16."""
    embedding: int = setting(10, ge=2, le=128, group="Network", unit="numbers")
    """Numbers that stand for a character."""
    hidden: int = setting(200, ge=2, le=512, group="Network", unit="units")
    """Units of every hidden layer."""
    layers: int = setting(5, ge=2, le=30, group="Network", unit="layers")
    """Hidden layers of the deep MLP; no effect on other models."""
    normalisation: Literal["none", "batch", "mixed_up"] = setting(
        "none", group="Network", essential=True, labels=NORMALISATIONS
    )
    """Normalise each hidden layer's sums over the batch. Recurrent networks and bigrams have none."""
    momentum: float = setting(0.1, ge=1e-4, le=1, group="Network", logarithmic=True)
    """Share of the batch's statistics in the running ones at each step, which are used after training."""

    initialisation: Literal["normal", "kaiming"] = setting(
        "kaiming", group="Start", essential=True, labels=INITIALISATIONS
    )
    """How hidden weights are drawn. N(0, 1) draws biases so, too; else they start at 0."""
    gain: float = setting(1.667, ge=0, le=10, group="Start", essential=True)
    """Factor on all hidden weights. 5/3 is the usual one for tanh."""
    output_gain: float = setting(0.01, ge=0, le=10, group="Start", essential=True)
    """The output's weights are drawn from N(0, 1) times this."""
    smoothing: float = setting(1.0, ge=0, le=100, group="Network")
    """Fake counts in every cell of the table of pairs (document 002 adds 1). 0: none."""

    corpus: str = standard.kept("a text", "names", "cities", "python", group="Text", control="text", labels=CORPORA)
    """What is learned: first names, city names, the lines of Python's documentation, or your own text."""
    items: int = setting(0, ge=0, le=100_000, group="Text", unit="items")
    """At most so many names or lines, drawn at random. 0: all."""

    optimiser: str = standard.optimiser("sgd")
    learning_rate: float = standard.learning_rate(0.02, le=100)
    steps: int = standard.steps(3000, le=50_000)
    """Optimiser steps, each on a batch drawn at random. Counting reads all pairs once in so many steps."""
    batch: int = setting(32, ge=0, le=4096, group="Training", unit="contexts")
    """Contexts in a step. 0: all of the training text."""
    cool_down: float = setting(0.25, ge=0, le=1, group="Training")
    """Share of the steps, at the end, that take a tenth of the learning rate."""
    weight_decay: float = setting(0.0, ge=0, le=1, group="Training", hot=True)
    """Penalty on the squares of all weights, not of biases. AdamW has no other: its steps are Adam's."""
    look_every: int = standard.measure_every(10)
    close_looks: int = standard.close_looks(20)
    """So many times, evenly spread, dev loss, distributions and samples are taken. 0: never."""

    @model_validator(mode="after")
    def _the_hierarchy_halves(self) -> Self:
        if self.model == "wavenet" and self.context not in (2, 4, 8, 16):
            raise ValueError(
                f"Context is {self.context}; the hierarchy joins two neighbours at a time, so allowed is 2, 4, 8 or 16"
            )
        return self

    @model_validator(mode="after")
    def _there_are_enough_items(self) -> Self:
        if 0 < self.items < FEWEST_ITEMS:
            raise ValueError(f"Items is {self.items}; allowed is 0 for all, or at least {FEWEST_ITEMS}")
        return self

    @model_validator(mode="after")
    def _batch_norm_has_what_it_needs(self) -> Self:
        if self.normalisation == "none":
            return self
        if self.model not in LAYERED:
            raise ValueError("Normalisation is there for the MLPs and the hierarchy; for other models allowed is none")
        if self.batch == 1:
            raise ValueError("Batch is 1; with batch norm, which needs a spread, 0 or at least 2 is allowed")
        if self.normalisation == "mixed_up" and self.model != "wavenet":
            raise ValueError(
                "The wrong axis is there in the hierarchy alone; for other models allowed is none or batch"
            )
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(EVERY_STEP, "Loss on the step's contexts", "nat", must_stay_finite=True, kind="training_loss"),
        "gradient_norm": Variable(PER_LAYER, "Gradient norm of the weight matrix", kind="gradient_norm_by_layer"),
        **of_layers.update_to_data(PER_LAYER),
        **of_layers.gradient_to_data(PER_LAYER),
        "train_loss": Variable(
            CLOSE, "Loss on training text, without noise of a batch", "nat", kind="evaluated_training_loss"
        ),
        "dev_loss": Variable(CLOSE, "Dev loss: text that is not learned", "nat", kind="evaluation_loss", label="dev"),
        "batch_statistics_loss": Variable(
            CLOSE, "Dev loss with statistics of the dev text in place of running ones", "nat"
        ),
        "running_gap": Variable(
            PER_HIDDEN, "How far running means are from those of the text, in its spreads", scale="log"
        ),
        **of_layers.activations(PER_HIDDEN),
        "hidden_gradient_norm": Variable(
            PER_HIDDEN, "Gradient norm of the layer's output", kind="hidden_gradient_norm_by_layer"
        ),
        **of_layers.distributions(("close_look", "network", "hidden"), HISTOGRAM),
        "divergence": Variable(
            CLOSE, "Divergence of the table from the counted one", "nat", label="Divergence", scale="log"
        ),
        "table": Variable(
            ("close_look", "network", "symbol", "next_symbol"), "Probability of the next symbol, first seed"
        ),
        "embedding_table": Variable(
            ("close_look", "network", "symbol", "dimension"), "Numbers of a symbol, first seed"
        ),
        "sample_symbol": Variable(SAMPLE, "Symbol that was drawn, first seed; -1 where the name is over"),
        "sample_probability": Variable(SAMPLE, "Its probability when it was drawn, first seed"),
        "count": Variable(
            ("symbol", "next_symbol"), "How often a symbol follows another in training text, first seed", once=True
        ),
        "uniform_loss": Variable(
            ("seed",), "Dev loss of guessing all symbols alike, ln V", "nat", kind="baseline_loss", label="all alike"
        ),
        "unigram_dev_loss": Variable(
            ("seed",),
            "Dev loss of guessing by how often a symbol occurs, same contexts",
            "nat",
            kind="baseline_loss",
            label="single characters",
        ),
        "bigram_dev_loss": Variable(
            ("seed",),
            "Dev loss of guessing by counted pairs, same contexts",
            "nat",
            kind="baseline_loss",
            label="pairs",
        ),
        "expected_std": Variable(("network", "hidden"), "Spread that theory expects at the start", once=True),
        "running_values": Variable(("network", "hidden"), "Running means that the layer's batch norm keeps", once=True),
        "test_loss": Variable(("network", "seed"), "Test loss after training", "nat", kind="test_loss"),
        "unseen_loss": Variable(
            ("network", "seed"), "Dev loss after contexts that training text never has", "nat", once=True
        ),
        "unseen_pairs_loss": Variable(("seed",), "The same loss of guessing by counted pairs", "nat", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "hidden": Coordinate("Hidden layer", "hidden layer %{x}"),
        "symbol": Coordinate("After"),
        "next_symbol": Coordinate("Then"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Counting: P(b | a) = (N_ab + s) / (sum over b of N_ab + V s) (document 002, section 1.1).",
        "One matrix: P(b | a) = softmax(onehot(a) W)_b (section 1.2); trained by L = -mean log P.",
        "Bengio's model: h = tanh([C(w_(t-1)) ... C(w_(t-n+1))] W_1 + b_1), P = softmax(h W_2 + b_2) (section 1.3).",
        "Direct connections: P = softmax(h W_2 + [C(w_(t-1)) ... C(w_(t-n+1))] W_3 + b_2) (Bengio et al. 2003, eq. 1).",
        "Kaiming: weights N(0, 1) times gain / sqrt(inputs) (section 1.3.2).",
        "Batch norm: y = gamma (z - mu_B) / sqrt(sigma_B^2 + eps) + beta (section 1.3.2).",
        "Hierarchy: (batch, L, C) becomes (batch, L/2, 2C) before each layer (section 1.5).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Bengio's network with Kaiming's start: three characters in, 11,897 parameters. In five seeds of five it "
            "ends 0.15 to 0.17 nat below counted pairs.",
        ),
        Preset(
            "Break it: first loss 25",
            "All weights from N(0, 1): the network starts sure of nonsense, with a loss of 24 to 28 in place of ln 27 "
            "= 3.3. In five seeds of five it ends worse than counting pairs.",
            {"initialisation": "normal", "gain": 1.0, "output_gain": 1.0},
        ),
        Preset(
            "Fix it: small logits",
            "Output weights a hundred times smaller: the first loss is 3.3, in five seeds of five. Two thirds of the "
            "tanh values are still flat.",
            {"initialisation": "normal", "gain": 1.0},
        ),
        Preset(
            "Fix it: tanh that moves",
            "Hidden weights five times smaller, too. At most 8 % of the tanh values are flat at the start. The loss "
            "ends 0.006 to 0.034 nat lower, in five seeds of five.",
            {"initialisation": "normal", "gain": 0.2},
            figure="activations",
        ),
        Preset(
            "Fix it: batch norm",
            "Weights from N(0, 1) again, with normalised sums. At most 4 % of the tanh values are flat at the "
            "start, whatever the weights (five seeds of five).",
            {"initialisation": "normal", "gain": 1.0, "normalisation": "batch"},
            figure="activations",
        ),
        Preset(
            "Count pairs",
            "No network: how often each character follows each other. The table fills as the names are read.",
            {"model": "bigram", "steps": 100},
            figure="table",
        ),
        Preset(
            "Pairs as a network",
            "One matrix and softmax, trained on all names at once. After 300 steps its loss is at most 0.001 nat "
            "above the counted table's, in five seeds of five.",
            {"model": "neural_bigram", "steps": 300, "batch": 0, "optimiser": "adam", "learning_rate": 0.1},
        ),
        Preset(
            "Break it: twenty layers, gain 1",
            "Twenty tanh layers without Kaiming's 5/3: the signal narrows to a spread of 0.14 to 0.19. With 5/3 it "
            "keeps 0.65 and yet learns less in these 1,000 steps: width is not all (both in five seeds of five).",
            {
                "model": "deep_mlp",
                "layers": 20,
                "hidden": 60,
                "gain": 1.0,
                "output_gain": 0.1,
                "steps": 1000,
                "close_looks": 8,
            },
            figure="spread_by_depth",
        ),
        Preset(
            "Hierarchy",
            "Eight characters, joined two by two: 76,579 parameters. In five seeds of five it ends 0.19 to 0.20 nat "
            "below counted pairs, after 1,500 steps.",
            HIERARCHY,
        ),
        Preset(
            "Break it: the wrong axis",
            "The same hierarchy, its batch norm over the wrong axis: 4 running means where 128 should be. Nothing "
            "stops, and after 1,500 steps the loss is even 0.01 to 0.03 nat lower, in five seeds of five.",
            {**HIERARCHY, "normalisation": "mixed_up"},
            figure="running_statistics",
        ),
        Preset(
            "Direct connections",
            "Bengio's drawing also leads from the embedding straight to the output: 12,707 parameters. In five seeds "
            "of five it ends 0.003 to 0.006 nat above the network without.",
            {"model": "direct_mlp"},
        ),
        Preset(
            "Break it: few names",
            "496 city names and 12,319 parameters. The network learns the names by heart. On other names it ends "
            "1.1 to 1.3 nat worse, in five seeds of five.",
            {"corpus": "cities", "steps": 2000},
            figure="generalisation",
        ),
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: the values of each layer, or of each place of a recurrent one."""
        whole_text = min(30**self.context, MOST_CONTEXTS)
        rows = max(self.batch or whole_text, 4096)
        if self.model in CELLS:
            numbers = len(CELLS[self.model].parts) * 8 * self.context * self.hidden
        else:
            numbers = (6 * hidden_layers(self) + 7) * self.hidden
            numbers *= max(1, self.context // 2) if self.model == "wavenet" else 1
        values = rows * (numbers + 3.5 * self.context * self.embedding)
        return bytes_of_training(self._multiplied(), len(self.seeds), values + 10e6)

    def sizes(self) -> dict[str, float]:
        """Contexts of a step, layers or places one after the other, and weights that a context meets."""
        parts = self.context if self.model in CELLS else hidden_layers(self)
        contexts = self.batch or min(30**self.context, MOST_CONTEXTS)
        used = self._multiplied()
        return {**super().sizes(), "batch": contexts, "parts": parts, "multiplied": used, "products": used * contexts}

    def _multiplied(self) -> float:
        """Weights that one context is multiplied with, as often as they are used."""
        width = self.hidden
        if self.model in CELLS:
            return len(CELLS[self.model].parts) * self.context * (self.embedding + width) * width
        if self.model == "wavenet":
            return self.context * self.embedding * width + sum(
                2 * width**2 << k for k in range(hidden_layers(self) - 1)
            )
        past = self.context * self.embedding * 30 if self.model == "direct_mlp" else 0
        return self.context * self.embedding * width + max(hidden_layers(self) - 1, 0) * width**2 + past
