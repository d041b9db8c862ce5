"""Principal components, cosines and tone of documents."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from goldviz.labs.policy_documents.document_map import (
    LARGEST_NUMBER,
    DocumentVectorError,
    cosine_change,
    nearest_documents,
    principal_axes,
)
from goldviz.labs.policy_documents.text_vector import tone_balance


def drawn(count: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, width)) * np.arange(1, width + 1)


def test_axes_and_shares_are_those_of_scikit_learn() -> None:
    vectors = drawn(30, 6)
    axes, known = principal_axes(vectors, 4), PCA(4, svd_solver="full").fit(vectors)
    np.testing.assert_allclose(axes.share, known.explained_variance_ratio_, rtol=1e-12)
    np.testing.assert_allclose(np.abs(axes.coordinates(vectors)), np.abs(known.transform(vectors)), atol=1e-10)
    np.testing.assert_allclose(axes.directions @ axes.directions.T, np.eye(4), atol=1e-12)
    assert (axes.directions[np.arange(4), np.abs(axes.directions).argmax(1)] > 0).all()


def test_coordinates_do_not_depend_on_the_company() -> None:
    vectors = drawn(40, 96)
    axes = principal_axes(vectors[:10], 5)
    alone = np.concatenate([axes.coordinates(vectors[[number]]) for number in range(40)])
    assert axes.coordinates(vectors).tobytes() == alone.tobytes()


@pytest.mark.parametrize("vectors", [np.ones((5, 3)), np.ones((1, 3))])
def test_equal_documents_span_nothing(vectors: np.ndarray) -> None:
    axes = principal_axes(vectors, 2)
    assert axes.directions.shape == (0, 3)
    assert axes.coordinates(vectors).shape == (len(vectors), 0)


@pytest.mark.parametrize("number", [1e300, -1e200, np.inf, -np.inf, np.nan])
def test_vectors_that_leave_the_range_of_numbers_are_refused(number: float) -> None:
    vectors = drawn(5, 3)
    axes = principal_axes(vectors, 2)
    vectors[2, 1] = number
    for refused in (lambda: principal_axes(vectors, 2), lambda: axes.coordinates(vectors)):
        with pytest.raises(
            DocumentVectorError, match=r"^The vector of a document holds the number .+; allowed are"
        ) as said:
            refused()
        assert said.value.for_a_person


def test_the_largest_allowed_numbers_are_mapped_without_overflow() -> None:
    vectors = np.sign(drawn(50, 40)) * LARGEST_NUMBER
    axes = principal_axes(vectors, 3)
    np.testing.assert_allclose(axes.share, principal_axes(vectors / LARGEST_NUMBER, 3).share, rtol=1e-10)
    assert np.isfinite(axes.coordinates(vectors)).all()


def test_nearest_are_the_largest_cosines() -> None:
    vectors = drawn(12, 5)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = units @ units.T - 2 * np.eye(12)
    order, cosine = nearest_documents(vectors, 3)
    assert order.tolist() == np.argsort(-expected, axis=1)[:, :3].tolist()
    np.testing.assert_allclose(cosine, -np.sort(-expected, axis=1)[:, :3], atol=1e-12)
    assert nearest_documents(vectors[:1], 3)[0].shape == (1, 0)


def test_change_of_twins_is_zero_and_scale_does_not_matter() -> None:
    vector = drawn(1, 7)[0]
    change = cosine_change(np.stack([vector, 3 * vector, -vector, np.zeros(7)]), [-1, 0, 1, 0])
    np.testing.assert_allclose(change, [np.nan, 0, 2, 1], atol=1e-12)
    assert (change[1:] >= 0).all()


def test_tone_needs_both_labels() -> None:
    shares = np.array([[0.2, 0.3, 0.5]])
    assert tone_balance(shares, ("positive", "negative", "neutral")).tolist() == pytest.approx([-0.1])
    assert np.isnan(tone_balance(shares, ("LABEL_0", "LABEL_1", "LABEL_2"))).all()
    assert np.isnan(tone_balance(np.zeros((2, 0)), ())).all()
