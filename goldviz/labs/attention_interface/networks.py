"""The networks of *Attention between networks*, as its settings describe them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch import Generator, nn

from goldviz.data.pairs.pairs import PairTask
from goldviz.data.pairs.table import task_of
from goldviz.labs.attention_interface.translator import Translator
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.settings import AttentionInterface

LAYERS = {
    "words read": ("source_table",),
    "reader": ("encoder", "first_state"),
    "attention": ("score",),
    "words written": ("target_table",),
    "writer": ("cell",),
    "read-out": ("read_out",),
}
"""What the plots of layers tell apart, and the parts of a network that each is made of."""
PARTS = tuple(part for parts in LAYERS.values() for part in parts)


def task_in(settings: AttentionInterface) -> PairTask:
    """The task that is learned."""
    return task_of(settings.task, settings.symbols, settings.shortest, settings.longest)


def translator(settings: AttentionInterface, network: str, seed: int) -> Translator:
    """A network at its start; both of a seed begin with the same weights where shapes agree."""
    task = task_in(settings)
    model = Translator(
        len(task.source_words),
        len(task.target_words),
        settings.width,
        settings.score if network == "attention" else "",
        both_ways=settings.both_ways,
    )
    initialise(model, lambda index: stream(seed, WEIGHTS + index))
    return model


def initialise(network: Translator, generator: Callable[[int], Generator]) -> None:
    """Tables from a standard normal, all else evenly within 1 / sqrt(inputs), as PyTorch begins; a stream a part."""
    for index, name in enumerate(PARTS):
        part = getattr(network, name)
        for weight in part.parameters() if part is not None else ():
            if name.endswith("table"):
                nn.init.normal_(weight, generator=generator(index))
            else:
                bound = (weight.shape[-1] if weight.ndim > 1 else network.width) ** -0.5
                nn.init.uniform_(weight, -bound, bound, generator=generator(index))


def weights_of(network: Translator) -> dict[str, list[nn.Parameter]]:
    """The matrices and tables of each layer; one without any is left out."""
    parts = {
        layer: [part for part in (getattr(network, name) for name in names) if part is not None]
        for layer, names in LAYERS.items()
    }
    weights = {
        layer: [weight for part in own for weight in part.parameters() if weight.ndim > 1]
        for layer, own in parts.items()
    }
    return {layer: own for layer, own in weights.items() if own}
