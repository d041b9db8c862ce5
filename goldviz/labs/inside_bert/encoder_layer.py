"""One layer of the encoder as every piece goes through it: attention, two sums, two norms and the feed-forward network.

Document 001, sections 4.1.2 and 4.1.3; document 004, sections 4.1 and 4.2.
"""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from goldviz.labs.inside_bert.overview import piece_coordinates
from goldviz.labs.inside_bert.reading import TextReading

STAGES = ("input", "attention", "attention_sum", "attended", "feed_forward", "feed_forward_sum", "output")
"""X, MHSA(X), their sum, X~ after the first LayerNorm, FFN(X~), their sum, and the layer's output."""
ADDED = {"attention": "input", "feed_forward": "attended"}
"""What each part of the layer is added to."""
NORMS = {"attention_norm": "attention_sum", "output_norm": "feed_forward_sum"}
"""What each LayerNorm of the layer is given."""


@torch.no_grad()
def encoder_layer(reading: TextReading, layer: int, token: int) -> xr.Dataset:
    """What layer ``layer`` makes of every piece, and what its neurons do for piece ``token``; both count from 1.

    - ``stage_norm`` (stage, piece): the length of each of ``STAGES``
    - ``added_cosine`` (added, piece): the cosine of what a part adds with what it is added to
    - ``divisor`` (norm, piece): sqrt(variance + epsilon), by which a LayerNorm divides
    - ``turned`` (piece): the cosine of the layer's output with its input
    - ``firing`` (piece): the share of the feed-forward network's neurons whose input is above 0
    - ``neuron_input``, ``neuron_output`` (neuron): before and after the activation, for the piece
    - ``neuron_length`` (neuron): the length of what the neuron adds to the piece, |output| times its column of W_2

    Raises IndexError for a layer that the model does not have.
    """
    block = reading.block(layer - 1)
    parts = block.inspect(reading.hidden[layer - 1][None])
    before = block.expand(parts.attended)
    after = block.activation(before)
    mixed, fed = parts.attention.output, block.contract(after)
    states = (parts.input, mixed, parts.input + mixed, parts.attended, fed, parts.attended + fed, parts.output)
    stages = dict(zip(STAGES, states, strict=True))
    cosines = [cosine_similarity(stages[part], stages[onto], dim=-1) for part, onto in ADDED.items()]
    divisors = [_divisor(getattr(block, norm), stages[stage]) for norm, stage in NORMS.items()]
    place, columns = token - 1, block.contract.weight.norm(dim=0)
    return xr.Dataset(
        {
            "stage_norm": (("stage", "piece"), _plain(torch.cat([stage.norm(dim=-1) for stage in stages.values()]))),
            "added_cosine": (("added", "piece"), _plain(torch.cat(cosines))),
            "divisor": (("norm", "piece"), _plain(torch.cat(divisors))),
            "turned": ("piece", _plain(cosine_similarity(parts.output, parts.input, dim=-1)[0])),
            "firing": ("piece", _plain((before[0] > 0).double().mean(-1))),
            "neuron_input": ("neuron", _plain(before[0, place])),
            "neuron_output": ("neuron", _plain(after[0, place])),
            "neuron_length": ("neuron", _plain(after[0, place].abs() * columns)),
        },
        coords={
            **piece_coordinates(reading.pieces),
            "stage": list(STAGES),
            "added": list(ADDED),
            "norm": list(NORMS),
            "neuron": np.arange(1, len(columns) + 1),
        },
        attrs={"layer": layer, "query_piece": token},
    )


def _divisor(norm: nn.LayerNorm, states: Float[Tensor, "1 piece width"]) -> Float[Tensor, "1 piece"]:
    return (states.var(-1, correction=0) + norm.eps).sqrt()


def _plain(values: Tensor) -> np.ndarray:
    plain: np.ndarray = values.double().cpu().numpy()
    return plain
