"""What document 002 says of tokens (sections 2.1 to 2.3), tried on texts and on fifths of a corpus."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.text_tokens import LAB

OverPart = partial(Claim, LAB, over="part", cases=(1, 2, 3, 4, 5), called="parts")
SIGNED = ("dog.", "dog!", "dog?", "gold.", "Why?")

CLAIMS = (
    Claim(
        LAB,
        "C14",
        "GPT-2 keeps “dog.” and “dog!” whole; GPT-4 splits them.",
        "002, 2.3",
        over="text",
        cases=SIGNED,
        called="texts",
        lanes=({"corpus": "own"},),
        parts={
            "GPT-4's pattern makes {} pieces more of a word with its sign than GPT-2's": Part(
                "more_pieces_right", above=0.5
            ),
        },
    ),
    OverPart(
        "C15",
        "GPT-2 leaves each space a token of its own; GPT-4 makes one token of a run.",
        "002, 2.3",
        lanes=({"corpus": "code", "text": "    hello"},),
        parts={
            "learned from code, GPT-2's longest token of spaces has {} of them": Part("longest_spaces_left", below=1.5),
            "GPT-4's has {}": Part("longest_spaces_right", above=1.5),
            "of four spaces and a word GPT-2's pattern makes {} pieces more than GPT-4's": Part(
                "more_pieces_left", above=0.5
            ),
        },
    ),
    OverPart(
        "C16",
        "The pattern always splits punctuation off.",
        "002, 2.2",
        always=True,
        parts={
            "under GPT-2's pattern {:.1%} of the signs are in a piece with letters": Part("glued_left", below=0.01),
            "under GPT-4's {:.1%}": Part("glued_right", below=0.01),
            "under GPT-2's {:.0%} are a piece of their own, for runs of signs stay together": Part(
                "alone_left", above=0.99
            ),
        },
    ),
    OverPart(
        "C17",
        "Spaces glued to words avoid doubling the sequence.",
        "002, 2.2",
        lanes=({"beside": "apart"}, {"beside": "apart", "corpus": "words"}),
        parts={
            "with spaces apart, and every piece a token, the text has {} times as many": Part(
                "corpus_pieces_right_to_left", above=1.9, scale="ratio", lanes=(1,)
            ),
            "with single spaces alone {} times as many": Part(
                "corpus_pieces_right_to_left", above=1.9, scale="ratio", lanes=(2,)
            ),
            "where only 1,000 are, {} times as many": Part(
                "tokens_right_to_left", above=1.9, scale="ratio", lanes=(1,), control=True
            ),
        },
    ),
    OverPart(
        "C18",
        "Without a pattern the vocabulary wastes slots on dog., dog!, dog?.",
        "002, 2.1 and 2.2",
        lanes=({"beside": "none"},),
        parts={
            "without a pattern {:.1%} of the learned entries mix letters and signs": Part("mixed_right", above=0.01),
            "with GPT-2's {:.1%}": Part("mixed_left", below=0.01),
            "with the pattern the text takes {} times as many tokens": Part(
                "tokens_left_to_right", below=1, scale="ratio"
            ),
        },
    ),
)
