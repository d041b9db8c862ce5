"""Backpropagation, step by step: what can be set of the network, its loss and the numbers in it.

Document 001, sections 1.1-1.2.1 and Annex 5.1, equations 1-4 and 34-43; document 003 for softmax and penalty.

Numbers that a person has changed are one line of text that fits in a link. ``w2.1.3=0.5`` sets the weight of layer 2
from neuron 3 to neuron 1, ``b2.1=0`` a bias, ``x1.2=-1`` input 2 of sample 1, ``y1.2=0.3`` its target 2, and ``t1=2``
the class that sample 1 is of. A semicolon stands between two of them. What is outside of the network is kept and does
nothing, so that a network that shrinks and grows again has it back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator

from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting

MOST = 26
"""The last step of the deepest network: one for each layer forward, three back, and start, loss and update."""
LOSSES = {"squared": "½ squared error", "cross_entropy": "Softmax and cross-entropy"}
LAST = {"same": "Like the other layers", "identity": "None"}
PLACE = re.compile(r"w[1-6]\.[1-8]\.[1-8]|b[1-6]\.[1-8]|[xy][1-4]\.[1-8]|t[1-4]")
NUMBER = re.compile(r"-?[0-9]{1,4}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,3})?")
CLASS = re.compile(r"[1-8]")
LARGEST = 1000.0
LONGEST = 12_000
"""Characters: every number of the largest network, with six digits."""


def parsed(text: str) -> dict[str, float]:
    """The changed numbers by their place; of two for one place the later one counts.

    Raises ``ValueError`` with a sentence for what is no such list.

    >>> parsed("w2.1.3=0.5;t1=2")
    {'w2.1.3': 0.5, 't1': 2.0}
    """
    return dict(_change(item) for item in text.split(";") if item)


def _change(item: str) -> tuple[str, float]:
    place, _, number = item.partition("=")
    if PLACE.fullmatch(place) is None:
        raise ValueError(f"{item[:40]!r} names no number of a network; w2.1.3=0.5 is an example")
    if place[0] == "t" and CLASS.fullmatch(number) is None:
        raise ValueError(f"{item[:40]!r} needs a class from 1 to 8")
    if NUMBER.fullmatch(number) is None or abs(float(number)) > LARGEST:
        raise ValueError(f"{item[:40]!r} needs a number from -1000 to 1000")
    return place, float(number)


def _understood(text: str) -> str:
    parsed(text)
    return text


Edits = Annotated[str, AfterValidator(_understood)]


class BackpropagationSteps(Instant):
    """One forward and one backward pass of a feed-forward network, by hand and beside autograd."""

    about = About(
        "backpropagation-steps",
        "Backpropagation, step by step",
        icon=":material/account_tree:",
        section="Depth",
        rank=14,
        room="Backpropagation",
        sought="backprop chain rule forward pass backward pass perceptron MLP delta",
        question="Where does each number of a gradient come from?",
    )

    layers: int = setting(3, ge=2, le=6, group="Network", essential=True, unit="layers")
    """Layers with weights; the input is none."""
    width: int = setting(4, ge=1, le=8, group="Network", essential=True, unit="neurons")
    """Neurons in every layer but the last."""
    activation: str = standard.activation("tanh")
    """φ, the nonlinearity of every layer but perhaps the last."""
    loss: Literal["squared", "cross_entropy"] = setting("squared", group="Loss", essential=True, labels=LOSSES)
    """What is measured at the end: ½‖x − y‖², or −Σ y log g with g = softmax(x)."""
    penalty: float = setting(0.0, ge=0, le=1, group="Loss", essential=True)
    """λ of the penalty λ/2 ‖W‖² (document 003); biases are free."""
    learning_rate: float = setting(0.1, ge=0, le=10, group="Update", essential=True)
    """η of the update w ← w − η dL/dw."""
    inputs: int = setting(3, ge=1, le=8, group="Network", unit="numbers")
    """Numbers of an input."""
    outputs: int = setting(2, ge=1, le=8, group="Network", unit="neurons")
    """Neurons of the last layer; with softmax, the classes."""
    slope: float = setting(0.1, ge=0, le=1, group="Network")
    """Slope of LeakyReLU below zero."""
    last: Literal["same", "identity"] = setting("same", group="Network", labels=LAST)
    """The last layer's nonlinearity under the squared error. A softmax takes its place otherwise."""
    gain: float = setting(1.0, ge=0, le=8, group="Network")
    """Spread of the weights times the root of the numbers that come in."""
    samples: int = setting(1, ge=1, le=4, group="Loss", unit="samples")
    """Samples of the loss; their losses and gradients are added up."""
    seed: int = standard.seed(group="Network")
    """Random seed of weights, inputs and targets."""
    edits: Edits = setting(
        "",
        group="Network",
        control="diagram",
        max_length=LONGEST,
        allowed="changed numbers such as w2.1.3=0.5;b1.2=0;x1.2=-1;y1.1=0.3;t1=2",
    )
    """Numbers that were changed by hand in the diagram."""
    step: int = setting(8, ge=0, le=MOST, group="View", control="diagram", unit="steps")
    """The step in view, from 0: forward, the loss, and back. Beyond the last, the last."""

    version: ClassVar[int] = 2
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As in the document", "Three layers of tanh and ½ squared error: equations 1 to 4 in their order."),
        Preset(
            "Softmax and cross-entropy",
            "Document 003: the softmax's matrix and the logarithm's 1/g collapse to g − y.",
            {"loss": "cross_entropy", "outputs": 4},
        ),
        Preset(
            "Squared error with penalty", "Document 003: λ/2 ‖W‖² adds λW to every weight's gradient.", {"penalty": 0.1}
        ),
        Preset(
            "Break it: saturated",
            "Weights four times as large in five layers of tanh. On ten seeds of ten, half of the slopes are below "
            "0.45. On seven, below 0.07.",
            {"layers": 5, "gain": 4.0},
        ),
        Preset(
            "Break it: a dead neuron",
            "ReLU with one bias at −10: the neuron stays silent, and no weight into it or out of it learns.",
            {"activation": "relu", "edits": "b1.2=-10"},
        ),
        Preset(
            "Break it: too long a step",
            "η = 10: the gradient points downhill, and the step ends higher up, on ten seeds of ten.",
            {"activation": "leaky_relu", "last": "identity", "learning_rate": 10.0},
        ),
        Preset(
            "Fix it: not so large weights",
            "Five layers of tanh at gain 1: half of the slopes are above 0.68 on ten seeds of ten.",
            {"layers": 5},
        ),
        Preset(
            "Fix it: a slope below zero",
            "LeakyReLU with the same bias of −10: the neuron still hears a tenth of the error.",
            {"activation": "leaky_relu", "edits": "b1.2=-10"},
        ),
    )

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 began before the first step: what names other settings alone meant that."""
        return {"step": "0"} | values if values else values

    def without_effect(self) -> Mapping[str, str]:
        """The slope of what has none, and the last layer's nonlinearity where a softmax stands."""
        slope = {} if self.activation == "leaky_relu" else {"slope": "Only LeakyReLU has a slope to set."}
        last = {"last": "With cross-entropy a softmax comes last."} if self.loss == "cross_entropy" else {}
        return slope | last
