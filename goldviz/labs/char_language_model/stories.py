"""*Learning to spell* leads from counting pairs of letters over pieces of text to a small GPT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.stories import Found, Guess, Step, Story, Task, measure_of

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

GPT = "char-gpt"
CLEARLY = 0.1
"""Nats by which a model beats counted pairs clearly."""


PAIRS = Found(
    ("mlp.dev", "mlp.pairs", "mlp.over_pairs"),
    lambda dev, pairs, ahead: int(ahead > CLEARLY),
    "On names not learned it pays {:.2f} nats a letter, counted pairs {:.2f}.",
)
FIRST_LOSS = Found(
    ("mlp.began", "mlp.uniform"),
    (4, 20),
    "It begins at {:.1f} nats: sure of nonsense. Guessing all letters alike costs {:.1f}.",
)
BITS = Found(
    ("gpt.bits", "gpt.bits 2"),
    lambda letters, pieces: int(pieces < letters),
    "A byte costs {:.2f} bits by characters, and {:.2f} by pieces.",
)
UNMASKED = Found(
    ("gpt.dev", "gpt.pairs"),
    lambda dev, pairs: 2 if dev < 0.5 else 1 if dev < pairs else 0,
    "It falls to {:.2f} nats, counted pairs pay {:.2f}. Whoever sees the answer copies it.",
)


def _beats_pairs(_settings: Settings, run: Run) -> bool:
    return measure_of(GPT, "gpt.over_pairs").lowest(run) > CLEARLY


STORIES = (
    Story(
        "spelling",
        "Learning to spell",
        "judge a language model against counts, by its loss and by its bits for a byte.",
        (
            Step(
                "No network yet: how often does each letter follow each other in first names? The table is a model. "
                "Whatever learns has to beat it.",
                ("count-pairs",),
                figure="table",
            ),
            Step(
                "Now a network sees three letters and guesses the fourth. The loss says how surprised it is, in nats.",
                ("as-in-the-document",),
                figure="generalisation",
                guess=Guess("Does it beat counting by a tenth of a nat?", ("No", "Yes"), PAIRS),
            ),
            Step(
                "The same network with all weights drawn from N(0, 1).",
                ("break-it-first-loss-25",),
                guess=Guess("Where does its loss begin?", ("Below 4 nats", "At 4 to 20", "Above 20"), FIRST_LOSS),
            ),
            Step(
                "A text can be cut into larger pieces than letters. Pairs that occur often are joined, again and "
                "again; what is left are tokens.",
                ("the-smallest-example",),
                lab="text-tokens",
            ),
            Step(
                "Two small GPTs read Python's documentation, one by characters, one by 512 pieces. A piece is harder "
                "to guess, but holds more bytes.",
                ("small-to-compare", "pieces-of-bytes"),
                lab=GPT,
                figure="bits",
                guess=Guess("Which needs fewer bits for a byte?", ("Characters", "Pieces"), BITS),
            ),
            Step(
                "A mask keeps each character from those that come after it. Here it is gone: each sees what it "
                "should guess.",
                ("break-it-no-mask",),
                lab=GPT,
                figure="generalisation",
                guess=Guess(
                    "What becomes of the loss?",
                    ("It stays above counted pairs", "It falls a little below", "It falls below half a nat"),
                    UNMASKED,
                ),
            ),
            Step(
                "Your turn. This one learns at thirty times the rate, and ends worse than counted pairs.",
                ("break-it-rate-30",),
                lab=GPT,
                task=Task("Train a GPT that beats counted pairs by a tenth of a nat.", _beats_pairs),
            ),
        ),
    ),
)
