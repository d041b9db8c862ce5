"""A run of *Pre-training and fine-tuning* as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, rising, typical_updates
from goldviz.diagnostics.findings.measures import ERRORS, noise, share
from goldviz.diagnostics.findings.recorded import read
from goldviz.diagnostics.measure import Measure, combined
from goldviz.labs.bert_pretraining.heads import Heads
from goldviz.labs.bert_pretraining.phases import NEW_PATTERNS, TONE, WORDS, Kind, Phases

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


def _recent(name: str, phase: int, share: float = 0.1) -> Callable[[Phases], Floats]:
    """The mean of the last ``share`` of a phase's steps."""

    def mean(run: Phases) -> Floats:
        values = run.at_steps(name, phase)
        return values[-max(1, int(len(values) * share)) :].mean(0) if len(values) else run.nothing

    return mean


def _at_last_look(name: str, phase: int | None = None) -> Callable[[Phases], Floats]:
    """The value at the last look of a phase, or of all."""

    def last(run: Phases) -> Floats:
        values = run.values(name, "look", "seed") if phase is None else run.at_looks(name, phase)
        return values[-1] if len(values) else run.nothing

    return last


def _diverged(run: Phases) -> Verdicts:
    losses = run.values("loss", "step", "seed")
    return diverged(losses) if len(losses) else np.isinf(run.nothing)


def _lowest(run: Phases) -> Floats:
    losses = run.values("unseen_masked_loss", "look", "seed")
    return np.fmin.reduce(losses) if len(losses) else run.nothing


def _longest(run: Phases) -> Floats:
    """The largest of the looks' typical ratios; NaN where no step moved anything."""
    looks = [typical_updates(look) for look in run.at_looks("update_to_data", WORDS, "part")]
    return np.fmax.reduce(looks) if looks else run.nothing


def _part_norms(run: Phases) -> Floats:
    """Medians over the steps of phase 1, or of phase 2 where there is no phase 1."""
    norms = run.at_steps("part_gradient_norm", WORDS, "part")
    norms = norms if len(norms) else run.at_steps("part_gradient_norm", TONE, "part")
    _, parts, seeds = norms.shape
    return np.array([[median(norms[:, part, seed]) for seed in range(seeds)] for part in range(parts)])


