"""Backward by hand: every gradient from the loss of a small language model back to its embedding, written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting
from goldviz.labs.backward_by_hand.network import BACKWARD, Divisor, computed

VARIANCES = {"unbiased": "n − 1 (document, 1.4.1)", "biased": "n (document, 1.3.2; PyTorch)"}


class BackwardByHand(Instant):
    """Embedding, linear, batch norm, tanh, linear, softmax, loss on one batch, and each of their gradients."""

    about = About(
        "backward-by-hand",
        "Backward by hand",
        icon=":material/draw:",
        section="Depth",
        rank=15,
        sought="autograd manual gradient batch norm cross-entropy Jacobian",
        question="Can you write every gradient of a network with batch norm, and does autograd agree?",
    )

    words: str = setting("gold silver copper", min_length=1, max_length=120, group="Batch", essential=True)
    """The network learns which character follows which; '.' begins and ends every word."""
    samples: int = setting(16, ge=2, le=32, group="Batch", essential=True, unit="samples")
    """n: pairs of a context and the character that follows, drawn from the words."""
    context: int = setting(3, ge=1, le=4, group="Batch", unit="characters")
    """k: characters that the network sees."""
    features: int = setting(2, ge=1, le=6, group="Network")
    """m: numbers that stand for a character."""
    hidden: int = standard.hidden(10, ge=1, le=32, essential=True)
    """n1: hidden units."""
    gain: float = setting(1.0, ge=0, le=20, group="Network", essential=True)
    """The scale γ of batch norm: large values drive tanh into its flat ends."""
    output_gain: float = setting(1.0, ge=0, le=10, group="Network", essential=True)
    """Spread of W2 times the square root of its rows: large values make a sure network."""
    variance: Literal["unbiased", "biased"] = setting("unbiased", group="Network", labels=VARIANCES)
    """What the sum of squares is divided by. The document says both."""
    seed: int = standard.seed(group="Network")
    """Random seed of the weights and of the batch."""
    place: int = setting(1, ge=1, le=46, group="View", unit="steps")
    """Where you are: first forward through the formulas, then backward through the gradients."""
    position: ClassVar[str] = "place"

    units: ClassVar[Mapping[str, str]] = {"loss": "nat"}
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "sample": Coordinate("Sample"),
        "symbol": Coordinate("Character"),
        "hidden": Coordinate("Hidden unit"),
        "feature": Coordinate("Feature"),
        "place": Coordinate("Place"),
        "context_feature": Coordinate("Place and feature"),
    }
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As in the document", "Every formula of sections 1.4.1 to 1.4.3, on a batch of 16."),
        Preset(
            "As in 1.3.2: divide by n",
            "The variance that PyTorch normalises with. In the closed form, 1/(n − 1) becomes 1/n.",
            {"variance": "biased"},
        ),
        Preset(
            "Break it: two samples",
            "Batch norm turns two numbers into −0.71 and +0.71, whatever they are. On nine seeds of ten less than 6 % "
            "of dh_preact's largest entry comes through to dh_prebn.",
            {"samples": 2},
        ),
        Preset(
            "Break it: saturated tanh",
            "γ = 10 drives 82 to 93 % of h beyond 0.97 (ten seeds). There 1 − h², the gradient's factor, is "
            "below 0.06.",
            {"gain": 10.0},
        ),
        Preset(
            "Break it: sure and wrong",
            "W2 ten times as large: the loss starts at 8.4 to 12.7 in place of 2.4 to 2.8 (ten seeds). In the "
            "median sample one wrong character gets 74 to 98 % of the push.",
            {"output_gain": 10.0},
        ),
        Preset(
            "Fix it: 32 samples",
            "Among enough others a number keeps what it was: on ten seeds of ten, dh_prebn's largest entry is "
            "0.7 to 1.7 of dh_preact's.",
            {"samples": 32},
        ),
    )

    @property
    def divisor(self) -> Divisor:
        """What the variance divides by, as formulas write it."""
        return "n - 1" if self.variance == "unbiased" else "n"

    def positions(self) -> tuple[int, int]:
        """All formulas forward, then all gradients backward."""
        return 1, len(computed(self.divisor)) + len(BACKWARD)
