"""A GPT's run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.language_model import Guesses
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.char_gpt.settings import CharGpt

LABELS = {"gpt": "GPT"}
FIRST_WEIGHTS = 0.02
"""Standard deviation of the first weights (document 002, 3.7)."""


def _ahead(losses: Floats) -> Floats:
    """The last place's loss less the median of the second half, (position, seed)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(losses[-1] - np.median(losses[len(losses) // 2 :], axis=0))


def _head_start(n: NetworkReading) -> Floats:
    """In nats: the squared length of a token's first vector over the states' spread, which the final norm divides by.

    NaN for a network whose states do not hold those vectors, or that another table reads out.
    """
    settings = n.settings
    if not (settings.tied and settings.residual and settings.layer_norm):
        return n.nothing
    variance = n.recorded("residual_variance", "close_look", "depth", by=lambda by_depth: by_depth[0, -1])
    return np.asarray(settings.width * FIRST_WEIGHTS**2 / np.sqrt(np.where(variance > 0, variance, np.nan)))


class Reading(Guesses):
    """What was recorded of the network, for each seed; NaN where nothing was."""

    labels = LABELS
    declared = CharGpt
    ahead = measure(at_last("position_loss", "close_look", "position", by=_ahead), "nat")
    """How far the loss at the block's last place, which sees no later token, is above that of the others."""
    evenness = measure(at_last("attention_entropy", "close_look", "block_number", by=lambda one: one.mean(axis=0)))
    """The entropy of attention over that of an even one, mean over the blocks, at the last close look."""
    tokens_per_byte = measure(recorded("tokens_per_byte"))
    """Tokens for a byte of dev text."""
    at_first = measure(recorded("dev_loss", "close_look", by=lambda losses: losses[0]), "nat")
    """The dev loss at the first close look."""
    head_start = measure(_head_start, "nat")
    """How far the logit of the token just read is above the others at first, where one table does both."""
    gzip = measure(recorded("gzip_dev_bits"), "bit")
    """Bits for a byte of the same text by gzip."""
    bits = measure(lambda n: n.dev * n.tokens_per_byte / math.log(2), "bit")
    """Bits for a byte of dev text."""
    excess_bits = measure(lambda n: n.bits - n.gzip, "bit")
    """How many more bits a byte costs than by gzip."""


dev_over_twin = measure(lambda other, plain: Reading.dev["gpt"](other) - Reading.dev["gpt"](plain), "nat")
"""The dev loss at the end of the first run less that of the second."""
ends_higher = measure(lambda other, plain: not dev_over_twin(other, plain) <= 0)
"""1 where the dev loss of the first run ends above that of the second, or is no number; else 0."""


def _reaches_apart(maps: Floats) -> float:
    """Of attention by block, head, query and key: the farthest head's mean distance over the nearest one's."""
    distance = (maps * np.subtract(*np.indices(maps.shape[-2:]))).sum(axis=(-2, -1))
    return float(np.mean(distance.max(axis=-1) / distance.min(axis=-1)))


heads_apart = measure(lambda run: _reaches_apart(run["attention"][-1].values.astype(np.float64)))
"""How many times as far back a block's farthest head looks as its nearest one, mean over the blocks."""
heads_apart_at_start = measure(lambda run: _reaches_apart(run["attention"][0].values.astype(np.float64)))
"""How many times as far back the farthest head looks as the nearest, mean over the blocks, untrained."""
largest_weight_at_start = measure(lambda run: run["attention_peak"][0].mean())
"""The largest attention weight of a row before the first step, mean over blocks, heads and rows."""
peak_over_twin = measure(
    lambda without, twin: float(without["attention_peak"][-1].mean()) / float(twin["attention_peak"][-1].mean())
)
"""The largest weight of a row after training without the scale, over that with it."""


@measure
def growth(run: Run) -> float:
    """The variance of the states after the last block over that before the first, before the first step."""
    variance = run["residual_variance"].isel(close_look=0).values.squeeze()
    return float(variance[-1] / variance[0])


@measure
def saved(apart: Run, tied: Run) -> float:
    """How many more parameters the untied network has, over V times the width."""
    size, width = apart.sizes["token"], int(json.loads(apart.attrs["settings"])["width"])
    return (float(apart["parameter_count"][0]) - float(tied["parameter_count"][0])) / (size * width)


@partial(measure, unit="nat")
def loss_with_a_view(run: Run) -> float:
    """The dev loss at the places that see a later token: the second half of the block without the last place."""
    losses = run["position_loss"].isel(close_look=-1).values.squeeze()
    return float(np.mean(losses[len(losses) // 2 : -1]))


@partial(measure, unit="nat")
def loss_without_a_view(run: Run) -> float:
    """The dev loss at the last place, as whoever writes has it, less that of counted pairs on the same tokens."""
    last = run["position_loss"].isel(close_look=-1).values.squeeze()[-1]
    return float(last) - float(run["bigram_position_loss"].values[-1])
