"""A run of *Pre-training and fine-tuning* as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, rising, typical_updates
from goldviz.diagnostics.findings.measures import ERRORS, noise, share
from goldviz.diagnostics.measure import RunReading, measure
from goldviz.labs.bert_pretraining.settings import NEW_DRAWS, NEW_PATTERNS, OWN

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

WORDS, TONE = 1, 2
LEAST_TEXTS = 25
EVEN = 0.95
SPECIAL = 0.8
NEIGHBOUR = 0.5
OFFSETS = {-1: "the piece before", 1: "the piece after"}
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


class Kind(NamedTuple):
    """One kind of text: shares right in it and in all kinds, how far it is behind them, the bag of words' share, and
    how many ``texts`` of it are judged."""

    name: str
    right: Floats
    overall: Floats
    behind: Floats
    bag: float
    texts: int


def entropies(attention: Floats) -> Floats:
    """The mean entropy over queries in bits, of (..., query, key).

    >>> float(entropies(np.full((4, 4), 0.25)))
    2.0
    """
    logarithms = np.log2(np.where(attention > 0, attention, 1.0))
    return np.asarray(0.0 - (attention * logarithms).sum(-1).mean(-1))


def neighbours(attention: Floats, offset: int) -> Floats:
    """The mean share of attention on the piece ``offset`` places on, over the queries that have such a piece.

    >>> float(neighbours(np.eye(3), 0)), float(neighbours(np.eye(3), 1))
    (1.0, 0.0)
    """
    return np.asarray(np.diagonal(attention, offset, axis1=-2, axis2=-1).mean(-1))


@dataclass(frozen=True)
class Heads:
    """Which heads (layer, head) look everywhere alike at the end of phase 1, and at special pieces at the last look.

    Attention is read in the probe sentence, of the first seed, and on unseen texts; Clark et al. 2019 describe the same
    habits in BERT.

    ``bits`` is the entropy of even attention. ``beside`` has the share and the words for each head that looks at one
    neighbour wherever it stands; one that looks at the piece itself needs no order. All are empty before the second
    look.
    """

    even: Verdicts
    bits: float
    idle: Verdicts
    beside: list[tuple[float, str]]

    @classmethod
    def of(cls, ds: Run, words_end: int) -> Heads:
        """Read them off a run's dataset whose phase 1 ends at step ``words_end``; without a phase 1 at the last."""
        looks = ds["look"].values if "look" in ds.coords else np.array([])
        read = ds.isel(look=looks <= words_end) if words_end else ds
        dims = ("layer", "head", "query", "key")
        attention = _last(read, "attention", *dims)
        bits = float(np.log2(max(attention.shape[-1], 1)))
        special = np.median(_last(ds, "head_special", "layer", "head", "seed"), axis=-1)
        return cls(entropies(attention) > EVEN * bits, bits, special > SPECIAL, _beside(_last(ds, "attention", *dims)))

    @property
    def even_share(self) -> float:
        """The share of heads that look everywhere alike."""
        return float(self.even.mean()) if self.even.size else np.nan

    @property
    def idle_share(self) -> float:
        """The share of heads that look mostly at special pieces."""
        return float(self.idle.mean()) if self.idle.size else np.nan

    @property
    def nearest(self) -> tuple[float, str, int]:
        """The largest share on a neighbour, whose it is, and how many heads beside that one look at one."""
        return (*max(self.beside), len(self.beside) - 1)

    @property
    def ordered(self) -> bool:
        """Whether a head looks at its neighbour."""
        return bool(self.beside)


def _last(ds: Run, name: str, *dims: str) -> Floats:
    """A variable at the last look; empty before the second, and where it is not finite."""
    if name in ds and ds[name].size and ds.sizes["look"] > 1:
        values = np.asarray(ds[name].isel(look=-1).transpose(*dims).values, dtype=np.float64)
        if np.isfinite(values).all():
            return values
    return np.empty((0,) + (1,) * (len(dims) - 1))


