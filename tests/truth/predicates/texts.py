"""Sentences on models of characters and of words."""

import numpy as np

from tests.truth.predicates.told import by_seed, finite, rose, typical
from tests.truth.predicates.training import LONG, SHORT, at_end, diverged, of_training

NEW, KNOWN = "new patterns", "new draws"
READING, JUDGING = 1, 2


def below(told, simple):
    """Nats by which the dev loss is below that of a simple answer."""
    return told.of(f"{simple}_dev_loss") - told.last("dev_loss")


def gap(told):
    return told.last("dev_loss") - told.last("train_loss")


def scatter(told):
    """The spread of a step's change of the loss in the second half, over the root of two."""
    losses = told.of("loss")
    changes = abs(losses.isel(step=slice(losses.sizes["step"] // 2, None)).diff("step")).median("step", skipna=False)
    return changes / (0.6745 * np.sqrt(2))


def fewest_means(told):
    counts = told.run.running_values.values
    return float(counts[counts > 0].min())


GUESSES = {
    **of_training("learning_rate_too_large", "learning_rate_too_small"),
    "by_heart": lambda told: gap(told) > 0.3,
    "no_better_than_pairs": lambda told: below(told, "bigram") < 0.05,
    "beats_pairs": lambda told: below(told, "bigram") > 0.05,
}
CHAR_LANGUAGE_MODEL = {
    **GUESSES,
    "saturated": at_end("saturation", 0.3),
    "dead_units": at_end("dead_units", 0.1),
    "impossible_pair": lambda told: np.isposinf(told.last("dev_loss")),
    "wrong_axis": lambda told: fewest_means(told) < told.settings.hidden,
    "first_loss": lambda told: told.of("loss").isel(step=0) - told.of("uniform_loss") > 0.5,
    "stale_statistics": lambda told: told.last("dev_loss") - told.last("batch_statistics_loss") > 0.05,
    "batch_too_small": lambda told: scatter(told) > 0.4,
    "beats_letters": lambda told: below(told, "unigram") > 0.05,
}


def ahead(told):
    losses = told.last("position_loss")
    others = losses.isel(position=slice(losses.sizes["position"] // 2, None)).median("position")
    return losses.isel(position=-1) - others


def bits(told):
    return told.last("dev_loss") * told.of("tokens_per_byte") / np.log(2)


CHAR_GPT = {
    **GUESSES,
    "sees_ahead": lambda told: (ahead(told) > 0.5) & (not told.settings.masked),
    "even_attention": lambda told: told.last("attention_entropy").mean("block_number", skipna=False) > 0.985,
    "beats_gzip": lambda told: bits(told) < told.of("gzip_dev_bits"),
}


def looks(told, phase):
    """The looks of a phase: before and after the first step on tones."""
    steps = told.run.step.values
    first_tone = steps[told.run.phase.values == JUDGING].min(initial=steps[-1] + 1)
    return told.run.isel(look=(told.run.look.values >= first_tone) == (phase == JUDGING))


def steps(told, name, phase):
    return told.of(name).isel(step=told.run.phase.values == phase)


def unseen(told):
    return looks(told, READING).unseen_masked_loss.astype(np.float64)


def word_worth(told):
    return unseen(told).isel(look=-1) / float(told.run.unigram_loss)


def moves(told):
    ratios = looks(told, READING).update_to_data.astype(np.float64)
    return ratios.where(np.isfinite(ratios) & (ratios > 0))


def replaced(told):
    return (moves(told).median("part") >= 1).any("look")


def fading(told):
    phase = READING if (told.run.phase.values == READING).any() else JUDGING
    norms = finite(steps(told, "part_gradient_norm", phase)).median("step")
    blocks = [part for part in told.run.part.values if str(part).startswith("block ")]
    return norms.sel(part=blocks[-1]) / norms.sel(part=blocks[0])


def jumped(told):
    """Whether some forty-eighth of phase 1 has a mean loss a fifth above one before it."""
    losses = steps(told, "loss", READING).transpose("step", "seed").values
    size = max(1, len(losses) // 48)
    means = losses[: len(losses) // size * size].reshape(-1, size, losses.shape[1]).mean(1)
    return (means[1:] > 1.2 * np.minimum.accumulate(means)[:-1]).any(0)


def right(told, patterns, name="unseen_tone_accuracy"):
    return told.last(name, tone_set=patterns)


def baseline(told, name, patterns):
    return float(told.run.baseline_tone_accuracy.sel(baseline=name, tone_set=patterns))


def over_bag(told):
    return right(told, NEW) - baseline(told, "bag of words", NEW)


def over_majority(told):
    return right(told, KNOWN) - baseline(told, "majority", KNOWN)


def moved_by_reading(told):
    return right(told, NEW) - right(told, NEW, "start_tone_accuracy")


def right_in_training(told):
    judged = steps(told, "tone_accuracy", JUDGING)
    return judged.isel(step=slice(-max(1, judged.sizes["step"] // 10), None)).mean("step", skipna=False)


def worst_kind(told):
    """How far the worst kind of text, of those with enough texts, is below all, by the median of the seeds."""
    by_kind, count = told.last("kind_tone_accuracy"), told.run.kind_count.astype(np.float64)
    overall = (by_kind * count).sum("kind") / count.sum()
    return float((overall - by_kind.where(count >= 25)).median("seed").max())


def attention(told, phase=None):
    maps = told.run if phase is None else looks(told, phase)
    return maps.attention.isel(look=-1).transpose("layer", "head", "query", "key").values.astype(np.float64)


def even_heads(told):
    maps = attention(told, READING)
    entropy = -(maps * np.log2(np.where(maps > 0, maps, 1))).sum(-1).mean(-1)
    return (entropy > 0.95 * np.log2(maps.shape[-1])).mean() >= 0.25


def beside(told):
    maps = attention(told)
    return any((np.diagonal(maps, side, axis1=-2, axis2=-1).mean(-1) > 0.5).any() for side in (-1, 1))


BERT_PRETRAINING = {
    "diverged": diverged,
    "exploding": lambda told: (told.of("gradient_norm").max("step") > 1000) & (not told.settings.clip),
    "learning_rate_too_large": lambda told: (
        (typical(looks(told, READING).update_to_data) > LONG) | replaced(told) | rose(steps(told, "loss", READING))
    ),
    "learning_rate_too_small": lambda told: typical(looks(told, READING).update_to_data) < SHORT,
    "vanishing": lambda told: fading(told) > 100,
    "loss_spike": jumped,
    "worse_than_word_frequencies": lambda told: word_worth(told) > 1.05,
    "only_word_frequencies": lambda told: abs(word_worth(told) - 1) <= 0.0501,
    "words_by_heart": lambda told: (
        (unseen(told).isel(look=-1) > 1.15 * last_tenth(told)) & (unseen(told).isel(look=-1) > unseen(told).min("look"))
    ),
    "tone_not_learned": lambda told: over_majority(told) <= 0.07,
    "tone_from_words": lambda told: over_bag(told) <= 0.07,
    "labels_by_heart": lambda told: (
        (right_in_training(told) > 0.9) & (right_in_training(told) - right(told, KNOWN) > 0.15)
    ),
    "patterns_only": lambda told: right(told, KNOWN) - right(told, NEW) > 0.15,
    "hard_kind": lambda told: worst_kind(told) > 0.15,
    "tone_from_context": lambda told: over_bag(told) > 0.07,
    "pretraining_paid_off": lambda told: (over_majority(told) > 0.15) & told.settings.frozen,
    "frozen_holds_back": lambda told: (over_majority(told) <= 0.15) & told.settings.frozen,
    "reading_raised_tone": lambda told: moved_by_reading(told) > 0.07,
    "reading_lowered_tone": lambda told: moved_by_reading(told) < -0.07,
    "reading_left_tone": lambda told: abs(moved_by_reading(told)) <= 0.07,
    "even_heads": even_heads,
    "special_heads": lambda told: float((told.last("head_special").median("seed") > 0.8).mean()) >= 0.5,
    "clipping_every_step": lambda told: by_seed(steps(told, "clipped", READING)) > 0.9,
    "forgotten": lambda told: told.last("unseen_masked_loss") > 1.25 * unseen(told).isel(look=-1),
    "reads_context": lambda told: word_worth(told) <= 0.8,
    "neighbour_heads": beside,
}


def last_tenth(told):
    losses = steps(told, "loss", READING)
    return losses.isel(step=slice(-max(1, losses.sizes["step"] // 10), None)).mean("step", skipna=False)
