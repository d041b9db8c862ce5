"""What documents 001 (section 4) and 004 (section 4.1) say of an encoder, read off the model that ships."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.inside_bert import LAB
from goldviz.labs.inside_bert.samples import CONTRAST, LONG, NEGATION, ONE_WORD, PAIR, PLAIN

SENTENCES = LONG.split(". ")[2:5]
TEXTS = (PLAIN, NEGATION, CONTRAST, *ONE_WORD, PAIR, *(f"{sentence}." for sentence in SENTENCES))
OverText = partial(Claim, LAB, over="text", cases=TEXTS, called="texts")


CLAIMS = (
    OverText(
        "C101",
        "Each token's attention weights sum to 1.",
        "001, 4.1.2",
        kind="identity",
        parts={
            "the worst row is off by {:.1e}": Part("off_one", below=1e-5),
        },
    ),
    OverText(
        "C102",
        "Self-attention does not know the order, so positions have to be added.",
        "001, 4.2.1",
        parts={
            "read backwards without positions, states move by {:.1e} of their length": Part(
                "moved_without_positions", below=1e-4
            ),
            "with positions they move by {:.0%}": Part("moved_with_positions", above=0.01),
        },
    ),
    OverText(
        "C103",
        "Tokens that are more relevant receive higher weights.",
        "001, 4.1.1",
        parts={
            "the rank correlation of attention received with what pieces add to the tone is {:.2f}": Part(
                "attention_beside_evidence", chance=0
            ),
        },
    ),
    OverText(
        "C104",
        "A token's representation uses both left and right context.",
        "001, 4.2",
        parts={
            "{:.0%} of the attention goes to what stands before": Part("looks_left", above=0.1),
            "{:.0%} goes to what stands after": Part("looks_right", above=0.1),
        },
    ),
    OverText(
        "C105",
        "Multiple heads capture different types of relationships.",
        "001, 4.1.2",
        parts={
            "heads of a layer attend most to {:.2f} relations of five": Part("relations", above=1.5),
        },
    ),
    OverText(
        "C110",
        "The current word has the highest attention score.",
        "004, 4.1",
        parts={
            "in {:.0%} of heads and pieces the largest weight is on itself": Part("on_itself", above=0.5),
        },
    ),
)
