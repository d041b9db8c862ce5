"""A story: what attention is, and what it is no evidence of."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Found, Guess, Step, Story, Task, measure_of

LEARNING = "bert-pretraining"


GUESSED = Found(
    ("below_frequencies", "lowest_loss", "unigram"),
    (1,),
    "At best {1:.1f} nat a hidden word; naming words by how often they come costs {2:.1f}.",
)
NEVER_READ = Found(
    ("above_counting_words 2", "new 2", "bag 2"),
    (0.05,),
    "It judges {1:.0%} rightly on new patterns, counting words {2:.0%}.",
)


def _reads_well(_settings: Settings, run: Run) -> bool:
    return measure_of(LEARNING, "above_counting_words").lowest(run) > 0.03


STORIES = (
    Story(
        "attention",
        "What attention is, and is no evidence of",
        "read an attention map, and say what it does not prove.",
        (
            Step(
                "In every head each word looks at all others. A line's width shows how much; a word's weights add "
                "up to 1. Which word does this head look at?",
                ("as-in-the-document",),
            ),
            Step(
                "Choose a head and a piece: its row is a softmax of products of a query and keys. The numbers "
                "below the lines are this model's own.",
                ("a-contrast",),
            ),
            Step(
                "Two texts differ in one word. Many maps hardly change: what a head looks at is not yet why "
                "the model answers.",
                ("one-word-apart",),
            ),
            Step(
                "Where do such heads come from? A network learns to guess hidden words in generated statements.",
                ("as-in-the-document",),
                lab=LEARNING,
                figure="attention",
                guess=Guess("Does it guess a whole nat better than word frequencies?", ("No", "Yes"), GUESSED),
            ),
            Step(
                "The same labelled texts, and a network that never read anything else.",
                ("as-in-the-document", "break-it-no-pre-training"),
                lab=LEARNING,
                figure="learning",
                guess=Guess(
                    "On new patterns, is it five points better than counting words?", ("No", "Yes"), NEVER_READ
                ),
            ),
            Step(
                "Your turn: let one read first.",
                ("break-it-no-pre-training",),
                lab=LEARNING,
                task=Task("Train one that beats counting words by three points on new patterns.", _reads_well),
            ),
        ),
    ),
)
