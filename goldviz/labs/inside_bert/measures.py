"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Array, Run


class Habit(NamedTuple):
    """Where most of a head's weight goes: ``name`` is 'previous', 'next', 'itself', 'special', or '' for none."""

    name: str
    share: float


MOST_OF_IT = 0.5
"""A head has a habit where more than half of its weight follows it."""


def habit(weights: np.ndarray, special: np.ndarray) -> Habit:
    """The one place to which most of a map's weight goes, mean over the queries that are no special pieces.

    ``weights`` (query, key) with rows that sum to 1. A neighbour that is a special piece counts as one.

    >>> habit(np.array([[0.75, 0.25, 0.0], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0]]), np.array([False, False, False]))
    Habit(name='previous', share=0.875)
    """
    ordinary = ~special
    if not ordinary.any():
        return Habit("", 0.0)
    count = int(ordinary.sum())
    offset = np.arange(len(special)) - np.arange(len(special))[:, None]
    shares = {"special": float(weights[np.ix_(ordinary, special)].sum() / count)}
    for name, step in (("previous", -1), ("itself", 0), ("next", 1)):
        beside = (offset == step) & ordinary & ordinary[:, None]
        rows = int(beside.any(1).sum())
        shares[name] = float(weights[beside].sum() / rows) if rows else 0.0
    name = max(shares, key=lambda one: shares[one])
    return Habit(name, shares[name]) if shares[name] > MOST_OF_IT else Habit("", shares[name])


off_one = measure(lambda run: np.abs(run["all_attention"].values.sum(-1) - 1).max())
"""How far a query's weights are from summing to 1, the worst of all heads."""
moved_without_positions = measure(lambda run: run["moved"].sel(positions="without").isel(state=-1).mean())
"""How far the last states move when the pieces are read backwards without positions, as a share of their length."""
moved_with_positions = measure(lambda run: run["moved"].sel(positions="with").isel(state=-1).mean())
"""How far they move with positions, as a share of their length."""
looks_left = measure(lambda run: np.tril(_weights(run), -1).sum(-1).mean())
"""The share of ordinary pieces' attention that goes to what stands before them; all heads of all layers."""
looks_right = measure(lambda run: np.triu(_weights(run), 1).sum(-1).mean())
"""The share of ordinary pieces' attention that goes to what stands after them; all heads of all layers."""


@measure
def on_itself(run: Run) -> float:
    """The share of heads and pieces in which a piece gives itself the largest weight."""
    weights = run["all_attention"].values
    return float((weights.argmax(-1) == np.arange(weights.shape[-1])).mean())


@measure
def relations(run: Run) -> float:
    """How many relations heads of a layer attend to most, mean over the layers: a piece to the one before, to itself,
    to the one after, to [CLS] and [SEP], or to all others. Even attention gives 1."""
    weights, special = run["all_attention"].values, run["special"].values.astype(bool)
    places = np.arange(len(special))
    offset = places - places[:, None]
    beside = np.select([offset == -1, offset == 0, offset == 1], [0, 1, 2], 4)
    relation = np.where(special, 3, beside)
    given = np.array([(weights * (relation == one)).sum((-2, -1)) for one in range(5)])
    return float(np.mean([len(set(heads)) for heads in given.argmax(0).tolist()]))


attention_beside_evidence = measure(lambda run: run.attrs["rank_correlation"])
"""The rank correlation of the attention that pieces receive with what they add to the tone."""
most_moved_without_positions = measure(lambda run: run["moved"].sel(positions="without").max())
"""How far any state moves when the pieces are read backwards without positions, as a share of its length."""
moved_by_segments = measure(lambda run: run["segment_moved"].isel(state=-1).median())
"""How far a piece's last state moves when a pair is read as one sentence, as a share of its length; the median."""
longest_state = measure(lambda run: run["state_norm"].max())
"""The length of the longest state, over all layers."""
evidence_added = measure(lambda run: run["attribution"].sum(), "logits")
"""What all pieces together add to the logit."""
evidence_to_add = measure(lambda run: run.attrs["total"], "logits")
"""By how much the logit is above that of padding, which the pieces' evidence adds up to where it is complete."""
evidence_gap = measure(lambda run: run.attrs["gap"])
"""How far the pieces' evidence is from adding up to it, as a share of it."""