@dataclass(frozen=True)
class PretrainingReading:
    """What was recorded, for each seed along the last axis; NaN where nothing was.

    ``word_losses`` (step, seed) are phase 1's losses, ``unseen_losses`` (look, seed) those on unseen texts up to its
    end; ``words_trained`` is the mean of the last tenth of the former, ``words_unseen`` the last of the latter and
    ``words_now`` the one at the last look of all, ``lowest_loss`` the lowest at any look. ``known`` and ``new`` are
    shares right on unseen texts of known and of new patterns, ``bag`` that of a bag of words on new ones and
    ``bag_known`` on known ones (of a person's file both are of its unseen texts), ``baseline`` that of always naming
    one tone on known ones, ``tone_trained`` the share of the last tenth of phase 2's steps. ``update`` is the typical
    update-to-data ratio of phase 1, and ``longest_update`` the largest of its looks, each by the median of the parts.
    ``start_known`` and ``start_new`` are
    shares right of the start that was fine-tuned without pre-training, ``pairs_told`` the share of unseen pairs of
    which the next-sentence head tells rightly whether B follows A, at the end of phase 1. ``part_norms`` (part, seed)
    are gradient norms. ``labelled`` is the number of labelled texts, ``last`` the last step.
    """

    last: int = read(lambda run: run.last)
    seeds: int = read(lambda run: len(run.nothing))
    diverged: Verdicts = read(_diverged)
    word_losses: Floats = read(lambda run: run.at_steps("loss", WORDS))
    unseen_losses: Floats = read(lambda run: run.at_looks("unseen_masked_loss", WORDS))
    words_trained: Floats = read(_recent("loss", WORDS))
    words_unseen: Floats = read(_at_last_look("unseen_masked_loss", WORDS))
    words_now: Floats = read(_at_last_look("unseen_masked_loss"))
    lowest_loss: Floats = read(_lowest)
    uniform: float = read(lambda run: run.number("uniform_loss"))
    unigram: float = read(lambda run: run.number("unigram_loss"))
    known: Floats = read(lambda run: run.tone(run.familiar))
    new: Floats = read(lambda run: run.tone(NEW_PATTERNS))
    bag: float = read(lambda run: run.baseline("bag of words", NEW_PATTERNS))
    bag_known: float = read(lambda run: run.baseline("bag of words", run.familiar))
    baseline: float = read(lambda run: run.baseline("majority", run.familiar))
    labelled: int = read(lambda run: int(run.ds.attrs.get("labelled_texts", 0)))
    tone_trained: Floats = read(_recent("tone_accuracy", TONE))
    hardest: Kind = read(lambda run: run.hardest_kind())
    update: Floats = read(lambda run: typical_updates(run.at_looks("update_to_data", WORDS, "part")))
    longest_update: Floats = read(_longest)
    parts: tuple[str, ...] = read(lambda run: run.labels("part"))
    part_norms: Floats = read(_part_norms)
    largest_norm: Floats = read(lambda run: run.values("gradient_norm", "step", "seed").max(0, initial=-np.inf))
    clipped: Floats = read(_recent("clipped", WORDS, share=1.0))
    start_known: Floats = read(lambda run: run.tone(run.familiar, "start_tone_accuracy"))
    start_new: Floats = read(lambda run: run.tone(NEW_PATTERNS, "start_tone_accuracy"))
    pairs_told: Floats = read(_at_last_look("unseen_next_sentence_accuracy", WORDS))
    heads: Heads = read(lambda run: Heads.of(run.ds, run.words_end))

    @classmethod
    def of(cls, ds: Run) -> PretrainingReading:
        """Read a run's dataset; variables may be missing or empty."""
        phases = Phases(ds)
        return cls(**{one.name: one.metadata["read"](phases) for one in fields(cls)})

    @property
    def worth(self) -> Floats:
        """The unseen loss at the end of phase 1 as a share of word frequencies' loss."""
        return share(self.words_unseen, self.unigram)

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
    def settled(self) -> Verdicts:
        """Whether the unseen loss hardly fell in the second half of phase 1; no where too few looks were made."""
        return ~self.still_falling & (len(self.unseen_losses) >= 3)

    @property
    def still_falling(self) -> Verdicts:
        """Whether the unseen loss fell in the second half of phase 1, by the looks there were."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen < FALLING * self.unseen_losses[len(self.unseen_losses) // 2])

    @property
    def unseen_gap(self) -> Floats:
        """The unseen loss at the end of phase 1 as a multiple of that in training."""
        return share(self.words_unseen, self.words_trained)

    @property
    def worse_again(self) -> Verdicts:
        """Whether that loss was lower at one of three looks or more before."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen > WORSE_AGAIN * self.unseen_losses.min(0))

    @property
    def forgetting(self) -> Floats:
        """The unseen loss at the last look as a multiple of that at the end of phase 1."""
        return share(self.words_now, self.words_unseen)

    @property
    def fading(self) -> Floats:
        """The last block's gradient norm as a multiple of the first block's; NaN where one is missing."""
        rows = [row for row, part in enumerate(self.parts) if part.startswith("block ")]
        if not rows or len(self.part_norms) <= rows[-1]:
            return np.full(self.seeds, np.nan)
        return share(self.part_norms[rows[-1]], self.part_norms[rows[0]])

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
        return np.asarray(np.where(by_chance, 1.0, share(means[1:], lowest)).max(0))

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
    def moved_on_known(self) -> Floats:
        """How much better known patterns are judged than by the start that was fine-tuned without pre-training."""
        return np.asarray(self.known - self.start_known)

    @property
    def moved_on_new(self) -> Floats:
        """The same on new patterns."""
        return np.asarray(self.new - self.start_new)

    @property
    def raised_by_reading(self) -> Verdicts:
        """Whether new patterns are judged clearly better than by that start."""
        return np.asarray(self.moved_on_new > MARGIN)

    @property
    def lowered_by_reading(self) -> Verdicts:
        """Whether they are judged clearly worse."""
        return np.asarray(self.moved_on_new < -MARGIN)

    @property
    def unmoved_by_reading(self) -> Verdicts:
        """Whether they are judged alike; NaN is no verdict, so this is not the negation of the others."""
        return np.asarray(np.abs(self.moved_on_new) <= MARGIN)

    @property
    def tied_to_labels(self) -> Floats:
        """How much better labelled texts are judged than unseen ones of the same patterns."""
        return np.asarray(self.tone_trained - self.known)


def choices_left(loss: float) -> float:
    """Among how many pieces as likely as each other a loss in nats leaves the choice: exp(loss)."""
    return float(np.exp(loss))


def _of(name: str, words: str, unit: str = "") -> Measure:
    """A number of the run's :class:`PretrainingReading`."""
    return Measure(name, words, unit, lambda run: np.asarray(getattr(PretrainingReading.of(run), name)).item())


WORTH = _of("worth", "The loss on masked words of unseen texts at the end of phase 1, over word frequencies'.")
KNOWN = _of("known", "The share of tones judged rightly in unseen texts of known patterns.")
NEW = _of("new", "The share of tones judged rightly in unseen texts of new patterns.")
BAG = _of("bag", "The share of tones judged rightly in unseen texts of new patterns by a bag of words.")
PAIRS_TOLD = _of("pairs_told", "The share of unseen pairs told rightly: whether B follows A, at the end of phase 1.")
MOVED_ON_KNOWN = _of("moved_on_known", "Tones of known patterns judged rightly, less the start's without pre-training.")
MOVED_ON_NEW = _of("moved_on_new", "Tones of new patterns judged rightly, less the start's without pre-training.")
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


@combined()
def next_sentence_gain_on_known(with_head: Run, without: Run) -> float:
    """The share of tones of known patterns judged rightly with the next-sentence head, less that without."""
    return KNOWN(with_head) - KNOWN(without)


@combined()
def next_sentence_gain_on_new(with_head: Run, without: Run) -> float:
    """The share of tones of new patterns judged rightly with the next-sentence head, less that without."""
    return NEW(with_head) - NEW(without)
