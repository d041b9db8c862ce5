"""The network of *Character GPT* at its start, with its optimiser and random streams."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.optim import Optimizer

from goldviz.diagnostics.layers import Layer
from goldviz.models.text.causal import CausalShape, CausalTransformer, initialise_causal
from goldviz.training.loss_scale import LossScale
from goldviz.training.optimisers import OPTIMISERS, decaying_optimiser
from goldviz.training.seeds import BATCH_ORDER, DROPOUT_AND_NOISE, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.char_gpt.settings import CharGpt


@dataclass
class Writer:
    """One seed's network, with everything of its own that changes in training."""

    network: CausalTransformer
    optimiser: Optimizer
    order: torch.Generator
    dropout: torch.Generator
    scale: LossScale | None = None
    """In float16."""


def shape_of(settings: CharGpt, vocabulary: int) -> CausalShape:
    """The sizes and parts that the settings ask for."""
    return CausalShape(
        settings.layers,
        settings.heads,
        settings.width,
        vocabulary,
        settings.block,
        activation=settings.activation,
        masked=settings.masked,
        scaled=settings.scaled,
        residual=settings.residual,
        normalised=settings.layer_norm,
        tied=settings.tied,
        branch_scaled=settings.residual_scale in ("branch", "both"),
    )


def network_of(settings: CharGpt, vocabulary: int, weights: Callable[[int], torch.Generator]) -> CausalTransformer:
    """A network at its start, its weights drawn from the generators that ``weights`` gives."""
    network = CausalTransformer(shape_of(settings, vocabulary))
    smaller = settings.residual_scale in ("init", "both")
    initialise_causal(network, weights, residual_share=1 / math.sqrt(2 * settings.layers) if smaller else 1.0)
    return network


def writer(settings: CharGpt, vocabulary: int, seed: int, device: torch.device) -> Writer:
    """A seed's network, optimiser and streams; its weights are drawn on the CPU, so that they agree everywhere."""
    network = network_of(settings, vocabulary, lambda index: stream(seed, WEIGHTS + index)).to(device)
    return Writer(
        network,
        optimiser_of(settings, network),
        stream(seed, BATCH_ORDER),
        stream(seed, DROPOUT_AND_NOISE, device),
        LossScale().to(device) if settings.precision == "float16" else None,
    )


def optimiser_of(settings: CharGpt, network: CausalTransformer) -> Optimizer:
    """Weight decay leaves biases and layer norms alone, unless all shall decay."""
    if not settings.decay_all:
        return decaying_optimiser(
            settings.optimiser, [network], settings.learning_rate, weight_decay=settings.weight_decay
        )
    return OPTIMISERS[settings.optimiser](
        network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
    )


def layers_of(network: CausalTransformer) -> list[Layer]:
    """What the plots of layers tell apart: both tables, every block, and the read-out where it has a table."""
    blocks = [Layer.of(f"block {number}", block) for number, block in enumerate(network.stack(), start=1)]
    tables = Layer("tables", network.token, (*network.token.parameters(), *network.position.parameters()))
    own = [] if network.untied is None else [Layer.of("read-out", network.untied)]
    return [tables, *blocks, *own]
