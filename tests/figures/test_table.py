"""What travels of arrays that belong to no step: what is new at their end, or all where their beginning is another."""

import numpy as np
import pytest

from goldviz.figures.table import Arrays, Drawn

BEFORE = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def since(before: np.ndarray, now: np.ndarray):
    """What somebody lacks who has a figure with one array, and what that array's bytes hold."""
    drawn = Drawn('{"data":[]}', [before], {}, "", False)
    drawn.remember(1)
    arrays = Arrays()
    sent = Drawn('{"data":[]}', [now], {}, "", False, drawn.past).since(1, arrays)
    return sent, b"".join(arrays.parts)


@pytest.mark.parametrize(
    ("now", "start"),
    [
        (np.concatenate([BEFORE, [[5.0, 6.0]]]).astype(np.float32), 2),
        (BEFORE + np.array([[0, 0], [0, 1]], np.float32), 0),
        (BEFORE[:1], 0),
        (BEFORE.astype(np.float64), 0),
        (BEFORE[:, :1], 0),
    ],
    ids=["longer", "changed", "shorter", "of other numbers", "narrower"],
)
def test_an_array_travels_from_where_it_is_another(now: np.ndarray, start: int) -> None:
    sent, data = since(BEFORE, now)
    [row] = sent["rows"]
    assert (row["dim"], row["from"], row["shape"], row["count"]) == (None, start, now.shape[1:], now[start:].size)
    np.testing.assert_array_equal(np.frombuffer(data, now.dtype, row["count"]), now[start:].ravel())


def test_of_an_array_that_stayed_nothing_travels() -> None:
    assert since(BEFORE, BEFORE.copy())[0] is None


@pytest.mark.parametrize(
    ("values", "dtype"), [([2**31 - 1], "i4"), ([2**31], "f8"), ([-(2**31)], "f8"), ([], "i4"), ([0.5], "f8")]
)
def test_whole_numbers_travel_in_four_bytes_where_they_fit(values: list[float], dtype: str) -> None:
    arrays = Arrays()
    array = np.array(values, np.int64 if dtype == "i4" or not isinstance(values[0], float) else np.float64)
    written = arrays.add(array)
    assert (written["dtype"], written["count"]) == (dtype, len(values))
    assert arrays.size % 8 == 0
    assert np.frombuffer(b"".join(arrays.parts), dtype, len(values)).tolist() == values
