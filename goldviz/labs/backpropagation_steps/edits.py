"""Numbers of a network that a person has changed, as one line of text that fits in a link.

``w2.1.3=0.5`` sets the weight of layer 2 from neuron 3 to neuron 1, ``b2.1=0`` a bias, ``x1.2=-1`` input 2 of sample 1,
``y1.2=0.3`` its target 2, and ``t1=2`` the class that sample 1 is of. A semicolon stands between two of them. What is
outside of the network is kept and does nothing, so that a network that shrinks and grows again has it back.
"""

from __future__ import annotations

import re

PLACE = re.compile(r"w[1-6]\.[1-8]\.[1-8]|b[1-6]\.[1-8]|[xy][1-4]\.[1-8]|t[1-4]")
NUMBER = re.compile(r"-?[0-9]{1,4}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,3})?")
CLASS = re.compile(r"[1-8]")
LARGEST = 1000.0
LONGEST = 12_000
"""Characters: every number of the largest network, with six digits."""


def parsed(text: str) -> dict[str, float]:
    """The changed numbers by their place; of two for one place the later one counts.

    Raises ``ValueError`` with a sentence for what is no such list.

    >>> parsed("w2.1.3=0.5;t1=2")
    {'w2.1.3': 0.5, 't1': 2.0}
    """
    return dict(_change(item) for item in text.split(";") if item)


def _change(item: str) -> tuple[str, float]:
    place, _, number = item.partition("=")
    if PLACE.fullmatch(place) is None:
        raise ValueError(f"{item[:40]!r} names no number of a network; w2.1.3=0.5 is an example")
    if place[0] == "t" and CLASS.fullmatch(number) is None:
        raise ValueError(f"{item[:40]!r} needs a class from 1 to 8")
    if NUMBER.fullmatch(number) is None or abs(float(number)) > LARGEST:
        raise ValueError(f"{item[:40]!r} needs a number from -1000 to 1000")
    return place, float(number)
