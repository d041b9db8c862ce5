"""Gradient flow in depth: a plain deep network against its residual twin.

Document 001, sections 1.1 and 3.1, equations 25-27 and 44-49; the experiment of its Annex 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.labelled import Run
from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers, standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.labs.depth_gradients.depths import trained_depths

NETWORKS = ("plain", "residual")

BY_EPOCH = ("epoch", "network", "seed")
PER_LAYER = (*BY_EPOCH, "layer")
PER_HIDDEN = (*BY_EPOCH, "hidden")
HISTOGRAM = ("histogram_epoch", "network", "layer")


def ends_of_layers(ds: Run) -> Mapping[int, str]:
    """What a run's first and last layers are called: the read-out where it has a matrix of its own."""
    last = int(ds["layer"].max())
    depth = int(ds["hidden"].max()) if ds.sizes.get("hidden") else last
    return {0: "input"} | ({last: "read-out"} if last > depth else {})


class DepthGradients(Experiment):
    """Train a deep MLP and a residual MLP with the same weights on the same data, and watch their gradients."""

    about = About(
        "depth-gradients",
        "Gradient flow in depth",
        icon=":material/stacked_line_chart:",
        section="Depth",
        rank=10,
        room="Gradient flow",
        door="Why do deep networks stop learning?",
        sought="vanishing exploding gradient MLP ResNet skip connection residual network initialisation batch norm "
        "dropout",
        question="Why does a deep plain network stop learning, and what does a skip connection change?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("width", "depth", "samples")

    depth: int = setting(15, ge=1, le=100, group="Network", essential=True, unit="layers")
    """Hidden layers after the input layer, in both networks."""
    shallower: int = setting(0, ge=0, le=6, group="Network", unit="pairs")
    """So many more pairs are trained beside, each half as deep as the one before, to see what depth does to the
    training loss. 0: none."""
    width: int = setting(50, ge=2, le=512, group="Network", unit="units")
    """Units in every hidden layer."""
    activation: str = standard.activation("leaky_relu")
    """The nonlinearity after every layer but the read-out."""
    slope: float = setting(0.3, ge=0, le=1, group="Network")
    """Slope of LeakyReLU below zero; no effect on other activations."""
    initialisation: str = standard.initialisation("default")
    """How weights are drawn. Biases are zero, except in PyTorch's default."""
    gain: float = setting(1.0, ge=0.01, le=10, group="Network", logarithmic=True)
    """Factor on all initial weight matrices."""
    normalisation: str = standard.normalisation("none")
    """Normalisation of every hidden layer's sums before its activation."""
    residual_scale: float = setting(1.0, ge=0, le=2, group="Network")
    """Factor on F in h + F(h); 0 leaves the skip connection alone."""
    read_out: Literal["tied", "untied"] = setting(
        "tied", group="Network", labels={"tied": "Tied to the input matrix", "untied": "A matrix of its own"}
    )
    """Tied: the output is W_0 transposed times h plus a bias (38,810 parameters in the document). Untied: a matrix of
    its own."""
    dropout: float = standard.dropout(0.3, group="Regularisation", hot=True)
    """Share of each hidden layer's output that is set to zero in training."""
    noise: float = setting(0.1, ge=0, le=1, group="Regularisation")
    """Standard deviation of the Gaussian noise added to each hidden layer's output in training."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(1e-3, ge=1e-7, le=10)
    clip: float = standard.clip(0.0)
    """Largest norm of the whole gradient of a network; a longer one is scaled down. 0: no clipping."""
    epochs: int = standard.epochs(20, le=2000)
    """Passes over the training data."""
    batch: int = setting(0, ge=0, le=20_000, group="Training", unit="samples")
    """Samples in a mini-batch. 0: all of them (full batch)."""
    samples: int = setting(1000, ge=16, le=20_000, group="Data", unit="samples")
    """Training samples; as many others are drawn for the test loss."""
    features: int = setting(10, ge=2, le=200, group="Data", unit="features")
    """Inputs, and outputs, of a sample."""
    mask_rate: float = setting(0.3, ge=0, le=0.95, group="Data")
    """Share of values that are missing (set to zero); the document keeps 0.7, so 0.3 are missing."""
    histogram_every: int = setting(5, ge=0, le=1000, group="Instruments", unit="epochs")
    """Distributions and Jacobians are measured every so many epochs, as they cost more. 0: never."""

    headroom: bool = setting(False, group="Instruments")
    """At the same epochs: how many times larger the rate could be, along the epoch's last step. Up to nine more passes
    of its batch."""

    @model_validator(mode="after")
    def _batch_norm_needs_two(self) -> Self:
        if self.normalisation == "batch" and self.batch == 1:
            raise ValueError("Batch is 1; with batch norm, which needs a spread, 0 or at least 2 is allowed")
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(BY_EPOCH, "Training loss (mean squared error)", must_stay_finite=True, kind="training_loss"),
        "evaluation_loss": Variable(
            BY_EPOCH,
            "Loss on unseen samples, without dropout and noise (mean squared error)",
            kind="evaluation_loss",
        ),
        "gradient_norm": Variable(
            PER_LAYER,
            "Gradient norm of the weight matrix",
            kind="gradient_norm_by_layer",
            label="Norm of dL/dW",
            format=".3e",
            scale="log",
        ),
        "decay_rate": Variable(
            PER_LAYER,
            "Decay rate: log gradient norm of the next layer minus log of this one",
            "nat",
            label="Decay rate",
        ),
        "loss_by_depth": Variable(
            (*BY_EPOCH, "trained_depth"),
            "Training loss (mean squared error) of each depth that was trained",
            label="Training loss",
            format=".4f",
            scale="log",
        ),
        "clipped": Variable(BY_EPOCH, "Share of steps in which the gradient was clipped", kind="clipped"),
        "hidden_gradient_norm": Variable(
            PER_HIDDEN, "Gradient norm of the hidden state", kind="hidden_gradient_norm_by_layer"
        ),
        **layers.activations(PER_HIDDEN),
        **layers.update_to_data(PER_LAYER),
        **layers.gradient_to_data(PER_LAYER),
        "weight_norm": Variable(PER_LAYER, "Norm of the weight matrix"),
        **layers.distributions(HISTOGRAM, HISTOGRAM),
        "jacobian_gain": Variable(
            ("histogram_epoch", "network", "seed", "block"), "Root-mean-square singular value of dh_l/dh_(l-1)"
        ),
        "state_change": Variable(
            ("histogram_epoch", "network", "seed", "block"),
            "How far a block moves its state, ||h_l - h_(l-1)|| / ||h_(l-1)||, mean over samples without dropout",
            label="Move, as a share of the state",
            scale="log",
        ),
        "headroom": Variable(
            ("histogram_epoch", "network", "seed"),
            "How many times larger the learning rate could be before the loss of its batch rises",
            kind="headroom",
        ),
        "test_loss": Variable(("network", "seed"), "Test loss (mean squared error) after training", kind="test_loss"),
        "zero_loss": Variable(("seed",), "Test loss of predicting zero", kind="baseline_loss", label="always 0"),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "layer": Coordinate("Layer", "layer %{x}", names=ends_of_layers),
        "hidden": Coordinate("Hidden state h(l), from input to read-out", "hidden state %{x}", linked="layer"),
        "block": Coordinate("Block l", "block %{x}", linked="layer"),
        "trained_depth": Coordinate("Layers", "%{x} layers"),
    }

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "15 layers, LeakyReLU, 20 epochs: the experiment of Annex 5.3. On unseen samples the residual network ends "
            "below 0.7 of the plain one's loss in nine seeds of ten.",
        ),
        Preset(
            "Break it: sigmoid",
            "30 sigmoid layers: each hands back 0.17 of the error's length, in ten seeds of ten. The slope is at most "
            "1/4; with these weights a layer can hand back 0.31 at most. The residual network keeps its gradient and "
            "still loses: in nine seeds of ten it ends 5 to 16 times worse than zero.",
            {"depth": 30, "activation": "sigmoid"},
        ),
        Preset(
            "Break it: exploding",
            "A gain of 3: each layer enlarges the error instead, and in ten seeds of ten the first step throws the "
            "loss to infinity.",
            {"gain": 3.0, "dropout": 0.0, "optimiser": "sgd", "learning_rate": 0.1, "epochs": 40},
            figure="hidden_gradient_distribution",
        ),
        Preset(
            "Break it: learning rate × 30",
            "An orthogonal set-up that learns well, with steps thirty times too long: the plain network's loss climbs "
            "past a hundred in six seeds of ten. The residual one copes in all ten.",
            {
                "initialisation": "orthogonal",
                "gain": 1.35,
                "dropout": 0.0,
                "residual_scale": 0.2,
                "epochs": 60,
                "learning_rate": 0.03,
            },
            figure="loss",
        ),
        Preset(
            "Break it: zero weights",
            "All weights start at zero, and no noise tells the units apart: only the output's bias ever learns.",
            {"initialisation": "zero", "noise": 0.0},
        ),
        Preset(
            "32 layers: the residual network learns",
            "32 plain layers keep their gradient. Still, their loss ends 2.4 to 5.2 times that of the best of 2 to "
            "16, in ten seeds of ten. The residual network stays within 1.4 times.",
            {
                "depth": 32,
                "shallower": 4,
                "initialisation": "orthogonal",
                "gain": 1.35,
                "dropout": 0.0,
                "noise": 0.0,
                "residual_scale": 0.1,
                "epochs": 60,
                "samples": 500,
                "histogram_every": 20,
            },
            formerly="break-it-deeper-is-worse",
            figure="loss_by_depth",
        ),
        Preset(
            "At the edge of stability",
            "Plain gradient descent: at first the plain network's rate could be 4 times larger or more, in ten seeds "
            "of ten. The loss sharpens until little or nothing of that is left.",
            {
                "depth": 4,
                "width": 32,
                "activation": "tanh",
                "read_out": "untied",
                "residual_scale": 0.2,
                "dropout": 0.0,
                "noise": 0.0,
                "optimiser": "sgd",
                "learning_rate": 0.5,
                "epochs": 200,
                "samples": 300,
                "histogram_every": 10,
                "headroom": True,
            },
            figure="headroom",
        ),
        Preset(
            "Fix it: orthogonal",
            "Orthogonal weights with the gain that suits LeakyReLU. The plain network's first and last gradients "
            "are within three times of each other, in ten seeds of ten. A residual branch scaled by 0.2 keeps its "
            "own from growing.",
            {"initialisation": "orthogonal", "gain": 1.35, "dropout": 0.0, "residual_scale": 0.2},
        ),
        Preset(
            "Fix it: normalise",
            "Batch norm before every activation, without dropout: the plain network's first layer gets as long a "
            "gradient as its last, within a third. The residual one, its branch scaled by 0.2, ends more than three "
            "times lower in ten seeds of ten.",
            {"normalisation": "batch", "dropout": 0.0, "residual_scale": 0.2, "epochs": 60},
        ),
        Preset(
            "Fix it: clip",
            "The exploding set-up with the gradient's norm held at 1. In ten seeds of ten the plain network learns. "
            "The residual one's branches add up: it stays more than 300 times worse than zero.",
            {"gain": 3.0, "dropout": 0.0, "optimiser": "sgd", "learning_rate": 0.1, "epochs": 40, "clip": 1.0},
        ),
    )

    equations: ClassVar[tuple[str, ...]] = (
        "Plain layer: h_l = F_l(h_(l-1)) (document 001, eq. 25).",
        "Residual layer: h_l = h_(l-1) + F_l(h_(l-1)) (eq. 26, 44).",
        "On its way back the gradient is multiplied by dF_l/dh_(l-1) in a plain layer, and by I + dF_l/dh_(l-1) in a "
        "residual one (eq. 27, 45-48): the identity carries it even where F's Jacobian is small.",
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: six numbers for each unit and sample of the deepest network, and layers'
        Jacobians. Weights are kept twice more, to compare each step with what it started from."""
        weights = 2 * sum(depth * self.width**2 for depth in trained_depths(self.depth, self.shallower))
        rows = max(self.batch or self.samples, self.samples // 4)
        values = 6 * rows * self.width * self.depth + 2 * self.depth * self.width**2 + 6 * self.samples * self.features
        return bytes_of_training(weights, 2 * len(self.seeds), values)

    def counts(self) -> dict[str, float]:
        """Epochs, and looks at Jacobians and histograms."""
        looks = 1 + self.epochs // self.histogram_every if self.histogram_every else 0
        return {"epochs": self.epochs, "look": looks}

    def sizes(self) -> dict[str, float]:
        """Layers of all networks of a seed, an epoch's updates, and what is computed in them."""
        layers = sum(trained_depths(self.depth, self.shallower))
        updates, weights = math.ceil(self.samples / self.batch) if self.batch else 1, layers * self.width**2
        own = {"depth": layers, "batch": updates, "stepped": updates * weights, "called": updates * layers}
        return {**super().sizes(), **own, "products": self.samples * weights}
