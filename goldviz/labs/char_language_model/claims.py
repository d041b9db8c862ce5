"""What document 002 says of models of characters (sections 1.1 to 1.5), tried on first names.

Each measure is read off finished runs; the settings are small ones, so that a claim is tried in a minute.
"""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.char_language_model import LAB

Tried = partial(Claim, LAB)
NEURAL = {
    "model": "neural_bigram",
    "batch": 0,
    "optimiser": "adam",
    "learning_rate": 0.1,
    "steps": 300,
    "close_looks": 4,
}
DEEP = {
    "model": "deep_mlp",
    "layers": 20,
    "hidden": 100,
    "output_gain": 0.1,
    "steps": 2,
    "close_looks": 1,
    "look_every": 0,
}
SHORT = {"steps": 300, "close_looks": 4}
COUNTED = {"steps": 1, "close_looks": 1, "look_every": 0}
MATCHED = {"context": 8, "embedding": 24, "normalisation": "batch", "gain": 1.0, "steps": 1500, "close_looks": 2}


CLAIMS = (
    Tried(
        "C3",
        "Trained long enough, the one-matrix network ends exactly at the counted table.",
        "002, 1.2",
        lanes=(NEURAL,),
        parts={
            "after 300 steps its table is {:.4f} nat from the counted one": Part("divergence_at_the_end", below=0.01),
            "it comes from above: its loss is never below, but {:.5f} nat above at least": Part(
                "lowest_over_counts", above=0.0
            ),
        },
    ),
    Tried(
        "C4",
        "Weight decay does what fake counts do.",
        "002, 1.2",
        lanes=({**NEURAL, "weight_decay": 0.001},),
        kind="question",
        parts={
            "the best number of fake counts leaves {:.0%} of the distance between the two tables": Part(
                "share_of_decay", below=0.5
            ),
        },
    ),
    Tried(
        "C5",
        "The gain 5/3 keeps the variance of tanh's outputs at 1.",
        "002, 1.3.2",
        lanes=({**DEEP, "gain": 1.667},),
        parts={
            "the 20th layer's outputs spread by {:.3f}": Part(
                "spread_of_last_layer", above=0.95, below=1.05, lanes=(1,)
            ),
        },
    ),
    Tried(
        "C6",
        "With output weights of zero the gradient vanishes and nothing is learned.",
        "002, 1.3.2",
        lanes=({**SHORT, "output_gain": 0.0}, {**SHORT, "output_gain": 0.0, "gain": 0.0}),
        parts={
            "at the first step the hidden weights' gradient is {:.1e}": Part(
                "first_gradient_behind", below=1e-12, lanes=(1,)
            ),
            "ten steps later it is {:.1e}": Part("later_gradient_behind", below=1e-12, lanes=(1,)),
            "the loss ends {:.2f} nat below that of single characters": Part("learned", below=0.0, lanes=(1,)),
        },
    ),
    Tried(
        "C7",
        "Similar characters get similar vectors, so what is learned holds for contexts never seen, too.",
        "002, 1.3",
        parts={
            "two vowels are {} times as far apart as a vowel and a consonant": Part(
                "vowels_together", below=1.0, scale="ratio"
            ),
            "after contexts that training text never has its loss is {:.2f} nat below that of counted contexts, "
            "which know nothing of them": Part("unseen_below_even", above=0.0),
            "it is {:.2f} nat below that of counted pairs": Part("unseen_below_pairs", above=0.0, control=True),
        },
    ),
    Tried(
        "C13",
        "A hierarchy beats the flat network of as many parameters.",
        "002, 1.5",
        lanes=(
            {**MATCHED, "hidden": 98},
            {**MATCHED, "model": "wavenet", "hidden": 64},
        ),
        kind="question",
        parts={
            "its dev loss is {:.3f} nat lower": Part("dev_of_flat_less_hierarchy", above=0.0),
            "their parameters differ by {:.1%}": Part("parameters_apart", below=0.05),
        },
    ),
    Tried(
        "C134",
        "Parameters grow only linearly with the vocabulary and with the context.",
        "002, 1.3.1",
        lanes=(
            *({**COUNTED, "context": context} for context in (4, 8, 16)),
            {**COUNTED, "context": 4, "corpus": "python"},
        ),
        kind="identity",
        parts={
            "8 characters more add {:.2f} times the parameters of 4 more": Part(
                "growth_by_context", above=1.99, below=2.01, lanes=(1, 2, 3)
            ),
            "a symbol adds {:.2f} times its numbers in the embedding and the output": Part(
                "growth_by_symbol", above=0.99, below=1.01, lanes=(1, 4)
            ),
        },
    ),
)
