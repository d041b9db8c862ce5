"""Cards of *Character GPT*, from losses in nats a token on text that was kept from training."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import of

NAMES = ("GPT",)


def dev_loss(run):
    return float(of(run, "gpt").dev_loss.isel(close_look=-1))


def beats_pairs(run):
    dev, pairs = dev_loss(run), float(run.bigram_dev_loss)
    return Card(dev < pairs - 0.05, number=(dev, pairs), threshold=(0.05,), named=NAMES)


def no_better_than_pairs(run):
    dev, pairs = dev_loss(run), float(run.bigram_dev_loss)
    says = ("hardly", "clearly") if dev < pairs else ("no better",)
    return Card(dev > pairs - 0.05, number=(dev, pairs), threshold=(0.05,), named=NAMES, says=says)


def sees_ahead(run):
    """The loss at the block's last place less the median of the second half's places, at the last look."""
    by_place = of(run, "gpt").position_loss.isel(close_look=-1).values
    ahead = float(by_place[-1] - np.median(by_place[len(by_place) // 2 :]))
    return Card(ahead > 0.5, number=(ahead,), threshold=(0.5,), named=NAMES)


CARDS = {card.__name__: card for card in (beats_pairs, no_better_than_pairs, sees_ahead)}
