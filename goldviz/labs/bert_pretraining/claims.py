"""What documents 001 (section 4.2) and 004 (section 5) say of pre-training and fine-tuning."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.bert_pretraining import LAB

READ = {"width": 32, "inner": 128, "pretraining_steps": 1200}
UNREAD = {**READ, "pretraining_steps": 0}


Tried = partial(Claim, LAB)

CLAIMS = (
    Tried(
        "C106",
        "By predicting masked words a model learns to use their context.",
        "001, 4.2.2",
        lanes=(READ,),
        parts={
            "width 32 (64 is usual), 1,200 steps: the loss on masked words of unseen texts is {:.2g} of what word "
            "frequencies give": Part("worth", below=1, scale="ratio"),
        },
    ),
    Tried(
        "C107",
        "What was learned without labels helps a task with few of them.",
        "001, 4.2.2",
        lanes=(READ, UNREAD),
        kind="question",
        parts={
            "width 32 (64 is usual), 1,200 steps without labels: {:.1%} more tones of new patterns are judged "
            "rightly": Part("gained_on_new", above=0),
            "of known patterns {:.1%} more are": Part("gained_on_known", above=0),
        },
    ),
    Tried(
        "C108",
        "Contextual representations understand language better than counts of words.",
        "001, 4.2.1",
        lanes=(READ,),
        parts={
            "width 32 (64 is usual), 1,200 steps: {:.1%} more tones of new patterns are judged rightly than by a "
            "bag of words": Part("above_counting_words", above=0),
        },
    ),
    Tried(
        "C60",
        "Predicting the next sentence beside masked words helps to judge the tone.",
        "004, 5",
        lanes=("with-next-sentence-head", {"objective": "pairs"}),
        kind="question",
        parts={
            "on the same pairs of sentences, with it {:.1%} more tones of new patterns are judged rightly": Part(
                "next_sentence_gain_on_new", above=0
            ),
            "of known patterns {:.1%} more are": Part("next_sentence_gain_on_known", above=0),
            "of unseen pairs it tells {:.1%}": Part("pairs_told", above=0.5, lanes=(1,)),
        },
    ),
)
