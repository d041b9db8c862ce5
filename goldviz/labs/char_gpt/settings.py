"""What can be set of *Character GPT*, and what is recorded of it.

Document 002, section 3: embedding, learned positions, causal attention, feed-forward networks, layer norms, residual
paths, AdamW, the schedule of the learning rate, clipping; ablations leave one part out at a time.

``sample_token``, ``attention`` and ``position_similarity`` are of the first seed. The run's attributes say more:
``dev_bytes``, ``train_tokens``, ``dev_tokens``, and ``text_notes`` where the text was shortened.
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
from goldviz.declare.standard import EVERY_STEP

CORPORA = {"python": "Python's documentation", "names": "First names", "cities": "City names"}
TOKENS = {"characters": "Characters", "pieces": "Pieces of bytes (BPE)"}
ACTIVATIONS = {"gelu": "GELU", "relu": "ReLU"}
RESIDUAL_SCALES = {
    "none": "None",
    "init": "First weights / √(2n)",
    "branch": "Additions / √(2n)",
    "both": "Both, as in the document",
}
PRECISIONS = {
    "float32": "32 bits",
    "bfloat16": "bfloat16 where it does no harm",
    "float16": "float16, the loss scaled up",
}

LOOK = ("look", "network", "seed", "layer")
CLOSE = ("close_look", "network", "seed")
BLOCK = (*CLOSE, "block_number")
SAMPLE = ("close_look", "sample", "place")
SMALL = {
    "layers": 3,
    "width": 64,
    "block": 32,
    "steps": 400,
    "residual_scale": "init",
    "close_looks": 10,
    "look_every": 25,
}
"""Of the presets that leave a part out: a tenth of the work."""


class CharGpt(Experiment):
    """Train a causal Transformer to write a text on, token by token."""

    about = About(
        "char-gpt",
        "Character GPT",
        icon=":material/edit_note:",
        section="Language",
        rank=48,
        sought="nanoGPT GPT decoder causal self-attention sampling temperature KV cache",
        question="What does a GPT learn from text in a minute, and which of its parts does it need?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("width", "layers", "block", "batch")

    layers: int = setting(4, ge=1, le=12, group="Network", essential=True, unit="blocks")
    """Blocks n, one on the other."""
    heads: int = setting(4, ge=1, le=16, group="Network", essential=True, unit="heads")
    """Attention heads of every block."""
    width: int = setting(128, ge=8, le=512, group="Network", essential=True, unit="units")
    """How many numbers stand for a token inside the network (C); a multiple of the heads."""
    block: int = setting(64, ge=4, le=512, group="Network", essential=True, unit="tokens")
    """Tokens that the network sees at once."""
    activation: Literal["gelu", "relu"] = setting("gelu", group="Network", labels=ACTIVATIONS)
    """Nonlinearity of the feed-forward networks, which are four times as wide."""
    dropout: float = standard.dropout(0.0)
    """Share of what attention and feed-forward networks put out that training sets to 0."""
    tied: bool = setting(True, group="Network")
    """The table that reads tokens also scores the next one. Off: a second table does."""

    masked: bool = setting(True, group="Parts", essential=True)
    """No token sees a later one. Without the mask each sees the token that it should guess."""
    scaled: bool = setting(True, group="Parts")
    """Attention scores are divided by the square root of the head's width."""
    residual: bool = setting(True, group="Parts")
    """Attention and feed-forward networks add to their input, h + f(h). Off: they replace it."""
    layer_norm: bool = setting(True, group="Parts")
    """Layer norms before attention, before the feed-forward network, and at the end."""
    residual_scale: Literal["none", "init", "branch", "both"] = setting("both", group="Parts", labels=RESIDUAL_SCALES)
    """What keeps the signal from growing with the n blocks: smaller weights at the start, smaller additions, or
    both."""

    corpus: str = standard.kept("a text", "python", "names", "cities", group="Text", control="text", labels=CORPORA)
    """What is learned: Python's documentation, names, or your own text."""
    tokens: Literal["characters", "pieces"] = setting("characters", group="Text", essential=True, labels=TOKENS)
    """What a token is. To compare the two, use bits a byte, not the loss a token."""
    vocabulary: int = setting(512, ge=256, le=4096, group="Text", unit="tokens")
    """At most so many pieces, learned from the training text. Not used with characters."""

    optimiser: str = standard.optimiser("adamw")
    learning_rate: float = standard.learning_rate(4e-3, le=10)
    """Peak of the learning rate."""
    steps: int = standard.steps(500, le=20_000)
    """Optimiser steps, each on passages drawn at random."""
    batch: int = standard.batch(12, "passages of the block's length", ge=1, le=256)
    warm_up: float = setting(0.1, ge=0, le=0.9, group="Training")
    """Share of the steps in which the learning rate rises; then it falls to a hundredth of its peak."""
    weight_decay: float = setting(0.1, ge=0, le=1, group="Training", hot=True)
    """Pull of matrices and tables towards zero."""
    decay_all: bool = setting(False, group="Training")
    """Pull biases and layer norms towards zero, too."""
    clip: float = standard.clip(1.0)
    """Largest norm of the whole gradient; a longer one is scaled down. 0: no clipping."""
    precision: Literal["float32", "bfloat16", "float16"] = setting("float32", group="Training", labels=PRECISIONS)
    """Precision of the matrix products. Half of it pays on a GPU and for large networks, not for small ones."""
    look_every: int = standard.measure_every(50)
    close_looks: int = standard.close_looks(5, le=100)
    """How often, evenly spread, text kept from training (dev text) is scored and samples are written. 0: never."""

    @model_validator(mode="after")
    def _heads_share_the_width(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads")
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "learning_rate": Variable(("step",), "Learning rate of the step", kind="learning_rate"),
        "loss": Variable(EVERY_STEP, "Loss on the step's text", "nat", must_stay_finite=True, kind="training_loss"),
        **standard.gradient_norms(),
        **of_layers.gradient_norm(LOOK, "matrices and tables"),
        **of_layers.update_to_data(LOOK),
        **of_layers.gradient_to_data(LOOK),
        "train_loss": Variable(CLOSE, "Loss on training text, without dropout", "nat", kind="evaluated_training_loss"),
        "dev_loss": Variable(CLOSE, "Dev loss: on text kept from training", "nat", kind="evaluation_loss", label="dev"),
        "logit_entropy": Variable(CLOSE, "Entropy of the guess of the next token, mean over dev text", "nat"),
        "position_loss": Variable((*CLOSE, "position"), "Dev loss by place in the block", "nat", format=".3f"),
        "residual_variance": Variable(
            (*CLOSE, "depth"),
            "Variance of the states after so many blocks",
            label="Variance",
            format=".3g",
            scale="log",
        ),
        "attention_entropy": Variable(BLOCK, "Entropy of attention over that of an even one, mean over heads"),
        "attention_peak": Variable(BLOCK, "Largest attention weight of a row, mean over rows and heads"),
        **of_layers.activations(BLOCK),
        **of_layers.distributions(("close_look", "network", "layer"), ("close_look", "network", "layer")),
        "attention": Variable(
            ("close_look", "block_number", "head", "query", "key"),
            "Attention in the probe, first seed; rows sum to 1",
            kind="attention_map",
        ),
        "position_similarity": Variable(
            ("close_look", "position", "other_position"), "Cosine of two places' vectors, first seed"
        ),
        "sample_token": Variable(SAMPLE, "Token that was drawn, first seed"),
        "sample_probability": Variable(SAMPLE, "Its probability when it was drawn, first seed"),
        "token_count": Variable(("token",), "How often a token occurs in training text", once=True),
        "tokens_per_byte": Variable((), "Tokens for a byte of the dev text that is scored", once=True),
        "uniform_loss": Variable(
            (), "Dev loss of guessing all tokens alike, ln V", "nat", kind="baseline_loss", label="all alike"
        ),
        "unigram_dev_loss": Variable(
            (),
            "Dev loss of guessing by how often a token occurs, same tokens",
            "nat",
            kind="baseline_loss",
            label="single tokens",
        ),
        "bigram_dev_loss": Variable(
            (), "Dev loss of guessing by counted pairs, same tokens", "nat", kind="baseline_loss", label="pairs"
        ),
        "bigram_position_loss": Variable(
            ("position",),
            "Dev loss of counted pairs by place in the block, same tokens",
            "nat",
            once=True,
            label="Counted pairs",
            format=".3f",
        ),
        "gzip_dev_bits": Variable((), "Bits for a byte of the same dev text by gzip's method", "bit", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "position": Coordinate("Place in the block", "place %{x}"),
        "other_position": Coordinate("Place", "place %{x}", linked="position"),
        "depth": Coordinate("Blocks passed", "after %{x} blocks"),
        "block_number": Coordinate("Block", "block %{x}"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Attention: softmax(Q K^T / sqrt(H) + mask) V, minus infinity above the diagonal (document 002, 3.3).",
        "Block: h + MHA(LN h) / sqrt(2n), then h + FFN(LN h) / sqrt(2n); FFN has 4C hidden units (3.4 to 3.6).",
        "Logits: LN(h) E^T with the token table E (3.2); loss: mean cross entropy over B T places (3.1).",
        "AdamW with bias correction (Loshchilov and Hutter 2019; document 002, 3.7, prints it without); biases and "
        "layer norms do not decay.",
        "Learning rate: eta_max t / s_w, then eta_min + (eta_max - eta_min) (1 + cos(pi (t - s_w) / (N - s_w))) / 2 "
        "(3.7), N the number of steps.",
        "Clipping: g / max(1, |g| / tau) (3.7). Bits a byte: nats a token times tokens a byte over ln 2.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document", "Four blocks with four heads read Python's documentation by characters, 64 at a time."
        ),
        Preset(
            "Small, to compare",
            "Three blocks at half the width: presets that leave a part out are compared with it. Its loss ends 0.13 to "
            "0.18 nat below that of counting pairs, at 3.1 to 3.2 bits a byte (five seeds of five).",
            SMALL,
        ),
        Preset(
            "Pieces of bytes",
            "The small network reads 512 pieces of text instead of characters. A piece is harder to guess than a "
            "character, but a byte costs less. It takes 2.6 to 2.9 bits, not 3.1 to 3.2 (five seeds of five).",
            {**SMALL, "tokens": "pieces"},
            figure="bits",
        ),
        Preset(
            "Break it: no mask",
            "Every token sees the one that it should guess, and the loss falls to 0.2 to 0.3. Only the last has "
            "none to see, and its guess is worse than that of counting pairs (five seeds of five).",
            {**SMALL, "masked": False},
        ),
        Preset(
            "Break it: no scale",
            "Attention scores are not divided. In a network this small it hardly matters: the loss ends within 0.03 "
            "nat of the small network's (five seeds of five).",
            {**SMALL, "scaled": False},
        ),
        Preset(
            "Break it: no residual",
            "Attention and feed-forward networks replace their input instead of adding to it. The loss ends worse than "
            "that of counting pairs (five seeds of five).",
            {**SMALL, "residual": False},
        ),
        Preset(
            "Break it: no LayerNorm",
            "Without layer norms the loss ends 0.26 to 0.31 nat above the small network's (five seeds of five).",
            {**SMALL, "layer_norm": False},
        ),
        Preset(
            "Break it: rate × 30",
            "Thirty times the learning rate: the loss ends 0.6 to 0.9 nat above that of counting pairs (five seeds of "
            "five).",
            {**SMALL, "learning_rate": 0.12},
        ),
        Preset(
            "Break it: no warm-up",
            "The full learning rate from the first step on: the loss ends 0.26 to 0.45 nat above the small network's "
            "(five seeds of five).",
            {**SMALL, "warm_up": 0.0},
        ),
        Preset(
            "Fix it: slower steps",
            "Still no warm-up, but a sixth of the learning rate. The loss ends lower than at the full rate, by 0.22 "
            "nat at most (five seeds of five). A warm-up gains more.",
            {**SMALL, "warm_up": 0.0, "learning_rate": 0.0007},
        ),
    )

    def without_effect(self) -> Mapping[str, str]:
        """The number of pieces, where characters are read."""
        return {"vocabulary": "Characters are read, not pieces."} if self.tokens == "characters" else {}

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every token's values in each block, its map of attention, its logits."""
        size = 100 if self.tokens == "characters" else self.vocabulary
        weights = 12 * self.layers * self.width**2 + size * self.width + self.block * self.width
        a_block = 22 * self.width + 3 * self.heads * self.block
        values = max(self.batch, 16) * self.block * (self.layers * a_block + 5 * size)
        return bytes_of_training(1.5 * weights, len(self.seeds), values)

    def sizes(self) -> dict[str, float]:
        """What a step multiplies with weights, scores of attention and values that it keeps, and the layers."""
        size = 100 if self.tokens == "characters" else self.vocabulary
        weights = 12.0 * self.layers * self.width**2 + size * self.width
        tokens, layers = float(self.batch * self.block), float(self.layers)
        scores = tokens * layers * self.heads * self.block
        inner = {"width": float(self.width), "block": float(self.block), "weights": weights}
        return {
            "layers": layers,
            "products": tokens * weights,
            "scores": scores,
            "values": tokens * layers * self.width,
        } | inner
