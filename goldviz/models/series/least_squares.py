"""Linear maps by least squares with a small ridge, from sums that are added up part by part."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


class NormalEquations:
    """(X'X + n ridge I) W = X'Y, where X has a column of ones behind its ``inputs``, which the ridge leaves alone.

    Rows are added in parts, so memory grows with the columns and not with the rows.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        self.squares = np.zeros((inputs + 1, inputs + 1))
        self.products = np.zeros((inputs + 1, outputs))
        self.rows = 0

    def add(self, past: Float[np.ndarray, "row input"], future: Float[np.ndarray, "row output"]) -> None:
        """Add the sums of these rows, in float64."""
        x = with_ones(past)
        self.squares += x.T @ x
        self.products += x.T @ future.astype(np.float64)
        self.rows += len(x)

    def solved(self, ridge: float) -> Float[np.ndarray, "input_and_one output"]:
        """The map W, its intercepts in the last row; ``ridge`` is the penalty of a weight for each row that was added.

        >>> equations = NormalEquations(1, 1)
        >>> equations.add(np.array([[0.0], [1.0], [2.0]]), np.array([[5.0], [7.0], [9.0]]))
        >>> equations.solved(0.0).round(6).tolist()
        [[2.0], [5.0]]
        """
        penalty = ridge * self.rows * np.diag([*np.ones(len(self.squares) - 1), 0.0])
        return np.linalg.solve(self.squares + penalty, self.products)


def with_ones(rows: Float[np.ndarray, "row input"]) -> Float[np.ndarray, "row input_and_one"]:
    """The rows in float64 with a column of ones behind them."""
    return np.concatenate([rows.astype(np.float64), np.ones((len(rows), 1))], axis=1)
