"""*From memory to attention* leads from a network that attends to its memory to one that attends to its own steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Guess, Step, Story, Task, measure_of
from goldviz.labs.neural_turing_machine import measures

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

INTERFACE, PONDERING = "attention-interface", "adaptive-computation"
HALF = 0.5
MOSTLY, FEW = 0.95, 5.0
"""The share of right answers that the task asks for, and in how many steps."""


def _cells(run: Run) -> tuple[int, str]:
    cells = measures.READ_CELLS.first(run)
    place = 0 if cells < 2 else 1 if cells < 8 else 2
    return place, f"The weights of an answer are spread over {cells:.1f} of 16 cells."


def _without_shift(run: Run) -> tuple[int, str]:
    whole = measures.WHOLE["ntm"].first(run)
    return int(whole > HALF), f"It copies {whole:.0%} of the sequences without a wrong bit."


def _longer(run: Run) -> tuple[int, str]:
    twice, beyond = measures.WHOLE_TWICE["ntm"].first(run), measures.WHOLE_BEYOND.first(run)
    place = 0 if twice < HALF else 1 if beyond < HALF else 2
    return place, f"Of 12 rows it copies {twice:.0%} without a wrong bit, of 18 rows {beyond:.0%}."


def _one_vector(run: Run) -> tuple[int, str]:
    attention, vector = (
        measure_of(INTERFACE, f"{name}.longest_right").first(run) for name in ("attention", "fixed_vector")
    )
    place = 2 if min(attention, vector) > HALF else 0 if attention > vector else 1
    return place, f"Of 12 letters {attention:.0%} are right with attention, {vector:.0%} without."


def _dark(run: Run) -> tuple[int, str]:
    on_word = measure_of(INTERFACE, "attention.on_word").first(run)
    return int(on_word > HALF), f"For {on_word:.0%} of the letters it is on the letter itself."


def _pondering(run: Run) -> tuple[int, str]:
    correlation = measure_of(PONDERING, "tau.correlation").first(run)
    return int(correlation > HALF), f"Steps and signs correlate by {correlation:.2f}."


def _solved(settings: Settings, run: Run) -> bool:
    if settings.model_dump().get("task") != "parity" or "accuracy" not in run:
        return False
    right, steps = (measure_of(PONDERING, f"tau.{name}") for name in ("accuracy", "ponder"))
    return right.highest(run) > MOSTLY and steps.lowest(run) <= FEW


STORIES = (
    Story(
        "memory-to-attention",
        "From memory to attention",
        (
            Step(
                "A network hears rows of bits, and has to say them again. It writes them into a memory of 16 cells, "
                "and attends to all cells at once.",
                ("copy",),
                guess=Guess("How many cells is an answer read from?", ("About one", "A few", "Most"), _cells),
            ),
            Step(
                "Here it finds cells by what is in them alone. It cannot move on to the next one.",
                ("break-it-no-shift",),
                figure="by_length",
                guess=Guess("Does it still copy?", ("No", "Yes"), _without_shift),
            ),
            Step(
                "Here it only moves from cell to cell. It learned on at most 6 rows.",
                ("fix-it-location-alone",),
                figure="by_length",
                guess=Guess(
                    "How long a sequence does it copy?",
                    ("As long as in training", "Until the memory is full", "Any"),
                    _longer,
                ),
            ),
            Step(
                "One network reads letters, another writes them backwards. One writer attends to all that was read, "
                "the other gets a single vector.",
                ("turn-letters-round",),
                figure="by_length",
                guess=Guess(
                    "Who still turns twelve letters round?",
                    ("Only the one that attends", "Only the other", "Both"),
                    _one_vector,
                ),
                lab=INTERFACE,
            ),
            Step(
                "Dark cells show where it looks while it writes.",
                ("turn-letters-round",),
                figure="peaks",
                guess=Guess("Is the darkest cell mostly on the letter that is written?", ("No", "Yes"), _dark),
                lab=INTERFACE,
            ),
            Step(
                "A network can attend to its own steps, too, and decide how many it takes. Here it says whether a "
                "number of signs is odd.",
                ("parity",),
                guess=Guess("Does it think longer about more signs?", ("No", "Yes"), _pondering),
                lab=PONDERING,
            ),
            Step(
                "Your turn: the price of a step, the cell, more or fewer signs.",
                ("parity",),
                task=Task("Train on parity until 95 % are right in at most five steps on average.", _solved),
                lab=PONDERING,
            ),
        ),
    ),
)
