"""*From memory to attention* leads from a network that attends to its memory to ones that attend to their own steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Curve, Found, Guess, Step, Story, Task, measure_of

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

INTERFACE, PONDERING, PROGRAMMER = "attention-interface", "adaptive-computation", "neural-programmer"
TRANSLATION = "translation-transformer"
HALF, NEARLY_ALL = 0.5, 0.99
MOSTLY, FEW = 0.95, 5.0
"""The share of right answers that the task asks for, and in how many steps."""


def _reach(twice: float, beyond: float) -> int:
    return 0 if twice < HALF else 1 if beyond < HALF else 2


def _who(first: float, second: float) -> int:
    return 2 if min(first, second) > HALF else 0 if first > second else 1


CELLS = Found("ntm.read_cells", (2, 8), "The weights of an answer are spread over {:.1f} of 16 cells.")
LONGER = Found(
    ("ntm.whole_twice", "ntm.whole_beyond"),
    _reach,
    "Of 12 rows it copies {:.0%} without a wrong bit, of 18 rows {:.0%}.",
)
ONE_VECTOR = Found(
    ("attention.longest_right", "fixed_vector.longest_right"),
    _who,
    "Of {run.attrs[longest_trained]} letters {:.0%} are right with attention, {:.0%} without.",
)
WITHOUT_PLACES = Found(
    ("layer.longest_right", "layer.longest_right 2"),
    _who,
    "Of {run.attrs[longest_trained]} letters {:.0%} are sorted without a fault, {:.0%} turned round.",
)
PONDERED = Found("tau.correlation", (HALF,), "Steps of thought and bits before STOP correlate by {:.2f}.")
PROGRAMS = Found(
    "programmer.as_asked",
    (HALF, NEARLY_ALL),
    "It writes the question's own program for {:.0%} of the questions.",
)


def _solved(settings: Settings, run: Run) -> bool:
    if settings.model_dump().get("task") != "parity" or "accuracy" not in run:
        return False
    right, steps = (measure_of(PONDERING, f"tau.{name}") for name in ("accuracy", "ponder"))
    return right.highest(run) > MOSTLY and steps.lowest(run) <= FEW


STORIES = (
    Story(
        "memory-to-attention",
        "From memory to attention",
        "say what attention may read: memory cells, letters, its own steps, operations.",
        (
            Step(
                "A network hears rows of bits, and has to say them again. It writes them into a memory of 16 cells, "
                "and attends to all cells at once.",
                ("copy",),
                guess=Guess("How many cells is an answer read from?", ("About one", "A few", "Most"), CELLS),
            ),
            Step(
                "Here it only moves from cell to cell, whatever is in them. It learned on at most 6 rows.",
                ("fix-it-location-alone",),
                figure="by_length",
                guess=Guess(
                    "How long a sequence does it copy?",
                    ("As long as in training", "Until the memory is full", "Any"),
                    LONGER,
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
                    ONE_VECTOR,
                ),
                lab=INTERFACE,
            ),
            Step(
                "Reader and writer can be attention alone, without recurrence. Here the reader is not told where a "
                "letter stands. One network sorts letters, the other turns them round.",
                ("sorting-without-positions", "break-it-turning-round-without-positions"),
                figure="by_length",
                guess=Guess("Which can still be done?", ("Sorting", "Turning round", "Both"), WITHOUT_PLACES),
                lab=TRANSLATION,
            ),
            Step(
                "A network can attend to its own steps, too, and decide how many it takes. Bits come one a step; the "
                "last one before STOP is the answer.",
                ("read-until-stop",),
                figure="by_difficulty",
                guess=Guess("Does it think longer where STOP comes later?", ("No", "Yes"), PONDERED),
                lab=PONDERING,
            ),
            Step(
                "Attention may choose operations, too: sums, counts, comparisons of rows of a table, and one of three "
                "columns. The network is told answers alone, never a program.",
                ("break-it-three-columns",),
                guess=Guess(
                    "For how many questions does it write the right program?",
                    ("Under half", "Most, not all", "Nearly all"),
                    PROGRAMS,
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
