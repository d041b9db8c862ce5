"""What storing costs and what it saves, in numbers kept and in multiplications of the matrices (document 001, 1.2.1).

Counted are the products with weights, one for each weight and sample; nonlinearities and sums come on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

BYTES = 8
"""Of a number in float64."""


class Costs(NamedTuple):
    """Multiplications of one forward pass, of a backward pass that reads what was stored, of one that stores nothing
    and runs forward anew for every layer, and of central differences; and how many numbers are stored."""

    forward: int
    backward_stored: int
    backward_anew: int
    differences: int
    stored: int


def costs(sizes: Sequence[int], samples: int) -> Costs:
    """The costs of a network with these numbers of inputs and neurons.

    Phase A takes one product for each weight. Phase B takes one for each weight's gradient (eq. 4), and one for each
    weight of layers 2 to L that carries an error back (eq. 2). Whoever stores nothing needs x^(l-1) and z^l anew for
    each layer l.

    >>> costs([3, 4, 2], samples=1)
    Costs(forward=20, backward_stored=28, backward_anew=60, differences=1040, stored=15)
    """
    products = [samples * before * after for before, after in pairwise(sizes)]
    ahead, back = sum(products), sum(products) + sum(products[1:])
    numbers = sum(before * after + after for before, after in pairwise(sizes))
    memory = samples * (sizes[0] + 2 * sum(sizes[1:]))
    return Costs(ahead, back, back + sum(accumulate(products)), 2 * numbers * ahead, memory)
