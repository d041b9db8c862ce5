"""Word counts say nothing about a review, and neither does its end; one remembered bit says all."""

from collections import defaultdict

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.recurrent_gradients.reviews import (
    BLAME,
    PRAISE,
    SHORTEST,
    VOCABULARY,
    Reviews,
    generated_reviews,
)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def best_share(reviews: Reviews, keys: list[tuple[int, ...]]) -> float:
    """The accuracy of the best possible reader who sees only the key of each review."""
    labels = defaultdict(list)
    for key, label in zip(keys, reviews.labels.tolist(), strict=True):
        labels[key].append(label)
    right = sum(max(group.count(0), group.count(1)) for group in labels.values())
    return right / len(keys)


@given(distance=st.integers(SHORTEST, 40), pairs=st.integers(1, 40), seed=st.integers(0, 99))
def test_a_bag_of_words_is_right_on_exactly_half(distance, pairs, seed):
    reviews = generated_reviews(distance, pairs, generator(seed))
    bags = [tuple(row) for row in reviews.inputs.sum(0).tolist()]
    assert best_share(reviews, bags) == 0.5


@given(distance=st.integers(SHORTEST, 40), pairs=st.integers(1, 40), seed=st.integers(0, 99))
def test_the_end_alone_is_right_on_exactly_half_and_the_opening_settles_it(distance, pairs, seed):
    reviews = generated_reviews(distance, pairs, generator(seed))
    ends = [tuple(row) for row in reviews.numbers[7:].t().tolist()]
    assert best_share(reviews, ends) == 0.5
    whole = [(row[6], row[-2]) for row in reviews.numbers.t().tolist()]
    assert best_share(reviews, whole) == 1.0


@pytest.mark.parametrize("distance", [SHORTEST, 10, 60])
def test_the_verdict_stands_at_the_distance_asked_for(distance):
    reviews = generated_reviews(distance, 5, generator(1))
    for review in range(10):
        words = reviews.text(review).split()
        cue = words[6]
        verdict = words[6 + distance]
        assert cue in {"sun", "rain"}
        assert verdict in PRAISE + BLAME
        meant = cue == "rain"  # "the sun came and not the rain"
        assert int(reviews.labels[review]) == int((verdict in PRAISE) == meant)
        assert words[7 + distance :] == ["day"]


def test_one_hot_words():
    reviews = generated_reviews(12, 3, generator(0))
    assert reviews.inputs.shape == (*reviews.numbers.shape, len(VOCABULARY))
    assert torch.equal(reviews.inputs.argmax(2), reviews.numbers)
    assert reviews.inputs.sum() == reviews.numbers.numel()


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="distance is 2; allowed is a whole number from 3"):
        generated_reviews(2, 4, generator(0))
    with pytest.raises(ValueError, match="number of pairs is 0"):
        generated_reviews(5, 0, generator(0))
