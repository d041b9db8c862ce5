"""One network of a run of *Translation with a Transformer* as plain arrays, and the numbers that claims and pages
tell."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.answers import right_at_length
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.translation_transformer.settings import STYLES, TranslationTransformer

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {name: style.label for name, style in STYLES.items()}
IN_CLAUSE = {
    "Layer norm": "Transformer with layer norm",
    "RMS norm": "Transformer with RMS norm",
    "Batch norm": "Transformer with batch norm",
    "No norm": "Transformer without norm",
}
"""What each is called in a sentence: a norm answers nothing."""
NEARLY_ALL = 0.99
"""The share of right answers that counts as learned."""


def first_right(shares: Floats, looks: Floats) -> Floats:
    """The step of the first look with 99 % right; infinite where there is none: (look, ...) in.

    >>> first_right(np.array([[0.2, 0.1], [0.99, 0.5], [1.0, 0.6]]), np.array([1, 25, 50])).tolist()
    [25.0, inf]
    """
    right = shares >= NEARLY_ALL
    return np.where(right.any(axis=0), np.asarray(looks, np.float64)[right.argmax(axis=0)], np.inf)


def _steps(n: NetworkReading) -> Floats:
    shares = n.values("sequence_accuracy", "look")
    if shares is None:
        return n.nothing
    looks = n.dataset["look"].values
    return np.minimum(first_right(shares, looks), float(looks[-1]))


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is of unseen sequences."""

    labels = LABELS
    clause = IN_CLAUSE
    declared = TranslationTransformer
    right = measure(at_last("sequence_accuracy", "look"))
    """The share of sequences that are answered without a fault, at the last look."""
    longest_right = measure(lambda n: right_at_length(n, n.dataset.attrs.get("longest_trained")))
    """The same of the longest sequences that are trained, at the last close look."""
    steps_to_right = measure(_steps, "steps")
    """Steps until 99 % are right, at most those of the run."""
    told_right = measure(at_last("told_right", "close_look"))
    """The share of words right where the right words before are told."""
    free_right = measure(at_last("free_right", "close_look"))
    """The share of words right where the network reads its own words before."""
    lost_freely = measure(lambda n: n.told_right - n.free_right)
    """How much of that share is lost when it writes freely."""
    neighbour_effect = measure(at_last("neighbour_effect", "close_look"))
    """How far a pair's logits move, at most, where the other pairs of its batch change."""
    beam_likelier = measure(recorded("beam_likelier"))
    """The share of sequences for which a beam of 4 finds a likelier answer than the greedy one."""


self_attention_share = measure(lambda run: run["self_share"].isel(close_look=-1).mean())
"""The share of words read that attend most to themselves, mean over the encoder's heads at the last close look."""
most_selfish_head = measure(lambda run: run["self_share"].isel(close_look=-1).max())
"""The largest such share of any head."""
greedy_misses = measure(lambda run: run["beam_likelier"].sel(network="layer").max() > 0)
"""1 where a beam of 4 finds a likelier answer than the greedy one for any of four sequences, else 0."""


@partial(measure, unit="steps")
def fewest_steps(run: Run) -> float:
    """Steps until 99 % are right at the best of the learning rates, at most those of the run."""
    network = str(run["network"].values[0])
    return float(np.minimum(_steps_at_rates(run, network).min(), float(run["look"].values[-1])))


steps_against_no_norm = measure(lambda with_norm, without: fewest_steps(with_norm) / fewest_steps(without))
"""Steps to 99 % at the best of three learning rates with a norm, over those of the same network without."""


def steps_by_rate(run: Run) -> dict[str, Floats]:
    """Of each norm, steps until 99 % are right at every learning rate, median over the seeds; infinite for never."""
    middle = (run.sizes["seed"] - 1) // 2
    return {str(name): np.sort(_steps_at_rates(run, str(name)), axis=-1)[:, middle] for name in run["network"].values}


def _steps_at_rates(run: Run, network: str) -> Floats:
    """Steps until 99 % are right, (rate, seed), or (rate,) of a run of one seed without that axis."""
    shares = run["rate_accuracy"] if "rate_accuracy" in run else run["sequence_accuracy"].expand_dims("rate")
    in_order = [name for name in ("look", "rate", "seed") if name in shares.dims]
    values = np.asarray(shares.sel(network=network).transpose(*in_order).values, np.float64)
    return first_right(values, np.asarray(run["look"].values))