class Change(NamedTuple):
    """What differs most between two readings: which class it is, and its number ``before`` and ``after``."""

    label: str
    before: float
    after: float

    @property
    def by(self) -> float:
        """By how much."""
        return self.after - self.before


def largest_change(before: Array, after: Array) -> Change:
    """The class whose number changes most."""
    most = int(np.abs(after.values - before.values).argmax())
    return Change(str(before["label"].values[most]), float(before.values[most]), float(after.values[most]))


def changed_by_order(run: Run) -> Change:
    """The class whose probability changes most when the text is read backwards with positions."""
    chances = run["ordered_probability"].sel(positions="with")
    return largest_change(chances.sel(order="as written"), chances.sel(order="reordered"))


def head_changed(first: Run, second: Run) -> tuple[int, int, float, float]:
    """Layer and head, from 1, whose entropy changes most, and its share of an even spread before and after."""
    before, after = first["head_entropy_share"].values, second["head_entropy_share"].values
    layer, head = divmod(int(np.abs(after - before).argmax()), before.shape[1])
    return layer + 1, head + 1, float(before[layer, head]), float(after[layer, head])


def pieces_changed(first: Run, second: Run) -> list[tuple[int, str, str]] | None:
    """Places, from 1, at which two texts of as many pieces differ, and both pieces; None for other numbers of them."""
    tokens, others = ([str(token) for token in one["token"].values] for one in (first, second))
    if len(tokens) != len(others):
        return None
    pairs = enumerate(zip(tokens, others, strict=True), start=1)
    return [(place, token, other) for place, (token, other) in pairs if token != other]


def largest_weight(steps: Run) -> tuple[str, str, dict[str, float]]:
    """The query whose steps these are, the key with its largest weight, and the numbers that lead to the weight.

    ``total`` is the sum of exp(S_m - max S): the weight of the largest score is 1 / total. ``sum`` is of all weights.
    """
    weights, scores, tokens = steps["weight"].values, steps["score"].values, steps["token"].values
    best = int(weights.argmax())
    return (
        str(tokens[int(steps.attrs["query_piece"]) - 1]),
        str(tokens[best]),
        {
            "product": float(steps["product"].values[best]),
            "score": float(scores[best]),
            "total": float(np.exp(scores - scores.max()).sum()),
            "weight": float(weights[best]),
            "sum": float(weights.sum()),
        },
    )


def foremost_words(run: Run) -> tuple[tuple[str, float], tuple[str, float]]:
    """The word without which the text's vector moves most, and the one that receives most attention, each with it."""
    names = [str(name) for name in run["spoken"].values]
    tops = [int(run[name].values.argmax()) for name in ("moved", "attention_received")]
    moved, received = (run[name].values for name in ("moved", "attention_received"))
    return (names[tops[0]], float(moved[tops[0]])), (names[tops[1]], float(received[tops[1]]))


def guesses(run: Run) -> list[str]:
    """What the model expects at a hidden place, the likeliest first."""
    return [str(guess) for guess in run["guessed"].values]


def weight_of(run: Run, keys: np.ndarray) -> float:
    """How much of the query's attention in the head in view goes to these keys."""
    return float(run["weight"].values[keys].sum())


def cosines_near_and_far(run: Run) -> tuple[float, float, int]:
    """The mean cosine of neighbours among the text's places, of places half a text or more apart, and that distance."""
    means = run["distance_cosine"].values
    half = len(means) // 2
    return float(means[1]), float(means[half:].mean()), half


@measure
def across_if_even(run: Run) -> float:
    """What share of attention would go to the other sentence if every piece looked at all pieces alike."""
    first, second, pieces = run.attrs["pieces_a"], run.attrs["pieces_b"], run.sizes["piece"]
    return 2 * first * second / (first + second) / pieces if first + second else 0.0


def _weights(run: Run) -> np.ndarray:
    ordinary = ~run["special"].values.astype(bool)
    return np.asarray(run["all_attention"].values[..., ordinary, :][..., ordinary])


word_going_in = measure(lambda run: run["word_cosine"].sel(pair="same word")[0])
"""The cosine of one word's vectors in two sentences, before the first layer."""
word_coming_out = measure(lambda run: run["word_cosine"].sel(pair="same word")[-1])
"""The cosine of one word's vectors in two sentences, after the last layer."""
