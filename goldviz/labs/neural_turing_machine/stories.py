"""*From memory to attention* leads from a network that attends to its memory to ones that attend to their own steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Curve, Guess, Step, Story, Task, measure_of
from goldviz.labs.neural_turing_machine import measures

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

INTERFACE, PONDERING, PROGRAMMER = "attention-interface", "adaptive-computation", "neural-programmer"
TRANSLATION = "translation-transformer"
HALF, NEARLY_ALL = 0.5, 0.99
MOSTLY, FEW = 0.95, 5.0
"""The share of right answers that the task asks for, and in how many steps."""


def _cells(run: Run) -> tuple[int, str]:
    cells = measures.READ_CELLS.first(run)
    place = 0 if cells < 2 else 1 if cells < 8 else 2
    return place, f"The weights of an answer are spread over {cells:.1f} of 16 cells."


def _reach(twice: float, beyond: float) -> int:
    return 0 if twice < HALF else 1 if beyond < HALF else 2


def _longer(run: Run) -> tuple[int, str]:
    twice, beyond = measures.WHOLE_TWICE["ntm"].first(run), measures.WHOLE_BEYOND.first(run)
    return _reach(twice, beyond), f"Of 12 rows it copies {twice:.0%} without a wrong bit, of 18 rows {beyond:.0%}."


def _one_vector(run: Run) -> tuple[int, str]:
    attention, vector = (
        measure_of(INTERFACE, f"{name}.longest_right").first(run) for name in ("attention", "fixed_vector")
    )
    place = 2 if min(attention, vector) > HALF else 0 if attention > vector else 1
    longest = run.attrs["longest_trained"]
    return place, f"Of {longest} letters {attention:.0%} are right with attention, {vector:.0%} without."


def _without_places(sorting: Run, turning: Run) -> tuple[int, str]:
    right = measure_of(TRANSLATION, "layer.longest_right")
    sorted_right, turned_right = right.first(sorting), right.first(turning)
    place = 2 if min(sorted_right, turned_right) > HALF else 0 if sorted_right > turned_right else 1
    longest = sorting.attrs["longest_trained"]
    return (
        place,
        f"Of {longest} letters {sorted_right:.0%} are sorted without a fault, {turned_right:.0%} turned round.",
    )


def _pondering(run: Run) -> tuple[int, str]:
    correlation = measure_of(PONDERING, "tau.correlation").first(run)
    return int(correlation > HALF), f"Steps of thought and bits before STOP correlate by {correlation:.2f}."


def _programs(run: Run) -> tuple[int, str]:
    as_asked = measure_of(PROGRAMMER, "programmer.as_asked").first(run)
    place = 0 if as_asked < HALF else 1 if as_asked < NEARLY_ALL else 2
    return place, f"It writes the question's own program for {as_asked:.0%} of the questions."


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
                "Here it only moves from cell to cell, whatever is in them. It learned on at most 6 rows.",
                ("fix-it-location-alone",),
                figure="by_length",
                guess=Guess(
                    "How long a sequence does it copy?",
                    ("As long as in training", "Until the memory is full", "Any"),
                    _longer,
                    Curve("by_length", "NTM", lambda guess: _reach(guess[12], guess[18])),
                ),
            ),
            Step(
                "One network reads letters, another writes them backwards. One writer attends to all that was read, "
                "the other gets a single vector.",
                ("turn-letters-round",),
                figure="by_length",
                guess=Guess(
                    "Who still turns eight letters round, as many as in training?",
                    ("Only the one that attends", "Only the other", "Both"),
                    _one_vector,
                ),
                lab=INTERFACE,
            ),
            Step(
                "Reader and writer can be attention alone, without recurrence. Here the reader is not told where a "
                "letter stands. One network sorts letters, the other turns them round.",
                ("sorting-without-positions", "break-it-turning-round-without-positions"),
                figure="by_length",
                guess=Guess("Which can still be done?", ("Sorting", "Turning round", "Both"), _without_places),
                lab=TRANSLATION,
            ),
            Step(
                "A network can attend to its own steps, too, and decide how many it takes. Bits come one a step; the "
                "last one before STOP is the answer.",
                ("read-until-stop",),
                figure="by_difficulty",
                guess=Guess("Does it think longer where STOP comes later?", ("No", "Yes"), _pondering),
                lab=PONDERING,
            ),
            Step(
                "Attention may choose operations, too: sums, counts, comparisons of rows of a table, and one of three "
                "columns. The network is told answers alone, never a program.",
                ("break-it-three-columns",),
                guess=Guess(
                    "For how many questions does it write the right program?",
                    ("Under half", "Most, not all", "Nearly all"),
                    _programs,
                ),
                lab=PROGRAMMER,
            ),
            Step(
                "Your turn. Here it says whether a number of signs is odd: change the price of a step, the cell, the "
                "signs.",
                ("parity",),
                task=Task("Train on parity until 95 % are right in at most five steps on average.", _solved),
                lab=PONDERING,
            ),
        ),
    ),
)