def _beside(attention: Floats) -> list[tuple[float, str]]:
    if attention.shape[-1] < 3:
        return []
    return [
        (float(shares[layer, head]), f"layer {layer + 1}, head {head + 1} at {words}")
        for offset, words in OFFSETS.items()
        for shares in [neighbours(attention, offset)]
        for layer, head in np.argwhere(shares > NEIGHBOUR)
    ]


def _recent(name: str, phase: int, share: float = 0.1) -> Callable[[PretrainingReading], Floats]:
    """The mean of the last ``share`` of a phase's steps."""

    def mean(n: PretrainingReading) -> Floats:
        values = n.at_steps(name, phase)
        return values[-max(1, int(len(values) * share)) :].mean(0) if len(values) else n.nothing

    return mean


def _at_last_look(name: str, phase: int | None = None) -> Callable[[PretrainingReading], Floats]:
    """The value at the last look of a phase, or of all."""

    def last(n: PretrainingReading) -> Floats:
        values = n.values(name, "look", "seed") if phase is None else n.at_looks(name, phase)
        return values[-1] if len(values) else n.nothing

    return last


class PretrainingReading(RunReading):
    """What was recorded, for each seed along the last axis; NaN where nothing was.

    Arrays are by phase, in a fixed order of dimensions, and empty where nothing was recorded. Of a person's file, known
    patterns are its unseen texts, and so are new ones for the bag of words.
    """

    def __init__(self, dataset: Run) -> None:
        super().__init__(dataset)
        self.nothing: Floats = np.full(max(dataset.sizes.get("seed", 1), 1), np.nan)
        steps = dataset["step"].values if "step" in dataset.coords else np.array([], dtype=int)
        phases = dataset["phase"].values if "phase" in dataset and len(steps) else np.zeros(len(steps))
        self.in_phase = {phase: phases == phase for phase in (WORDS, TONE)}
        self.last = int(steps[-1]) if len(steps) else 0
        self.words_end = int(steps[self.in_phase[WORDS]].max(initial=0))
        tone_steps = steps[self.in_phase[TONE]]
        began = int(tone_steps[0]) - 1 if len(tone_steps) else self.last
        looks = dataset["look"].values if "look" in dataset.coords else np.array([], dtype=int)
        self.looks = {WORDS: looks <= began, TONE: looks > began}
        self.seeds, self.labelled = len(self.nothing), int(dataset.attrs.get("labelled_texts", 0))
        self.parts = self.along("part")

    def values(self, name: str, *dims: str) -> Floats:
        """The variable with these dimensions as its axes."""
        if name not in self.dataset or self.dataset[name].size == 0:
            sizes = [len(self.nothing) if dim == "seed" else self.dataset.sizes.get(dim, 0) for dim in dims[1:]]
            return np.empty((0, *sizes))
        variable = self.dataset[name]
        if "seed" in dims and "seed" not in self.dataset.dims:
            variable = variable.expand_dims("seed")
        return np.asarray(variable.transpose(*dims).values, dtype=np.float64)

    def at_steps(self, name: str, phase: int, *dims: str) -> Floats:
        """The variable at a phase's steps, (step, *dims, seed)."""
        values = self.values(name, "step", *dims, "seed")
        return values[self.in_phase[phase]] if len(values) else values

    def at_looks(self, name: str, phase: int, *dims: str) -> Floats:
        """The variable at a phase's looks, (look, *dims, seed)."""
        values = self.values(name, "look", *dims, "seed")
        return values[self.looks[phase]] if len(values) else values

    def last_look(self, name: str, *dims: str) -> Floats:
        """The variable at fine-tuning's last look, (*dims, seed)."""
        values = self.at_looks(name, TONE, *dims)
        return values[-1] if len(values) else np.empty((0, len(self.nothing)))

    def number(self, name: str) -> float:
        """The one number of a variable; NaN where it was not recorded."""
        return float(self.dataset[name]) if name in self.dataset and self.dataset[name].size else float("nan")

    def tone(self, tone_set: str, name: str = "unseen_tone_accuracy") -> Floats:
        """The share of tones judged rightly in these texts, for each seed; ``name`` says by which network."""
        shares = self.last_look(name, "tone_set")
        there = len(shares) and tone_set in self.along("tone_set")
        return shares[self.along("tone_set").index(tone_set)] if there else self.nothing

    @property
    def familiar(self) -> str:
        """The unseen texts that are like the labelled ones."""
        return OWN if OWN in self.along("tone_set") else NEW_DRAWS

    def by_baseline(self, baseline: str, tone_set: str) -> float:
        """The same of a baseline."""
        shares = self.values("baseline_tone_accuracy", "baseline", "tone_set")
        if not len(shares) or tone_set not in self.along("tone_set"):
            return float("nan")
        return float(shares[self.along("baseline").index(baseline), self.along("tone_set").index(tone_set)])

    @cached_property
    def hardest(self) -> Kind:
        """The kind, of those with enough texts, that is judged worst; NaN where kinds were not recorded."""
        right, counts = self.last_look("kind_tone_accuracy", "kind"), self.values("kind_count", "kind")[:, None]
        if not len(right) or not len(counts):
            return Kind("", self.nothing, self.nothing, self.nothing, np.nan, 0)
        overall = (right * counts).sum(0) / counts.sum()
        behind = np.where(counts >= LEAST_TEXTS, overall - right, -np.inf)
        row = int(np.median(behind, axis=1).argmax())
        bag = self.values("baseline_kind_accuracy", "baseline", "kind")[:1, row : row + 1]
        name = str(self.dataset["kind"].values[row]).replace("_", " ")
        of_bag = float(bag[0, 0]) if bag.size else np.nan
        return Kind(name, right[row], overall, behind[row], of_bag, int(counts[row, 0]))

    def along(self, dim: str) -> tuple[str, ...]:
        """What stands along a dimension; nothing where there is no such dimension."""
        return tuple(str(name) for name in self.dataset[dim].values) if dim in self.dataset.coords else ()

    @cached_property
    def word_losses(self) -> Floats:
        """Phase 1's losses, (step, seed)."""
        return self.at_steps("loss", WORDS)

    @cached_property
    def unseen_losses(self) -> Floats:
        """Losses on unseen texts up to phase 1's end, (look, seed)."""
        return self.at_looks("unseen_masked_loss", WORDS)

    @cached_property
    def heads(self) -> Heads:
        """What attention heads look at."""
        return Heads.of(self.dataset, self.words_end)

    @cached_property
    def part_norms(self) -> Floats:
        """Gradient norms (part, seed), medians over the steps of phase 1, or of phase 2 where there is no phase 1."""
        norms = self.at_steps("part_gradient_norm", WORDS, "part")
        norms = norms if len(norms) else self.at_steps("part_gradient_norm", TONE, "part")
        _, parts, seeds = norms.shape
        return np.array([[median(norms[:, part, seed]) for seed in range(seeds)] for part in range(parts)])

    @measure
    def diverged(self) -> Verdicts:
        """Whether the loss ends in no number."""
        losses = self.values("loss", "step", "seed")
        return diverged(losses) if len(losses) else np.isinf(self.nothing)

    words_trained = measure(_recent("loss", WORDS), "nat")
    """The loss on masked words, mean over the last tenth of phase 1's steps."""
    words_unseen = measure(_at_last_look("unseen_masked_loss", WORDS), "nat")
    """The loss on masked words of unseen texts at the end of phase 1."""
    words_now = measure(_at_last_look("unseen_masked_loss"), "nat")
    """The loss on masked words of unseen texts at the last look of all."""

    @partial(measure, unit="nat")
    def lowest_loss(self) -> Floats:
        """The lowest loss on masked words of unseen texts at any look."""
        losses = self.values("unseen_masked_loss", "look", "seed")
        return np.fmin.reduce(losses) if len(losses) else self.nothing

    uniform = measure(lambda n: n.number("uniform_loss"), "nat")
    """The loss on masked words of guessing all alike."""
    unigram = measure(lambda n: n.number("unigram_loss"), "nat")
    """The loss on masked words of guessing by frequency."""
    known = measure(lambda n: n.tone(n.familiar))
    """The share of tones judged rightly in unseen texts of known patterns."""
    new = measure(lambda n: n.tone(NEW_PATTERNS))
    """The share of tones judged rightly in unseen texts of new patterns."""
    bag = measure(lambda n: n.by_baseline("bag of words", NEW_PATTERNS))
    """The share of tones judged rightly in unseen texts of new patterns by a bag of words."""
    bag_known = measure(lambda n: n.by_baseline("bag of words", n.familiar))
    """The share of tones judged rightly in unseen texts of known patterns by a bag of words."""
    baseline = measure(lambda n: n.by_baseline("majority", n.familiar))
    """The share of tones judged rightly in unseen texts of known patterns by always naming one."""
    tone_trained = measure(_recent("tone_accuracy", TONE))
    """The share of tones judged rightly in labelled texts, mean over the last tenth of phase 2's steps."""
    start_known = measure(lambda n: n.tone(n.familiar, "start_tone_accuracy"))
    """The share of tones of known patterns judged rightly by the start, fine-tuned without pre-training."""
    start_new = measure(lambda n: n.tone(NEW_PATTERNS, "start_tone_accuracy"))
    """The share of tones of new patterns judged rightly by the start, fine-tuned without pre-training."""
    pairs_told = measure(_at_last_look("unseen_next_sentence_accuracy", WORDS))
    """The share of unseen pairs told rightly: whether B follows A, at the end of phase 1."""
    update = measure(lambda n: typical_updates(n.at_looks("update_to_data", WORDS, "part")))
    """The typical update-to-data ratio of phase 1, by the median of the parts."""

    @measure
    def longest_update(self) -> Floats:
        """The largest typical update-to-data ratio of a look in phase 1; NaN where no step moved anything."""
        looks = [typical_updates(look) for look in self.at_looks("update_to_data", WORDS, "part")]
        return np.fmax.reduce(looks) if looks else self.nothing

    largest_norm = measure(lambda n: n.values("gradient_norm", "step", "seed").max(0, initial=-np.inf))
    """The largest gradient's norm."""
    clipped = measure(_recent("clipped", WORDS, share=1.0))
    """The share of phase 1's steps whose gradient was clipped."""
    worth = measure(lambda n: share(n.words_unseen, n.unigram))
    """The loss on masked words of unseen texts at the end of phase 1, over word frequencies'."""
    choices = measure(lambda n: choices_left(median(n.words_unseen)))
    """Among how many pieces as likely as each other the unseen loss at the end of phase 1 leaves the choice."""
    choices_by_frequency = measure(lambda n: choices_left(n.unigram))
    """Among how many pieces as likely as each other word frequencies leave the choice."""
    rising = measure(lambda n: rising(n.word_losses))
    """Whether phase 1's loss rises."""
    overwrote = measure(lambda n: n.longest_update >= LONGEST_UPDATE)
    """Whether a step that was looked at replaced the weights that it found."""
    settled = measure(lambda n: ~n.still_falling & (len(n.unseen_losses) >= 3))
    """Whether the unseen loss hardly fell in the second half of phase 1; no where too few looks were made."""

    @measure
    def still_falling(self) -> Verdicts:
        """Whether the unseen loss fell in the second half of phase 1, by the looks there were."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen < FALLING * self.unseen_losses[len(self.unseen_losses) // 2])

    unseen_gap = measure(lambda n: share(n.words_unseen, n.words_trained))
    """The unseen loss at the end of phase 1 as a multiple of that in training."""

    @measure
    def worse_again(self) -> Verdicts:
        """Whether the unseen loss was lower at one of three looks or more before the end of phase 1."""
        if len(self.unseen_losses) < 3:
            return np.zeros(self.seeds, dtype=bool)
        return np.asarray(self.words_unseen > WORSE_AGAIN * self.unseen_losses.min(0))

    forgetting = measure(lambda n: share(n.words_now, n.words_unseen))
    """The unseen loss at the last look as a multiple of that at the end of phase 1."""

    @measure
    def fading(self) -> Floats:
        """The last block's gradient norm as a multiple of the first block's; NaN where one is missing."""
        rows = [row for row, part in enumerate(self.parts) if part.startswith("block ")]
        if not rows or len(self.part_norms) <= rows[-1]:
            return np.full(self.seeds, np.nan)
        return share(self.part_norms[rows[-1]], self.part_norms[rows[0]])

    @measure
    def fading_a_block(self) -> Floats:
        """By how much each block shortens the gradient on its way down, where all do so alike."""
        blocks = sum(part.startswith("block ") for part in self.parts)
        return np.asarray(self.fading ** (1 / max(blocks - 1, 1)))

    @property
    def window(self) -> int:
        """How many steps of phase 1 a mean is taken over, in search of spikes."""
        return max(1, len(self.word_losses) // WINDOWS)

    @measure
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

    unlearned = measure(lambda n: n.known <= n.baseline + MARGIN)
    """Whether known patterns are judged no better than by always naming one tone."""
    beyond_words = measure(lambda n: n.new > n.bag + MARGIN)
    """Whether new patterns are judged better than by counted words."""
    level_with_words = measure(lambda n: (n.new <= n.bag + MARGIN) & ~n.unlearned)
    """Whether new patterns are judged, but no better; NaN on either side is no verdict, so this is not the negation."""
    below_words = measure(lambda n: n.new < n.bag - MARGIN)
    """Whether new patterns are judged worse than by counted words."""
    carried = measure(lambda n: n.known > n.baseline + CARRIED)
    """Whether known patterns are judged much better than by always naming one tone."""
    tied_to_patterns = measure(lambda n: n.known - n.new)
    """How much better known patterns are judged than new ones."""
    moved_on_known = measure(lambda n: n.known - n.start_known)
    """Tones of known patterns judged rightly, less the start's without pre-training."""
    moved_on_new = measure(lambda n: n.new - n.start_new)
    """Tones of new patterns judged rightly, less the start's without pre-training."""
    raised_by_reading = measure(lambda n: n.moved_on_new > MARGIN)
    """Whether new patterns are judged clearly better than by that start."""
    lowered_by_reading = measure(lambda n: n.moved_on_new < -MARGIN)
    """Whether new patterns are judged clearly worse than by that start."""
    unmoved_by_reading = measure(lambda n: np.abs(n.moved_on_new) <= MARGIN)
    """Whether new patterns are judged alike; NaN is no verdict, so this is not the negation of the others."""
    tied_to_labels = measure(lambda n: n.tone_trained - n.known)
    """How much better labelled texts are judged than unseen ones of the same patterns."""


