"""Generated reviews in which the first words decide whether the last ones are meant.

Document 004's umbrella: after a day of heavy rain, "What a wonderful day!" is not praise. Here a review opens with
"the sun came and not the rain" (meant) or "the rain came and not the sun" (ironic: the opposite is meant), goes on
with neutral words, and ends with "what a wonderful day" or a word like it.

Known answers: reviews come in pairs with the same words in another order and opposite labels, so every reader of
word counts, however clever, is right on exactly 50 %; and so is every reader that has lost the opening. A reader
that carries one bit over ``distance`` words is right on all.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional

PRAISE = ("wonderful", "lovely", "great", "splendid")
BLAME = ("horrible", "dreadful", "terrible", "miserable")
NEUTRAL = (
    "we",
    "went",
    "to",
    "town",
    "by",
    "bus",
    "then",
    "walked",
    "along",
    "river",
    "past",
    "old",
    "market",
    "with",
    "two",
    "friends",
    "before",
    "lunch",
    "at",
    "noon",
)
MEANT = ("the", "sun", "came", "and", "not", "the", "rain")
IRONIC = ("the", "rain", "came", "and", "not", "the", "sun")
CLOSING = ("what", "a")
END = ("day",)

VOCABULARY = tuple(sorted({*PRAISE, *BLAME, *NEUTRAL, *MEANT, *IRONIC, *CLOSING, *END}))

SHORTEST = len(CLOSING) + 1
"""Steps from the last word of the opening to the verdict, if nothing neutral stands between."""


@dataclass(frozen=True)
class Reviews:
    """A batch of reviews of equal length: their words' numbers in :data:`VOCABULARY`, and 1 for praise, 0 for blame."""

    numbers: Int[Tensor, "time batch"]
    labels: Int[Tensor, " batch"]

    @property
    def inputs(self) -> Float[Tensor, "time batch words"]:
        """The words, one-hot."""
        return functional.one_hot(self.numbers, len(VOCABULARY)).to(torch.get_default_dtype())

    def text(self, review: int) -> str:
        """One review as words."""
        return " ".join(VOCABULARY[number] for number in self.numbers[:, review].tolist())


def spelled_out(opening: tuple[str, ...], distance: int) -> str:
    """A review of the words of :func:`generated_reviews` that ends with "what a wonderful day".

    >>> spelled_out(MEANT, 6)
    'the sun came and not the rain we went to what a wonderful day'
    """
    body = [NEUTRAL[place % len(NEUTRAL)] for place in range(distance - SHORTEST)]
    return " ".join([*opening, *body, *CLOSING, PRAISE[0], *END])


def generated_reviews(distance: int, pairs: int, generator: Generator) -> Reviews:
    """``pairs`` pairs of reviews, in random order, whose verdict comes ``distance`` words after the opening.

    The opening's last word ("sun" or "rain") still tells which opening it was; praise and blame are drawn evenly.
    Raises ``ValueError`` for a distance below :data:`SHORTEST` or fewer than one pair.
    """
    for name, value, least in (("distance", distance, SHORTEST), ("number of pairs", pairs, 1)):
        if value < least:
            raise ValueError(f"The {name} is {value}; allowed is a whole number from {least}.")
    number = {word: place for place, word in enumerate(VOCABULARY)}

    def words(*choice: str) -> Tensor:
        return torch.tensor([number[word] for word in choice])

    neutral = torch.randint(0, len(NEUTRAL), (distance - SHORTEST, pairs), generator=generator)
    verdict = torch.randint(0, len(PRAISE + BLAME), (pairs,), generator=generator)
    body = torch.cat(
        [
            words(*NEUTRAL)[neutral],
            words(*CLOSING)[:, None].expand(-1, pairs),
            words(*PRAISE, *BLAME)[verdict][None],
            words(*END)[:, None].expand(-1, pairs),
        ]
    )
    openings = [words(*opening)[:, None].expand(-1, pairs) for opening in (MEANT, IRONIC)]
    numbers = torch.cat([torch.cat([opening, body]) for opening in openings], 1)
    praises = (verdict < len(PRAISE)).long()
    order = torch.randperm(2 * pairs, generator=generator)
    return Reviews(numbers[:, order], torch.cat([praises, 1 - praises])[order])
