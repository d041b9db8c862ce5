"""A run of *Pre-training and fine-tuning* as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, rising, typical_updates
from goldviz.diagnostics.findings.measures import ERRORS, noise
from goldviz.diagnostics.measure import Measure, combined
from goldviz.labs.bert_pretraining.heads import Heads
from goldviz.labs.bert_pretraining.phases import NEW_DRAWS, NEW_PATTERNS, TONE, WORDS, Kind, Phases

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

MARGIN = 0.07
"""Two shares of 400 texts near a half differ so much by chance: two standard errors of their difference.

That takes their errors as independent. Errors on the same texts mostly go together, so the line is a careful one; texts
are not recorded one by one, which a paired test would need.
"""
CARRIED = 0.15
WORSE_AGAIN = 1.05
LONGEST_UPDATE = 1.0
"""From this update-to-data ratio on a single step leaves little of the weights that it found."""
FALLING = 0.98
WINDOWS = 40


@dataclass(frozen=True)
class PretrainingReading:
    """What was recorded, for each seed along the last axis; NaN where nothing was.

    ``word_losses`` (step, seed) are phase 1's losses, ``unseen_losses`` (look, seed) those on unseen texts up to its
    end; ``words_trained`` is the mean of the last tenth of the former, ``words_unseen`` the last of the latter and
    ``words_now`` the one at the last look of all,
    ``lowest_loss`` the lowest at any look. ``known`` and ``new`` are shares right on unseen texts of known and
    of new patterns, ``bag`` that of a bag of words on new ones and ``bag_known`` on known ones, ``baseline`` that of
    always naming one tone on known ones, ``tone_trained`` the share of the last tenth of phase 2's steps. ``update``
    is the typical update-to-data ratio of phase 1, and ``longest_update`` the largest of its looks, each by the median
    of the parts. ``part_norms`` (part, seed) are gradient norms, medians over phase 1's steps, or phase 2's where
    there is no phase 1. ``last`` is the last step.
    """

    last: int
    seeds: int
    diverged: Verdicts
    word_losses: Floats
    unseen_losses: Floats
    words_trained: Floats
    words_unseen: Floats
    words_now: Floats
    lowest_loss: Floats
    uniform: float
    unigram: float
    known: Floats
    new: Floats
    bag: float
    bag_known: float
    baseline: float
    tone_trained: Floats
    hardest: Kind
    update: Floats
    longest_update: Floats
    parts: tuple[str, ...]
    part_norms: Floats
    largest_norm: Floats
    clipped: Floats
    heads: Heads

    @classmethod
    def of(cls, ds: Run) -> PretrainingReading:
        """Read a run's dataset; variables may be missing or empty."""
        phases = Phases(ds)
        losses = phases.at_steps("loss", WORDS)
        every_loss = phases.values("loss", "step", "seed")
        unseen_losses = phases.at_looks("unseen_masked_loss", WORDS)
        all_unseen = phases.values("unseen_masked_loss", "look", "seed")
        norms = phases.at_steps("part_gradient_norm", WORDS, "part")
        norms = norms if len(norms) else phases.at_steps("part_gradient_norm", TONE, "part")
        return cls(
            last=phases.last,
            seeds=len(phases.nothing),
            diverged=diverged(every_loss) if len(every_loss) else np.isinf(phases.nothing),
            word_losses=losses,
            unseen_losses=unseen_losses,
            words_trained=_recent(losses, phases.nothing),
            words_unseen=unseen_losses[-1] if len(unseen_losses) else phases.nothing,
            words_now=all_unseen[-1] if len(all_unseen) else phases.nothing,
            lowest_loss=np.fmin.reduce(all_unseen) if len(all_unseen) else phases.nothing,
            uniform=phases.number("uniform_loss"),
            unigram=phases.number("unigram_loss"),
            known=phases.tone(NEW_DRAWS),
            new=phases.tone(NEW_PATTERNS),
            bag=phases.baseline("bag of words", NEW_PATTERNS),
            bag_known=phases.baseline("bag of words", NEW_DRAWS),
            baseline=phases.baseline("majority", NEW_DRAWS),
            tone_trained=_recent(phases.at_steps("tone_accuracy", TONE), phases.nothing),
            hardest=phases.hardest_kind(),
            update=typical_updates(phases.at_looks("update_to_data", WORDS, "part")),
            longest_update=_longest(phases.at_looks("update_to_data", WORDS, "part")),
            parts=tuple(str(part) for part in ds["part"].values) if "part" in ds.coords else (),
            part_norms=_middle(norms),
            largest_norm=phases.values("gradient_norm", "step", "seed").max(0, initial=-np.inf),
            clipped=_recent(phases.at_steps("clipped", WORDS), phases.nothing, share=1.0),
            heads=Heads.of(ds, phases.words_end),
        )

    @property
    def every_seed(self) -> Verdicts:
        """A verdict on all seeds alike."""
        return np.ones(self.seeds, dtype=bool)

    @property
    def worth(self) -> Floats:
        """The unseen loss at the end of phase 1 as a share of word frequencies' loss."""
        return quotient(self.words_unseen, np.full(self.seeds, self.unigram))

    @property
    def choices(self) -> float:
        """Among how many pieces as likely as each other that loss leaves the choice."""
        return choices_left(median(self.words_unseen))

    @property
    def choices_by_frequency(self) -> float:
        """Among how many word frequencies leave it."""
        return choices_left(self.unigram)

    @property
    def rising(self) -> Verdicts:
        """Whether phase 1's loss rises."""
        return rising(self.word_losses)

    @property
    def overwrote(self) -> Verdicts:
        """Whether a step that was looked at replaced the weights that it found."""
        return np.asarray(self.longest_update >= LONGEST_UPDATE)

    @property
    def still_falling(self) -> Verdicts:
        """Whether the unseen loss fell in the second half of phase 1, by the looks there were."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen < FALLING * self.unseen_losses[len(self.unseen_losses) // 2])

    @property
    def unseen_gap(self) -> Floats:
        """The unseen loss at the end of phase 1 as a multiple of that in training."""
        return quotient(self.words_unseen, self.words_trained)

    @property
    def worse_again(self) -> Verdicts:
        """Whether that loss was lower at one of three looks or more before."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen > WORSE_AGAIN * self.unseen_losses.min(0))

    @property
    def forgetting(self) -> Floats:
        """The unseen loss at the last look as a multiple of that at the end of phase 1."""
        return quotient(self.words_now, self.words_unseen)

    @property
    def fading(self) -> Floats:
        """The last block's gradient norm as a multiple of the first block's; NaN where one is missing."""
        rows = [row for row, part in enumerate(self.parts) if part.startswith("block ")]
        if not rows or len(self.part_norms) <= rows[-1]:
            return np.full(self.seeds, np.nan)
        return quotient(self.part_norms[rows[-1]], self.part_norms[rows[0]])

    @property
    def fading_a_block(self) -> Floats:
        """By how much each block shortens the gradient on its way down, where all do so alike."""
        blocks = sum(part.startswith("block ") for part in self.parts)
        return np.asarray(self.fading ** (1 / max(blocks - 1, 1)))

    @property
    def window(self) -> int:
        """How many steps of phase 1 a mean is taken over, in search of spikes."""
        return max(1, len(self.word_losses) // WINDOWS)

    @cached_property
    def spike(self) -> Floats:
        """The largest ratio of a window's mean loss to the lowest before it; NaN for a short run.

        A rise that the steps' own noise may give is none: among many windows of a few steps the highest mean is far
        above the lowest by chance.
        """
        count = len(self.word_losses) // self.window
        if count < WINDOWS // 2:
            return np.full(self.seeds, np.nan)
        means = self.word_losses[-count * self.window :].reshape(count, self.window, -1).mean(1)
        lowest = np.minimum.accumulate(means)[:-1]
        with np.errstate(invalid="ignore"):
            by_chance = means[1:] - lowest <= ERRORS * noise(self.word_losses) * np.sqrt(2 / self.window)
        return np.asarray(np.where(by_chance, 1.0, quotient(means[1:], lowest)).max(0))

    @property
    def unlearned(self) -> Verdicts:
        """Whether known patterns are judged no better than by always naming one tone."""
        return np.asarray(self.known <= self.baseline + MARGIN)

    @property
    def beyond_words(self) -> Verdicts:
        """Whether new patterns are judged better than by counted words."""
        return np.asarray(self.new > self.bag + MARGIN)

    @property
    def level_with_words(self) -> Verdicts:
        """Whether they are judged, but no better; NaN on either side is no verdict, so this is not the negation."""
        return np.asarray((self.new <= self.bag + MARGIN) & ~self.unlearned)

    @property
    def below_words(self) -> Verdicts:
        """Whether they are judged worse."""
        return np.asarray(self.new < self.bag - MARGIN)

    @property
    def carried(self) -> Verdicts:
        """Whether known patterns are judged much better than by always naming one tone."""
        return np.asarray(self.known > self.baseline + CARRIED)

    @property
    def tied_to_patterns(self) -> Floats:
        """How much better known patterns are judged than new ones."""
        return np.asarray(self.known - self.new)

    @property
    def tied_to_labels(self) -> Floats:
        """How much better labelled texts are judged than unseen ones of the same patterns."""
        return np.asarray(self.tone_trained - self.known)


def choices_left(loss: float) -> float:
    """Among how many pieces as likely as each other a loss in nats leaves the choice: exp(loss)."""
    return float(np.exp(loss))


def quotient(above: Floats, below: Floats) -> Floats:
    """One by the other; NaN where the lower is not above zero.

    >>> quotient(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    with np.errstate(over="ignore"):
        return np.asarray(above / np.where(below > 0, below, np.nan))


def _recent(values: Floats, nothing: Floats, share: float = 0.1) -> Floats:
    """The mean of the last ``share`` of the steps for each seed."""
    return values[-max(1, int(len(values) * share)) :].mean(0) if len(values) else nothing


def _longest(ratios: Floats) -> Floats:
    """The largest of the looks' typical ratios in (look, part, seed); NaN where no step moved anything."""
    looks = [typical_updates(look) for look in ratios]
    return np.fmax.reduce(looks) if looks else np.full(ratios.shape[-1], np.nan)


def _middle(norms: Floats) -> Floats:
    """The median over the steps of (step, part, seed)."""
    _, parts, seeds = norms.shape
    return np.array([[median(norms[:, part, seed]) for seed in range(seeds)] for part in range(parts)])


def _of(name: str, words: str, unit: str = "") -> Measure:
    """A number of the run's :class:`PretrainingReading`."""
    return Measure(name, words, unit, lambda run: np.asarray(getattr(PretrainingReading.of(run), name)).item())


WORTH = _of("worth", "The loss on masked words of unseen texts at the end of phase 1, over word frequencies'.")
KNOWN = _of("known", "The share of tones judged rightly in unseen texts of known patterns.")
NEW = _of("new", "The share of tones judged rightly in unseen texts of new patterns.")
BAG = _of("bag", "The share of tones judged rightly in unseen texts of new patterns by a bag of words.")
LOWEST_LOSS = _of("lowest_loss", "The lowest loss on masked words of unseen texts at any look.", "nat")
UNIGRAM = _of("unigram", "The loss on masked words of guessing by frequency.", "nat")


@combined("nat")
def below_frequencies(run: Run) -> float:
    """By how much the lowest loss on masked words at any look is below that of guessing by frequency."""
    return UNIGRAM(run) - LOWEST_LOSS(run)


def head_width(width: int, heads: int) -> int:
    """How many numbers a query or key of one head has."""
    return width // heads


@combined()
def gained_on_known(read: Run, unread: Run) -> float:
    """The share of tones of known patterns judged rightly with pre-training, less that without."""
    return KNOWN(read) - KNOWN(unread)


@combined()
def gained_on_new(read: Run, unread: Run) -> float:
    """The share of tones of new patterns judged rightly with pre-training, less that without."""
    return NEW(read) - NEW(unread)


@combined()
def above_counting_words(run: Run) -> float:
    """The share of tones of new patterns judged rightly, less that of a bag of words."""
    return NEW(run) - BAG(run)