def choices_left(loss: float) -> float:
    """Among how many pieces as likely as each other a loss in nats leaves the choice: exp(loss)."""
    return float(np.exp(loss))


def torn_between(loss: float, uniform: float) -> str:
    """A loss as a number of pieces; one above that of guessing all alike has none."""
    return "worse than guessing all alike" if loss > uniform else f"as torn between {choices_left(loss):,.0f} pieces"


def head_width(width: int, heads: int) -> int:
    """How many numbers a query or key of one head has."""
    return width // heads


below_frequencies = measure(lambda run: PretrainingReading.unigram(run) - PretrainingReading.lowest_loss(run), "nat")
"""By how much the lowest loss on masked words at any look is below that of guessing by frequency."""
above_counting_words = measure(lambda run: PretrainingReading.new(run) - PretrainingReading.bag(run))
"""The share of tones of new patterns judged rightly, less that of a bag of words."""
gained_on_known = measure(lambda read, unread: PretrainingReading.known(read) - PretrainingReading.known(unread))
"""The share of tones of known patterns judged rightly with pre-training, less that without."""
gained_on_new = measure(lambda read, unread: PretrainingReading.new(read) - PretrainingReading.new(unread))
"""The share of tones of new patterns judged rightly with pre-training, less that without."""
next_sentence_gain_on_known = measure(gained_on_known.read)
"""The share of tones of known patterns judged rightly with the next-sentence head, less that without."""
next_sentence_gain_on_new = measure(gained_on_new.read)
"""The share of tones of new patterns judged rightly with the next-sentence head, less that without."""
