"""One network of a run of *Attention between networks* as plain arrays, and the numbers that claims and pages tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from goldviz.diagnostics.findings import Floats
from goldviz.diagnostics.findings.answers import right_at_length
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import measure
from goldviz.labs.attention_interface.settings import AttentionInterface

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {"attention": "GRU with attention", "fixed_vector": "GRU without attention"}


def _near(offsets: Floats) -> Floats:
    """The share that stands on the word or one place beside it: (offset, seed) in."""
    middle = len(offsets) // 2
    return np.asarray(offsets[middle - 1 : middle + 2].sum(axis=0))


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last close look."""

    labels = LABELS
    declared = AttentionInterface
    right = measure(at_last("sequence_accuracy", "close_look"))
    """The share of unseen sequences, of the lengths that are trained, that are answered without a fault."""
    shortest_right = measure(at_last("length_accuracy", "close_look", "length", by=lambda shares: shares[0]))
    """The same of the shortest sequences."""
    longest_right = measure(lambda n: right_at_length(n, n.dataset.attrs.get("longest_trained")))
    """The same of the longest sequences that are trained."""
    beyond_right = measure(lambda n: right_at_length(n, n.dataset.attrs.get("longest_asked")))
    """The same of the longest sequences that are asked for, trained or not."""
    on_word = measure(
        at_last("peak_offset", "close_look", "offset", by=lambda shares: shares[len(shares) // 2], only="attention")
    )
    """The share of words written whose largest weight is on the word that they stand for."""
    near_word = measure(at_last("peak_offset", "close_look", "offset", by=_near, only="attention"))
    """The share whose largest weight is on that word or one place beside it."""
    beside = measure(lambda n: n.near_word - n.on_word)
    """The share whose largest weight is exactly one place beside that word."""


class WordByHand(NamedTuple):
    """What attention makes of one word that was read: a few numbers of its state, score, exponential, weight."""

    word: str
    state: tuple[float, ...]
    score: float
    exponential: float
    weight: float


class RowByHand(NamedTuple):
    """How one row of attention comes about: the writer's state, and what each word that was read gets of it.

    Exponentials are of the score less the row's highest, which leaves the weights as they are.
    """

    word: str
    state: tuple[float, ...]
    words: tuple[WordByHand, ...]
    total: float
    step: int


SHOWN_UNITS = 3
"""Numbers of a state that are printed."""


def words_written(run: Run) -> list[str]:
    """The numbered words of the probe's answer; none where no attention was recorded."""
    if "attention_score" not in run or not run.sizes.get("look"):
        return []
    return [str(label) for label in run["written"].values]


def row_by_hand(run: Run, step: int | None, row: int) -> RowByHand:
    """One row of the attention at the last look that is not after ``step``, computed from its scores."""
    looks = run["look"].values
    place = -1 if step is None else max(int(np.searchsorted(looks, step, side="right")) - 1, 0)
    now = run.isel(look=place)
    scores = now["attention_score"].values[row].astype(np.float64)
    exponentials = np.exp(scores - scores.max())
    words = [str(label).partition(" ")[2] for label in run["read"].values]
    read_states, state = now["encoded"].values[:, :SHOWN_UNITS], now["state"].values[row, :SHOWN_UNITS]
    return RowByHand(
        str(run["written"].values[row]).partition(" ")[2],
        tuple(map(float, state)),
        tuple(
            WordByHand(word, tuple(map(float, own)), float(score), float(exponential), float(weight))
            for word, own, score, exponential, weight in zip(
                words, read_states, scores, exponentials, exponentials / exponentials.sum(), strict=True
            )
        ),
        float(exponentials.sum()),
        int(looks[place]),
    )
