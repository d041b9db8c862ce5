"""The networks of *Transformer for series*, as its settings describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from goldviz.diagnostics.layers import Layer
from goldviz.labs.series_attention.extent import window_rows
from goldviz.labs.series_attention.outputs import OUTPUTS
from goldviz.labs.series_attention.series_gru import SeriesGRU
from goldviz.labs.series_attention.series_ode_rnn import SeriesODERNN
from goldviz.labs.series_attention.series_transformer import SeriesTransformer
from goldviz.models.series.attention import AttentionOptions
from goldviz.models.series.row_transformer import RowShape, initialise_rows
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention

SeriesNetwork: TypeAlias = SeriesTransformer | SeriesGRU | SeriesODERNN
TIME_UNITS = {"oscillator": 1.0}
"""What an ODE-RNN calls 1: a second there, five rows or days elsewhere."""


def options_of(settings: SeriesAttention) -> AttentionOptions:
    """What the chosen kind of attention is told: nothing of what it leaves unread.

    An exported script has the settings' values alone, so the kind is asked here.
    """
    usual = AttentionOptions()
    if settings.attention == "log_sparse":
        return AttentionOptions(settings.window, settings.restart or None, usual.factor)
    if settings.attention.startswith("prob_sparse"):
        return AttentionOptions(usual.window, usual.restart, settings.factor)
    return usual


def series_network(settings: SeriesAttention, lane: str, inputs: int, seed: int) -> SeriesNetwork:
    """A network at its start; both Transformers of a seed begin with the same weights."""
    outputs = OUTPUTS[settings.output].size
    network: SeriesNetwork
    if lane == "ode_rnn":
        unit = TIME_UNITS.get(settings.task, 5.0)
        return SeriesODERNN(settings.width, outputs, unit, lambda index: stream(seed, WEIGHTS + index))
    if lane == "gru":
        network = SeriesGRU(inputs, settings.width, outputs)
    else:
        network = SeriesTransformer(
            RowShape(
                inputs,
                window_rows(settings),
                settings.layers,
                settings.heads,
                settings.width,
                1 if lane == "pointwise" else int(settings.kernel),
                settings.attention,
                options_of(settings),
                settings.positions,
                settings.activation,
                settings.block,
            ),
            outputs,
        )
    initialise_rows(network, lambda index: stream(seed, WEIGHTS + index))
    return network


def layers_of(network: SeriesNetwork) -> list[Layer]:
    """What the plots of layers tell apart."""
    if isinstance(network, SeriesGRU):
        return [Layer.of("GRU", network.recurrent), Layer.of("read-out", network.read_out)]
    if isinstance(network, SeriesODERNN):
        return [Layer.of("ODE-RNN", network.network), Layer.of("read-out", network.read_out)]
    blocks = [Layer.of(f"block {number}", block) for number, block in enumerate(network.stack(), start=1)]
    return [Layer.of("input", network.widen), *blocks, Layer.of("read-out", network.read_out)]


def layer_names(settings: SeriesAttention) -> list[str]:
    """The layers of all networks in order, whichever are trained; an ODE-RNN's at irregular times."""
    flowing = ["ODE-RNN"] if settings.task == "oscillator" or settings.networks == "ode_rnn" else []
    return ["input", *(f"block {number}" for number in range(1, settings.layers + 1)), "GRU", *flowing, "read-out"]
