"""What document 004, section 3.1, says of neural Turing machines, tried on copying."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.neural_turing_machine import LAB

Tried = partial(Claim, LAB)
COPY = {"look_every": 1000}
"""A look at the first step and at the last."""
TWO_SETS = (0, 1, 2, 3, 4, 23, 24, 25, 26, 27)
"""Seeds, for one in ten does not learn."""
NO_SHIFT = {**COPY, "shift": False, "networks": "ntm"}
NO_CONTENT = {**COPY, "content": False, "networks": "ntm"}

CLAIMS = (
    Tried(
        "C46",
        "Location-based attention allows relative movement in memory, enabling the machine to loop.",
        "004, 3.1",
        lanes=(COPY, NO_SHIFT, NO_CONTENT),
        parts={
            "with both ways to address {:.0%} of the copies are without a wrong bit": Part(
                "ntm.whole", above=0.9, lanes=(1,)
            ),
            "without the shift {:.0%} are": Part("ntm.whole", below=0.1, lanes=(2,)),
            "without search by content {:.0%} are": Part("ntm.whole", above=0.9, lanes=(3,)),
        },
    ),
    Tried(
        "C47",
        "The weights with which a trained machine reads and writes are spread over its memory bank.",
        "004, 3.1",
        lanes=(COPY,),
        cases=TWO_SETS,
        kind="question",
        parts={
            "after training a row is written to {:.2f} of 16 cells": Part("ntm.write_cells", above=8),
            "an answer is read from {:.2f} of them": Part("ntm.read_cells", above=8),
        },
    ),
    Tried(
        "C48",
        "With a memory a network copies longer sequences than it learned from, where an LSTM of its size does not.",
        "004, 3.1",
        lanes=(COPY,),
        kind="question",
        parts={
            "learned up to 6 rows, of 12 rows {:.0%} are copied without a wrong bit": Part(
                "ntm.whole_twice", above=0.5
            ),
            "by the LSTM {:.0%} are": Part("lstm.whole_twice", below=0.05),
            "of 18 rows, two more than there are cells, {:.0%} are": Part("ntm.whole_beyond", below=0.05),
        },
    ),
)
